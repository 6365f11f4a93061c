"""A made store of oh-my-pi: numbers for paths, one folder for a session's tree."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.harness_stores.pi import Talk
from tests.printed import FAILED, NIGHT, line_start, output, words

FIRST = "0199aaaa-1111-7111-8111-bbbbbbbbbbb1"
SECOND = "0199bbbb-2222-7222-8222-bbbbbbbbbbb2"
FORK = "0199cccc-3333-7333-8333-bbbbbbbbbbb3"
GATES = ((51_200, "bytes"), (3000, "lines"))
STAMP = "2026-11-18T12-26-40-000Z"


class Tree:
    """A session with its folder."""

    def __init__(self, home: Path, session: str, cwd: str = "/srv/app") -> None:
        slug = "--" + cwd.lstrip("/").replace("/", "-") + "--"
        base = home / ".omp/agent/sessions" / slug
        self.folder = base / f"{STAMP}_{session}"
        self.session = session
        self.talk = Talk(base / f"{STAMP}_{session}.jsonl", session, cwd)

    def save(self, number: int, tool: str, data: bytes, producer: str) -> Path:
        """Keep a whole output."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{number}.{tool}.log"
        path.write_bytes(data)
        side = {"version": 1, "producerSessionId": producer}
        (self.folder / f".artifact-{number}.json").write_text(json.dumps(side))
        return path


def window(data: bytes, first: int, last: int) -> tuple[str, int, int]:
    """Lines `first` to `last` without the last one's end, and their byte range."""
    start = line_start(data, first)
    end = data.index(b"\n", line_start(data, last))
    return data[start:end].decode(), start, end


def told(
    tree: Tree,
    talk: Talk,
    what: str,
    number: int,
    data: bytes,
    text: str,
    seen: tuple[tuple[int, int], ...],
    *,
    tool: str = "bash",
    command: str = "bun test",
    meta: bool = True,
    saved: str | None = None,
    write: bool = True,
    failed: bool = False,
) -> Spill:
    """A call whose result was too large."""
    arguments = {"command": command} if tool == "bash" else {"query": command}
    call_id = talk.calls(tool, **arguments)
    details: dict[str, Any] = {}
    if meta:
        details = {"meta": {"truncation": {"artifactId": str(number)}}}
    talk.gets(call_id, text, tool=tool, details=details, failed=failed)
    name = saved or tool
    path = tree.folder / f"{number}.{name}.log"
    if write:
        tree.save(number, name, data, talk.session)
    return Spill(
        path=path,
        data=data,
        what=what,
        session=tree.session,
        project="/srv/app",
        tool=tool,
        call_id=call_id,
        command=command if tool == "bash" else None,
        failed=failed,
        envelope=text,
        seen=seen,
        gates=GATES,
    )


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="oh-my-pi")
    tree = Tree(home, FIRST)
    one = tree.talk

    # Middle elided; read on by its number.
    data = output("middle", 120_000, verdict=FAILED)
    total = data.count(b"\n")
    head, _, first = window(data, 1, 300)
    tail, last, _ = window(data, total - 299, total)
    gone = total - 600
    text = (
        f"{head}\n[…{gone}ln elided…]\n{tail}\n\n[Showing lines 1-300 and "
        f"{total - 299}-{total} of {total}; {gone:,} middle lines "
        f"({words(last - first)}) elided. Read artifact://0 for full output]"
    )
    spill = told(
        tree,
        one,
        "middle elided",
        0,
        data,
        text,
        ((0, first + 1), (last, len(data) - 1)),
    )
    part, start, end = window(data, 500, 520)
    call = one.calls("read", says="What is between?", path="artifact://0:500-520")
    one.gets(call, part, tool="read")
    assert spill.seen is not None
    store.spills.append(
        replace(
            spill,
            seen=(spill.seen[0], (start, end), spill.seen[1]),
            agrees=True,
            next_text="What is between?",
            read_back=True,
        )
    )

    # The tail alone, with the time the command took.
    data = output("尾", 90_000, kind="cjk")
    total = data.count(b"\n")
    tail, last, _ = window(data, total - 299, total)
    text = (
        f"{tail}\n\nWall time: 0.52 seconds\n\n[Showing lines {total - 299}-{total} of "
        f"{total} (50.0KB limit). Read artifact://1 for full output]"
    )
    seen = ((last, len(data) - 1),)
    store.spills.append(told(tree, one, "the tail", 1, data, text, seen))

    # The head, of another tool whose name is not one for a file.
    data = output("head", 90_000, kind="crlf")
    total = data.count(b"\n")
    head, _, first = window(data, 1, 300)
    text = (
        f"{head}\n\n[Showing lines 1-300 of {total} (50.0KB limit). Use :301 to "
        "continue. Read artifact://2 for full output]"
    )
    spill = told(
        tree,
        one,
        "the head, of a tool with a long name",
        2,
        data,
        text,
        ((0, first),),
        tool="mcp/srv.logs",
        saved="mcp_srv_logs",
    )
    store.spills.append(spill)

    # Condensed: what is shown is no part of the whole.
    data = output("raw", 70_000, kind="ansi", verdict=FAILED)
    text = (
        "1 failed, 1203 passed in all\n\nWall time: 3.10 seconds\n"
        "[raw output: artifact://3]"
    )
    spill = told(
        tree, one, "condensed", 3, data, text, (), meta=False, saved="bash-original"
    )
    store.spills.append(replace(spill, seen=None))

    # The file itself lacks its middle.
    whole = output("capped", 80_000)
    mark = (
        b"\n[ARTIFACT TRUNCATED: kept first 30.0KB + last 30.0KB of 1.2GB; "
        b"1.2GB elided from the middle]\n"
    )
    data = whole[:30_720] + mark + whole[-30_720:]
    total = data.count(b"\n")
    tail, last, _ = window(data, total - 99, total)
    text = (
        f"{tail}\n\n[Showing lines {total - 99}-{total} of {total}. Read artifact://4 "
        "for full output]"
    )
    seen = ((last, len(data) - 1),)
    store.spills.append(told(tree, one, "capped itself", 4, data, text, seen))

    # Deleted.
    lost = told(
        tree,
        one,
        "deleted",
        5,
        data,
        f"{tail}\n\n[Showing lines 1-2 of 3. Read artifact://5 for full output]",
        (),
        write=False,
    )
    store.gone.append(
        Gone(what="deleted", state="dangling", session=FIRST, call_id=lost.call_id)
    )
    orphan = tree.save(6, "bash", output("orphan", 60_000), FIRST)
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="no record names it",
            link="orphan",
            session=FIRST,
            tool="bash",
            gates=GATES,
        )
    )
    # Of a subagent: its file lies here, its transcript too.
    agent = Talk(tree.folder / "0-Scout.jsonl", "0-Scout")
    data = output("scout", 64_000)
    total = data.count(b"\n")
    tail, last, _ = window(data, total - 199, total)
    text = (
        f"{tail}\n\n[Showing lines {total - 199}-{total} of {total}. Read artifact://7 "
        "for full output]"
    )
    seen = ((last, len(data) - 1),)
    store.spills.append(told(tree, agent, "a subagent's", 7, data, text, seen))
    agent.write()
    for name, text in (
        ("8.bash.log.tmp-0b1c2d3e", "half"),
        (".artifact-9.json", "{}"),
        ("notes.txt", "mine"),
        ("0-Scout.md", "What the scout found"),
    ):
        (tree.folder / name).write_text(text)
        store.others.append(tree.folder / name)
    title = {
        "type": "title",
        "v": 1,
        "title": "Green",
        "updatedAt": "",
        "pad": " " * 99,
    }
    one.lines.insert(0, json.dumps(title).encode())
    one.write()

    # Another session counts from 0 as well.
    two = Tree(home, SECOND)
    data = output("second", 60_000)
    total = data.count(b"\n")
    tail, last, _ = window(data, total - 99, total)
    text = (
        f"{tail}\n\n[Showing lines {total - 99}-{total} of {total}. Read artifact://0 "
        "for full output]"
    )
    seen = ((last, len(data) - 1),)
    spill = told(
        two, two.talk, "the same number in another session", 0, data, text, seen
    )
    store.spills.append(spill)
    two.talk.write()
    # A fork copies records and folder.
    fork = Tree(home, FORK)
    fork.talk.lines += two.talk.lines[1:]
    fork.talk.write()
    shutil.copytree(two.folder, fork.folder)
    copied = fork.folder / spill.path.name
    store.spills.append(
        replace(spill, path=copied, session=FORK, what="the copy of a fork")
    )
    blob = home / ".omp/agent/blobs" / ("ab" * 32)
    blob.parent.mkdir(parents=True)
    blob.write_bytes(b"\x89PNG\r\n\x1a\n")
    store.others.append(blob)
    assert NIGHT
    return store
