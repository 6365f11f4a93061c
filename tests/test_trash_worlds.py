"""Made worlds, changed by other hands at any moment: nothing foreign is ever touched.

Each world has a store and an outside; files, links and folders are planned, swapped and
rewritten between the plan, the clean-up and the undo.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from spillview.cleanup.trash import Trash
from spillview.disk import Disk

from .faults import OLD, Kept, Made, kept, walk
from .test_disk import OTHER

SESSIONS, EACH = 3, 3
MEMORY = str(OTHER) if os.access(OTHER, os.W_OK) else None

DEEDS = (
    "delete",
    "rewrite",
    "touch",
    "link to outside",
    "link away",
    "swap folder",
    "hard link",
    "add foreign",
    "remove folder",
)
"""What others do to files and folders of the store."""

spots = st.tuples(st.integers(0, SESSIONS - 1), st.integers(0, EACH - 1))
hands = st.lists(
    st.tuples(
        st.sampled_from(DEEDS),
        spots,
    ),
    max_size=4,
)


class World:
    """A store, and an outside that nobody may touch."""

    def __init__(self, top: Path) -> None:
        self.made = Made(top / "home", top / "home/tmp/dsh-spill-AbC123")
        self.outside = top / "outside"
        self.outside.mkdir(parents=True)
        for number in range(SESSIONS):
            folder = self.folder(number)
            folder.mkdir(parents=True)
            (self.outside / folder.name).mkdir()
            for leaf in range(EACH):
                path = self.path((number, leaf))
                path.write_bytes(f"ours {number} {leaf}".encode())
                os.utime(path, (OLD, OLD + number * 10 + leaf))
                # The same name outside, for whoever follows a link.
                twin = self.outside / folder.name / path.name
                twin.write_bytes(b"theirs")
        self.count = 0

    def folder(self, number: int) -> Path:
        return self.made.root / f"session-{number:012x}"

    def path(self, spot: tuple[int, int]) -> Path:
        return self.folder(spot[0]) / f"{spot[1]:012x}-bash.txt"

    def act(self, what: str, spot: tuple[int, int]) -> None:
        """One deed of somebody else; what cannot be done is not."""
        self.count += 1
        path, folder = self.path(spot), self.folder(spot[0])
        if folder.is_symlink():
            return  # other hands would reach outside through it
        try:
            if what == "delete":
                path.unlink()
            elif what == "rewrite":
                fresh = path.with_name(f"fresh-{self.count}")
                fresh.write_bytes(f"newer {self.count}".encode())
                fresh.replace(path)  # never through a link
            elif what == "touch":
                os.utime(path, (OLD + 7, OLD + 7), follow_symlinks=False)
            elif what == "link to outside":
                path.unlink(missing_ok=True)
                path.symlink_to(self.outside / folder.name / path.name)
            elif what == "link away":
                path.unlink(missing_ok=True)
                path.symlink_to(self.outside)
            elif what == "swap folder":
                folder.rename(self.outside.parent / f"aside-{self.count}")
                folder.symlink_to(self.outside / folder.name)
            elif what == "hard link":
                second = self.outside.parent / f"second-{self.count}"
                os.link(path, second, follow_symlinks=False)
            elif what == "add foreign":
                (folder / f"foreign-{self.count}").write_bytes(b"foreign")
            elif what == "remove folder":
                shutil.rmtree(folder)
        except OSError:
            pass

    def everything(self) -> dict[str, Kept]:
        """Every file that is not in the trash, by path."""
        state = self.made.home / ".local"
        return {
            str(path): kept(path)
            for path in walk(self.outside.parent)
            if not path.is_relative_to(state)
        }

    def theirs(self) -> dict[str, Kept]:
        """The outside."""
        return {str(path): kept(path) for path in walk(self.outside)}


@given(
    before=hands,
    between=hands,
    during=hands,
    at=st.integers(0, 60),
    after=hands,
    data=st.data(),
)
def test_other_hands_lose_nothing_and_nothing_outside_is_touched(
    before: list[tuple[str, tuple[int, int]]],
    between: list[tuple[str, tuple[int, int]]],
    during: list[tuple[str, tuple[int, int]]],
    at: int,
    after: list[tuple[str, tuple[int, int]]],
    data: st.DataObject,
) -> None:
    with tempfile.TemporaryDirectory(dir=MEMORY) as top:
        world = World(Path(top))
        for deed in before:
            world.act(*deed)
        found = world.made.found()
        chosen = (
            data.draw(st.lists(st.sampled_from(found), unique=True)) if found else []
        )
        for deed in between:
            world.act(*deed)
        theirs = world.theirs()
        there = world.everything()
        calls = 0

        def meanwhile(_name: str) -> None:
            nonlocal calls
            calls += 1
            if calls == at:
                for deed in during:
                    world.act(*deed)

        applied = Trash(world.made.places, Disk(meanwhile)).apply(chosen)
        done = during if calls >= at > 0 else []
        assert world.theirs() == theirs
        moved = {item.path for item in applied.moved}
        assert moved | {each.found.path for each in applied.failed} == {
            item.path for item in chosen
        }
        gone = set(there) - set(world.everything())
        if not done:
            # Without other hands meanwhile the account is exact.
            assert gone == moved
        for path in moved:
            item = next(each for each in chosen if each.path == path)
            assert item.path.startswith(str(world.made.root))
        for deed in after:
            world.act(*deed)
        now = world.everything()
        undone = Trash(world.made.places).undo(applied.batch)
        assert world.theirs() == theirs
        later = world.everything()
        for path, facts in now.items():
            assert later[path] == facts, f"{path} was changed by the undo"
        if applied.batch is not None:
            # Whatever was moved is back, or still in the trash under its name.
            stuck = {path for path, _ in undone.failed}
            assert set(undone.restored) | stuck == moved
            assert set(undone.restored) <= set(later)
            left = {
                path
                for batch in Trash(world.made.places).batches()
                for path, _ in Trash(world.made.places).contents(batch.id)
            }
            assert left == stuck
            if not done:
                for path in undone.restored:
                    assert later[path] == there[path]
