"""A made store of Letta Code: overflow files, and a copy of one conversation."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.outputs import (
    Range,
    head,
    iso,
    lines,
    output,
    put,
    put_lines,
    shown,
    tail,
    united,
)

NIGHT = 1_795_000_000
TALK = "conv-0f0f0f0f"


def uuid(n: int) -> str:
    """A random id, as far as names go."""
    return f"{n:08x}-1111-4222-8333-aaaabbbb{n:04x}"


def in_the_middle(text: str, chars: int) -> tuple[str, tuple[Range, ...]]:
    """Half of the chars from either end, and the byte ranges they are."""
    half = chars // 2
    mark = f"\n... [{len(text) - chars:,} characters omitted] ...\n"
    return text[:half] + mark + text[-half:], (head(text, half), tail(text, half))


def of_lines(text: str, most: int, width: int = 2000) -> str:
    """Half of the lines from either end, each cut to a width."""
    rows, half = text.split("\n"), most // 2
    kept = rows
    if len(rows) > most:
        mark = f"... [{len(rows) - most:,} lines omitted] ..."
        kept = [*rows[:half], mark, *rows[-half:]]
    return "\n".join(
        row if len(row) <= width else row[:width] + "... [line truncated]"
        for row in kept
    )


def told(limit: int, total: int, what: str, path: Path | None, then: str = "\n") -> str:
    """The words behind what is shown."""
    text = f"\n\n[Output truncated: showing {limit:,} of {total:,} {what}.]"
    return text if path is None else f"{text}{then}[Full output written to: {path}]"


@dataclass
class Talk:
    """One conversation's copy while it is written."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    now: float = NIGHT

    def add(self, kind: str, **facts: Any) -> None:
        self.now += 2
        row = {"kind": kind, **facts, "captured_at": iso(self.now)}
        self.rows.append({"source_line_id": f"line-{len(self.rows)}", **row})

    def calls(
        self, call_id: str, name: str, arguments: dict[str, Any], result: str, ok: bool
    ) -> None:
        self.add(
            "tool_call",
            name=name,
            argsText=json.dumps(arguments),
            resultText=result,
            resultOk=ok,
            source_line_id=call_id,
        )


def make(home: Path) -> HarnessStore:
    """Two projects' overflow files, of which one session has a local copy."""
    store = HarnessStore(harness="letta-code")
    letta = home / ".letta"
    tools = letta / "projects/srv_my_shop/agent-tools"
    talk = Talk()
    talk.add("user", text="Make the build pass.")
    gate = (30_000, "chars")

    # Chars, head and tail; a later read shows more.
    text = output(90_000, "FAILED (errors=3)", seed=1, odd=True)
    path = put(tools / f"bash-{uuid(1)}.txt", text, NIGHT + 10)
    body, ranges = in_the_middle(text, 30_000)
    whole = body + told(30_000, len(text), "characters", path)
    talk.calls("toolu_1", "Bash", {"command": "make 2>&1"}, whole, False)
    talk.add("assistant", text="Three errors; looking at the middle.")
    part = shown(text, 700, 730)
    talk.calls("toolu_2", "Bash", {"command": f"sed -n 700,730p {path}"}, part, True)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="chars, head and tail, read again",
            session=TALK,
            tool="Bash",
            call_id="toolu_1",
            command="make 2>&1",
            failed=True,
            envelope=whole,
            seen=united(*ranges, lines(text, 700, 730)),
            boundary=gate,
            gates=(gate,),
            agrees=True,
            next_text="Three errors; looking at the middle.",
            read_back=True,
        )
    )

    # Emoji: the notice counts UTF-16 units; only the head is kept when so set.
    text = "🙂" * 400 + "\n" + output(64_000, "ok", seed=2)
    path = put(tools / f"task-{uuid(2)}.txt", text, NIGHT + 20)
    units = len(text.encode("utf-16-le")) // 2
    kept = text[: 30_000 - 400]
    whole = kept + told(30_000, units, "characters", path)
    talk.calls("toolu_3", "Task", {"prompt": "look around"}, whole, True)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="head alone, UTF-16 units in the notice",
            session=TALK,
            tool="Task",
            envelope=whole,
            seen=(head(text, len(kept)),),
            boundary=gate,
            agrees=True,
        )
    )

    # Lines, with long ones; all on one line of words.
    rows = [f"row {n:05d} of a long listing" for n in range(1, 3201)]
    text = "\n".join(rows) + "\nthe end"
    path = put(tools / f"read-{uuid(3)}.txt", text, NIGHT + 30)
    whole = of_lines(text, 2000) + told(2000, len(rows) + 1, "lines", path, " ")
    talk.calls("toolu_4", "Read", {"file_path": "/srv/my shop/a.log"}, whole, True)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="lines",
            session=TALK,
            tool="Read",
            envelope=whole,
            seen=((0, lines(text, 1, 1000)[1] - 1), lines(text, 2202, 3201)),
            gates=((30_000, "chars"), (2000, "lines")),
            agrees=True,
        )
    )
    rows = [f"short {n}" for n in range(600)] + ["x" * 70_000] + ["the end"]
    text = "\n".join(rows) + "\n"
    path = put(tools / f"read-{uuid(4)}.txt", text, NIGHT + 40)
    some = "\n\n[Some lines exceeded 2,000 characters and were truncated.] "
    whole = f"{of_lines(text, 2000)}{some}[Full output written to: {path}]"
    talk.calls("toolu_5", "Read", {"file_path": "/srv/my shop/b.log"}, whole, True)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="long lines alone",
            session=TALK,
            tool="Read",
            envelope=whole,
            may=((0, lines(text, 1, 600)[1] + 2000), lines(text, 602, 602)),
            agrees=None,
        )
    )

    # Items: no mark stands where the middle was.
    names = [
        f"/srv/my shop/src/part{n:05d}/file{n * 7 % 1000:04d}.ts" for n in range(5000)
    ]
    text = "\n".join(names)
    path = put(tools / f"glob-{uuid(5)}.txt", text, NIGHT + 50)
    whole = (
        "\n".join([*names[:1000], *names[-1000:]])
        + "\n\n[Output truncated: showing 2,000 of 5,000 files.]"
        + f"\n[3,000 files omitted from middle.]\n[Full output written to: {path}]"
    )
    talk.calls("toolu_6", "Glob", {"pattern": "**/*.ts"}, whole, True)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="items",
            session=TALK,
            tool="Glob",
            envelope=whole,
            may=(lines(text, 1, 1000), lines(text, 4001, 5000)),
            gates=((2000, "lines"),),
            agrees=None,
        )
    )

    # Grep has its own gate.
    text = output(60_000, "b.py:9: last match", seed=6)
    path = put(tools / f"grep-{uuid(6)}.txt", text, NIGHT + 60)
    body, ranges = in_the_middle(text, 10_000)
    whole = body + told(10_000, len(text), "characters", path)
    talk.calls("toolu_7", "Grep", {"pattern": "x"}, whole, True)
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="grep",
            session=TALK,
            tool="Grep",
            envelope=whole,
            seen=united(*ranges),
            boundary=(10_000, "chars"),
            gates=((10_000, "chars"),),
            agrees=True,
        )
    )

    # Cleaned up after a day; cut without a file; a document that quotes a notice.
    body, _ = in_the_middle(text, 30_000)
    away = tools / f"bash-{uuid(7)}.txt"
    whole = body + told(30_000, len(text), "characters", away)
    talk.calls("toolu_8", "Bash", {"command": "make old"}, whole, True)
    store.gone.append(
        Gone(
            what="dangling",
            state="dangling",
            session=TALK,
            path=str(away),
            call_id="toolu_8",
            tool="Bash",
        )
    )
    whole = body + told(30_000, len(text), "characters", None)
    talk.calls("toolu_9", "Bash", {"command": "make"}, whole, True)
    store.gone.append(
        Gone(what="not saved", state="cut", session=TALK, call_id="toolu_9")
    )
    old = (
        text[:30_000]
        + "\n\n[Output truncated after 30,000 characters: exceeded limit.]"
    )
    talk.calls("toolu_10", "Bash", {"command": "make"}, old, True)
    store.gone.append(
        Gone(what="older words", state="cut", session=TALK, call_id="toolu_10")
    )
    quoted = (
        "     1→A notice reads:\n     2→[Full output written to: "
        f"{letta}/projects/p/agent-tools/bash-{uuid(8)}.txt]\n     3→and no more."
    )
    talk.calls("toolu_11", "Read", {"file_path": "/srv/NOTES.md"}, quoted, True)
    transcript = letta / f"transcripts/agent-77/{TALK}/transcript.jsonl"
    put_lines(transcript, talk.rows, talk.now)

    # What only the server could tell of.
    text = output(70_000, "passed", seed=8)
    path = put(
        letta / f"projects/home_u_app/agent-tools/bash-{uuid(9)}.txt", text, NIGHT
    )
    store.spills.append(
        Spill(
            path=path,
            data=text.encode(),
            what="of a server's conversation",
            link="orphan",
            tool="bash",
            boundary=gate,
        )
    )
    text = output(61_000, "no tool in the name", seed=9)
    path = put(tools / f"{uuid(10)}.txt", text, NIGHT + 5)
    store.spills.append(
        Spill(path=path, data=text.encode(), what="bare id", link="orphan")
    )
    store.others += [
        put(tools / "notes.txt", "not a spill\n", NIGHT),
        put(letta / "projects/srv_my_shop/settings.json", "{}", NIGHT),
        put(transcript.with_name("state.json"), "{}", NIGHT),
        transcript,
    ]
    return store
