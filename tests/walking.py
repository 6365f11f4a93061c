"""Walks through the real program, written down as text: commands and screens.

A walk has a home folder at a fixed place, for paths and the ids that follow from them
stand in what is shown, and a fixed clock. Commands run in bash on a terminal of 80
columns; keys are pressed on a screen of 80 x 24.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from textual.pilot import Pilot

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.discovery.entries import artifact_id
from spillview.places import Places
from tests.pilots import Patient, frame, keys, press, quiet
from tests.terminal import Terminal

PLACE = "/tmp/spillview-walks"
"""Below it each walk has its home."""

ROOT = Path(__file__).parents[1]
COLUMNS, ROWS = 80, 24
ROOTS = "claude-0"
"""What a folder of the superuser is called, where others have their own number."""

VARIES = (
    (r"\b(\d{8}-\d{6})-[0-9a-f]{4}\b", r"\1-0000"),  # a clean-up's name, by chance
    (r"ripgrep: \S+ at \S+", "ripgrep: 15.2.0 at /usr/bin/rg"),
)
"""What is different each time or on each machine, and what is written for it."""

RULE = "═" * COLUMNS
"""The line between two steps of a walk."""

PROGRAM = """\
#!/bin/bash
export PYTHONPATH={root} PYTHONDONTWRITEBYTECODE=1
exec {python} -P -m tests.walked {now} {home} "$@"
"""


@contextmanager
def home_of(name: str) -> Iterator[str]:
    """An empty home for the walk `name`, nobody else's until the end."""
    os.makedirs(PLACE, mode=0o700, exist_ok=True)
    if os.path.islink(PLACE) or os.lstat(PLACE).st_uid != os.getuid():
        pytest.skip(f"{PLACE} belongs to somebody else")
    home = os.path.join(PLACE, name)
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
    with os.fdopen(os.open(f"{home}.lock", flags, 0o600), "r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home, mode=0o700)
        try:
            yield home
        finally:
            shutil.rmtree(home)


def environment(home: str) -> dict[str, str]:
    """The environment of whoever lives there, who has nothing set."""
    return {
        "HOME": home,
        "TMPDIR": f"{home}/tmp",
        "PATH": f"{home}/.bin:/usr/bin:/bin",
        "TERM": "xterm-256color",
        "COLUMNS": str(COLUMNS),
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "SHELL": "/bin/bash",
    }


@dataclass
class Walk:
    """One walk while it is taken; `stored` is what it was the last time."""

    home: str
    now: float
    stored: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("tmp", ".bin"):
            Path(self.home, name).mkdir(mode=0o700)
        program = Path(self.home, ".bin", "spillview")
        text = PROGRAM.format(
            root=ROOT, python=sys.executable, now=self.now, home=self.home
        )
        program.write_text(text, encoding="utf-8")
        program.chmod(0o700)

    @property
    def text(self) -> str:
        """All steps, as they are stored."""
        return f"\n{RULE}\n".join(self.steps) + "\n"

    def say(self, text: str) -> None:
        """Words of our own between two steps."""
        self.steps.append(text)

    def run(self, command: str, *, code: int = 0, typed: str = "") -> str:
        """Run a line of bash; what it prints, its exit code where that is not 0."""
        with Terminal(
            ["/bin/bash", "-c", f"cd ~; {command}"],
            env=environment(self.home),
            columns=COLUMNS,
            rows=ROWS,
        ) as terminal:
            if typed:
                while "[y/N]" not in terminal.text and terminal.read(60):
                    pass
                terminal.press(typed)
            ended = terminal.ends(120)
            shown = _shown(terminal.text)
        self._settle()
        said = f"\n[exit code {ended}]" if ended else ""
        self.steps.append(self._same(f"$ {command}\n{shown}{said}").rstrip())
        assert ended == code, self.steps[-1]
        return shown

    def browse(
        self,
        command: str,
        steps: Sequence[tuple[str, str]],
        *,
        paths: tuple[str, ...] = (),
        own: str | None = None,
    ) -> None:
        """Open the screen as `command` would, and press keys, each with its reason.

        Args:
            command: What one types to get there.
            steps: Keys with blanks between them, and what they are pressed for.
            paths: What the command names.
            own: A home folder that takes the place of this walk's own.
        """
        asyncio.run(self._browse(command, steps, paths, own))
        self._settle()

    async def _browse(
        self,
        command: str,
        steps: Sequence[tuple[str, str]],
        paths: tuple[str, ...],
        own: str | None,
    ) -> None:
        places = Places.of_home(own) if own is not None else Places.here()
        catalogue = Catalogue.here(places)
        catalogue.now = lambda: self.now
        app = Patient(catalogue, Query(paths=paths))
        async with app.run_test(size=(COLUMNS, ROWS), notifications=True) as pilot:
            await self._see(pilot, f"$ {command}")
            for pressed, why in steps:
                app.clear_notifications()
                await press(pilot, *keys(pressed))
                await self._see(pilot, f"[{pressed}] {why}")
        catalogue.close()

    async def _see(self, pilot: Pilot[None], heading: str) -> None:
        """Write down the screen, once it is the stored one or after two seconds."""
        at = len(self.steps)
        for _ in range(20):
            await quiet(pilot)
            step = self._same(f"{heading}\n{frame(pilot)}").rstrip()
            if at >= len(self.stored) or self.stored[at] == step:
                break
            await pilot.pause(0.1)
        self.steps.append(step)

    def _same(self, text: str) -> str:
        """The same each time: some paths hold a user's number, and ids follow."""
        for varies, same in VARIES:
            text = re.sub(varies, same, text)
        own = f"claude-{os.getuid()}"
        if own == ROOTS:
            return text
        ids = {}
        for folder, _, names in os.walk(self.home):
            if f"/{own}/" in f"{folder}/":
                for name in names:
                    path = os.path.join(folder, name)
                    ids[artifact_id(path)] = artifact_id(path.replace(own, ROOTS, 1))

        def roots(found: re.Match[str]) -> str:
            begun = found.group()
            of_root = next((ids[i] for i in ids if i.startswith(begun)), begun)
            return of_root[: len(begun)]

        return re.sub(r"\b[0-9a-f]{8,16}\b", roots, text).replace(own, ROOTS)

    def _settle(self) -> None:
        """Let what was kept just now bear the walk's time."""
        for folder, _, names in os.walk(f"{self.home}/.local/state/spillview/spills"):
            for name in names:
                os.utime(os.path.join(folder, name), (self.now, self.now))


def split(text: str) -> list[str]:
    """The steps of a walk that was written down."""
    return text.removesuffix("\n").split(f"\n{RULE}\n")


def _shown(text: str) -> str:
    """What is left standing of a terminal's output: progress comes and goes."""
    rows = text.replace("\r\n", "\n").split("\n")
    return "\n".join(row.split("\r\x1b[K")[-1].rstrip() for row in rows)
