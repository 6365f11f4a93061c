"""A made store of Cursor: files of unknown calls, transcripts without any results."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

from tests.harness_stores.model import HarnessStore, Spill
from tests.stores import log_of

FIRST = "1a2b3c4d-1111-4222-8333-44444444aa01"
SECOND = "1a2b3c4d-1111-4222-8333-44444444aa02"
CHILD = "1a2b3c4d-1111-4222-8333-44444444aa03"
GATES = ((40_000, "bytes"), (12_000, "bytes"))


def message(role: str, *blocks: dict[str, Any]) -> str:
    return json.dumps({"role": role, "message": {"content": list(blocks)}})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(tool: str, **arguments: Any) -> dict[str, Any]:
    """A call; it has no id."""
    return {"type": "tool_use", "id": None, "name": tool, "input": arguments}


def make(home: Path) -> HarnessStore:
    """Make the store below `home`."""
    store = HarnessStore(harness="cursor")
    projects = home / ".cursor" / "projects"
    app = projects / "srv-my-app"

    def add(project: Path, name: str, data: bytes, what: str, **more: Any) -> Path:
        path = project / "agent-tools" / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        known: dict[str, Any] = {"link": "unknown", "boundary": GATES[1]}
        known |= {"gates": GATES}
        store.spills.append(Spill(path=path, data=data, what=what, **(known | more)))
        return path

    shell = add(
        app,
        "a980209e-75a7-4660-b99d-2ac77e83f601",
        log_of(3000, wide="日本 "),
        "of a command, read on",
    )
    picture = base64.b64encode(bytes(range(256)) * 300).decode()
    parts = [
        {"type": "image", "data": picture, "mimeType": "image/png"},
        {"type": "text", "text": "chosen\r\nand done"},
    ]
    add(
        app,
        "a980209e-75a7-4660-b99d-2ac77e83f602",
        json.dumps(parts).encode(),
        "with a picture",
        kind="json",
    )
    add(
        projects / "srv-other",
        "a980209e-75a7-4660-b99d-2ac77e83f603",
        log_of(1800, last="1 failed").replace(b"\n", b"\r\n"),
        "of another project",
    )
    # The words of a notice: in a prompt, in an answer, as JSON; no result is one.
    note = f"Large output has been written to: {shell} (84.9 KB, 3000 lines)"
    lines = [
        message("user", text("<user_query>\nRun the tests\n</user_query>")),
        message("assistant", text("Running."), use("Shell", command="make test")),
        message("assistant", text(f"It said: {note}")),
        message("assistant", use("Read", path=str(shell), offset=100, limit=50)),
        message("assistant", use("Grep", pattern="FAILED", path=str(shell))),
        message("assistant", text("Three errors.")),
        '{"role":"assistant","message":{"content":[{"type":"tool_use","name":7},9]}}',
        '{"role":["user"],"message":7}',
        '{"role":"assistant","message":',
    ]
    folder = app / "agent-transcripts" / FIRST
    folder.mkdir(parents=True)
    (folder / f"{FIRST}.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "subagents").mkdir()
    child = [message("user", text("Look")), message("assistant", text("Nothing."))]
    (folder / "subagents" / f"{CHILD}.jsonl").write_text("\n".join(child) + "\n")
    older = app / "agent-transcripts" / f"{SECOND}.jsonl"
    older.write_text(message("user", text("Hello")) + "\n")
    for other in (
        app / "agent-transcripts" / f"{SECOND}.txt",
        app / "agent-tools" / "notes.txt",
        app / "agent-tools" / "a980209e-75a7-4660-b99d-2ac77e83f601.txt.tmp",
        app / "terminals" / "1.txt",
        app / "mcps" / "tools.json",
    ):
        other.parent.mkdir(parents=True, exist_ok=True)
        other.write_text("user:\nmine\n")
        store.others.append(other)
    return store
