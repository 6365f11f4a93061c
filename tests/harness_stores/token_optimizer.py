"""A made store of token-optimizer: archives of a plugin's hooks, texts inside JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, output
from tests.stores import Claude, span

ONE = "44444444-aaaa-4444-8444-00000000ac04"
TWO = "55555555-aaaa-4555-8555-00000000ac05"
GATE = (4096, "chars")
MEASURE = "/home/u/.claude/plugins/cache/token-optimizer/scripts/measure.py"


def archive(folder: Path, key: str, text: str, **more: Any) -> Path:
    """One archived result, and its line in the manifest."""
    meta: dict[str, Any] = {
        "tool_name": "mcp__db__query",
        "tool_use_id": key,
        "args_hash": None,
        "file_path": None,
        "chars": len(text),
        "original_chars": len(text),
        "tokens_est": len(text) // 4,
        "truncated": False,
        "timestamp": "2026-11-18T10:00:00+00:00",
        "archived_from": 'a "quoted" {tool}: [response]',
        **more,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{key}.json"
    path.write_text(json.dumps({**meta, "response": text}))
    os.utime(path, (NIGHT, NIGHT))
    with (folder / "manifest.jsonl").open("a") as file:
        file.write(json.dumps(meta) + "\n")
    return path


def pointer(preview: str, chars: int, key: str | None, kind: str = "") -> str:
    """What the model gets: a preview, and how to have the rest."""
    text = f"{preview}\n\n[Full result archived ({chars:,} chars{kind}) — saved to disk"
    if key is None:
        return text + ", not lost.]"
    return (
        f"{text}, not lost.\nDo NOT call mcp__db__query again to get this data — read"
        f" the saved copy by running this in Bash:\n    python3 {MEASURE} expand {key}]"
    )


def make(home: Path) -> HarnessStore:
    """Make the stores: the older folder of backups, and the plugin's own."""
    store = HarnessStore(harness="token-optimizer")
    old = home / ".claude/_backups/token-optimizer/tool-archive"
    new = home / ".claude/plugins/data/token-optimizer-alexgreensh/data/tool-archive"

    one = Claude(home, session=ONE, cwd="/srv/app")
    one.prompt("Ask the database")

    # Text with escapes, quotes and CJK, its head in the envelope, then expanded.
    text = output('rows \\"quoted\\" \t', 60_000, kind="cjk", verdict=FAILED).decode()
    call = one.calls("mcp__db__query", sql="select 1")
    path = archive(new / ONE, call, text)
    envelope = pointer(text[:1500], len(text), call)
    one.gets(call, [{"type": "text", "text": envelope}])
    one.says("Rows.")
    head = len(text[:1500].encode())
    data = text.encode()
    back = one.calls("Bash", command=f"python3 {MEASURE} expand {call} | sed -n 50,60p")
    one.gets(back, "\n".join(text.split("\n")[49:60]))
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="text",
            content="archive",
            session=ONE,
            project="/srv/app",
            tool="mcp__db__query",
            call_id=call,
            failed=False,
            envelope=envelope,
            may=((0, head), span(data, 50, 60)),
            boundary=GATE,
            agrees=True,
            next_text="Rows.",
        )
    )

    # JSON, summed up; the notice names no key: its call tells.
    rows = [{"id": n, "title": f"row {n}", "ok": n % 2 == 0} for n in range(2000)]
    text = json.dumps(rows)
    call = one.calls("mcp__db__query", sql="select 2")
    path = archive(old / ONE, call, text)
    summary = "JSON array (2000 items):\n  {id, title, ok}"
    envelope = pointer(summary, len(text), None, " (json)")
    one.gets(call, envelope)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="json",
            content="archive",
            session=ONE,
            tool="mcp__db__query",
            call_id=call,
            envelope=envelope,
            may=(),
            kind="json",
            agrees=True,
        )
    )

    # Kept beside a result that the model saw whole: no notice tells of it.
    data = output("native", 50_000)
    path = archive(new / ONE, "toolu_native", data.decode(), tool_name="Bash")
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="native",
            content="archive",
            link="orphan",
            session=ONE,
        )
    )

    # Swept after two days.
    call = one.calls("mcp__db__query", sql="select 3")
    one.gets(call, pointer("gone", 12_345, call))
    store.gone.append(Gone(what="swept", state="dangling", session=ONE, call_id=call))
    one.write()

    # Another session; a key that is none of a call.
    two = Claude(home, session=TWO, cwd="/srv/app")
    two.prompt("Read")
    text = output("skeleton", 50_000, verdict=FAILED).decode()
    key = "0123456789abcdef"
    path = archive(new / TWO, key, text, tool_name="Read")
    call = two.calls("Read", file_path="/srv/app/big.py")
    envelope = pointer("class Big: ...", len(text), key)
    two.gets(call, envelope)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="derived key",
            content="archive",
            session=TWO,
            call_id=call,
            envelope=envelope,
            may=(),
            agrees=True,
        )
    )
    two.write()
    foreign = new / TWO / ".tmp1234"
    foreign.write_text("{}")
    store.others += [
        foreign,
        new / ONE / "manifest.jsonl",
        one.transcript,
        two.transcript,
    ]
    return store
