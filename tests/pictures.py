"""States of the screens that the demo night's first keys do not lead to.

Each is a `Picture` of `tests/test_screenshots.py`; some have a home of their own.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from textual.pilot import Pilot

from spillview.config import Settings
from spillview.demo import make_night
from spillview.growth.changes import Change
from spillview.growth.pace import Pace, Short
from spillview.growth.readings import Reading
from spillview.model import Artifact
from spillview.review.tmux_panes import Pane, Search
from spillview.tui.home import HomeScreen
from spillview.tui.theme import NIGHT
from tests.credentials import WORD, Maker
from tests.harness_stores import copilot_cli
from tests.pilots import keys, press, quiet
from tests.walking import Walk

PICTURES = Path(__file__).parents[1] / "screenshots"

NOW = 1_795_937_400.0
"""A Sunday morning, half past seven (UTC)."""

SMALL, MEDIUM, LARGE = (80, 24), (120, 40), (200, 50)

Steps = Callable[[Pilot[None]], Awaitable[None]]

Ground = Callable[[str], tuple[str, ...]]
"""Writes what a picture shows below a home, and gives the paths to browse."""


@dataclass(frozen=True, slots=True)
class Picture:
    """One file in `screenshots/`: which screen, how large, after which keys."""

    name: str
    size: tuple[int, int]
    steps: Steps
    theme: str = NIGHT.name
    ground: Ground | None = None
    """What it shows in place of the night that all share."""
    messages: bool = False
    """Whether what is said in a corner belongs to it."""

    @property
    def path(self) -> Path:
        """Where it is kept."""
        name = self.name if self.theme == NIGHT.name else f"{self.name}-{self.theme}"
        return PICTURES / f"{name}-{self.size[0]}x{self.size[1]}.svg"


def after(*typed: str) -> Steps:
    """Press these keys, and wait after each group of them."""

    async def steps(pilot: Pilot[None]) -> None:
        for each in typed:
            await press(pilot, *keys(each))

    return steps


def a_night(home: str) -> tuple[str, ...]:
    """A night that may be changed."""
    make_night(home, NOW)
    return ()


def nothing(home: str) -> tuple[str, ...]:
    """A home without any store."""
    return ()


def old_store(home: str) -> tuple[str, ...]:
    """A store that was last written to ten days ago, with a broken record."""
    copilot_cli.make(Path(home))
    for folder, _, names in os.walk(home):
        for name in names:
            os.utime(os.path.join(folder, name), (copilot_cli.NIGHT,) * 2)
    return ()


def credentials(home: str) -> tuple[str, ...]:
    """An output with credentials in it, every one made up."""
    made = Maker(11)
    lines = [f"step {n:04d} ok" for n in range(400)]
    lines[20:20] = [f"export GITHUB_TOKEN=ghp_{made.of(WORD, 36)}"]
    lines[60:60] = [f"db: postgres://shop:{made.of(WORD, 20)}@db.local/shop"]
    lines[80:80] = made.pem(lines=4).splitlines()
    folder = os.path.join(home, "outputs")
    os.makedirs(folder, mode=0o700)
    path = os.path.join(folder, "deploy.log")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    os.chmod(path, 0o600)
    os.utime(path, (NOW - 7_200,) * 2)
    return (folder,)


def wrapped(home: str) -> tuple[str, ...]:
    """A big command that went through `wrap`."""
    command = "seq 30000; echo error: no room; seq 30000; exit 3"
    Walk(home, NOW).run(f"spillview wrap -- sh -c '{command}'", code=3)
    return ()


async def pane(pilot: Pilot[None]) -> None:
    """As if the session ran in one pane, and this terminal in none."""
    found = Pane("%3", 4711, "$1", "@2", "/srv/ledger")
    search = Search((found,), "open", "A process in pane %3 holds its transcript open.")
    with (
        patch("spillview.review.acting.pane_of", lambda *_: search),
        patch.dict(os.environ),
    ):
        os.environ.pop("TMUX", None)
        await press(pilot, "t")


async def greeted(pilot: Pilot[None]) -> None:
    """As `spillview demo` opens it."""
    screen = pilot.app.screen
    assert isinstance(screen, HomeScreen)
    screen.greet("marks stay in this night")
    await quiet(pilot)


async def growing(pilot: Pilot[None]) -> None:
    """As if a file grew while one looks, on a disk that is about to be full."""
    screen = pilot.app.screen
    assert isinstance(screen, HomeScreen)
    artifact = next(a for a in screen.indexable() if a.command == "make integration")
    change = Change(10.0, 480_000_000, 480_000_000)
    reading = Reading(
        "file", artifact.found.path, artifact.found.size, now=change, full_in=1_500.0
    )

    class Steady(Pace):
        def look(self, artifacts: Iterable[Artifact]) -> dict[str, Reading]:
            return {artifact.id: reading}

        def on_disks(
            self, readings: dict[str, Reading], roots: Sequence[str]
        ) -> tuple[dict[str, Reading], list[Short]]:
            return readings, [Short(72_000_000_000, 1_500.0, "/")]

    screen._pace = Steady(Settings())
    screen.look_at_growth()
    await press(pilot, *keys("/ integration Enter"))


STATIONS = "/ stations·--json Enter"

STATES = [
    # The queue
    Picture("empty", SMALL, after(), ground=nothing),
    Picture("nothing-new", SMALL, after("a"), ground=old_store),
    Picture("no-match", SMALL, after("/ zzzz")),
    Picture("kind", SMALL, after("w", "w", "w")),
    Picture("kind-none", SMALL, after("e"), ground=credentials),
    Picture("growing", SMALL, growing),
    Picture("sorted", SMALL, after("c c")),
    Picture("selected", SMALL, after("x", "j j x")),
    Picture("reviewed", SMALL, after("Space", "Space", "* j"), ground=a_night),
    Picture("problems", SMALL, after("!"), ground=old_store),
    Picture("filter", SMALL, after("/ cargo·test")),
    Picture("flat", SMALL, after("s")),
    Picture("missing", SMALL, after("w", "w", "w", "w", "w", "w", "j j")),
    Picture("note", SMALL, after("i", "asked·again")),
    Picture("palette", SMALL, after("ctrl+p", "race")),
    Picture("help", SMALL, after("?")),
    Picture("help-next", SMALL, after("?", "?")),
    Picture("prompt", SMALL, after("p"), messages=True),
    Picture("copy", SMALL, after("y")),
    Picture("resume", SMALL, after("Y"), messages=True),
    *(Picture("pane", size, pane, messages=True) for size in (SMALL, MEDIUM)),
    Picture("home-demo", SMALL, greeted),
    # An artifact
    *(
        Picture("wrapped", size, after("Enter"), ground=wrapped)
        for size in (SMALL, MEDIUM)
    ),
    Picture("artifact-orphan", SMALL, after("/ workspace-tests Enter", "Enter")),
    Picture("artifact-help", SMALL, after("Enter", "?")),
    Picture("artifact-find", SMALL, after("Enter", "/ half_cent")),
    Picture("artifact-kept-lines", SMALL, after("Enter", "& FAILED Enter")),
    Picture("artifact-go", SMALL, after("Enter", ": 50%")),
    Picture("artifact-pipe", SMALL, after("Enter", "| wc·-l")),
    Picture("artifact-copy", SMALL, after("Enter", "/ half_cent Enter", "y")),
    Picture("artifact-gap", SMALL, after("Enter", "Tab", "G")),
    Picture("artifact-sideways", SMALL, after("Enter", "w")),
    Picture("credentials", SMALL, after("Enter", "g", "}"), ground=credentials),
    Picture(
        "credentials-bare", SMALL, after("Enter", "g", "}", "X"), ground=credentials
    ),
    Picture(
        "credentials-bare",
        MEDIUM,
        after("Enter", "g", "X", "}", "j"),
        ground=credentials,
    ),
    Picture("reads", SMALL, after("/ kisho·pytest Enter", "j Enter", "R")),
    Picture("shape", SMALL, after(STATIONS, "Enter", "o")),
    Picture("shape-table", SMALL, after(STATIONS, "Enter", "o", "j j j t")),
    Picture(
        "shape-limits",
        SMALL,
        after(STATIONS, "Enter", "o", "i"),
        messages=True,
    ),
    Picture("compare-with", SMALL, after("/ cargo·test Enter", "Enter", "=", "o")),
    # Search, report, figures
    Picture("search-empty", SMALL, after("S")),
    Picture("search-none", SMALL, after("S", "zzzz Enter")),
    Picture("search-unseen", SMALL, after("S", "failed Enter", "u")),
    Picture("report-done", SMALL, after("R", "d"), ground=a_night),
    Picture("report-help", SMALL, after("R", "?")),
    Picture("statistics", SMALL, after("%")),
    Picture("forecast-costs", SMALL, after("F", "Tab")),
    # The clean-up
    Picture("cleanup-age", SMALL, after("D", "o")),
    Picture("cleanup-question", SMALL, after("D", "[ [", "D")),
    Picture("cleanup-done", SMALL, after("D", "[ [", "D", "y"), ground=a_night),
    Picture("cleanup-help", SMALL, after("D", "?")),
    Picture("trash", SMALL, after("D", "[ [", "D", "y", "T"), ground=a_night),
    Picture(
        "trash-question", SMALL, after("D", "[ [", "D", "y", "T", "e"), ground=a_night
    ),
    Picture("trash-empty", SMALL, after("T")),
]
"""More pictures, most of them as small as a terminal is by default."""
