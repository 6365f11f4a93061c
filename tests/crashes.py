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
from pathlib import Path

from spillview.bins import FILES
from spillview.disk import Disk
from spillview.errors import SpillError
from spillview.hook.claude_code import apply as change_settings
from spillview.hook.claude_code import commands_in, plan_install, plan_uninstall
from spillview.hook.permissions import is_ours
from spillview.pins import Pin, Pins
from spillview.places import Places
from spillview.store.files import StoreDisk
from spillview.trash import Trash
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


def pin_states(top: Path, work: str, seed: int) -> Result:
    """Pins made or taken back: the list of before or that of after, never none."""
    home = top / "world"
    home.mkdir()
    places = Places.of_home(str(home))
    first = [Pin(f"{n:016x}", f"/there/{n}", 1.0) for n in range(40)]
    more = [Pin(f"{n:016x}", f"/there/{n}", 2.0) for n in range(40, 50)]
    Pins(places).add(first)
    before = Pins(places).all()
    tape = Tape(home)
    with tape:
        if work == "pin":
            Pins(places).add(more)
        else:
            Pins(places).remove([pin.id for pin in first[:30]])
    after = Pins(places).all()
    stage = Stage(tape, top / "pool", {})

    def look(moment: int) -> list[str]:
        try:
            now = Pins(places).all()
            wrong = [] if now in (before, after) else [f"{len(now)} pins"]
            if moment == len(tape.events) and now != after:
                wrong.append("what was said to be done is not")
            Pins(places).add([Pin("f" * 16, "/new", 3.0)])
        except SpillError as error:
            return [str(error)]
        if set(Pins(places).all()) != {*now, "f" * 16}:
            wrong.append("the next pin loses others")
        return wrong

    return _each(tape, stage, seed, look)


SETTINGS = '{\n  "model": "x",\n  "hooks": {"PreToolUse": []}\n}\n'


def hook_states(top: Path, work: str, seed: int) -> Result:
    """Settings of somebody else: as they were, or as they are to be."""
    home = top / "world"
    path = home / ".claude/settings.json"
    path.parent.mkdir(parents=True)
    path.write_text(SETTINGS)
    places = Places.of_home(str(home))
    command = "spillview hook run claude-code"
    if work == "uninstall":
        change_settings(plan_install(str(path), command), places)
    before = path.read_bytes()
    tape = Tape(home)
    with tape:
        plan = (
            plan_install(str(path), command)
            if work == "install"
            else plan_uninstall(str(path), places)
        )
        change_settings(plan, places)
    after = path.read_bytes()
    stage = Stage(tape, top / "pool", {})

    def commands() -> list[str]:
        return [c for c in commands_in(str(path)) if is_ours(c)]

    def look(moment: int) -> list[str]:
        if not path.exists():
            return ["the settings are gone"]
        now, wrong = path.read_bytes(), []
        if now not in (before, after):
            wrong.append(f"the settings are {now[:40]!r}")
        if moment == len(tape.events) and now != after:
            wrong.append("what was said to be done is not")
        if now == after != before and work == "install":
            kept = [p.read_bytes() for p in (home / _STATE).glob("settings-*.json")]
            if before not in kept:
                wrong.append("there is no whole copy of the settings of before")
        try:
            change_settings(plan_uninstall(str(path), places), places)
        except SpillError as error:
            return [*wrong, str(error)]
        if json.loads(path.read_bytes()).get("model") != "x" or list(commands()):
            wrong.append(f"uninstalled, they are {path.read_bytes()!r}")
        return wrong

    return _each(tape, stage, seed, look)


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
    "pin": pin_states,
    "unpin": pin_states,
    "install": hook_states,
    "uninstall": hook_states,
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
