"""The artifact screen on a made store: what it opens at, shows, marks and survives."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact, Range
from spillview.places import Places
from spillview.tui.artifact import outside, panes
from spillview.tui.artifact.artifact import ArtifactScreen
from spillview.tui.artifact.lines import Header, NextStrip
from spillview.tui.footer import Footer
from spillview.tui.pager import opening
from spillview.tui.pager.document import Document, open_document
from spillview.tui.palette import acts_of
from spillview.tui.runs import Lines
from tests.harness_stores import make
from tests.stores import Claude, Dsh, background
from tests.tui.reading import ATTACK, Bare, body, is_safe, until

BUILD = (
    b"".join(b"compiling part %04d of the program\n" % n for n in range(2000))
    + b"error: the build failed\n"
)
PASSED = b"".join(b"test number %05d passed\n" % n for n in range(2500))


class Night:
    """A session with a failed build, a passed test and what else a test adds."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.session = Claude(home)
        self.session.prompt("Build it.")

    def build(self, data: bytes = BUILD, **more: object) -> Path:
        """A call whose output was cut, and what the agent did then."""
        made = self.session.spills(data, command="make all", **more)  # type: ignore[arg-type] # passed on
        self.session.says("The build passes. Committing.")
        self.session.calls("Bash", command="git commit -m done")
        return made.path

    def catalogue(self) -> tuple[Catalogue, list[Artifact]]:
        """The catalogue of this home, and its artifacts completed, oldest first."""
        self.session.write()
        catalogue = Catalogue.here(Places.of_home(str(self.home)))
        artifacts = list(catalogue.complete(catalogue.scan()))
        return catalogue, sorted(artifacts, key=lambda a: a.created)


@pytest.fixture
def night(tmp_path: Path) -> Night:
    return Night(tmp_path / "home")


@asynccontextmanager
async def looking(
    night: Night,
    index: int = 0,
    size: tuple[int, int] = (120, 40),
    at: Range | None = None,
) -> AsyncIterator[tuple[ArtifactScreen, Pilot[None], list[object]]]:
    """The screen on the night's artifacts, its envelope read; and what it ended on."""
    catalogue, artifacts = night.catalogue()
    app = Bare(catalogue)
    ended: list[object] = []
    async with app.run_test(size=size) as pilot:
        screen = ArtifactScreen(catalogue, artifacts, index, at=at)
        await app.push_screen(screen, ended.append)
        await settled(screen, pilot)
        yield screen, pilot, ended
    catalogue.close()


async def settled(screen: ArtifactScreen, pilot: Pilot[None]) -> None:
    """Wait until everything of the artifact is known and drawn."""
    await pilot.pause()
    busy = ("facts", "text", "index")
    await until(
        pilot,
        lambda: (
            not any(w.group in busy and not w.is_finished for w in screen.app.workers)
        ),
    )
    await pilot.pause()


def text_of(widget: Lines) -> list[str]:
    return [widget.render_line(y).text.rstrip() for y in range(widget.size.height)]


def header(screen: ArtifactScreen) -> str:
    return "\n".join(text_of(screen.query_one(Header)))


def drawn(screen: ArtifactScreen) -> str:
    """Everything on the screen as text."""
    height = screen.app.size.height
    strips = screen._compositor.render_strips()
    assert len(strips) == height
    return "\n".join(strip.text for strip in strips)


# -- what it opens at and shows ------------------------------------------------------


async def test_the_title_tells_the_new_place_in_the_frame_that_shows_it(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.build()
    async with looking(night) as (screen, pilot, _):
        frames: list[set[str | None]] = []
        draw = screen._compositor.update_widgets

        def update(widgets: set[Widget]) -> None:
            frames.append({widget.id for widget in widgets})
            draw(widgets)

        monkeypatch.setattr(screen._compositor, "update_widgets", update)
        for _ in range(3):
            await pilot.press("k")
            await pilot.pause(0.1)
        assert frames == [{"full", "full-title"}] * 3


async def test_it_opens_at_a_verdict_that_the_model_never_saw(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, _, _ended):
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.text == "error: the build failed"
        assert body(screen.full)[-1] == "error: the build failed"


async def test_the_first_frame_is_laid_out_for_its_terminal(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.build()
    frames: list[str] = []
    display = Bare._display

    def recorded(app: Bare, screen: Screen[object], renderable: object) -> None:
        if isinstance(screen, ArtifactScreen):
            strips = screen._compositor.render_strips()
            frames.append("\n".join(strip.text for strip in strips))
        display(app, screen, renderable)  # type: ignore[arg-type] # passed on

    monkeypatch.setattr(Bare, "_display", recorded)
    async with looking(night, size=(80, 24)):
        written = [f for f in frames if "OUTPUT AS CAPTURED" in f]
    assert written
    for frame in written:
        # Below one another, and no row broken for half the width.
        assert not re.search("ENVELOPE.*OUTPUT", frame)
        assert "error: the build failed" in frame


async def test_a_record_without_the_words_says_so_in_its_pane(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make("vscode_copilot", home)
    catalogue = Catalogue.here(Places.of_home(str(home)))
    artifacts = list(catalogue.complete(catalogue.scan()))
    index = next(
        at
        for at, artifact in enumerate(artifacts)
        if artifact.envelope is not None
        and catalogue.envelope(artifact).shown[0].text is None
    )
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = ArtifactScreen(catalogue, artifacts, index)
        await app.push_screen(screen)
        await settled(screen, pilot)
        assert "does not keep the words" in str(screen.wordless.render())
        assert screen.wordless.region.height >= 3
        assert "The record names this file" in drawn(screen)
        assert len(app._notifications) == 0
    catalogue.close()


async def test_it_opens_at_a_verdict_that_was_seen_too(night: Night) -> None:
    night.session.spills(PASSED, command="make test", chars=len(PASSED))
    async with looking(night) as (screen, _, _ended):
        assert screen.artifact.verdict_seen is True
        counts = screen.artifact.counts
        assert counts is not None
        assert counts.verdict is not None
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.text == counts.verdict.text


async def test_the_unseen_gap_is_one_row_with_its_exact_size(night: Night) -> None:
    night.build()
    async with looking(night, size=(160, 40)) as (screen, _, _ended):
        (fold,) = screen.full.folds
        screen.full.goto(fold.start, unfold=False)
        tail = BUILD.splitlines(keepends=True)[-20:]
        assert BUILD[fold.end :] == b"".join(tail)
        start = BUILD.index(b"\n", 2000) + 1
        assert fold.start == start
        hidden = BUILD[fold.start : fold.end]
        words = (
            f"{len(hidden):,} bytes · {hidden.count(10):,} lines the model never saw"
        )
        row = next(line for line in body(screen.full) if "┄" in line)
        assert words in row


async def test_head_and_tail_are_both_marked_and_the_gap_between_is_folded(
    tmp_path: Path,
) -> None:
    session = Dsh(tmp_path / "home", tmp_path / "home" / "tmp" / "dsh-spill-abcdef")
    session.prompt("Build it.")
    made = session.spills(BUILD, cap=20_000)
    night = Night(tmp_path / "home")
    session.write()
    async with looking(night) as (screen, pilot, _):
        (head, tail) = made.seen
        assert screen.artifact.link is not None
        assert screen.artifact.link.seen is not None
        assert screen.artifact.link.seen.ranges == (head, tail)
        (fold,) = screen.full.folds
        assert head[1] <= fold.start < fold.end <= tail[0]
        document = screen.full.document
        assert document is not None
        assert document.state(*head) == document.state(*tail) == "all"
        assert document.state(head[1], tail[0]) == "none"
        assert pilot.app.is_running


async def test_the_header_states_counts_ratio_share_verdict_and_claim(
    night: Night,
) -> None:
    night.build()
    async with looking(night) as (screen, _, _ended):
        shown = header(screen)
        assert "Bash  make all" in shown
        assert f"{len(BUILD):,} bytes · {len(BUILD):,} chars · 2,001 lines" in shown
        assert f"{len(BUILD) / 30_000:.2f}"[:3] in shown
        assert "of 30,000 chars" in shown
        assert f"model saw {100 * 2000 / len(BUILD):.1f}%" in shown
        assert "verdict NEVER SEEN" in shown
        assert "agrees" in shown
        assert "1 of 1" in shown


async def test_a_notice_that_claims_a_wrong_size_is_contradicted(night: Night) -> None:
    path = night.build()
    path.write_bytes(BUILD * 2)
    async with looking(night) as (screen, _, _ended):
        assert "WRONG: measured" in header(screen)


async def test_the_strip_says_what_the_agent_said_and_called_next(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, _, _ended):
        said, called = text_of(screen.query_one(NextStrip))
        assert "then said" in said
        assert "“The build passes. Committing.”" in said
        assert "then called  Bash  git commit -m done" in called


async def test_the_envelope_is_the_exact_text_that_the_model_received(
    night: Night,
) -> None:
    night.build()
    async with looking(night) as (screen, _, _ended):
        document = screen.envelope.document
        assert document is not None
        text = document.content.pread(0, document.size).decode()
        assert text.startswith("<persisted-output>\nOutput too large")
        assert text.endswith("</persisted-output>")
        assert BUILD[:1990].decode() in text
        preview = screen.pairs.ranges[0]
        assert document.content.pread(*(preview[0], 30)) == BUILD[:30]


async def test_a_result_given_again_stands_below_its_first_envelope(
    night: Night,
) -> None:
    made = night.session.spills(BUILD, command="make all")
    night.session.prompt(made.envelope)
    async with looking(night) as (screen, _, _ended):
        document = screen.envelope.document
        assert document is not None
        text = document.content.pread(0, document.size).decode()
        assert text.count("<persisted-output>") >= 1
        if screen.facts is not None and len(screen.facts.shown) > 1:
            assert "given again" in text


# -- moving --------------------------------------------------------------------------


async def test_tab_goes_to_the_same_place_in_the_other_pane(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, pilot, _):
        await pilot.press("g", "2", "0", "g")
        here = screen.full.cursor_row
        assert here is not None
        assert screen.active_bindings["tab"].binding.description == "Envelope"
        await pilot.press("tab")
        assert screen.focused is screen.envelope
        assert screen.active_bindings["tab"].binding.description == "Output"
        assert screen.envelope.cursor_row is not None
        assert screen.envelope.cursor_row.text == here.text
        await pilot.press("j", "tab")
        assert screen.focused is screen.full
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.number == 21


async def test_space_marks_reviewed_and_goes_on_and_u_takes_it_back(
    night: Night,
) -> None:
    night.build()
    night.session.spills(PASSED, command="make test")
    async with looking(night) as (screen, pilot, ended):
        first = screen.artifact.id
        await pilot.press("space")
        await settled(screen, pilot)
        assert screen.index == 1
        assert "make test" in header(screen)
        assert screen.catalogue.state is not None
        assert set(screen.catalogue.state.reviewed()) == {first}
        await pilot.press("space")
        await settled(screen, pilot)
        assert screen.index == 1
        assert "the last one" in screen.full.status()
        assert "reviewed · 2 of 2" in header(screen)
        await pilot.press("U", "U")
        await settled(screen, pilot)
        assert screen.index == 0
        assert screen.catalogue.state.reviewed() == {}
        await pilot.press("q")
        assert isinstance(ended[0], Artifact)
        assert ended[0].id == first


async def test_next_and_previous_go_through_the_queue_and_stop_at_its_ends(
    night: Night,
) -> None:
    night.build()
    night.session.spills(PASSED, command="make test")
    async with looking(night) as (screen, pilot, ended):
        await pilot.press("K")
        assert screen.index == 0
        await pilot.press("J")
        await settled(screen, pilot)
        assert screen.index == 1
        await pilot.press("greater_than_sign")
        assert screen.index == 1
        second = screen.artifact.id
        await pilot.press("escape")
        assert [a.id for a in ended if isinstance(a, Artifact)] == [second]


async def test_escape_clears_a_search_before_it_leaves(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, pilot, ended):
        await pilot.press("slash", *"failed", "enter")
        await until(pilot, lambda: "hit 1 of 1" in screen.full.status())
        await pilot.press("escape")
        assert not screen.full.finder.active
        assert ended == []
        await pilot.press("escape")
        assert len(ended) == 1


async def test_the_prompt_takes_letters_that_are_keys_elsewhere(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, pilot, ended):
        await pilot.press("colon", "q", "J", "escape")
        assert ended == []
        assert screen.focused is screen.full
        await pilot.press("colon", "3", "enter")
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.number == 3
        await pilot.press("colon", "up", "enter")
        assert screen.full.cursor_row.number == 3


async def test_v_goes_to_the_verdict(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, pilot, _):
        await pilot.press("g", "V")
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.text == "error: the build failed"


async def test_a_hit_from_elsewhere_is_opened_at(night: Night) -> None:
    night.build()
    at = BUILD.index(b"part 1000")
    async with looking(night, at=(at, at + 9)) as (screen, _, _ended):
        assert screen.full.cursor_row is not None
        assert "part 1000" in screen.full.cursor_row.text


# -- layout --------------------------------------------------------------------------


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)])
async def test_everything_that_matters_is_readable(
    night: Night, size: tuple[int, int]
) -> None:
    night.build()
    async with looking(night, size=size) as (screen, _, _ended):
        shown = drawn(screen)
        for words in (
            "make all",
            "NEVER SEEN",
            "ENVELOPE",
            "Output too large",
            "FULL OUTPUT",
            "error: the build failed",
            "The build passes. Committing.",
            "git commit -m done",
            "Reviewed",
            "Help",
        ):
            assert words in shown
        assert screen.header.size.height == 3
        assert screen.strip.size.height <= 3
        assert screen.query_one(Footer).size.height == 1


async def test_the_panes_are_stacked_when_narrow_and_beside_when_wide(
    night: Night,
) -> None:
    night.build()
    async with looking(night, size=(80, 24)) as (screen, pilot, _):
        assert screen.envelope.region.x == screen.full.region.x
        assert screen.envelope.region.bottom < screen.full.region.y
        await pilot.resize_terminal(140, 40)
        await pilot.pause()
        assert screen.envelope.region.right <= screen.full.region.x
        assert screen.full.cursor_row is not None
        assert screen.full.cursor_row.text == "error: the build failed"


async def test_either_pane_can_be_maximised(night: Night) -> None:
    night.build()
    async with looking(night) as (screen, pilot, _):
        await pilot.press("M")
        assert not screen.envelope.region
        assert screen.full.size.width > 110
        await pilot.press("tab")
        assert not screen.full.region
        assert screen.envelope.size.width > 110
        await pilot.press("f11")
        assert screen.full.region
        assert screen.envelope.region


async def test_an_orphan_has_no_envelope_and_says_that_nothing_is_known(
    tmp_path: Path,
) -> None:
    night = Night(tmp_path / "home")
    path = night.session.place("toolu_lost.txt")
    path.parent.mkdir(parents=True)
    path.write_bytes(BUILD)
    async with looking(night) as (screen, pilot, _):
        assert not screen.envelope.region
        assert "unknown" in header(screen)
        assert screen.full.folds == []
        assert screen.full.render_line(0).text[0] == "┊"
        await pilot.press("tab", "M")
        assert screen.full.region


# -- bad input -----------------------------------------------------------------------


async def test_an_empty_artifact_says_so(tmp_path: Path) -> None:
    night = Night(tmp_path / "home")
    path = night.session.place("toolu_empty.txt")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"")
    async with looking(night) as (screen, pilot, _):
        assert "It is empty: 0 bytes." in drawn(screen)
        await pilot.press("G", "j", "n", "right_square_bracket", "y", "w", "z")
        assert pilot.app.is_running


@pytest.mark.parametrize("kind", ["fifo", "link", "folder"])
async def test_what_is_no_regular_file_is_never_opened_and_named(
    tmp_path: Path, kind: str
) -> None:
    night = Night(tmp_path / "home")
    path = night.session.place("toolu_special.txt")
    path.parent.mkdir(parents=True)
    path.write_bytes(BUILD)
    catalogue, artifacts = night.catalogue()
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.mkdir()
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = ArtifactScreen(catalogue, artifacts, 0)
        await app.push_screen(screen)
        await settled(screen, pilot)
        words = {"fifo": "a FIFO", "link": "a symbolic link", "folder": "a folder"}
        assert words[kind] in drawn(screen)
    catalogue.close()


async def test_a_file_truncated_while_open_is_told_and_opened_again(
    night: Night,
) -> None:
    path = night.build()
    async with looking(night) as (screen, pilot, _):
        os.truncate(path, 1000)
        screen.full.poll()
        await settled(screen, pilot)
        assert screen.full.document is not None
        assert screen.full.document.size == 1000
        assert any("truncated" in str(n.message) for n in pilot.app._notifications)
        await pilot.press("z", "g", "G")
        assert "compiling part" in body(screen.full)[0]


async def test_a_file_replaced_while_open_is_told_and_opened_again(
    night: Night, tmp_path: Path
) -> None:
    path = night.build()
    async with looking(night) as (screen, pilot, _):
        other = tmp_path / "other"
        other.write_bytes(b"something else\n")
        other.replace(path)
        screen.full.poll()
        await settled(screen, pilot)
        assert body(screen.full) == ["something else"]
        assert screen.full.render_line(0).text[0] == "┊"


async def test_a_file_deleted_while_open_is_told_once_and_stays_readable(
    night: Night,
) -> None:
    path = night.build()
    async with looking(night) as (screen, pilot, _):
        path.unlink()
        screen.full.poll()
        screen.full.poll()
        await pilot.pause()
        told = [n for n in pilot.app._notifications if "deleted" in str(n.message)]
        assert len(told) == 1
        await pilot.press("z", "g", "G")
        assert body(screen.full)[-1] == "error: the build failed"


async def test_nothing_hostile_reaches_the_screen_or_acts_on_it(
    tmp_path: Path,
) -> None:
    evil = ATTACK.decode("utf-8", "replace")
    night = Night(tmp_path / "home")
    night.session.prompt(evil)
    night.session.spills(
        ATTACK + b"\n" + BUILD + ATTACK,
        command=evil,
        name="na\nme\x1b[2J[@click=app.quit].txt",
    )
    night.session.says(evil)
    night.session.calls(evil, command=evil)
    async with looking(night, size=(200, 50)) as (screen, pilot, ended):
        for keys in (["tab"], ["e"], ["tab"], ["C"], ["g"], ["slash", "["], ["escape"]):
            await pilot.press(*keys)
            await pilot.pause()
            assert all(is_safe(line) for line in drawn(screen).split("\n"))
        assert "[@click=app.quit]" in drawn(screen)
        assert ended == []
        assert pilot.app.is_running


# -- other programs ------------------------------------------------------------------


async def test_a_pipe_gets_the_selection_or_the_whole_text(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.build()
    given: list[tuple[bytes, str]] = []

    def pipe(
        app: object, content: object, part: Range, command: str
    ) -> outside.Outcome:
        pread = content.pread  # type: ignore[attr-defined] # a content
        given.append((pread(part[0], part[1] - part[0]), command))
        return outside.Outcome("It ended with exit code 3.")

    monkeypatch.setattr(outside, "pipe", pipe)
    async with looking(night) as (screen, pilot, _):
        await pilot.press("vertical_line", *"wc -l", "enter")
        assert given == [(BUILD, "wc -l")]
        assert "exit code 3" in screen.full.status()
        await pilot.press("shift+down", "vertical_line", "x", "enter")
        assert given[1] == (b"error: the build failed\n", "x")


async def test_where_programs_cannot_be_run_it_is_said(
    night: Night, monkeypatch: pytest.MonkeyPatch
) -> None:
    night.build()
    async with looking(night) as (screen, pilot, _):
        await pilot.press("v")
        assert "cannot be opened here" in screen.full.status()
        await pilot.press("vertical_line", "x", "enter")
        assert "cannot be run here" in screen.full.status()


async def test_the_id_and_the_path_are_copied(night: Night) -> None:
    path = night.build()
    async with looking(night) as (screen, pilot, _):
        await pilot.press("y", "i")
        assert pilot.app.clipboard == screen.artifact.id
        await pilot.press("y", "p")
        assert pilot.app.clipboard == str(path)


async def test_every_visible_key_has_an_id_and_a_tooltip_and_the_palette_entries(
    night: Night,
) -> None:
    night.build()
    async with looking(night) as (screen, _, _):
        for _, binding, _, tooltip in screen.active_bindings.values():
            if binding.show and not binding.system:
                assert binding.id, binding
                assert tooltip or binding.tooltip, binding
        titles = [act.name for act in acts_of(screen)]
        assert "Reviewed" in titles
        assert "Verdict" in titles
        assert "Wrap long lines, or scroll them sideways" in titles
        assert screen.full.HELP


async def test_an_envelope_that_is_gone_is_told_and_nothing_is_put_in_its_place(
    night: Night,
) -> None:
    night.build()
    catalogue, artifacts = night.catalogue()
    night.session.transcript.write_bytes(b"{}\n" * 50)
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = ArtifactScreen(catalogue, artifacts, 0)
        await app.push_screen(screen)
        await settled(screen, pilot)
        document = screen.envelope.document
        assert document is None or "persisted-output" not in str(
            document.content.pread(0, 100)
        )
        assert body(screen.full)[-1] == "error: the build failed"
    catalogue.close()


async def test_output_is_called_full_only_where_the_notice_agrees(
    night: Night,
) -> None:
    path = night.build()
    lost = path.with_name("toolu_lost.txt")
    lost.write_bytes(BUILD)
    async with looking(night) as (screen, pilot, _):
        titles = {}
        for _step in range(2):
            titles[screen.artifact.found.name] = drawn(screen)
            await pilot.press("J")
            await settled(screen, pilot)
        assert "FULL OUTPUT" in titles[path.name]
        assert "OUTPUT AS CAPTURED" in titles[lost.name]
        assert "FULL OUTPUT" not in titles[lost.name]


# -- a text that takes time -----------------------------------------------------------


async def test_the_first_lines_of_utf16_stand_while_the_rest_is_transcribed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()
    whole = open_document

    def slow(*given: Any, **more: Any) -> Document:
        assert go_on.wait(20)
        return whole(*given, **more)

    path = tmp_path / "wide.txt"
    lines = [f"行 {n:06}" for n in range(400_000)]
    path.write_bytes("\n".join(lines).encode("utf-16"))
    assert path.stat().st_size > panes.TRANSCRIBED_AT_ONCE
    monkeypatch.setattr("spillview.tui.pager.opening.open_document", slow)
    catalogue = Catalogue.here(Places.of_home(str(tmp_path / "home")))
    artifacts = catalogue.scan(Query(paths=(str(path),)))
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = ArtifactScreen(catalogue, artifacts, 0)
        await app.push_screen(screen)
        await until(pilot, lambda: screen.full.document is not None)
        await pilot.pause()
        assert "行 000003" in drawn(screen)
        assert "the beginning: the rest is being transcribed" in drawn(screen)
        assert "%" not in screen.full.status()
        assert not screen.check_action("shape", ())
        await pilot.press("j", "j")
        cursor = screen.full.cursor
        assert cursor
        go_on.set()
        await settled(screen, pilot)
        await until(pilot, lambda: "of 400,000" in screen.full.status())
        assert screen.full.cursor == cursor
        assert "transcribed" not in drawn(screen)
        await pilot.press("G")
        await pilot.pause()
        assert "行 399999" in drawn(screen)
    catalogue.close()


def test_no_beginning_is_shown_of_what_opens_at_once(tmp_path: Path) -> None:
    catalogue = Catalogue.here(Places.of_home(str(tmp_path / "home")))
    for name, data in (
        ("plain.txt", b"line\n" * 2_000_000),
        ("short.txt", "kurz\n".encode("utf-16")),
    ):
        (tmp_path / name).write_bytes(data)
        [artifact] = catalogue.scan(Query(paths=(str(tmp_path / name),)))
        assert opening.first_lines(artifact) is None
    catalogue.close()


def test_a_beginning_ends_with_a_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    text = "".join(f"😀 {n:07}\n" for n in range(60_000))
    path.write_bytes(("\ufeff" + text).encode("utf-16-be"))
    catalogue = Catalogue.here(Places.of_home(str(tmp_path / "home")))
    [artifact] = catalogue.scan(Query(paths=(str(path),)))
    first = opening.first_lines(artifact)
    assert first is not None
    shown = first.text.pread(0, first.size).decode()
    assert text.startswith(shown)
    assert shown.endswith("\n")
    assert shown.count("\n") > 1000
    catalogue.close()


async def test_a_linked_symlink_says_that_it_is_linked(tmp_path: Path) -> None:
    night = Night(tmp_path)
    made = background(night.session, BUILD, code=0)
    log = made.path.rename(tmp_path / "log")
    made.path.symlink_to(log)
    async with looking(night) as (screen, _, _):
        assert screen.artifact.found.type == "symlink"
        told = header(screen)
        assert (
            "linked, but what the model saw of it is unknown: it is a symlink" in told
        )
        assert "link unknown" not in told
        assert f"{len(BUILD):,} bytes behind the symlink" in told


async def test_an_image_is_called_one_and_offers_no_error_lines(night: Night) -> None:
    night.build(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 200)
    async with looking(night) as (screen, _, _):
        assert " · image" in header(screen)
        assert "binary" not in header(screen)
        assert "it has no line of text" in header(screen)
        assert "verdict" not in header(screen)
        footer = screen.query_one(Footer)
        assert "Unseen" not in {key.words for key in footer.keys}
