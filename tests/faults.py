"""Makes every system call of the disk's room fail, or kills the process at it.

Run as a program: `python -m tests.faults HOME TMP WORK WAY` prints a line of JSON; WAY
is fail, thin or kill. It is a process of its own because it forks, which a test run
with threads must not do.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from spillview.cleanup.bins import near_name
from spillview.cleanup.trash import Applied, Emptied, Trash, Undone
from spillview.config import Settings
from spillview.discovery.discovery import discover
from spillview.disk import Disk
from spillview.model import Found
from spillview.places import Places
from spillview.profiles.file import built_in
from spillview.profiles.profile import Profile

ERRORS = (
    errno.ENOSPC,
    errno.EIO,
    errno.EACCES,
    errno.ENOENT,
    errno.EXDEV,
    errno.EMFILE,
)
OLD = 1_700_000_000
"""When the made files were written, in epoch seconds."""

Kept = tuple[bytes, int, int, int]
"""Bytes (or a link's target), mode, access and change time of a file."""


@dataclass
class Made:
    """A home with a store in it, as it was made."""

    home: Path
    root: Path
    """The store."""
    files: dict[str, Kept] = field(default_factory=dict)
    folders: dict[str, int] = field(default_factory=dict)
    """Modes of the folders that hold them."""

    @property
    def places(self) -> Places:
        """The made home as somebody's, with a temp folder that may lie elsewhere."""
        return replace(
            Places.of_home(str(self.home)), tmp=str(self.root.parent), confined=False
        )

    def found(self) -> list[Found]:
        """What discovery finds of the made files."""
        everything = discover(self.places, profiles(), Settings()).found
        mine = [item for item in everything if item.root == str(self.root)]
        return sorted(mine, key=lambda item: item.path)


@lru_cache(maxsize=1)
def profiles() -> dict[str, Profile]:
    """The profiles that make a store of what is made here."""
    return {p.harness: p for p in built_in() if p.harness == "dsh"}


def make(home: Path, tmp: Path, sessions: int = 2, each: int = 2) -> Made:
    """A dsh store in `tmp`: files and a link in several sessions' folders."""
    root = tmp / "dsh-spill-AbC123"
    home.mkdir(exist_ok=True)
    for number in range(sessions):
        folder = root / f"session-{number:012x}"
        folder.mkdir(parents=True)
        for leaf in range(each):
            path = folder / f"{leaf:012x}-bash.txt"
            path.write_bytes(f"output {number} {leaf}\n".encode() * (leaf + 1))
            path.chmod(0o600 if leaf else 0o640)
        (folder / "00000000dead-link.txt").symlink_to("../nowhere")
        for path in folder.iterdir():
            times = (OLD + number, OLD + number * 10)
            os.utime(path, times, follow_symlinks=False)
        folder.chmod(0o700 if number else 0o750)
        os.utime(folder, (OLD, OLD))
    made = Made(home, root)
    made.files = snapshot(root)
    made.folders = folders(root)
    return made


def snapshot(root: Path) -> dict[str, Kept]:
    """Every file below `root` with everything an undo must bring back."""
    return {str(path): kept(path) for path in walk(root)}


def folders(root: Path) -> dict[str, int]:
    """Every folder below `root` with its mode."""
    return {
        str(path): stat.S_IMODE(path.lstat().st_mode)
        for path in root.rglob("*")
        if path.is_dir() and not path.is_symlink()
    }


def walk(root: Path) -> Iterator[Path]:
    """Files and links below `root`."""
    for path in root.rglob("*"):
        if near_name() in path.parts:
            continue
        if path.is_symlink() or not path.is_dir():
            yield path


def kept(path: Path) -> Kept:
    """What must be the same after an undo."""
    facts = path.lstat()
    link = stat.S_ISLNK(facts.st_mode)
    data = os.fsencode(os.readlink(path)) if link else path.read_bytes()
    os.utime(
        path, ns=(facts.st_atime_ns, facts.st_mtime_ns), follow_symlinks=False
    )  # reading it set the time
    # Whoever looks where a link leads sets its time of access.
    return data, facts.st_mode, 0 if link else facts.st_atime_ns, facts.st_mtime_ns


def counted(work: Callable[[Disk], object]) -> int:
    """How many system calls the work makes."""
    calls: list[str] = []
    work(Disk(calls.append))
    return len(calls)


def failing(at: int, number: int, *, after: bool) -> Disk:
    """A disk whose call `at` fails; with `after`, every changing one from there on."""
    count = -1

    def step(name: str) -> None:
        nonlocal count
        count += 1
        changes = name not in ("open", "stat", "list", "readlink", "lock", "read")
        if count == at or (after and count > at and changes):
            raise OSError(number, os.strerror(number), name)

    return Disk(step)


def dying(at: int) -> Disk:
    """A disk that kills its process at call `at`."""
    count = -1

    def step(_name: str) -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    return Disk(step)


Work = Callable[[Made, Trash], object]


def apply(made: Made, trash: Trash) -> object:
    """Move everything into the trash."""
    return trash.apply(made.found())


def undo(made: Made, trash: Trash) -> object:
    """Put the last clean-up back."""
    return trash.undo()


def empty(made: Made, trash: Trash) -> object:
    """Delete what is in the trash."""
    return trash.empty()


def delete(made: Made, trash: Trash) -> object:
    """Delete everything for good."""
    return trash.delete(made.found())


WORK: dict[str, Work] = {
    "apply": apply,
    "undo": undo,
    "empty": empty,
    "delete": delete,
}
GONE = ("empty", "delete")
"""Work after which files may be gone."""


def prepared(folder: Path, tmp: Path, work: str) -> Made:
    """A fresh home and temp folder in which `work` can be done."""
    for place in (folder, tmp):
        shutil.rmtree(place, ignore_errors=True)
    tmp.mkdir(parents=True)
    made = make(folder, tmp)
    if work in ("undo", "empty"):
        apply(made, Trash(made.places))
    return made


def check(made: Made, work: str, said: object) -> list[str]:
    """What is wrong after `work` was done to the end, or was not."""
    wrong = []
    root = made.root
    before = snapshot(root)
    for path, data in before.items():
        if made.files.get(path) != data:
            wrong.append(f"{path} is not what it was")
    trash = Trash(made.places)
    trash.settle()
    in_trash = {p for batch in trash.batches() for p, _ in trash.contents(batch.id)}
    lost = set(made.files) - set(before) - in_trash
    if lost and work not in GONE:
        wrong.append(f"lost: {sorted(lost)}")
    if isinstance(said, Applied) and work == "delete":
        moved = {each.path for each in said.moved}
        failed = {each.found.path for each in said.failed}
        if moved != lost or failed != set(before) | in_trash:
            wrong.append(f"{len(moved)} said to be deleted, {len(lost)} are gone")
    elif isinstance(said, Applied):
        moved = {each.path for each in said.moved}
        failed = {each.found.path for each in said.failed}
        if moved != in_trash or failed != set(before):
            wrong.append(f"{len(moved)} said to be moved, {len(in_trash)} were")
    if isinstance(said, Undone):
        restored, failed = set(said.restored), {path for path, _ in said.failed}
        if restored != set(before) or failed != in_trash - restored:
            wrong.append(f"{len(restored)} said to be restored, {len(before)} were")
    if isinstance(said, Emptied):
        failed = {path for path, _ in said.failed}
        whole = any(path.startswith(trash.path) for path in failed)
        if said.items != len(lost) or (failed != in_trash and not whole):
            wrong.append(f"{said.items} said to be deleted, {len(lost)} are gone")
    around = {p.name for p in root.parent.iterdir()} - {root.name, ".local"}
    if not in_trash and around - {near_name()}:
        wrong.append(f"made beside the store: {around}")
    for _ in range(len(made.files) + 1):
        if not any(batch.items for batch in trash.batches()):
            break
        undone = trash.undo()
        if undone.failed:
            wrong.append(f"cannot be put back: {undone.failed}")
            break
    after = snapshot(root)
    if after != {p: d for p, d in made.files.items() if p not in lost}:
        wrong.append("undo did not bring back everything")
    modes = folders(root)
    for path in {os.path.dirname(p) for p in after}:
        if modes.get(path, made.folders.get(path)) != made.folders.get(path):
            wrong.append(f"{path} has another mode")
    own = {"lock", "reserve", "freed", "freed.new"}  # what the trash notes for itself
    left = [
        str(p)
        for p in walk(Path(trash.path))
        if p.name not in own and p.parent.name != "deleted"
    ]
    if trash.batches() or left:
        wrong.append(f"left in the trash: {left}")
    return wrong


def run_failing(
    folder: Path, tmp: Path, name: str, *, thin: bool
) -> tuple[int, list[str]]:
    """Every call fails in turn, with every error (`thin`: one of them in turn).

    Gives the number of runs, and what was wrong.
    """
    wrong: list[str] = []
    work = WORK[name]
    made = prepared(folder, tmp, name)
    total = counted(lambda disk: work(made, Trash(made.places, disk)))
    runs = 0
    for at in range(total):
        for number in ERRORS[at % 6 : at % 6 + 1] if thin else ERRORS:
            for after in (at % 2 == 0,) if thin else (False, True):
                made = prepared(folder, tmp, name)
                said: object = None
                disk = failing(at, number, after=after)
                try:
                    said = work(made, Trash(made.places, disk, wait=0))
                except Exception as error:
                    said = error
                runs += 1
                wrong += [
                    f"call {at} of {total}, {errno.errorcode[number]}, {after}: {each}"
                    for each in check(made, name, said)
                ]
    return runs, wrong


def run_dying(folder: Path, tmp: Path, name: str) -> tuple[int, list[str]]:
    """The process is killed at every call in turn; runs and what was wrong."""
    wrong: list[str] = []
    work = WORK[name]
    made = prepared(folder, tmp, name)
    total = counted(lambda disk: work(made, Trash(made.places, disk)))
    for at in range(total):
        made = prepared(folder, tmp, name)
        child = os.fork()
        if not child:
            work(made, Trash(made.places, dying(at)))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            wrong.append(f"call {at} of {total} was never made")
        wrong += [f"killed at {at} of {total}: {x}" for x in check(made, name, None)]
    return total, wrong


def main() -> None:
    """Run what the arguments say."""
    folder, tmp, name, way = sys.argv[1:]
    places = Path(folder), Path(tmp)
    if way == "kill":
        runs, wrong = run_dying(*places, name)
    else:
        runs, wrong = run_failing(*places, name, thin=way == "thin")
    print(json.dumps({"runs": runs, "wrong": wrong[:20]}))  # noqa: T201  # its result


if __name__ == "__main__":
    main()
