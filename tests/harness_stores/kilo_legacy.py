"""A made store of the Kilo Code extension as it was: a Roo Code of another name."""

from __future__ import annotations

from pathlib import Path

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.harness_stores.roo_code import FIRST, GATE, Task
from tests.printed import output

OTHER = "0199eeee-5555-7555-8555-555555555555"


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="kilo-legacy")
    storage = home / ".config/Code/User/globalStorage/kilocode.kilo-code"
    # The task has the id and the output the number that one of Roo Code's has too.
    one = Task(storage, FIRST)
    store.spills.append(
        one.spills("a command", 1_795_000_001_000, output("kilo", 70_000))
    )
    lost = one.spills("lost", 1_795_000_002_000, output("gone", 60_000), write=False)
    store.gone.append(
        Gone(what="deleted", state="dangling", session=FIRST, call_id=lost.call_id)
    )
    one.write()
    two = Task(storage, OTHER, "/srv/other")
    store.spills.append(
        two.spills("another task", 1_795_000_003_000, output("two", 60_000, kind="cjk"))
    )
    orphan = two.place(1_795_000_004_000)
    orphan.write_bytes(output("orphan", 60_000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="no record names it",
            link="orphan",
            session=OTHER,
            boundary=GATE,
        )
    )
    two.write()
    foreign = orphan.parent / "notes.txt"
    foreign.write_text("mine\n")
    store.others.append(foreign)
    return store
