"""The shape in the text's place: its paths, its table, and the cursor they share."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.footer import Footer
from spillview.tui.shape.shape import ShapePane
from spillview.tui.shape.shape_rows import PathRow, RecordRow
from tests.stores import Claude
from tests.tui.reading import ATTACK, Bare, is_safe, until
from tests.tui.test_artifact_screen import drawn, settled

ITEMS: list[dict[str, Any]] = [
    {"id": n, "title": f"Title {n}", "score": n * 37 % 101, "tags": ["x"] * (n % 3)}
    | ({"late": n} if n == 700 else {})
    for n in range(900)
]


@asynccontextmanager
async def looking(
    home: Path, *texts: bytes, size: tuple[int, int] = (160, 40)
) -> AsyncIterator[tuple[ArtifactScreen, Pilot[None]]]:
    """The artifact screen on a session whose outputs these were."""
    session = Claude(home)
    session.prompt("List them.")
    for text in texts:
        session.spills(text, command="list")
    session.write()
    catalogue = Catalogue.here(Places.of_home(str(home)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    artifacts.sort(key=lambda artifact: artifact.created)
    app = Bare(catalogue)
    async with app.run_test(size=size) as pilot:
        screen = ArtifactScreen(catalogue, artifacts, 0)
        await app.push_screen(screen)
        await settled(screen, pilot)
        yield screen, pilot
    catalogue.close()


async def shaped(screen: ArtifactScreen, pilot: Pilot[None]) -> ShapePane:
    """Press the key and wait for the outline."""
    await pilot.press("o")
    await pilot.pause()
    pane = screen.shape
    assert pane is not None
    await idle(pane, pilot)
    return pane


async def idle(pane: ShapePane, pilot: Pilot[None]) -> None:
    """Wait for the pane's workers and what they post."""
    await until(
        pilot,
        lambda: all(w.is_finished for w in pane.app.workers if w.group == "shape"),
    )
    await pilot.pause()


def paths(pane: ShapePane) -> list[str]:
    return [row.facts.path for row in pane.paths.rows if isinstance(row, PathRow)]


def here(pane: ShapePane) -> str:
    row = pane.paths.row
    assert isinstance(row, PathRow)
    return row.facts.path


async def test_the_paths_stand_in_the_texts_place(tmp_path: Path) -> None:
    data = json.dumps(ITEMS).encode()
    async with looking(tmp_path, data) as (screen, pilot):
        pane = await shaped(screen, pilot)
        assert paths(pane) == [
            ".",
            ".[]",
            ".[].id",
            ".[].title",
            ".[].score",
            ".[].tags",
            ".[].tags[]",
            ".[].late",
        ]
        shown = drawn(screen)
        assert "array of 900 items, 8 paths" in shown
        assert "the model saw" in shown
        assert "900 items" in shown
        assert not screen.full.display
        await pilot.press("o")
        assert screen.full.has_focus
        assert screen.full.display
        assert not pane.display


async def test_it_opens_on_the_path_under_the_cursor(tmp_path: Path) -> None:
    data = json.dumps(ITEMS, indent=2).encode()
    async with looking(tmp_path, data) as (screen, pilot):
        for words, path in (
            (b'"late": 700', ".[].late"),
            (b'"title": "Title 650"', ".[].title"),
            (b'"x"', ".[].tags[]"),
        ):
            screen.full.goto(data.index(words))
            pane = await shaped(screen, pilot)
            assert here(pane) == path
            await pilot.press("o")
            row = screen.full.cursor_row
            assert row is not None
            assert words.decode() in row.text


async def test_enter_goes_to_the_first_place_in_the_text(tmp_path: Path) -> None:
    data = json.dumps(ITEMS, indent=2).encode()
    async with looking(tmp_path, data) as (screen, pilot):
        pane = await shaped(screen, pilot)
        await pilot.press("G")
        assert here(pane) == ".[].late"
        await pilot.press("enter")
        await idle(pane, pilot)
        assert screen.full.has_focus
        row = screen.full.cursor_row
        assert row is not None
        assert row.text.strip() == '"late": 700'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
async def test_places_fit_in_other_encodings_and_wrappings(
    tmp_path: Path, encoding: str
) -> None:
    inner = json.dumps(ITEMS)
    data = json.dumps([{"type": "text", "text": inner}], indent=1).encode(encoding)
    async with looking(tmp_path, data) as (screen, pilot):
        pane = await shaped(screen, pilot)
        assert "unwrapped, for jq: .[0].text | fromjson | PATH" in drawn(screen)
        await pilot.press("G", "enter")
        await idle(pane, pilot)
        text = json.dumps([{"type": "text", "text": inner}], indent=1)
        place = len(text[: text.index('\\"late\\"')].encode())
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.holds(place + 3 * (encoding == "utf-8-sig"))


async def test_a_path_is_copied_as_jq_takes_it(tmp_path: Path) -> None:
    data = json.dumps({"result": json.dumps(ITEMS)}).encode()
    async with looking(tmp_path, data) as (screen, pilot):
        pane = await shaped(screen, pilot)
        await pilot.press("G", "y", "y")
        await pilot.pause()
        assert pilot.app.clipboard == ".result | fromjson | .[].late"
        assert pane.display


async def test_the_table_holds_the_top_records_by_the_path_under_the_cursor(
    tmp_path: Path,
) -> None:
    async with looking(tmp_path, json.dumps(ITEMS).encode()) as (screen, pilot):
        pane = await shaped(screen, pilot)
        while here(pane) != ".[].score":
            await pilot.press("j")
        await pilot.press("t")
        await idle(pane, pilot)
        wanted = sorted(ITEMS, key=lambda item: -int(item["score"]))[:20]
        rows = [row for row in pane.paths.rows if isinstance(row, RecordRow)]
        assert [row.record for row in rows] == wanted
        shown = drawn(screen)
        assert "RECORDS AT .[]" in shown
        assert "20 of 900 by score" in shown
        assert rows[0].names[0] == "score"
        footer = {key.key: key.words for key in screen.query_one(Footer).keys}
        assert (footer["t"], footer["o"]) == ("Paths", "Text")
        assert "enter" not in footer
        await pilot.press("right")
        shifted = pane.paths.rows[0]
        assert isinstance(shifted, RecordRow)
        assert shifted.names == ("score", "title", "tags", "late")
        await pilot.press("escape")
        assert here(pane) == ".[].score"
        await pilot.press("T")
        await idle(pane, pilot)
        first = pane.paths.rows[0]
        assert isinstance(first, RecordRow)
        assert first.record["score"] == 0
        await pilot.press("escape", "escape")
        assert screen.full.has_focus


async def test_without_records_the_table_is_refused_in_words(tmp_path: Path) -> None:
    async with looking(tmp_path, json.dumps([1, 2] * 900).encode()) as (screen, pilot):
        await shaped(screen, pilot)
        await pilot.press("t")
        await pilot.pause()
        assert "there is no table" in drawn(screen)


async def test_text_has_no_shape(tmp_path: Path) -> None:
    data = b"make: nothing to be done\n" * 2000
    async with looking(tmp_path, data) as (screen, pilot):
        assert screen.check_action("shape", ()) is False
        await pilot.press("o")
        assert screen.shape is None
        assert screen.full.has_focus


async def test_the_next_artifact_is_outlined_too(tmp_path: Path) -> None:
    first, second = json.dumps(ITEMS), json.dumps({"a": {"b": ["x" * 40_000]}})
    texts = (first.encode(), second.encode(), b"words\n" * 9000)
    async with looking(tmp_path, *texts) as (screen, pilot):
        pane = await shaped(screen, pilot)
        await pilot.press("J")
        await settled(screen, pilot)
        await idle(pane, pilot)
        assert paths(pane) == [".", ".a", ".a.b", ".a.b[]"]
        assert pane.paths.has_focus
        await pilot.press("J")
        await settled(screen, pilot)
        assert not screen.has_class("-shape")
        assert screen.full.has_focus


async def test_tab_goes_to_the_envelope_and_back_to_the_paths(tmp_path: Path) -> None:
    async with looking(tmp_path, json.dumps(ITEMS).encode()) as (screen, pilot):
        pane = await shaped(screen, pilot)
        await pilot.press("tab")
        assert screen.envelope.has_focus
        await pilot.press("tab")
        assert pane.paths.has_focus
        await pilot.press("V")
        assert screen.full.has_focus
        assert not pane.display


async def test_a_document_that_breaks_tells_its_byte(tmp_path: Path) -> None:
    data = json.dumps(ITEMS).encode()[:40_000]
    async with looking(tmp_path, data) as (screen, pilot):
        await shaped(screen, pilot)
        assert "it breaks at byte 40,000" in drawn(screen)


async def test_limits_that_find_no_room_are_told_on_request(tmp_path: Path) -> None:
    records = [
        {f"key {n} {m}": 2**60 for m in range(3)} | {"a": 10**400} for n in range(999)
    ]
    text = json.dumps(records).replace('"a": 1', '"a": NaN, "a": 1', 3)
    async with looking(tmp_path, text.encode(), size=(70, 20)) as (screen, pilot):
        await shaped(screen, pilot)
        assert "lines more: i" in drawn(screen)
        await pilot.press("i")
        await pilot.pause()
        told = "\n".join(note.message for note in pilot.app._notifications)
        assert "NaN" in told or "again in the same object" in told


async def test_hostile_keys_and_values_reach_no_terminal(tmp_path: Path) -> None:
    evil = ATTACK.decode("utf-8", "replace")
    records = [{evil: evil, "n": {evil: [evil] * 3}}] * 300
    data = json.dumps(records, ensure_ascii=False).encode("utf-8", "surrogatepass")
    async with looking(tmp_path, data) as (screen, pilot):
        pane = await shaped(screen, pilot)
        for keys in ((), ("t",), ("escape", "i")):
            await pilot.press(*keys)
            await idle(pane, pilot)
            assert all(is_safe(line) for line in drawn(screen).split("\n"))


async def test_a_file_that_went_away_is_told_in_a_sentence(tmp_path: Path) -> None:
    async with looking(tmp_path, json.dumps(ITEMS).encode()) as (screen, pilot):
        Path(screen.artifact.found.path).unlink()
        await shaped(screen, pilot)
        assert "no longer there" in " ".join(drawn(screen).split())
