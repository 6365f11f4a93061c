"""Makes every system call of a store fail, or kills the process at it.

Run as a program: `python -m tests.store_faults FOLDER WORK WAY` prints a line of JSON;
WAY is fail, thin or kill. It is a process of its own because it forks.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spillview.store import LocalSpillStore, SpillRef, SpillWriter
from spillview.store.files import StoreDisk
from tests.spills import request, stream

ERRORS = (
    errno.ENOSPC,
    errno.EIO,
    errno.EACCES,
    errno.ENOENT,
    errno.EDQUOT,
    errno.EXDEV,
    errno.EMFILE,
)
TEXT = "".join(f"zeile {n} é\n" for n in range(300))
PIECES = [TEXT[at : at + 700].encode() for at in range(0, len(TEXT), 700)]
LOOKS = ("open", "stat", "list", "lock", "read")
"""Calls that change nothing: they go on when a disk no longer takes anything."""

Work = Callable[[Path, StoreDisk], SpillRef | None]


def save(root: Path, disk: StoreDisk) -> SpillRef:
    """Save a text."""
    return LocalSpillStore(root, disk=disk).save_text(request(TEXT))


def durable(root: Path, disk: StoreDisk) -> SpillRef:
    """Save a text onto the disk itself."""
    return LocalSpillStore(root, disk=disk, durable=True).save_text(request(TEXT))


def capped(root: Path, disk: StoreDisk) -> SpillRef:
    """Save a text of which the session has no room for all."""
    return LocalSpillStore(root, disk=disk, max_session=1000).save_text(request(TEXT))


def written(root: Path, disk: StoreDisk) -> SpillRef:
    """Write a stream and commit it; a process that fails just leaves it."""
    with LocalSpillStore(root, disk=disk).writer(stream()) as writer:
        feed(writer)
        return writer.commit()


def aborted(root: Path, disk: StoreDisk) -> None:
    """Write a stream and abort it."""
    with LocalSpillStore(root, disk=disk).writer(stream()) as writer:
        feed(writer)
        writer.abort()


def feed(writer: SpillWriter) -> None:
    """Write the text in pieces."""
    for piece in PIECES:
        writer.write(piece)


WORK: dict[str, Work] = {
    "save": save,
    "durable": durable,
    "capped": capped,
    "written": written,
    "aborted": aborted,
}


def counted(root: Path, work: Work) -> int:
    """How many system calls the work makes."""
    calls: list[str] = []
    work(root, StoreDisk(calls.append))
    return len(calls)


def failing(at: int, number: int, *, after: bool) -> StoreDisk:
    """A disk whose call `at` fails; with `after`, every changing one from there on."""
    count = -1

    def step(name: str) -> None:
        nonlocal count
        count += 1
        if count == at or (after and count > at and name not in LOOKS):
            raise OSError(number, os.strerror(number), name)

    return StoreDisk(step)


def dying(at: int) -> StoreDisk:
    """A disk that kills its process at call `at`."""
    count = -1

    def step(_name: str) -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    return StoreDisk(step)


def check(
    root: Path, ref: SpillRef | None, *, cleaned: bool, power: bool = False
) -> list[str]:
    """What is wrong with what lies there: a file is absent, whole, or marked partial.

    With `cleaned` nothing may be left but what `ref` says. After a `power` cut a file
    may also differ from what its sidecar says, so that nobody takes it for whole.
    """
    wrong = []
    names = {path.name for path in root.rglob("*") if path.is_file()}
    for path in root.rglob("[0-9a-f]*-*.txt"):
        data = path.read_bytes()
        if not power and not TEXT.encode().startswith(data):
            wrong.append(f"{path.name} holds what was never written")
        note = path.parent / f".{path.name}.json"
        facts = _facts(note) if power or note.exists() else None
        if facts is None:
            if not power:
                wrong.append(f"{path.name} is marked by nothing: {len(data)} bytes")
            continue
        if "bytes" in facts and (
            facts["bytes"] != len(data)
            or facts["sha256"] != hashlib.sha256(data).hexdigest()
        ):
            if power:
                continue
            wrong.append(f"{path.name}: its sidecar claims what it is not")
        if "partial" not in facts and (data != TEXT.encode() or "bytes" not in facts):
            wrong.append(f"{path.name} is called whole with {len(data)} bytes")
        if ref is not None and ref.locator == str(path):
            names -= {path.name, note.name}
            if ref.partial != ("partial" in facts) or ref.bytes != len(data):
                wrong.append(f"{path.name} is said to be {ref}")
            ref = None
    if ref is not None:
        wrong.append(f"{ref.locator} is said to be saved")
    for note in root.rglob(".*.json"):
        beside = note.parent / note.name[1 : -len(".json")]
        if not power and not beside.exists() and "partial" not in (_facts(note) or {}):
            wrong.append(f"{note.name} tells of a file that is not there")
    if cleaned and names:
        wrong.append(f"left behind: {sorted(names)}")
    return wrong


def _facts(note: Path) -> dict[str, Any] | None:
    """What a sidecar says; None where it is none."""
    try:
        found = json.loads(note.read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def prepared(root: Path) -> Path:
    """No store at all."""
    shutil.rmtree(root, ignore_errors=True)
    return root


def run_failing(root: Path, name: str, *, thin: bool) -> tuple[int, list[str]]:
    """Every call fails in turn, with every error (`thin`: one of them in turn)."""
    wrong: list[str] = []
    work = WORK[name]
    total = counted(prepared(root), work)
    runs = 0
    for at in range(total):
        for number in ERRORS[at % 7 : at % 7 + 1] if thin else ERRORS:
            for after in (at % 2 == 0,) if thin else (False, True):
                prepared(root)
                ref, failed = None, False
                try:
                    ref = work(root, failing(at, number, after=after))
                except Exception:
                    failed = True
                runs += 1
                # Whoever leaves a stream open keeps what had arrived.
                cleaned = not after and not (failed and name in ("written", "aborted"))
                wrong += [
                    f"call {at} of {total}, {errno.errorcode[number]}, {after}: {each}"
                    for each in check(root, ref, cleaned=cleaned)
                ]
                # And the next save finds nothing in its way.
                again = save(root, StoreDisk())
                if Path(again.locator).read_text() != TEXT:
                    wrong.append(f"call {at} of {total}: the next save is not whole")
    return runs, wrong


def run_dying(root: Path, name: str) -> tuple[int, list[str]]:
    """The process is killed at every call in turn."""
    wrong: list[str] = []
    work = WORK[name]
    total = counted(prepared(root), work)
    for at in range(total):
        prepared(root)
        child = os.fork()
        if not child:
            work(root, dying(at))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            wrong.append(f"call {at} of {total} was never made")
        wrong += [
            f"killed at {at} of {total}: {each}"
            for each in check(root, None, cleaned=False)
        ]
        save(root, StoreDisk())
    return total, wrong


def main() -> None:
    """Run what the arguments say."""
    folder, name, way = sys.argv[1:]
    root = Path(folder)
    if way == "kill":
        runs, wrong = run_dying(root, name)
    else:
        runs, wrong = run_failing(root, name, thin=way == "thin")
    print(json.dumps({"runs": runs, "wrong": wrong[:20]}))  # noqa: T201  # its result


if __name__ == "__main__":
    main()
