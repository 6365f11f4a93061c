"""Pictures of the screens over the demo night: drawn anew, they are what is stored.

`SPILLVIEW_REDRAW=1` writes them instead; look at each one before it is committed.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import sys
import tempfile
import time
from contextlib import nullcontext
from html import unescape
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path

import pytest
from textual.pilot import Pilot

import spillview.demo
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.demo import make_night
from spillview.frozen import replace
from spillview.places import Places
from spillview.tui.home import HomeScreen
from spillview.tui.theme import NIGHT, THEMES
from tests.pictures import LARGE, MEDIUM, NOW, PICTURES, SMALL, STATES, Picture
from tests.pilots import Patient, press, quiet
from tests.walked import room
from tests.walking import home_of

REDRAW = "SPILLVIEW_REDRAW"

PINNED = {"textual": "8.2.8", "rich": "15.0.0"}

HOME = "/tmp/spillview-night"
"""The same for everybody: notices hold absolute paths, and they are in the pictures."""


def _wrong_versions() -> str:
    wrong = [f"{n} {version(n)}" for n, v in PINNED.items() if version(n) != v]
    return ", ".join(wrong)


pytestmark = [
    pytest.mark.skipif(
        bool(_wrong_versions()),
        reason=f"drawn with {PINNED}; here is {_wrong_versions()}",
    ),
    pytest.mark.skipif(
        sys.platform != "linux", reason="the pictures show paths as Linux has them"
    ),
]


def _digest() -> str:
    """What the night is made of: its code and its morning."""
    seen = hashlib.sha256(repr(NOW).encode())
    for path in sorted(Path(spillview.demo.__file__).parent.glob("*.py")):
        seen.update(path.read_bytes())
    return seen.hexdigest()


@pytest.fixture(scope="module")
def night() -> str:
    """The night at its fixed place, made once for all processes that run tests."""
    import fcntl

    lock = os.open(f"{HOME}.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    with os.fdopen(lock, "r+") as held:
        if os.fstat(lock).st_uid != os.getuid():
            pytest.skip(f"{HOME}.lock belongs to somebody else")
        fcntl.flock(lock, fcntl.LOCK_EX)
        digest = _digest()
        if held.read() != digest or not os.path.isdir(HOME):
            _remove(HOME)
            make_night(HOME, NOW)
            held.seek(0)
            held.truncate()
            held.write(digest)
    return HOME


def _remove(path: str) -> None:
    import shutil

    if os.path.lexists(path):
        if os.lstat(path).st_uid != os.getuid() or os.path.islink(path):
            pytest.skip(f"{path} belongs to somebody else")
        shutil.rmtree(path)


async def as_it_opens(pilot: Pilot[None]) -> None:
    """Nothing but the first screen."""


async def help_panel(pilot: Pilot[None]) -> None:
    await press(pilot, "question_mark")


async def flat(pilot: Pilot[None]) -> None:
    await press(pilot, "s")


async def filtered(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"cargo test")


async def missing(pilot: Pilot[None]) -> None:
    await press(pilot, "m")


async def artifact(pilot: Pilot[None]) -> None:
    await press(pilot, "enter")


async def envelope(pilot: Pilot[None]) -> None:
    await press(pilot, "enter")
    await press(pilot, "tab")


async def maximised(pilot: Pilot[None]) -> None:
    await press(pilot, "enter")
    await press(pilot, "M")


async def japanese(pilot: Pilot[None]) -> None:
    await press(pilot, "slash")
    await press(pilot, *"消費税", "enter")
    await press(pilot, "enter")


async def coloured(pilot: Pilot[None]) -> None:
    await press(pilot, "slash")
    await press(pilot, *"tsc", "enter")
    await press(pilot, "enter")
    await press(pilot, "e", "e")


async def find_in_artifact(pilot: Pilot[None]) -> None:
    await press(pilot, "enter")
    await press(pilot, "slash")
    await press(pilot, *"half_cent", "enter")


async def search_everywhere(pilot: Pilot[None]) -> None:
    await press(pilot, "S")
    await press(pilot, *"failed", "enter")


async def errors_unseen(pilot: Pilot[None]) -> None:
    await press(pilot, "e")


async def statistics(pilot: Pilot[None]) -> None:
    await press(pilot, "percent_sign")


async def forecast(pilot: Pilot[None]) -> None:
    await press(pilot, "F")


async def forecast_chart(pilot: Pilot[None]) -> None:
    await press(pilot, "F")
    await press(pilot, "enter")


async def forecast_costs(pilot: Pilot[None]) -> None:
    await press(pilot, "F")
    await press(pilot, "tab")


async def reads(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"kisho pytest", "enter")
    await press(pilot, "j", "enter")
    await press(pilot, "R")


async def shape(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"stations --json", "enter")
    await press(pilot, "enter")
    await press(pilot, "o")


async def shape_table(pilot: Pilot[None]) -> None:
    await shape(pilot)
    await press(pilot, "j", "j", "j", "t")


async def cleanup(pilot: Pilot[None]) -> None:
    await press(pilot, "D")
    await press(pilot, "left_square_bracket")


async def policies(pilot: Pilot[None]) -> None:
    screen = pilot.app.screen
    assert isinstance(screen, HomeScreen)
    with tempfile.TemporaryDirectory() as folder:  # the night is shared
        catalogue = screen.catalogue
        elsewhere = {"XDG_CONFIG_HOME": folder}
        catalogue.places = replace(catalogue.places, env=elsewhere)
        config = Path(catalogue.places.config_dir)
        config.mkdir()
        (config / "config.toml").write_text(POLICIES, encoding="utf-8")
        await press(pilot, "D")
        await press(pilot, "P")


POLICIES = """\
[[policy]]
older_than = "12h"

[[policy]]
harness = "claude-code"
max_session = "1MB"

[[policy]]
project = "/srv/mesh"
keep = true
"""


async def report(pilot: Pilot[None]) -> None:
    await press(pilot, "R")


async def note(pilot: Pilot[None]) -> None:
    await press(pilot, "i")
    await press(pilot, *"asked for a new run")


async def compare(pilot: Pilot[None]) -> None:
    await press(pilot, "slash", *"cargo test --workspace", "enter")
    await press(pilot, "enter")
    await press(pilot, "equals_sign")


async def compare_times(pilot: Pilot[None]) -> None:
    await compare(pilot)
    await press(pilot, "x")
    await press(pilot, "right_curly_bracket")


async def compare_with(pilot: Pilot[None]) -> None:
    await compare(pilot)
    await press(pilot, "o")


async def palette(pilot: Pilot[None]) -> None:
    await press(pilot, "ctrl+p")
    await press(pilot, *"race")


ALL = [
    *(Picture("home", size, as_it_opens) for size in (SMALL, MEDIUM, LARGE)),
    *(Picture("artifact", size, artifact) for size in (SMALL, MEDIUM, LARGE)),
    *(Picture("search", size, search_everywhere) for size in (SMALL, MEDIUM, LARGE)),
    *(Picture("cleanup", size, cleanup) for size in (SMALL, MEDIUM)),
    *(Picture("policies", size, policies) for size in (SMALL, MEDIUM)),
    *(Picture("report", size, report) for size in (SMALL, MEDIUM)),
    Picture("note", MEDIUM, note),
    Picture("find", MEDIUM, find_in_artifact),
    Picture("palette", MEDIUM, palette),
    Picture("help", MEDIUM, help_panel),
    Picture("flat", MEDIUM, flat),
    Picture("filter", MEDIUM, filtered),
    Picture("missing", MEDIUM, missing),
    Picture("errors", MEDIUM, errors_unseen),
    Picture("statistics", MEDIUM, statistics),
    *(Picture("forecast", size, forecast) for size in (SMALL, MEDIUM)),
    *(Picture("forecast-chart", size, forecast_chart) for size in (SMALL, MEDIUM)),
    Picture("forecast-costs", MEDIUM, forecast_costs),
    Picture("reads", MEDIUM, reads),
    Picture("shape", MEDIUM, shape),
    *(Picture("compare", size, compare) for size in (SMALL, MEDIUM)),
    Picture("compare-times", MEDIUM, compare_times),
    Picture("compare-with", MEDIUM, compare_with),
    Picture("shape-table", MEDIUM, shape_table),
    Picture("artifact-envelope", MEDIUM, envelope),
    Picture("artifact-maximised", MEDIUM, maximised),
    Picture("artifact-japanese", MEDIUM, japanese),
    Picture("artifact-coloured", MEDIUM, coloured),
    *(
        Picture(name, MEDIUM, steps, theme)
        for theme in THEMES
        for name, steps in (("home", as_it_opens), ("artifact", artifact))
        if theme != NIGHT.name
    ),
    *STATES,
]


def rows(svg: str) -> list[str]:
    """The texts of a picture, a line of the screen at a time."""
    found: dict[str, str] = {}
    for line, text in re.findall(r"line-(\d+)\)\">([^<]*)</text>", svg):
        found[line] = found.get(line, "") + unescape(text)
    return [text.rstrip() for text in found.values()]


def draw(picture: Picture, night: str, stored: str | None) -> str:
    """The picture as SVG, once it is the stored one or after two seconds.

    On a busy machine a screen may not have come to rest with its workers.
    """

    async def run(home: str) -> str:
        if picture.ground is None:
            paths: tuple[str, ...] = (home,)
            catalogue = Catalogue(Places.of_home(home), now=lambda: NOW)
        else:
            paths = picture.ground(home)
            catalogue = Catalogue.here(Places.of_home(home))
            catalogue.now = lambda: NOW
        app = Patient(catalogue, Query(paths=paths))
        async with app.run_test(
            size=picture.size, notifications=picture.messages
        ) as pilot:
            app.theme = picture.theme
            await quiet(pilot)
            await picture.steps(pilot)
            for _ in range(20):
                await quiet(pilot)
                drawn = app.export_screenshot(title="spillview")
                if stored is None or drawn == stored:
                    break
                await pilot.pause(0.1)
        catalogue.close()
        return drawn

    own = home_of("picture") if picture.ground is not None else nullcontext(night)
    with own as home:
        return asyncio.run(run(home))


@pytest.mark.parametrize("picture", ALL, ids=lambda picture: picture.path.stem)
def test_the_stored_picture_is_what_the_screen_shows(
    picture: Picture, night: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    # The night is shared: a test beside this one may be reading the same file.
    monkeypatch.setattr("spillview.links.liveness.open_elsewhere", lambda files: {})
    monkeypatch.setattr(os, "statvfs", room)
    if os.environ.get(REDRAW):
        picture.path.write_text(draw(picture, night, None), encoding="utf-8")
    assert picture.path.is_file(), f"no picture yet; {REDRAW}=1 draws it"
    stored = picture.path.read_text(encoding="utf-8")
    drawn = draw(picture, night, stored)
    if drawn != stored:  # no assertion on both: explaining it would take minutes
        changed = [
            f"- {before}\n+ {now}"
            for before, now in zip_longest(rows(stored), rows(drawn), fillvalue="")
            if before != now
        ]
        where = "\n".join(changed) or "in colours or styles"
        pytest.fail(f"it differs; {REDRAW}=1 draws it anew:\n{where}", pytrace=False)


def test_no_picture_is_left_that_nothing_draws() -> None:
    assert sorted(PICTURES.glob("*.svg")) == sorted(picture.path for picture in ALL)
