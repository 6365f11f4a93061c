"""The README's five tasks, done: what was typed and what came is kept as text.

Each is walked on the demo and on a store of another harness. `SPILLVIEW_REDRAW=1`
records them anew; read each one before it is committed.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="a pty needs a POSIX system")

from spillview.demo import make_night
from spillview.discovery import stores
from tests.harness_stores import copilot_cli
from tests.pictures import NOW
from tests.walked import fenced, room
from tests.walking import Walk, environment, home_of, split

RECORDINGS = Path(__file__).parent / "recordings"
README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
REDRAW = "SPILLVIEW_REDRAW"

MORNING = copilot_cli.NIGHT + 72_000.0
"""The morning after the store of the other harness was written."""

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the recordings show paths as Linux has them"
)


def night(walk: Walk) -> tuple[str, ...]:
    """The demo's night, at `~/night`."""
    home = f"{walk.home}/night"
    make_night(home, walk.now)
    return (home,)


def store(walk: Walk) -> tuple[str, ...]:
    """What the Copilot CLI left on this machine."""
    copilot_cli.make(Path(walk.home))
    for folder, _, names in os.walk(walk.home):
        for name in names:
            path = os.path.join(folder, name)
            if os.stat(path).st_mtime > walk.now:
                os.utime(path, (copilot_cli.NIGHT, copilot_cli.NIGHT))
    return ()


def first(pattern: str, shown: str) -> str:
    """What a person would pick out of what was printed."""
    found = re.search(pattern, shown)
    assert found is not None, shown
    return found[1]


def guide(task: str) -> str:
    """A section of the README."""
    return README.split(f"\n## {task}\n")[1].split("\n## ")[0]


def block(task: str, kind: str, holding: str) -> str:
    """An example of that section, to be typed as it stands."""
    found = re.findall(rf"^```{kind}\n(.*?)^```$", guide(task), re.DOTALL | re.M)
    [text] = [text for text in found if holding in text]
    return str(text)


# Review a night

SEEN = [
    ("Enter", "the worst one: what the model received, and how it really ended"),
    ("[", "the error before, which the model never saw either"),
    ("]", "and the one after that"),
    ("Tab", "the same place in what the model received"),
    ("p", "a prompt that corrects the agent"),
    ("q", "back to the queue"),
    ("Space", "reviewed, and on to the next"),
    ("i why·again? Enter", "a note"),
    ("u", "take the note back"),
    ("u", "and the mark"),
    ("R", "the report"),
    ("Enter", "the artifact of its first row"),
    ("q", "back to the report"),
    ("d", "done with all of it"),
]


def review_the_demo(walk: Walk) -> None:
    paths = night(walk)
    walk.browse("spillview demo ~/night", [], own=paths[0])
    walk.run("spillview review ~/night")
    walk.browse("spillview ~/night", SEEN, paths=paths)
    walk.run("spillview review ~/night --html night.html")
    walk.run("spillview review ~/night --done")


def review_a_store(walk: Walk) -> None:
    paths = store(walk)
    walk.run("spillview review")
    walk.run("spillview review --html night.html")
    walk.browse("spillview", [("a", "all time"), *SEEN], paths=paths)
    walk.run("spillview review --done")


# Find a string across a month

FOUND = [
    ("u", "only where no model looked"),
    ("Enter", "the artifact, at the hit"),
    ("n", "the next hit in it"),
    ("q", "back to the hits"),
    ("q", "back to the queue"),
]


def find_in_the_demo(walk: Walk) -> None:
    paths = night(walk)
    shown = walk.run("spillview grep -F half_cent --since 30d ~/night")
    walk.run("spillview grep --unseen -i 'error|panic' --since 30d ~/night")
    walk.run("spillview grep -c -F half_cent --since 30d ~/night")
    one = first(r"^([0-9a-f]+)", shown)
    walk.run(f"spillview show {one} --offset 330 --limit 4 -n")
    walk.run("spillview index ~/night")
    walk.run("spillview grep -F half_cent --since 30d ~/night")
    search = [("a a", "the window, and all time again"), ("S", "search")]
    search.append(("half_cent Enter", "all that is shown"))
    walk.browse("spillview ~/night", [*search, *FOUND], paths=paths)


def find_in_a_store(walk: Walk) -> None:
    paths = store(walk)
    walk.run("spillview grep -F FAILED --since 30d")
    walk.run("spillview grep --unseen -i 'error|panic' --since 30d")
    walk.run("spillview grep -c -F FAILED --since 30d")
    walk.run("spillview index")
    walk.run("spillview grep -F half_cent --since 30d", code=1)
    search = [("a", "all time"), ("S", "search"), ("failed Enter", "all of it")]
    walk.browse("spillview", [*search, *FOUND], paths=paths)


# Free disk safely

FREED = [
    ("v", "only what goes"),
    ("x", "not this one, this time"),
    ("*", "the next one never"),
    ("D", "the rest goes into the trash, after a question"),
    ("y", "yes"),
    ("T", "the trash"),
    ("u", "all of it back"),
    ("q", "back to the plan"),
]


def free(walk: Walk, ground: str, age: str) -> None:
    """The commands of the task."""
    shown = walk.run(f"spillview prune{ground} --older-than {age}")
    walk.run(f"spillview pin {first(r'remove +([0-9a-f]+)', shown)}")
    walk.run(f"spillview prune{ground} --older-than {age} --apply")
    walk.run("spillview trash")
    walk.run("spillview undo")


def free_the_demo(walk: Walk) -> None:
    paths = night(walk)
    free(walk, " ~/night", "4d")
    plan = [("D", "plan a clean-up"), ("[ ] [ [", "what is younger, too")]
    walk.browse("spillview ~/night", [*plan, *FREED], paths=paths)
    walk.run("spillview prune ~/night --older-than 4d --apply")
    walk.run("spillview trash --empty", typed="y\n")


def free_a_store(walk: Walk) -> None:
    paths = store(walk)
    free(walk, "", "4h")
    plan = [("a", "all time"), ("D", "plan a clean-up"), ("o 4h Enter", "by age")]
    walk.browse("spillview", [*plan, *FREED], paths=paths)
    walk.run("spillview prune --older-than 4h --apply")
    walk.run("spillview trash --empty", typed="y\n")


# Wrap a command


def wrap(walk: Walk) -> None:
    command = "sh -c 'seq 30000; echo error: no room; seq 30000; exit 3'"
    walk.run(f"spillview wrap -- {command}", code=3)
    walk.run("spillview wrap --tail 60 --label tests -- seq 50000")
    walk.run("seq 50000 | spillview wrap")
    walk.run("spillview wrap -- seq 3")
    walk.run("spillview ls --harness spillview")
    steps = [("Enter", "its envelope, and the whole"), ("Tab", "the envelope")]
    walk.browse("spillview", steps)
    walk.run("spillview measure -- seq 50000")
    walk.run("spillview hook explain claude-code -- npm test")
    walk.run("spillview hook install claude-code", typed="y\n")
    walk.run("spillview hook uninstall claude-code", typed="y\n")


def wrap_beside_the_demo(walk: Walk) -> None:
    night(walk)
    wrap(walk)


def wrap_beside_a_store(walk: Walk) -> None:
    store(walk)
    wrap(walk)


# Add a harness

ACME = "~/.config/spillview/harnesses/acme.toml"


def add(walk: Walk, ground: tuple[str, ...] = ()) -> None:
    """A profile, one run of its harness, and what is then known of that."""
    task = "Add a harness"
    for line in block(task, "sh", "mkdir").split("\n", 2)[:2]:
        walk.run(line)
    walk.run(block(task, "sh", "mkdir").split("\n", 2)[2].rstrip())
    profile = block(task, "toml", "[[root]]").rstrip()
    walk.run(f"cat > {ACME} <<'END'\n{profile}\nEND")
    os.utime(f"{walk.home}/.acme/runs/r1/out/c1.txt", (walk.now - 3600,) * 2)
    walk.run("spillview doctor")
    shown = walk.run("spillview ls --harness acme")
    walk.run(f"spillview envelope {first(r'([0-9a-f]{8})', shown)}")
    walk.browse("spillview ~/.acme", [("a", "all time"), ("Enter", "the output")],
                paths=(f"{walk.home}/.acme",))  # fmt: skip


def add_beside_the_demo(walk: Walk) -> None:
    night(walk)
    add(walk)


def add_beside_a_store(walk: Walk) -> None:
    store(walk)
    add(walk)


Take = Callable[[Walk], None]

WALKS: dict[str, tuple[str, Take, float]] = {
    "demo-1-review": ("Review a night", review_the_demo, NOW),
    "demo-2-find": ("Find a string across a month", find_in_the_demo, NOW),
    "demo-3-free": ("Free disk safely", free_the_demo, NOW),
    "demo-4-wrap": ("Wrap a command", wrap_beside_the_demo, NOW),
    "demo-5-harness": ("Add a harness", add_beside_the_demo, NOW),
    "store-1-review": ("Review a night", review_a_store, MORNING),
    "store-2-find": ("Find a string across a month", find_in_a_store, MORNING),
    "store-3-free": ("Free disk safely", free_a_store, MORNING),
    "store-4-wrap": ("Wrap a command", wrap_beside_a_store, MORNING),
    "store-5-harness": ("Add a harness", add_beside_a_store, NOW),
}
"""Each walk's task in the README, how it is done, and when."""


@pytest.mark.parametrize("name", WALKS)
def test_the_task_goes_as_it_was_recorded(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, take, now = WALKS[name]
    kept = RECORDINGS / f"{name}.txt"
    redraw = bool(os.environ.get(REDRAW))
    stored = "" if redraw else kept.read_text(encoding="utf-8")
    with home_of(name) as home:
        for variable in list(os.environ):
            if variable.startswith(("XDG_", "SPILLVIEW_")):
                monkeypatch.delenv(variable)
        for variable, value in environment(home).items():
            monkeypatch.setenv(variable, value)
        time.tzset()
        monkeypatch.setattr(stores, "find_roots", fenced(home))
        monkeypatch.setattr(os, "statvfs", room)
        walk = Walk(home, now, split(stored) if stored else [])
        take(walk)
    if redraw:
        kept.write_text(walk.text, encoding="utf-8")
    elif walk.text != stored:  # no assertion on both: explaining it would take minutes
        told = unified_diff(stored.splitlines(), walk.text.splitlines(), lineterm="")
        pytest.fail("\n".join([f"it differs; {REDRAW}=1 records it anew:", *told]))


def test_no_recording_is_left_that_no_walk_makes() -> None:
    assert {path.stem for path in RECORDINGS.iterdir()} == set(WALKS)


def commands(task: str) -> list[str]:
    """What a section of the README has one type."""
    found = re.findall(r"^```sh\n(.*?)^```$", guide(task), re.DOTALL | re.M)
    lines = [re.split(r"\s+# ", line)[0] for text in found for line in text.split("\n")]
    return [line for line in lines if re.match(r"spillview|seq|mkdir", line)]


def same(line: str) -> str:
    """A command whatever the id, the night and the words that one searches for."""
    line = re.sub(r"\b[0-9a-f]{4,16}\b(?=$| --)", "ID", line.replace(" ~/night", ""))
    return line.replace("half_cent", "FAILED").replace("4d", "4h")


@pytest.mark.parametrize("name", WALKS)
def test_every_command_of_the_guide_was_typed(name: str) -> None:
    task, _, _ = WALKS[name]
    steps = split((RECORDINGS / f"{name}.txt").read_text(encoding="utf-8"))
    typed = {same(step.splitlines()[0][2:]) for step in steps if step[0] == "$"}
    only_for_the_demo = {"spillview demo"} if name.startswith("store") else set()
    missed = {same(line) for line in commands(task)} - typed - only_for_the_demo
    assert not missed


@pytest.mark.parametrize("name", [name for name in WALKS if name.startswith("demo")])
def test_every_key_that_the_guide_names_was_pressed(name: str) -> None:
    task, _, _ = WALKS[name]
    text = re.sub(r"^```.*?^```$", "", guide(task), flags=re.DOTALL | re.M)
    named = set(re.findall(r"`([^\s`\w]|[A-Za-z]|Enter|Tab|Space)`", text))
    steps = split((RECORDINGS / f"{name}.txt").read_text(encoding="utf-8"))
    pressed = {
        key
        for step in steps
        if step[0] == "["
        for key in re.match(r"\[(.+)\] ", step)[1].split()  # type: ignore[index]  # each step has them
    }
    assert named - MARKS <= pressed


MARKS = {*"✗○×▌!?", "U", "Y", "o", "p", "/"}
"""What stands on the screen and is no key, and keys that only lead further."""
