"""A search behind its screen: rows up to a number, exact totals beyond it."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact
from spillview.places import Places
from spillview.search.selection import Options
from spillview.tui.search import searching
from spillview.tui.search.rows import Gatherer, LineRow, Row
from spillview.tui.search.searching import Searching


@pytest.fixture
def store(tmp_path: Path) -> tuple[Catalogue, list[Artifact]]:
    """Thirty files of up to four lines that match, two links, and one gone since."""
    folder = tmp_path / "files"
    folder.mkdir()
    for number in range(30):
        path = folder / f"{number:02}.txt"
        path.write_text("hay\n" + "a needle and a needle\n" * (number % 5))
    for number in range(2):
        (folder / f"link-{number}").symlink_to(folder / "01.txt")
    (folder / "05-gone.txt").write_text("needle\n")
    catalogue = Catalogue(Places.of_home(str(tmp_path / "home")))
    artifacts = list(catalogue.scan(Query(paths=(str(folder),))))
    artifacts.sort(key=lambda artifact: artifact.found.name)
    (folder / "05-gone.txt").unlink()
    return catalogue, artifacts


def searched(
    store: tuple[Catalogue, list[Artifact]],
    shown: int,
    monkeypatch: pytest.MonkeyPatch,
    options: Options | None = None,
) -> tuple[Searching, list[Row]]:
    monkeypatch.setattr(
        searching, "Gatherer", lambda artifacts: Gatherer(artifacts, shown)
    )
    work = Searching(
        *store,
        "needle",
        options or Options(),
        cancelled=lambda: False,
        advanced=lambda: None,
    )
    for _ in work.steps():
        pass
    return work, work.gatherer.batch().rows


@pytest.mark.parametrize("shown", [1, 7, 59, 60, 61])
def test_what_is_not_shown_is_counted_exactly(
    store: tuple[Catalogue, list[Artifact]],
    monkeypatch: pytest.MonkeyPatch,
    shown: int,
) -> None:
    work, rows = searched(store, shown, monkeypatch)
    lines = sum(isinstance(row, LineRow) for row in rows)
    assert lines == work.gatherer.shown == min(shown, 60)
    assert (work.gatherer.total, work.gatherer.artifacts) == (60, 24)
    assert work.report.skipped == 2
    assert [Path(p.path).name for p in work.report.problems] == ["05-gone.txt"]


def test_what_the_model_saw_is_asked_only_of_what_is_shown(
    store: tuple[Catalogue, list[Artifact]], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue, _ = store
    asked: list[str] = []

    def complete(artifact: Artifact) -> Artifact:
        asked.append(artifact.found.name)
        return artifact

    monkeypatch.setattr(catalogue, "complete_one", complete)
    searched(store, 7, monkeypatch)
    assert asked == ["01.txt", "02.txt", "03.txt", "04.txt"]
    asked.clear()
    work, rows = searched(store, 7, monkeypatch, Options(seen=False))
    assert len(asked) == 24  # which lines are left out depends on it
    assert (rows, work.report.unknown) == ([], 60)


def test_progress_is_told_where_nothing_is_found(
    store: tuple[Catalogue, list[Artifact]],
) -> None:
    done: list[int] = []
    work = Searching(
        *store,
        "nowhere",
        Options(),
        cancelled=lambda: False,
        advanced=lambda: done.append(work.done),
    )
    for _ in work.steps():
        pass
    assert done
    assert done[-1] == 30
