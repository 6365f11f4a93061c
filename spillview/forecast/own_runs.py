"""Runs that our own history tells of, and which call of an agent each of them was."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.forecast.normalising import Unwrapped, normalised
from spillview.model import Problem

if TYPE_CHECKING:
    from spillview.places import Places
    from spillview.wrap.history import Run

NEAR = 2.0
"""Seconds by which a run may begin before its call, or after its result."""

LONGEST = 6 * 3600.0
"""Seconds that a call without a known end may have taken."""

LARGEST = 1 << 62
"""Bytes; no disk holds more."""

LATEST = 1e11
"""Seconds since the epoch; no clock shows more."""


@dataclass(slots=True)
class _Own:
    told: Run
    start: float
    places: Places
    used: bool = False


class OwnRuns:
    """The runs of one or several histories."""

    def __init__(self) -> None:
        self._by_command: dict[str, list[_Own]] = {}
        self._piped: list[_Own] = []
        """Those of which the history knows no command."""

    def read(self, histories: Iterable[Places], problems: list[Problem]) -> set[str]:
        """Read what these tell; gives the ids of the artifacts in them.

        What cannot be read is added to `problems`.
        """
        from spillview.wrap import history

        spilled: set[str] = set()
        for places in histories:
            try:
                for run in history.runs(places):
                    if not _possible(run):
                        continue  # nothing that `wrap` wrote
                    if run.spilled is not None:
                        spilled.add(run.spilled)
                    own = _Own(run, run.started, places)
                    if run.command is None:
                        self._piped.append(own)
                    else:
                        normal = normalised(run.command, project=run.cwd)
                        self._by_command.setdefault(normal, []).append(own)
            except NotADirectoryError:
                continue  # what has the folder's place holds none
            except OSError as error:
                reason = error.strerror or str(error)
                path = os.path.join(places.state_dir, history.NAME)
                sentence = f"the history cannot be read: {reason}"
                problems.append(Problem(path, sentence))
        for runs in (self._piped, *self._by_command.values()):
            runs.sort(key=lambda own: own.start)
        return spilled

    def of_call(
        self, inner: Unwrapped, project: str, time: float, end: float | None
    ) -> Run | None:
        """The run that an agent's call from `time` to `end` was, which it then is for
        no other call.

        The hook sends a command through `wrap` where the transcript may still show it
        as the model wrote it, so that the command and the time decide.
        """
        if not self._by_command and not self._piped:
            return None
        last = (end if end is not None else time + LONGEST) + NEAR
        normal = normalised(inner.command, project=project)
        found = _between(self._by_command.get(normal, []), time - NEAR, last)
        if found is None and inner.wrapped:
            found = _between(self._piped, time - NEAR, last)
        if found is None:
            return None
        found.used = True
        return found.told

    def rest(self) -> Iterator[tuple[Run, str, Places]]:
        """The runs that were no agent's call, their commands, and whose they are.

        A file that was measured is called by its name; what was piped in, and nothing
        says by what, is left out.
        """
        for runs in (self._piped, *self._by_command.values()):
            for own in runs:
                told = own.told
                command = told.command
                if command is None and told.source == "measure":
                    command = told.label if told.label != "stdin" else None
                if command is not None and not own.used:
                    yield told, command, own.places


def _possible(run: Run) -> bool:
    """Whether a clock and a disk can have such a run."""
    sizes = (run.bytes, run.chars, run.utf16, run.lines, run.boundary)
    likely = all(size is None or 0 <= size < LARGEST for size in sizes)
    ours = run.source in ("wrap", "measure")
    return likely and ours and 0 < run.started < LATEST


def _between(runs: Sequence[_Own], first: float, last: float) -> _Own | None:
    """The first that began in a time, and that no call was found for."""
    at = bisect_left(runs, first, key=lambda own: own.start)
    while at < len(runs) and runs[at].start <= last:
        if not runs[at].used and runs[at].told.source == "wrap":
            return runs[at]
        at += 1
    return None
