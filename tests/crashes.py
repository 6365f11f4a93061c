"""The power goes at every moment of a piece of work; then everything is looked at.

Run as a program: `python -m tests.crashes FOLDER WORK [SEED]` prints a line of JSON:
how many states of the disk there were, and what was wrong after a restart on them.
`crash_model` says which states those are.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spillview.cleanup.bins import FILES
from spillview.cleanup.pins import Pin, Pins
from spillview.cleanup.trash import Trash
from spillview.disk import Disk
from spillview.errors import SpillError
from spillview.hook.claude_code import apply as change_settings
from spillview.hook.claude_code import commands_in, plan_install, plan_uninstall
from spillview.hook.permissions import is_ours
from spillview.places import Places
from spillview.store.files import StoreDisk
from tests import faults, store_faults
from tests.crash_model import Stage, Tape, states
from tests.spills import sidecar

Result = tuple[int, list[str]]
WRONG = 40
"""So many things that are wrong are told of."""


def trash_states(top: Path, work: str, seed: int) -> Result:
    """A clean-up, an undo, an emptying, a removal for good."""
    home, keep = top / "world", top / "keep"
    made = faults.prepared(home, home / "tmp", work)
    keep.mkdir()
    tape = Tape(home)
    paths = {}
    for path in _files(home):  # a second name keeps what the work deletes
        if str(path) in made.files or path.parent.name == FILES:
            number = tape.number_of(os.lstat(path))
            paths[number] = str(keep / str(number))
            os.link(path, paths[number], follow_symlinks=False)
    with tape:
        faults.WORK[work](made, Trash(made.places, Disk()))
    stage = Stage(tape, top / "pool", paths)
    return _each(tape, stage, seed, lambda _: faults.check(made, work, None))


def store_states(top: Path, work: str, seed: int) -> Result:
    """A save, a stream, one with a cap: what is there is whole, or does not say so."""
    home = top / "world"
    root = home / "spills"
    home.mkdir()
    durable = work == "durable"
    tape = Tape(home)
    with tape:
        ref = store_faults.WORK[work](root, StoreDisk())
    stage = Stage(tape, top / "pool", {})

    def look(moment: int) -> list[str]:
        wrong = store_faults.check(root, None, cleaned=False, power=True)
        done = moment == len(tape.events)
        if durable and done and ref is not None:
            try:
                text = Path(ref.locator).read_text()
            except OSError:
                text = ""
            if text != store_faults.TEXT or not sidecar(ref.locator).get("sha256"):
                wrong.append("it was said to be on the disk, and is not")
        again = store_faults.save(root, StoreDisk())
        if Path(again.locator).read_text() != store_faults.TEXT:
            wrong.append("the next save is not whole")
        return wrong

    return _each(tape, stage, seed, look)


@dataclass(frozen=True, slots=True)
class Case:
    """A piece of work that is done once, and what must hold whatever became of it."""

    do: Callable[[], object]
    look: Callable[[bool], list[str]]
    """Says what is wrong; its argument is whether the work was done to its end."""


def pin_case(home: Path, work: str) -> Case:
    """Pins made or taken back: the list of before or that of after, never none."""
    home.mkdir(parents=True)
    places = Places.of_home(str(home))
    first = [Pin(f"{n:016x}", f"/there/{n}", 1.0) for n in range(40)]
    more = [Pin(f"{n:016x}", f"/there/{n}", 2.0) for n in range(40, 50)]
    Pins(places).add(first)
    before = {pin.id: pin for pin in first}
    after = {pin.id: pin for pin in (*first, *more)}
    if work == "unpin":
        after = {pin.id: pin for pin in first[30:]}

    def do() -> None:
        if work == "pin":
            Pins(places).add(more)
        else:
            Pins(places).remove([pin.id for pin in first[:30]])

    def look(done: bool) -> list[str]:
        try:
            now = Pins(places).all()
            wrong = [] if now in (before, after) else [f"{len(now)} pins"]
            if done and now != after:
                wrong.append("what was said to be done is not")
            Pins(places).add([Pin("f" * 16, "/new", 3.0)])
        except SpillError as error:
            return [str(error)]
        if set(Pins(places).all()) != {*now, "f" * 16}:
            wrong.append("the next pin loses others")
        return wrong

    return Case(do, look)


SETTINGS = '{\n  "model": "x",\n  "hooks": {"PreToolUse": []}\n}\n'


def hook_case(home: Path, work: str) -> Case:
    """Settings of somebody else: as they were, or as they are to be."""
    path = home / ".claude/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(SETTINGS)
    places = Places.of_home(str(home))
    plan = plan_install(str(path), "spillview hook run claude-code")
    if work == "uninstall":
        change_settings(plan, places)
        plan = plan_uninstall(str(path), places)
    before, after = path.read_bytes(), plan.after

    def look(done: bool) -> list[str]:
        if not path.exists():
            return ["the settings are gone"]
        now, wrong = path.read_bytes(), []
        if now not in (before, after):
            wrong.append(f"the settings are {now[:40]!r}")
        if done and now != after:
            wrong.append("what was said to be done is not")
        if now == after and work == "install":
            kept = [p.read_bytes() for p in (home / _STATE).glob("settings-*.json")]
            if before not in kept:
                wrong.append("there is no whole copy of the settings of before")
        try:
            change_settings(plan_uninstall(str(path), places), places)
        except SpillError as error:
            return [*wrong, str(error)]
        left = [c for c in commands_in(str(path)) if is_ours(c)]
        if json.loads(path.read_bytes()).get("model") != "x" or left:
            wrong.append(f"uninstalled, they are {path.read_bytes()!r}")
        return wrong

    return Case(lambda: change_settings(plan, places), look)


CASES: dict[str, Callable[[Path, str], Case]] = {
    "pin": pin_case,
    "unpin": pin_case,
    "install": hook_case,
    "uninstall": hook_case,
}


def case_states(top: Path, work: str, seed: int) -> Result:
    """Pins and settings."""
    home = top / "world"
    case = CASES[work](home, work)
    tape = Tape(home)
    with tape:
        case.do()
    stage = Stage(tape, top / "pool", {})
    return _each(tape, stage, seed, lambda n: case.look(n == len(tape.events)))


_STATE = ".local/state/spillview/hook"


def _each(
    tape: Tape, stage: Stage, seed: int, look: Callable[[int], list[str]]
) -> Result:
    count, wrong = 0, []
    for moment, tree in states(tape, seed):
        stage.set_up(tree)
        try:
            found = look(moment)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        stage.gather()
        count += 1
        event = tape.events[moment - 1].what if moment else "nothing"
        wrong += [f"after {moment} of {len(tape.events)} ({event}): {x}" for x in found]
    return count, wrong


def _files(top: Path) -> list[Path]:
    return sorted(p for p in top.rglob("*") if p.is_symlink() or p.is_file())


WORK: dict[str, Callable[[Path, str, int], Result]] = {
    **dict.fromkeys(faults.WORK, trash_states),
    **dict.fromkeys(store_faults.WORK, store_states),
    **dict.fromkeys(CASES, case_states),
}


def main() -> None:
    """Run what the arguments say."""
    folder, work, *rest = sys.argv[1:]
    top = Path(folder)
    shutil.rmtree(top, ignore_errors=True)
    top.mkdir(parents=True)
    count, wrong = WORK[work](top, work, int(rest[0]) if rest else 0)
    said = {"states": count, "wrong": len(wrong), "first": wrong[:WRONG]}
    print(json.dumps(said))  # noqa: T201  # its result


if __name__ == "__main__":
    main()
