"""Standing policies in the clean-up: who decided, tomorrow, and the trash's age."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.rules import Rules
from spillview.cleanup.trash import Trash
from spillview.places import Places
from spillview.tui.cleanup.cleanup import CleanupScreen
from spillview.tui.cleanup.trash import TrashScreen
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.palette import acts_of
from spillview.tui.problems import ProblemsScreen
from spillview.tui.report.report import ReportScreen

from ..aging import DAY, HOUR, session
from ..stores import OTHER
from ..test_cli_policies import write
from .fakes import settle
from .reading import Bare, until
from .test_cleanup import answer, old, shown, toasts

POLICIES = """\
[[policy]]
older_than = "7d"

[[policy]]
project = "/srv/kept"
keep = true
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with an old session, and one that is old enough in an hour."""
    session(tmp_path)
    session(tmp_path, OTHER, age=7 * DAY - HOUR, files=2)
    return tmp_path


@asynccontextmanager
async def planning(
    home: Path, size: tuple[int, int] = (120, 40)
) -> AsyncIterator[tuple[CleanupScreen, Pilot[None]]]:
    catalogue = Catalogue(Places.of_home(str(home)))
    screen = CleanupScreen(catalogue, Query(), Rules(older_than=90 * DAY))
    app = Bare(catalogue)
    async with app.run_test(size=size, notifications=True) as pilot:
        app.push_screen(screen)
        await planned(screen, pilot)
        yield screen, pilot


async def planned(screen: CleanupScreen, pilot: Pilot[None]) -> None:
    await until(pilot, lambda: screen.seen is not None and screen.doing is None)
    await settle(pilot)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_policies_decide_are_named_and_tell_of_tomorrow(
    home: Path, size: tuple[int, int]
) -> None:
    write(home, POLICIES)
    async with planning(home, size) as (screen, pilot):
        assert "P policies (2)" in shown(screen)
        assert "nothing goes" in shown(screen)
        await pilot.press("P")
        await planned(screen, pilot)
        text = shown(screen)
        assert "P standing policies for all" in text
        assert "3 artifacts go" in text
        assert "tomorrow 2 more, 23.4 kB" in text
        assert screen.plan is not None
        assert all(c.reason.endswith("(policy for all)") for c in screen.plan.remove)
        await pilot.press("P")
        await planned(screen, pilot)
        assert "nothing goes" in shown(screen)
        assert "tomorrow" not in shown(screen)


async def test_a_policys_plan_is_carried_out_and_undone(home: Path) -> None:
    write(home, POLICIES)
    async with planning(home) as (screen, pilot):
        await pilot.press("P")
        await planned(screen, pilot)
        await pilot.press("D")
        await answer(pilot, "y", screen)
        await until(pilot, lambda: not old(home))
        await planned(screen, pilot)
        assert "3 artifacts (35.1 kB) moved" in toasts(screen.app)
        await pilot.press("u")
        await until(pilot, lambda: len(old(home)) == 3)


async def test_turning_a_rule_gives_the_decision_back_to_the_rules(home: Path) -> None:
    write(home, POLICIES)
    async with planning(home) as (screen, pilot):
        await pilot.press("P")
        await planned(screen, pilot)
        await pilot.press("m", *"1k", "enter")
        await planned(screen, pilot)
        assert screen.policies is None
        assert screen.rules == Rules(older_than=90 * DAY, max_session=1000)
        assert "5 artifacts go" in shown(screen)


async def test_without_a_policy_or_with_a_bad_one_that_is_said(home: Path) -> None:
    async with planning(home) as (screen, pilot):
        await pilot.press("P")
        await settle(pilot)
        assert "No standing policy is set" in toasts(screen.app)
        assert "spillview prune --policy" in toasts(screen.app)
        write(home, "[[policy]]\nolder_than = 'soon'")
        await pilot.press("P")
        await settle(pilot)
        assert "policy 1: older_than" in toasts(screen.app)
        assert screen.policies is None
        write(home, POLICIES)  # what is written meanwhile counts
        await pilot.press("P")
        await planned(screen, pilot)
        assert "3 artifacts go" in shown(screen)


async def test_what_two_policies_fit_stays_and_is_a_problem(home: Path) -> None:
    write(
        home,
        "[[policy]]\nproject='/srv/*'\nolder_than='1d'\n"
        "[[policy]]\nproject='/*/app'\nolder_than='1d'\n",
    )
    async with planning(home) as (screen, pilot):
        await pilot.press("P")
        await planned(screen, pilot)
        assert "stays: fitted by two policies" in shown(screen)
        await pilot.press("!")
        await until(pilot, lambda: isinstance(screen.app.screen, ProblemsScreen))


async def test_the_palette_offers_what_the_keys_do(home: Path) -> None:
    async with planning(home) as (screen, _):
        titles = {act.name for act in acts_of(screen)}
        assert {"Policies", "Pin", "Session size", "Trash"} <= titles


async def test_from_the_report_the_policies_decide_as_in_its_own_plan(
    home: Path,
) -> None:
    write(home, POLICIES)
    catalogue = Catalogue(Places.of_home(str(home)))
    app = Bare(catalogue)
    async with app.run_test(size=(120, 40)) as pilot:
        report = ReportScreen(catalogue, Query())
        app.push_screen(report)
        await settle(pilot)
        await pilot.press("G")
        await settle(pilot)
        drawn = [report.findings.render_line(y).text for y in range(30)]
        assert any("by the standing policies would free 35.1 kB" in x for x in drawn)
        report.action_cleanup()
        await until(pilot, lambda: isinstance(app.screen, CleanupScreen))
        screen = app.screen
        assert isinstance(screen, CleanupScreen)
        await planned(screen, pilot)
        assert screen.policies is not None
        assert "3 artifacts go" in shown(screen)


# The age of the trash


async def test_what_expires_is_foretold_and_told(home: Path) -> None:
    write(home, 'trash_keep = "14d"')
    session(home, "7" * 8 + OTHER[8:], age=90 * DAY)
    catalogue = Catalogue(Places.of_home(str(home)))
    found = [a.found for a in catalogue.scan(Query(session="7" * 8))]
    assert len(found) == 3
    past = Trash(catalogue.places, now=lambda: time.time() - 20 * DAY)
    past.apply(found)
    async with planning(home) as (screen, pilot):
        await pilot.press("T")
        await until(pilot, lambda: isinstance(screen.app.screen, TrashScreen))
        trash = screen.app.screen
        assert isinstance(trash, TrashScreen)
        await until(pilot, lambda: bool(trash.batches))
        await settle(pilot)
        assert "expired: the next clean-up deletes it" in shown(trash)
        assert "kept for 14d" in shown(trash)
        await pilot.press("q", "o")
        screen.prompt.line.value = "8d"
        await pilot.press("enter")
        await planned(screen, pilot)
        await pilot.press("D")
        await until(pilot, lambda: isinstance(screen.app.screen, ConfirmScreen))
        question = screen.app.screen
        assert isinstance(question, ConfirmScreen)
        assert "more than 14d ago" in question.consequence
        await answer(pilot, "y", screen)
        await until(pilot, lambda: not old(home))
        await planned(screen, pilot)
        assert "1 older clean-up in the trash had expired" in toasts(screen.app)
        [batch] = Trash(catalogue.places).batches()
        assert batch.items == 3
