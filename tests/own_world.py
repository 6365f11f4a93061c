"""Every file of our own, damaged in every way, and real commands run over it.

`python -m tests.own_world FOLDER` runs all commands after each damage of each file; the
test run takes some of them in turn.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from spillview.catalogue.catalogue import Catalogue
from spillview.own_files import KEPT
from spillview.places import Places
from spillview.review.screens import Screens
from spillview.review.state import State
from spillview.tui.app import SpillviewApp
from tests import faults
from tests.command import Ran, run

NOW = 1.0
"""When an artifact was marked, in seconds since the epoch."""


class World:
    """A home in which every command was used, so that all of our files are there."""

    def __init__(self, top: Path) -> None:
        self.home = top / "home"
        self.made = faults.make(self.home, self.home / "tmp", sessions=3)
        self.victim = top / "victim"
        self.victim.touch(mode=0o600)
        self.places = Places.of_home(str(self.home))
        with self.here():
            rows = [row for row in run("ls", "--json").rows if row["bytes"]]
            self.ids = {row["id"] for row in rows}
            self.artifact, self.pinned = rows[-1], rows[-2]  # of the first session
            self.text = run("show", "--raw", self.artifact["id"]).data
            self.good("pin", self.pinned["id"])
            self.good("index")
            self.good("watch")
            self.good("hook", "install", "claude-code", "--yes")
            self.good("wrap", "--boundary", "100", "--", "seq", "1", "900")
            self.good("prune", "--session", "session-000000000002", "--apply", "--yes")
            self.ids &= {row["id"] for row in run("ls", "--json").rows}
            state = State(self.places)
            state.mark_reviewed([self.artifact["id"]], NOW)
            state.close()
            Screens(self.places).remember("queue", "{}", NOW)
            self.renew("state.copy")

    @contextmanager
    def here(self) -> Iterator[None]:
        """The world's home as ours."""
        names = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("XDG_")
        }
        names |= {"HOME": str(self.home), "TMPDIR": str(self.home / "tmp")}
        before = os.umask(0)
        try:
            with mock.patch.dict(os.environ, names, clear=True):
                yield
        finally:
            os.umask(before)

    def good(self, *words: str) -> Ran:
        """Run what must succeed."""
        ran = run(*words)
        assert ran.code == 0, (words, ran.err)
        return ran

    def own(self) -> list[Path]:
        """Every file of ours: that of the whole program is one of each kind."""
        found = [
            path
            for base in (_CACHE, _STATE)
            for path in (self.home / base).rglob("*")
            if path.is_file() and not {"spills", "files"} & set(path.parts)
        ]
        return sorted(found)

    def of_kind(self, kind: str) -> Path | None:
        """A file of ours of that kind; None where there is none now."""
        return next((path for path in self.own() if kind_of(path) == kind), None)

    def renew(self, damaged: str) -> None:
        """Make a copy anew that is only made now and then: one is damaged at a time."""
        if damaged in ("pins.copy", "state.copy"):
            path = self.home / _STATE / damaged
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
        with self.here():
            run("unpin", self.pinned["id"])
            run("pin", self.pinned["id"])
            if damaged.endswith(".json"):
                run("watch")
            if damaged == "screens":
                Screens(self.places).remember("queue", "{}", NOW)
            if damaged.endswith(".segment"):
                run("index")
            state = State(self.places)
            state.mark_reviewed([self.artifact["id"]], NOW)
            state.close()

    def open_modes(self) -> list[str]:
        """Files and folders of ours that others could look into."""
        return [
            str(path)
            for base in (_CACHE, _STATE)
            for path in [self.home / base, *(self.home / base).rglob("*")]
            if not path.is_symlink()
            and "files" not in path.parts
            and ".broken-" not in path.name
            and stat.S_IMODE(path.lstat().st_mode) & 0o077
        ]

    def kept(self) -> bytes:
        """What lies in the trash, by name and bytes."""
        files = sorted((self.home / _STATE / "trash").glob("*/files/*"))
        return b"".join(p.name.encode() + p.read_bytes() for p in files if p.exists())


def kind_of(path: Path) -> str:
    """What a file is called, whatever chance put into its name."""
    if path.suffix in (".segment", ".json") and path.name != "installed.json":
        return path.suffix
    return f"{path.parent.name}/lock" if path.name == "lock" else path.name


_CACHE = ".cache/spillview"
_STATE = ".local/state/spillview"

Damage = Callable[[World, Path], object]


def _garbage(_: World, path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 3)


def _half(_: World, path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _empty(_: World, path: Path) -> None:
    os.truncate(path, 0)


def _flipped(_: World, path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(len(data) // 3, len(data), 97):
        data[at] ^= 0x55
    path.write_bytes(data)


def _newer(_: World, path: Path) -> None:
    if path.suffix == ".sqlite3" or path.name == "state.copy":
        with sqlite3.connect(path) as db:
            db.execute("PRAGMA user_version = 99")
        db.close()
        return
    path.write_bytes(path.read_bytes().replace(b'"form":1', b'"form":99'))


def _folder(_: World, path: Path) -> None:
    path.unlink()
    path.mkdir(mode=0o700)
    (path / "inner").mkdir(mode=0o700)


def _link(world: World, path: Path) -> None:
    path.unlink()
    path.symlink_to(world.victim)


def _nowhere(world: World, path: Path) -> None:
    path.unlink()
    path.symlink_to(world.home / "planted")


def _pipe(_: World, path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def _second_name(world: World, path: Path) -> None:
    path.unlink()
    os.link(world.victim, path)


def _gone(_: World, path: Path) -> None:
    path.unlink()


@contextmanager
def _locked(_: World, path: Path) -> Iterator[None]:
    if path.suffix != ".sqlite3":
        yield
        return
    db = sqlite3.connect(path, isolation_level=None)
    try:
        db.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        db.close()


DAMAGES: dict[str, Damage] = {
    "garbage": _garbage,
    "half": _half,
    "empty": _empty,
    "flipped": _flipped,
    "newer": _newer,
    "folder": _folder,
    "link": _link,
    "link to nowhere": _nowhere,
    "pipe": _pipe,
    "second name": _second_name,
    "locked": _locked,
    "gone": _gone,
}

COMMANDS: dict[str, tuple[str, ...]] = {
    "ls": ("ls", "--json"),
    "show": ("show", "--raw", "ID"),
    "grep": ("grep", "--json", "output", "HOME"),
    "index": ("index",),
    "review": ("review", "--json"),
    "pin": ("pin", "ID"),
    "unpin": ("unpin", "ID"),
    "plan": ("prune", "--json", "--older-than", "1h"),
    "prune": ("prune", "--session", "session-000000000001", "--apply", "--yes"),
    "undo": ("undo",),
    "trash": ("trash",),
    "forecast": ("forecast",),
    "watch": ("watch",),
    "wrap": ("wrap", "--boundary", "100", "--", "seq", "1", "900"),
    "doctor": ("doctor", "--json"),
    "tui": (),
}
"""`ID` is an artifact, `HOME` the home."""


def check(world: World, path: Path, damage: str, names: Sequence[str]) -> list[str]:
    """Damage a file, run commands, and say what is wrong with what they did."""
    said: list[str] = []
    kept, about = world.kept(), path.name
    inner = path.relative_to(world.home)
    with world.here(), ExitStack() as open_:
        done = DAMAGES[damage](world, path)
        if isinstance(done, AbstractContextManager):
            open_.enter_context(done)
        for name in names:
            where = f"{inner}, {damage}, {name}: "
            if name == "tui":
                said += [where + each for each in started(world)]
                continue
            put = {"ID": world.artifact["id"], "HOME": str(world.home)}
            ran = run(*(put.get(word, word) for word in COMMANDS[name]))
            said += [where + each for each in judged(world, name, ran, about)]
    if world.victim.read_bytes() or (world.home / "planted").exists():
        said.append(f"{inner}, {damage}: it wrote where a link leads")
        world.victim.write_bytes(b"")
    now = world.kept()
    if kept not in now and now not in kept and "undo" not in names:
        said.append(f"{inner}, {damage}: the trash lost something")
    broken = list(path.parent.glob(f"{about}.broken-?"))
    if len(broken) > KEPT:
        said.append(f"{inner}, {damage}: {len(broken)} broken ones are kept")
    said += [f"{inner}, {damage}: {each} is open" for each in world.open_modes()]
    world.renew(about)
    if about != "state.copy" and damage not in ("locked", "newer", "gone", "link"):
        state = State(world.places)
        if world.artifact["id"] not in state.reviewed():
            said.append(f"{inner}, {damage}: the mark is lost")
        state.close()
    return said


def judged(world: World, name: str, ran: Ran, about: str) -> Iterator[str]:
    """What is wrong with one run."""
    if ran.code not in (0, 1, 2):
        yield f"exit code {ran.code}"
    if "Traceback" in ran.err or "went wrong inside" in ran.err:
        yield ran.err
    told = [line for line in ran.err.splitlines() if about in line]
    if len(told) > 1:
        yield f"told {len(told)} times: {told}"
    if name == "ls" and ran.code == 0:
        ids = {row["id"] for row in ran.rows}
        if not world.ids & ids or ran.code:
            yield f"{len(world.ids - ids)} ids are missing: {ran.err}"
    if name == "show" and ran.data != world.text:
        yield f"other bytes: {ran.err}"
    if name == "grep" and (ran.code or len(ran.rows) < 3):
        yield f"nothing is found: {ran.err}"
    if name == "plan" and ran.code == 0:
        actions = {row["id"]: row["action"] for row in ran.rows if "id" in row}
        if about != "pins" and actions.get(world.pinned["id"]) == "remove":
            yield "what is pinned would go"


def started(world: World) -> list[str]:
    """Start the screens, open what can be opened, and end."""

    async def walk() -> list[str]:
        catalogue = Catalogue.here(world.places)
        app = SpillviewApp(catalogue)
        async with app.run_test(size=(100, 30)) as pilot:
            for key in ("j", "exclamation_mark", "escape", "enter", "escape", "escape"):
                await pilot.press(key)
                await pilot.pause()
        catalogue.close()
        return [] if app.return_code in (0, None) else [f"ended with {app.return_code}"]

    try:
        return asyncio.run(walk())
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def main() -> None:
    """All commands after each damage of each file."""
    top = Path(sys.argv[1])
    cases = 0
    for damage in DAMAGES:
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir(parents=True)
        world = World(top)
        for kind in sorted(set(map(kind_of, world.own()))):
            path = world.of_kind(kind)
            if path is None:
                print(f"{kind}, {damage}: was not made again", flush=True)  # noqa: T201
                continue
            for each in check(world, path, damage, list(COMMANDS)):
                print(each, flush=True)  # noqa: T201  # its result
            cases += 1
        print(f"{damage}: {cases} cases so far", flush=True)  # noqa: T201
    print(f"{cases} cases of {len(COMMANDS)} commands")  # noqa: T201


if __name__ == "__main__":
    main()
