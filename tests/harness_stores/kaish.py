"""A made store of kaish: spill files of a shell that runs inside another agent."""

from __future__ import annotations

import os
from pathlib import Path

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, NIGHT, head, output, tail
from tests.stores import Claude, span

ONE = "33333333-aaaa-4333-8333-00000000ac03"
GATE = (8192, "bytes")


def capped(data: bytes, path: Path) -> str:
    """What the model gets: 1,024 bytes, 512 bytes, and where all of it is."""
    first, last = head(data, 1024).decode(), tail(data, 512).decode()
    size = len(data)
    return (
        f"{first}\n...\n{last}\n"
        f"[output truncated: {size} bytes total — full output at {path}]"
    )


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="kaish")
    spills = home / "tmp/kaish/spill"
    spills.mkdir(parents=True)
    one = Claude(home, session=ONE, cwd="/srv/app")
    one.prompt("Look around")

    def put(name: str, data: bytes, number: int) -> Path:
        path = spills / name
        path.write_bytes(data)
        os.utime(path, (NIGHT + number, NIGHT + number))
        return path

    # Plain, CJK and CRLF, by both forms of the name; the second one is read on.
    for number, kind in enumerate(("plain", "cjk", "crlf")):
        data = output(f"kaish{number}", 60_000, kind=kind, verdict=FAILED)
        seq = "" if number == 2 else f"-{number}"
        name = f"spill-{NIGHT + number}.{number}123-4567{seq}.txt"
        path = put(name, data, number)
        call = one.calls("Bash", command=f"kaish -c 'run {number}'")
        envelope = capped(data, path)
        one.gets(call, envelope, failed=True)
        first, last = len(head(data, 1024)), len(data) - len(tail(data, 512))
        seen = [(0, first), (last, len(data))]
        back = None
        if number == 1:
            read = one.calls("Read", file_path=str(path), offset=100, limit=11)
            lines = data.decode().split("\n")[99:110]
            one.gets(read, "\n".join(f"{100 + i:6d}→{t}" for i, t in enumerate(lines)))
            start, end = span(data, 100, 110)
            seen.insert(1, (start, end))
            back = True
        store.spills.append(
            Spill(
                path=path,
                data=data,
                what=kind,
                session=ONE,
                project="/srv/app",
                tool="Bash",
                call_id=call,
                command=f"kaish -c 'run {number}'",
                failed=True,
                envelope=envelope,
                seen=None if number == 1 else tuple(seen),
                may=((0, first), (start, end + 1), (last, len(data)))
                if number == 1
                else (),
                boundary=GATE,
                agrees=True,
                read_back=back,
            )
        )

    # Bytes that are no text: a sentence alone.
    data = bytes(range(256)) * 300
    path = put(f"spill-{NIGHT}.9-4567-9.txt", data, 9)
    call = one.calls("Bash", command="kaish -c 'cat core'")
    envelope = (
        f"[binary output: {len(data)} bytes spilled to {path}"
        f" — read it with `cat {path}`]"
    )
    one.gets(call, envelope)
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="binary",
            session=ONE,
            call_id=call,
            envelope=envelope,
            seen=(),
            agrees=True,
        )
    )

    # The beginning was dropped: the file holds the last part of it.
    data = output("late", 70_000, verdict=FAILED)
    path = put(f"spill-{NIGHT}.10-4567-10.txt", data, 10)
    call = one.calls("Bash", command="kaish -c 'yes'")
    ended = tail(data, 512).decode()
    envelope = (
        f"{ended}\n[output truncated: 10485760 bytes captured — tail only at {path};"
        " earlier output was dropped]"
    )
    one.gets(call, envelope)
    store.spills.append(
        Spill(
            path=path,
            data=data,
            what="tail only",
            session=ONE,
            call_id=call,
            envelope=envelope,
            may=((len(data) - 512, len(data)),),
            agrees=False,
        )
    )

    # Kept nowhere; swept since; of no record; and foreign files beside.
    text = output("memory", 20_000, verdict=FAILED).decode()
    call = one.calls("Bash", command="kaish -c 'find /'")
    note = f"[output truncated in memory: {len(text)} bytes total — no spill file]"
    one.gets(call, f"{text[:1024]}\n...\n{text[-512:]}\n{note}")
    store.gone.append(
        Gone(what="in memory", state="cut", session=ONE, call_id=call, tool="Bash")
    )
    call = one.calls("Bash", command="kaish -c 'find /'")
    missing = spills / f"spill-{NIGHT}.77-4567-77.txt"
    one.gets(call, capped(text.encode(), missing))
    store.gone.append(
        Gone(
            what="swept",
            state="dangling",
            session=ONE,
            path=str(missing),
            call_id=call,
            tool="Bash",
        )
    )
    data = output("alone", 60_000)
    path = put(f"spill-{NIGHT}.11-99-1.txt", data, 11)
    store.spills.append(Spill(path=path, data=data, what="orphan", link="orphan"))
    foreign = spills / "notes.txt"
    foreign.write_text("mine")
    reader = one.calls("Read", file_path="/srv/app/notes.md")
    one.gets(
        reader, f"     1→[output truncated: 9 bytes total — full output at {path}]"
    )
    one.write()
    store.others += [foreign, one.transcript]
    return store
