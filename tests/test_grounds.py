"""Files given to ripgrep by name: found as if opened, and never another's in place."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spillview.frozen import replace
from spillview.model import Artifact
from spillview.search import grounds, ripgrep
from spillview.search.grep import Message, Options, Report, search, tally
from spillview.search.grounds import Ground
from spillview.search.handles import DESCRIPTORS
from tests.test_grep import artifact, of_type, untimed

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="names are given where descriptors can be"
)


def counted(path: Path, root: Path) -> Artifact:
    """An artifact that was counted as it is now."""
    made, facts = artifact(path), path.lstat()
    found = replace(
        made.found,
        root=str(root),
        size=facts.st_size,
        mtime_ns=facts.st_mtime_ns,
        dev=facts.st_dev,
        ino=facts.st_ino,
    )
    return replace(made, found=found)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[Path]]:
    """Nine files in folders below a root, of one owner, all with a needle."""
    monkeypatch.setattr(grounds, "TICK_NS", 0)
    root = tmp_path / "store"
    paths = []
    for folder in ("", "one", "one/two"):
        (root / folder).mkdir(mode=0o755, exist_ok=True)
        for name in ("-", "-c.txt", "ü \n.txt"):
            path = root / folder / name
            path.write_text(f"hay\nneedle in {folder}\n")
            paths.append(path)
    return root, paths


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that ripgrep is given."""
    names: list[str] = []
    real = ripgrep.Run

    def run(program: Any, arguments: Any, paths: list[str], **more: Any) -> Any:
        names.extend(paths)
        return real(program, arguments, paths, **more)

    monkeypatch.setattr("spillview.search.grep.Run", run)
    return names


def before_the_search(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> None:
    """Do `change` after the files were looked at and before ripgrep starts."""
    real = ripgrep.Run

    def run(*arguments: Any, **more: Any) -> Any:
        change()
        return real(*arguments, **more)

    monkeypatch.setattr("spillview.search.grep.Run", run)


def by_name(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(DESCRIPTORS)]


@pytest.mark.parametrize(
    "options",
    [Options(), Options(before=1), Options(invert=True), Options(max_count=1)],
)
def test_what_is_searched_by_name_is_found_as_in_open_files(
    store: tuple[Path, list[Path]],
    given: list[str],
    monkeypatch: pytest.MonkeyPatch,
    options: Options,
) -> None:
    root, paths = store
    artifacts = [counted(path, root) for path in paths]
    messages = untimed(list(search(artifacts, "needle", options)))
    numbers = [(a.id, n) for a, n in tally(artifacts, "needle", options)]
    assert len(by_name(given)) == 2 * 8  # all but the one named as standard input is
    monkeypatch.setattr(Ground, "take", lambda *_: None)
    given.clear()
    assert untimed(list(search(artifacts, "needle", options))) == messages
    assert [(a.id, n) for a, n in tally(artifacts, "needle", options)] == numbers
    assert not by_name(given)


def test_a_file_that_was_not_counted_as_it_is_is_looked_into(
    store: tuple[Path, list[Path]], given: list[str]
) -> None:
    root, paths = store
    wide = root / "wide"
    wide.write_bytes("needle in UTF-16\n".encode("utf-16-le"))
    old = counted(paths[1], root)
    paths[1].write_bytes("needle rewritten as UTF-16\n".encode("utf-16-le"))
    unknown = replace(counted(wide, root), counts=None)
    narrow = root / "narrow"
    narrow.write_bytes("needle in UTF-16\n".encode("utf-16-le"))
    before = counted(narrow, root)
    assert before.counts is not None
    before = replace(before, counts=replace(before.counts, encoding="utf-16-le"))
    narrow.write_bytes(b"a needle no longer in UTF-16")
    found = of_type("match", list(search([old, unknown, before], "needle")))
    assert len(found) == 3
    assert by_name(given) == ["narrow"]  # the others are UTF-16 without a mark


@pytest.mark.parametrize("mode", [0o777, 0o775])
def test_what_others_may_change_is_opened_here(
    store: tuple[Path, list[Path]], given: list[str], mode: int
) -> None:
    root, paths = store
    (root / "one").chmod(mode)
    artifacts = [counted(path, root) for path in paths]
    assert len(of_type("match", list(search(artifacts, "needle")))) == 9
    assert sorted(by_name(given)) == ["-c.txt", "ü \n.txt"]


def test_a_way_over_a_link_is_opened_here(
    store: tuple[Path, list[Path]], given: list[str]
) -> None:
    root, paths = store
    (root / "link").symlink_to(root / "one")
    over = root / "link" / paths[4].name
    found = of_type("match", list(search([counted(over, root)], "needle")))
    assert len(found) == 1
    assert not by_name(given)


def swap_for_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parents[1] / "secret")


def swap_for_file(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("another needle\n")
    other.replace(path)


def swap_folder(path: Path) -> None:
    path.parent.rename(path.parents[2] / "away")
    path.parent.symlink_to(path.parents[2] / "outside")


@pytest.mark.parametrize("tick", [0, 10**12], ids=["folders", "each file"])
@pytest.mark.parametrize("swap", [swap_for_link, swap_for_file, swap_folder])
def test_what_took_the_place_of_a_file_is_not_believed(
    store: tuple[Path, list[Path]],
    monkeypatch: pytest.MonkeyPatch,
    swap: Callable[[Path], None],
    tick: int,
) -> None:
    root, paths = store
    monkeypatch.setattr(grounds, "TICK_NS", tick)
    (root / "secret").write_text("the secret needle\n")
    outside = root.parent / "outside"
    outside.mkdir()
    target = paths[4]
    (outside / target.name).write_text("needle of another\n")
    artifacts = [counted(path, root) for path in (paths[1], target, paths[2])]
    found: dict[bool, list[str]] = {}
    reports = {True: Report(), False: Report()}
    for counting in (True, False):
        with monkeypatch.context() as patch:
            kept = root.parent / "kept"
            shutil.copytree(root / "one", kept, symlinks=True)
            before_the_search(patch, lambda: swap(target))
            if counting:
                told = tally(artifacts, "needle", report=reports[counting])
                found[counting] = [a.found.path for a, _ in told]
            else:
                messages = list(search(artifacts, "needle", report=reports[counting]))
                found[counting] = [
                    m["path"]["text"] for m in of_type("match", messages)
                ]
                stats = messages[-1]["data"]["stats"]
                assert stats["matched_lines"] == stats["searches_with_match"] == 2
        swapped = root / "one"
        swapped.unlink() if swapped.is_symlink() else shutil.rmtree(swapped)
        shutil.rmtree(root.parent / "away", ignore_errors=True)
        shutil.move(kept, swapped)
        artifacts[1] = counted(target, root)
        assert found[counting] == [str(paths[1]), str(paths[2])]
        assert [problem.path for problem in reports[counting].problems] == [str(target)]


@pytest.mark.parametrize("moves", [False, True], ids=["stays", "moves away"])
def test_nobody_waits_at_a_fifo_that_took_the_place_of_a_file(
    store: tuple[Path, list[Path]], monkeypatch: pytest.MonkeyPatch, moves: bool
) -> None:
    root, paths = store
    artifacts = [counted(path, root) for path in paths]
    target = paths[4]

    def swap() -> None:
        target.unlink()
        os.mkfifo(target)
        if moves:
            import threading

            threading.Timer(0.3, target.rename, [root / "moved"]).start()

    before_the_search(monkeypatch, swap)
    report = Report()
    begun = time.monotonic()
    found = of_type("match", list(search(artifacts, "needle", report=report)))
    assert time.monotonic() - begun < 30
    if moves:
        [problem] = report.problems
        assert "stopped" in problem.sentence
    else:
        assert len(found) == 8
        assert [problem.path for problem in report.problems] == [str(target)]


def test_a_file_that_went_away_is_told(
    store: tuple[Path, list[Path]], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, paths = store
    artifacts = [counted(path, root) for path in paths]
    before_the_search(monkeypatch, paths[4].unlink)
    report = Report()
    found: list[Message] = list(search(artifacts, "needle", report=report))
    assert len(of_type("match", found)) == 8
    assert [(p.path, p.sentence) for p in report.problems] == [
        (str(paths[4]), "it is gone")
    ]
