"""Clean-ups: moved, put back, listed, freed; what cannot be done is named."""

from __future__ import annotations

import errno
import os
import random
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.cleanup.batches import RESERVE, UnknownBatch
from spillview.cleanup.bins import NoBin, near_name, outlook
from spillview.cleanup.journal import Folder, Item, Journal, Level, decode
from spillview.cleanup.trash import DiskFull, NoTrash, Trash
from spillview.disk import Busy, Disk
from spillview.errors import BadInput, Unreadable
from spillview.model import Found

from .bench.kills import torment
from .faults import OLD, Made, make, snapshot
from .test_disk import OTHER, ROOT, elsewhere


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Two sessions with two files and a link each."""
    return make(tmp_path / "home", tmp_path / "home/tmp")


def trash_of(made: Made, step: Callable[[str], None] | None = None) -> Trash:
    """The trash of a made home."""
    return Trash(made.places, Disk(step), wait=0)


def files_in(made: Made) -> list[Path]:
    """The regular files of a made store."""
    return [path for path in map(Path, sorted(made.files)) if not path.is_symlink()]


# There and back


def test_a_clean_up_moves_everything_and_undo_brings_all_of_it_back(
    made: Made,
) -> None:
    trash = trash_of(made)
    applied = trash.apply(made.found())
    assert {each.path for each in applied.moved} == set(made.files)
    assert applied.failed == ()
    assert applied.freed_now == 0
    assert snapshot(made.root) == {}
    undone = trash.undo()
    assert undone.batch == applied.batch
    assert set(undone.restored) == set(made.files)
    assert undone.failed == ()
    assert snapshot(made.root) == made.files
    assert trash.batches() == []
    assert trash.undo().batch is None


def test_folders_it_emptied_go_and_come_back_with_their_modes_and_times(
    made: Made,
) -> None:
    first, second = (made.root / name for name in sorted(os.listdir(made.root)))
    (second / "notes.md").write_text("mine")
    (made.root / "empty").mkdir()
    trash_of(made).apply([item for item in made.found() if item.path in made.files])
    assert not first.exists()
    assert [p.name for p in second.iterdir()] == ["notes.md"]
    assert (made.root / "empty").is_dir()
    trash_of(made).undo()
    assert stat.S_IMODE(first.stat().st_mode) == made.folders[str(first)] == 0o750
    assert first.stat().st_mtime == OLD
    assert (second / "notes.md").read_text() == "mine"


def test_a_store_that_went_away_meanwhile_is_made_anew(made: Made) -> None:
    mode = stat.S_IMODE(made.root.stat().st_mode)
    trash_of(made).apply(made.found())
    made.root.rmdir()
    assert trash_of(made).undo().failed == ()
    assert snapshot(made.root) == made.files
    assert stat.S_IMODE(made.root.stat().st_mode) == mode


def test_several_clean_ups_are_undone_last_first_or_by_name(made: Made) -> None:
    found = made.found()
    clock = iter(range(1_800_000_000, 1_800_000_100))
    trash = Trash(made.places, now=lambda: float(next(clock)))
    batches = [trash.apply([item]).batch for item in found[:3]]
    assert [batch.id for batch in trash.batches()] == batches[::-1]
    assert trash.undo(batches[0]).restored == (found[0].path,)
    assert trash.undo().restored == (found[2].path,)
    assert trash.undo((batches[1] or "")[:18]).restored == (found[1].path,)


def test_a_name_of_no_clean_up_or_of_two_is_refused(made: Made) -> None:
    found = made.found()
    trash = Trash(made.places, now=lambda: 1_800_000_000.0)
    trash.apply(found[:1])
    trash.apply(found[1:2])
    with pytest.raises(UnknownBatch) as caught:
        trash.undo("19990101-000000-0000")
    assert caught.value.exit_code == 1
    with pytest.raises(BadInput, match="2 clean-ups"):
        trash.undo("2027")


def test_a_link_is_moved_itself_and_its_target_is_never_touched(made: Made) -> None:
    outside = made.home / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("mine")
    folder = next(made.root.iterdir())
    link = folder / "00000000beef-away.txt"
    link.symlink_to(outside)
    before = os.lstat(link)
    trash = trash_of(made)
    [item] = [each for each in made.found() if each.path == str(link)]
    assert trash.apply([item]).moved == (item,)
    assert not os.path.lexists(link)
    trash.undo()
    assert os.readlink(link) == str(outside)
    assert os.lstat(link).st_mtime_ns == before.st_mtime_ns
    trash.apply([item])
    assert trash.empty().items == 1
    assert (outside / "precious.txt").read_text() == "mine"


def test_names_that_are_no_text_go_and_come_back(made: Made) -> None:
    folder = os.fsencode(next(made.root.iterdir()))
    names = [
        b"0123456789ab-\xff\n.txt",
        b"0123456789ab--rf \x1b[2J.txt",
        "0123456789ab-😀.txt".encode(),
    ]
    for name in names:
        with open(folder + b"/" + name, "wb") as file:
            file.write(name)
    made.files = snapshot(made.root)
    trash_of(made).apply(made.found())
    assert snapshot(made.root) == {}
    trash_of(made).undo()
    assert snapshot(made.root) == made.files


# What changed since it was planned


def test_a_file_that_changed_since_is_left_alone(made: Made) -> None:
    found = made.found()
    grown, touched, replaced, gone, *rest = files_in(made)
    assert not rest
    with open(grown, "ab") as file:
        file.write(b"more")
    os.utime(touched, (OLD + 999, OLD + 999))
    replaced.rename(replaced.with_name("aside"))
    shutil.copy2(replaced.with_name("aside"), replaced)
    replaced.with_name("aside").unlink()
    gone.unlink()
    applied = trash_of(made).apply(found)
    why = {each.found.path: each.reason for each in applied.failed}
    assert why == {
        str(grown): "it changed since it was looked at",
        str(touched): "it changed since it was looked at",
        str(replaced): "it is another file now",
        str(gone): "it is gone: something else removed it",
    }
    assert len(applied.moved) == 2  # the links
    assert grown.read_bytes().endswith(b"more")


def test_a_link_swapped_in_for_a_file_is_left_alone(made: Made) -> None:
    found = made.found()
    outside = made.home / "outside.txt"
    outside.write_text("mine")
    target = files_in(made)[0]
    target.unlink()
    target.symlink_to(outside)
    applied = trash_of(made).apply(found)
    assert [each.found.path for each in applied.failed] == [str(target)]
    assert target.is_symlink()
    assert outside.read_text() == "mine"


def test_a_link_swapped_in_for_a_folder_is_not_followed(made: Made) -> None:
    found = made.found()
    folder = files_in(made)[0].parent
    # The folder's own twin: the very files that were planned, behind a link.
    folder.rename(made.home / "outside")
    folder.symlink_to(made.home / "outside")
    applied = trash_of(made).apply(found)
    assert {each.found.path for each in applied.failed} == {
        item.path for item in found if os.path.dirname(item.path) == str(folder)
    }
    assert all("link" in each.reason for each in applied.failed)
    assert len(list((made.home / "outside").iterdir())) == 3


def test_what_slips_in_between_the_look_and_the_move_is_put_back(made: Made) -> None:
    found = made.found()
    target = files_in(made)[0]

    def swap(name: str) -> None:
        if name == "rename" and target.exists() and not swapped and journal_written():
            swapped.append(target.read_bytes())
            target.unlink()
            target.write_text("a newer output")

    def journal_written() -> bool:
        state = made.home / ".local/state/spillview/trash"
        return any(state.glob("*/journal"))

    swapped: list[bytes] = []
    applied = trash_of(made, swap).apply(found)
    assert swapped
    assert [each.found.path for each in applied.failed] == [str(target)]
    assert target.read_text() == "a newer output"


def test_a_store_that_is_swept_meanwhile_loses_nothing_of_ours(made: Made) -> None:
    found = made.found()
    swept = files_in(made)[1:3]

    def sweep(name: str) -> None:
        if name == "rename":
            for path in swept:
                path.unlink(missing_ok=True)

    applied = trash_of(made, sweep).apply(found)
    assert {each.found.path for each in applied.failed} == set(map(str, swept))
    assert len(applied.moved) == len(found) - 2
    undone = trash_of(made).undo()
    assert undone.failed == ()
    assert len(undone.restored) == len(found) - 2


def test_hard_links_are_moved_one_by_one_and_free_nothing_before_the_last(
    made: Made,
) -> None:
    target = files_in(made)[0]
    other = made.home / "second name"
    other.hardlink_to(target)
    [item] = [each for each in made.found() if each.path == str(target)]
    done = trash_of(made).delete([item])
    assert done.moved == (item,)
    assert done.freed_now == 0
    assert other.read_bytes() == made.files[str(target)][0]


# What fails


def test_one_of_a_hundred_that_fails_is_named_and_the_rest_stands(
    tmp_path: Path,
) -> None:
    made = make(tmp_path / "home", tmp_path / "home/tmp", sessions=4, each=24)
    found = made.found()
    assert len(found) == 100
    moves = 0

    def fortieth(name: str) -> None:
        nonlocal moves
        if name == "rename":
            moves += 1
            if moves == 41:  # the journal's own was the first
                raise OSError(errno.EIO, "broken")

    applied = trash_of(made, fortieth).apply(found)
    [failure] = applied.failed
    assert failure.reason == "the disk reports an error"
    assert os.path.lexists(failure.found.path)
    assert len(applied.moved) == 99
    [batch] = trash_of(made).batches()
    assert (batch.items, batch.total) == (99, 99)
    assert batch.bytes == sum(item.size for item in applied.moved)
    assert len(trash_of(made).undo().restored) == 99
    assert snapshot(made.root) == made.files


def test_undo_never_overwrites_what_has_the_place_now(made: Made) -> None:
    target = files_in(made)[0]
    trash = trash_of(made)
    trash.apply(made.found())
    target.parent.mkdir()
    target.write_text("newer")
    undone = trash.undo()
    [(path, why)] = undone.failed
    assert path == str(target)
    assert "something else has its place" in why
    assert target.read_text() == "newer"
    [batch] = trash.batches()
    assert batch.items == 1
    target.unlink()
    assert trash.undo().restored == (str(target),)
    assert snapshot(made.root) == made.files


def test_undo_follows_no_link_that_stands_in_a_folders_place_now(made: Made) -> None:
    folder = files_in(made)[0].parent
    trash = trash_of(made)
    trash.apply(made.found())
    outside = made.home / "outside"
    outside.mkdir()
    folder.symlink_to(outside)
    undone = trash.undo()
    assert len(undone.failed) == 3
    assert list(outside.iterdir()) == []
    assert trash.batches()[0].items == 3


def test_a_full_disk_is_said_before_anything_moves(made: Made) -> None:
    def full(name: str) -> None:
        if name in ("write", "create", "mkdir"):
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(DiskFull, match="full"):
        trash_of(made, full).apply(made.found())
    assert snapshot(made.root) == made.files
    trash = trash_of(made)
    assert trash.batches() == []
    assert trash.apply(made.found()).failed == ()


def test_space_kept_beforehand_lets_a_full_disk_be_cleaned_up(made: Made) -> None:
    trash_of(made).apply(made.found()[:1])
    reserve = Path(trash_of(made).path) / RESERVE
    assert reserve.stat().st_blocks * 512 >= 200_000

    def full(name: str) -> None:
        if name in ("write", "mkdir") and reserve.exists():
            raise OSError(errno.ENOSPC, "full")

    applied = trash_of(made, full).apply(made.found())
    assert len(applied.moved) == len(made.files) - 1


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("mount"),
    reason="mounting needs root",
)
def test_a_really_full_disk_loses_nothing_and_can_be_emptied(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(home)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount")
    try:
        made = make(home, home / "tmp")
        big = Path(sorted(made.root.iterdir())[0]) / "0123456789ab-big.txt"
        big.write_bytes(b"x" * 300_000)
        os.utime(big, (OLD, OLD))
        trash = trash_of(made)
        trash.apply(made.found()[:1])  # keeps some space for later
        fill(home / "filler")
        rest = made.found()
        applied = trash.apply(rest)
        assert len(applied.moved) == len(rest)
        done = trash.empty()
        assert done.freed_now >= 300_000
        assert done.failed == []
    finally:
        subprocess.run(["umount", str(home)], check=True)


def fill(path: Path) -> None:
    """Write until the disk is full."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT)
    try:
        with pytest.raises(OSError, match="space"):
            write_for_ever(handle)
    finally:
        os.close(handle)


def write_for_ever(handle: int) -> None:
    while True:
        os.write(handle, b"x" * 4096)


def test_a_trash_that_cannot_be_written_is_said_and_nothing_is_deleted(
    made: Made,
) -> None:
    state = made.home / ".local/state/spillview"
    state.parent.mkdir(parents=True)
    state.write_text("not a folder")
    with pytest.raises(NoTrash):
        trash_of(made).apply(made.found())
    assert snapshot(made.root) == made.files


# On another filesystem


@pytest.fixture
def apart(tmp_path: Path) -> Path:
    """A home whose state folder is on another filesystem than its store."""
    if not elsewhere(tmp_path):
        pytest.skip("needs a second filesystem")
    home = OTHER / f"spillview-test-{os.getpid()}-{time.monotonic_ns()}"
    return home


def test_files_of_another_filesystem_are_kept_near_their_store(
    tmp_path: Path, apart: Path
) -> None:
    made = make(apart, tmp_path / "tmp")
    try:
        trash = trash_of(made)
        found = made.found()
        expected = str(tmp_path / "tmp" / near_name())
        where = outlook(made.places, os.path.dirname(found[0].path), found[0].root)
        assert where == expected
        assert not os.path.exists(expected)
        applied = trash.apply(found)
        assert applied.failed == ()
        [batch] = trash.batches()
        assert batch.path == f"{expected}/{batch.id}"
        assert stat.S_IMODE(os.stat(expected).st_mode) == 0o700
        assert made.found() == []  # what lies there is no artifact
        trash.undo()
        assert snapshot(made.root) == made.files
        assert not os.path.exists(expected)
    finally:
        shutil.rmtree(apart)


def test_a_filesystem_that_is_not_mounted_is_not_taken_for_an_emptied_trash(
    tmp_path: Path, apart: Path
) -> None:
    made = make(apart, tmp_path / "disk/tmp")
    try:
        trash = trash_of(made)
        trash.apply(made.found())
        (tmp_path / "disk").rename(tmp_path / "unplugged")
        trash.settle()
        [batch] = trash.batches()
        assert (batch.items, batch.away) == (0, 6)
        undone = trash.undo()
        assert len(undone.failed) == 6
        assert "mounted" in undone.failed[0][1]
        assert len(trash.empty().failed) == 6
        (tmp_path / "unplugged").rename(tmp_path / "disk")
        assert len(trash.undo().restored) == 6
        assert snapshot(made.root) == made.files
    finally:
        shutil.rmtree(apart)


def test_where_no_trash_can_be_made_safely_nothing_is_moved(
    tmp_path: Path, apart: Path
) -> None:
    shared = tmp_path / "shared"
    made = make(apart, shared)
    try:
        made.root.chmod(0o777)
        shared.chmod(0o777)
        for folder in made.root.iterdir():
            folder.chmod(0o777)
        found = made.found()
        where = outlook(made.places, os.path.dirname(found[0].path), found[0].root)
        assert isinstance(where, NoBin)
        assert "open to other users" in where.reason
        applied = trash_of(made).apply(found)
        assert applied.moved == ()
        assert all(failure.no_bin for failure in applied.failed)
        assert "no trash can be made" in applied.failed[0].reason
        assert snapshot(made.root) == made.files
        done = trash_of(made).delete(found)
        assert len(done.moved) == len(found)
        assert done.freed_now == sum(item.size for item in found)
    finally:
        shutil.rmtree(apart)


def test_a_squatted_trash_near_a_store_is_passed_over(
    tmp_path: Path, apart: Path
) -> None:
    made = make(apart, tmp_path / "tmp")
    try:
        outside = tmp_path / "outside"
        outside.mkdir()
        (tmp_path / "tmp" / near_name()).symlink_to(outside)
        trash = trash_of(made)
        trash.apply(made.found())
        [batch] = trash.batches()
        assert batch.path == f"{made.root}/{near_name()}/{batch.id}"
        assert list(outside.iterdir()) == []
    finally:
        shutil.rmtree(apart)


# Two at once, and killed


def test_two_runs_at_once_do_not_meet(made: Made) -> None:
    busy: list[Exception] = []

    def other(name: str) -> None:
        if name == "rename" and not busy:
            try:
                Trash(made.places, wait=0).undo()
            except Busy as error:
                busy.append(error)

    found = made.found()
    Trash(made.places).apply(found[:1])
    applied = trash_of(made, other).apply(found[1:])
    assert len(applied.moved) == len(found) - 1
    assert "another clean-up" in str(busy[0])


def test_many_processes_share_the_files_out_and_none_is_lost(tmp_path: Path) -> None:
    made = make(tmp_path / "home", tmp_path / "home/tmp", sessions=5, each=9)
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", APPLY, str(made.home), str(made.root)], cwd=ROOT
        )
        for _ in range(3)
    ]
    assert [run.wait() for run in runs] == [0, 0, 0]
    trash = trash_of(made)
    assert sum(batch.items for batch in trash.batches()) == len(made.files)
    while trash.undo().batch is not None:
        pass
    assert snapshot(made.root) == made.files


APPLY = """
import sys
from pathlib import Path
from spillview.cleanup.trash import Trash
from tests.faults import Made
made = Made(Path(sys.argv[1]), Path(sys.argv[2]))
Trash(made.places, wait=60).apply(made.found())
"""


def test_a_killed_run_is_settled_and_said_at_the_next_start(tmp_path: Path) -> None:
    made = make(tmp_path / "home", tmp_path / "home/tmp", sessions=2, each=9)
    killed = subprocess.run(
        [sys.executable, "-c", DIE, str(made.home), str(made.root)],
        cwd=ROOT,
        check=False,
    )
    assert killed.returncode < 0
    left = len(snapshot(made.root))
    assert 0 < left < len(made.files)
    [batch] = trash_of(made).batches()
    assert batch.open
    trash = trash_of(made)
    trash.settle()
    [sentence] = trash.settled
    moved = len(made.files) - left
    assert f"{moved} of {len(made.files)} artifacts" in sentence
    assert batch.id in sentence
    assert not trash.batches()[0].open
    trash.settle()
    assert len(trash.settled) == 1
    assert len(trash.undo().restored) == moved
    assert snapshot(made.root) == made.files


DIE = APPLY.replace(
    "Trash(made.places, wait=60)",
    """
import os
from spillview.disk import Disk
moves = []
def die(name):
    moves.append(name)
    if moves.count("rename") == 9:
        os.kill(os.getpid(), 9)
Trash(made.places, Disk(die))""",
)


def test_runs_killed_again_and_again_lose_nothing(tmp_path: Path) -> None:
    seen = torment(tmp_path / "home", 90, 12, random.Random(7))
    assert sum(seen.values()) >= 12


def test_an_undo_that_was_killed_half_way_through_a_file_is_finished(
    made: Made,
) -> None:
    trash = trash_of(made)
    trash.apply(made.found())
    [slot] = Path(trash.path).glob("*/files/000000")
    target = Path(sorted(made.files)[0])
    target.parent.mkdir()
    target.hardlink_to(slot)
    trash.settle()
    assert not slot.exists()
    assert target.exists()
    assert trash.undo().failed == ()
    assert snapshot(made.root) == made.files


# The trash itself


def test_emptying_frees_what_it_says_and_only_what_was_named(made: Made) -> None:
    found = made.found()
    clock = iter(range(1_800_000_000, 1_800_000_100))
    trash = Trash(made.places, now=lambda: float(next(clock)))
    first = trash.apply(found[:2])
    second = trash.apply(found[2:])
    done = trash.empty([first.batch or ""])
    assert done.items == 2
    assert done.freed_now == done.bytes == sum(item.size for item in found[:2])
    assert [batch.id for batch in trash.batches()] == [second.batch]
    trash.empty()
    assert trash.batches() == []
    assert trash.undo().batch is None
    left = sorted(p.name for p in Path(trash.path).iterdir())
    assert left == ["deleted", "freed", "lock", RESERVE]


def test_contents_tell_where_files_came_from(made: Made) -> None:
    trash = trash_of(made)
    applied = trash.apply(made.found())
    assert sorted(trash.contents(applied.batch or "")) == sorted(
        (item.path, item.size) for item in applied.moved
    )


def test_everything_in_the_trash_is_closed_to_others(made: Made) -> None:
    trash = trash_of(made)
    trash.apply(made.found())
    for folder, names, files in os.walk(trash.path):
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700, (folder, names)
        for name in files:
            if not folder.endswith("/files"):  # those keep their own modes
                mode = os.stat(os.path.join(folder, name)).st_mode
                assert stat.S_IMODE(mode) == 0o600


def test_a_damaged_journal_is_left_alone_and_named(made: Made) -> None:
    trash = trash_of(made)
    applied = trash.apply(made.found())
    [journal] = Path(trash.path).glob("*/journal")
    journal.write_bytes(journal.read_bytes().replace(b'"name"', b'"nome"', 1))
    [batch] = trash_of(made).batches()
    assert "damaged" in (batch.problem or "")
    with pytest.raises(Unreadable, match="damaged"):
        trash.undo(applied.batch)
    assert [path for path, _ in trash.empty().failed] == [batch.path]
    assert len(list((journal.parent / "files").iterdir())) == len(made.files)


def test_a_state_folder_that_was_moved_takes_its_trash_along(made: Made) -> None:
    trash_of(made).apply(made.found())
    moved = made.home / "elsewhere"
    (made.home / ".local/state").rename(moved)
    places = replace(made.places, env={"XDG_STATE_HOME": str(moved)})
    assert len(Trash(places).undo().restored) == len(made.files)
    assert snapshot(made.root) == made.files


def test_a_disk_that_fills_while_files_are_moved_leaves_the_rest_to_be_asked_for(
    made: Made,
) -> None:
    moves = 0

    def full(name: str) -> None:
        nonlocal moves
        moves += name == "rename"
        if name == "rename" and moves > 3:
            raise OSError(errno.ENOSPC, "full")

    applied = trash_of(made, full).apply(made.found())
    assert len(applied.moved) == 2
    assert {(each.reason, each.no_bin) for each in applied.failed} == {
        ("the disk is full", True)
    }


def test_a_stopped_clean_up_keeps_what_it_did(made: Made) -> None:
    moved: list[int] = []

    def cancelled() -> bool:
        return len(moved) == 2

    applied = trash_of(made).apply(
        made.found(),
        progress=lambda done, total: moved.append(done),
        cancelled=cancelled,
    )
    assert len(applied.moved) == 2
    assert any("stopped" in failure.reason for failure in applied.failed)
    assert len(trash_of(made).undo().restored) == 2


def test_an_interrupt_in_the_middle_leaves_a_clean_up_that_can_be_undone(
    made: Made,
) -> None:
    moves = 0

    def interrupt(name: str) -> None:
        nonlocal moves
        moves += name == "rename"
        if moves == 4:
            moves += 1
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trash_of(made, interrupt).apply(made.found())
    trash = trash_of(made)
    trash.settle()
    assert trash.settled == []  # it was closed, not left open
    assert len(trash.undo().restored) == 2
    assert snapshot(made.root) == made.files


# The journal

names = st.text(
    st.characters(exclude_characters="/\0") | st.characters(categories=["Cs"]),
    min_size=1,
    max_size=12,
).filter(lambda name: name not in (".", ".."))
numbers = st.integers(0, 2**63 - 1)


@given(
    st.lists(st.tuples(names, names, st.tuples(*[numbers] * 4)), max_size=12),
    st.data(),
)
def test_a_journal_says_what_was_written_and_its_seal_fits(
    rows: list[tuple[str, str, tuple[int, int, int, int]]], data: st.DataObject
) -> None:
    levels = (Level(0o700, 1, 2, 3, 4), Level(0o750, 5, 6, 7, 8))
    folders = tuple(Folder("/root", (row[0],), levels) for row in rows)
    items = tuple(
        Item(n, f"{n:016x}", f"/root/{row[1]}", row[1], n, 0, *row[2])
        for n, row in enumerate(rows)
    )
    journal = Journal("b-1-2", 1_800_000_000.5, ("/bin",), folders, items)
    written = journal.encode()
    read = decode(written, "b-1-2")
    assert replace(read, room=0) == journal
    moved = data.draw(
        st.sets(st.sampled_from(range(len(rows)))) if rows else st.just(set())
    )
    seal = journal.seal(sorted(moved))
    sealed = bytearray(written)
    sealed[read.room : read.room + len(seal)] = seal
    assert len(sealed) == len(written)
    assert decode(bytes(sealed), "b-1-2").moved == frozenset(moved)
    cut = data.draw(st.integers(0, read.room - 2))
    with pytest.raises(Unreadable):
        decode(written[:cut], "b-1-2")


def test_a_journal_whose_names_lead_elsewhere_is_refused() -> None:
    level = Level(0o700, 1, 2, 3, 4)
    for name, folder in (("../x", "a"), ("..", "a"), ("x", "..")):
        item = Item(0, "0" * 16, "/x", name, 0, 0, 1, 2, 3, 4)
        journal = Journal(
            "b-1-2", 1.0, ("/bin",), (Folder("/r", (folder,), (level, level)),), (item,)
        )
        with pytest.raises(Unreadable):
            decode(journal.encode(), "b-1-2")


def test_found_facts_are_all_that_a_move_needs(made: Made) -> None:
    """A plan may be old: what counts is in the directory entry alone."""
    item = made.found()[0]
    bare = Found(
        id=item.id,
        harness=item.harness,
        path=item.path,
        name=item.name,
        session=item.session,
        root=item.root,
        type=item.type,
        size=item.size,
        mtime_ns=item.mtime_ns,
        dev=item.dev,
        ino=item.ino,
        target=item.target,
    )
    assert trash_of(made).apply([bare]).moved == (bare,)
