"""What must last: printed ids, review marks, notes, the time of the last review.

Where the file is broken, locked or not writable (see `state_file`) the program goes on
without it: nothing here raises for the disk's sake.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import islice

from spillview.digests import sha256
from spillview.review.notes import About, Note
from spillview.review.state_file import NOTES, StateFile

_ID = frozenset("0123456789abcdef")

_SESSION = "session "
"""Before the printed ids of sessions; no artifact's id begins so."""

TOGETHER = 4_000
"""So many printed ids are written at once."""

NEVER = -1.0
"""What is kept of a moment that was taken back; no clock shows it.

As the time of a mark it says that a person asked for the thing again by its name.
"""

LATEST = 1e11
"""Seconds since the epoch; no clock shows more."""


class State(StateFile):
    """The state of one user."""

    # Printed ids

    def remember_ids(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Keep (id, path) pairs, so that an id can be used after it was printed."""
        coming = iter(pairs)
        while some := list(islice(coming, TOGETHER)):
            self.write(
                "INSERT INTO printed VALUES (?, ?) "
                "ON CONFLICT (id) DO UPDATE SET path = excluded.path "
                "WHERE path <> excluded.path",
                [(ident, os.fsencode(path)) for ident, path in some],
            )

    def path_of(self, prefix: str) -> list[str]:
        """The paths whose remembered id begins with `prefix`, in the order of ids."""
        if not prefix or not _ID.issuperset(prefix):
            return []
        rows = self.read(
            "SELECT id, path FROM printed WHERE id >= ? AND id < ?",
            (prefix, prefix + "g"),
        )
        paths = {ident: path for ident, path in rows if isinstance(path, bytes)}
        return [os.fsdecode(paths[ident]) for ident in sorted(paths)]

    # Printed sessions, each with the ground in which it was found

    def remember_sessions(self, sessions: Iterable[str], paths: Sequence[str]) -> None:
        """Keep the paths that were read where these session ids were printed."""
        ground = os.fsencode("\0".join(map(os.path.abspath, paths)))
        self.write(
            "INSERT INTO printed VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET path = excluded.path "
            "WHERE path <> excluded.path",
            [
                (f"{_SESSION}{each}", ground)
                for each in sessions
                if each.isprintable()  # what else there is cannot be typed
            ],
        )

    def grounds_of(self, prefix: str) -> list[tuple[str, ...]]:
        """Every ground in which a printed session's id begins with `prefix`."""
        if not prefix.isprintable():
            return []
        start = f"{_SESSION}{prefix}"
        rows = self.read(
            "SELECT id, path FROM printed WHERE id >= ? AND id < ? ORDER BY id",
            (start, start + "\U0010ffff"),
        )
        grounds = [path for _, path in rows if isinstance(path, bytes)]
        return [tuple(os.fsdecode(g).split("\0")) for g in dict.fromkeys(grounds)]

    # Review

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        """Mark artifacts reviewed at `when` (seconds since the epoch); None unmarks."""
        # A mark taken back stays as a row without time: it outweighs an older one.
        self.write(
            "INSERT INTO reviewed VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET at = excluded.at",
            [(ident, when) for ident in ids],
        )

    def reopen(self, ids: Iterable[str]) -> None:
        """Take marks back, so that the next report has these whatever its period."""
        self.mark_reviewed(ids, NEVER)

    def reopened(self) -> set[str]:
        """What was opened again by its name and not marked since."""
        marks = dict(self.read("SELECT id, at FROM reviewed"))
        return {ident for ident, at in marks.items() if at == NEVER}

    def reviewed(self) -> dict[str, float]:
        """Every mark: artifact id to the time it was made."""
        marks = dict(self.read("SELECT id, at FROM reviewed"))
        moments = {i: _moment(at) for i, at in marks.items()}
        return {i: at for i, at in moments.items() if at is not None}

    def set_note(self, note: Note) -> None:
        """Keep a note instead of an earlier one; an empty text takes it back."""
        place = note.place.encode("utf-8", "surrogateescape")
        text = note.text.encode("utf-8", "replace").decode() or None
        self.write(
            "INSERT INTO notes VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
            " about = excluded.about, place = excluded.place, text = excluded.text,"
            " at = excluded.at",
            [(note.id, note.about, place, text, note.when)],
            needs=NOTES,
        )

    def notes(self) -> dict[str, Note]:
        """Every note by what it is about, in the order of their times."""
        kept: dict[str, Note] = {}
        for ident, about, place, text, at in self.read(
            "SELECT id, about, place, text, at FROM notes ORDER BY at", optional=True
        ):
            kept.pop(ident, None)
            if isinstance(text, str) and isinstance(place, bytes):
                where = place.decode("utf-8", "surrogateescape")
                when = _moment(at) or 0.0
                kept[ident] = Note(ident, _about(about), where, text, when)
        return kept

    def last_review(self, paths: Sequence[str] = ()) -> float | None:
        """The time up to which these paths were reviewed; None before the first.

        No paths are the user's own stores; either has a period of its own.
        """
        return self._fact(_of_ground("last_review", paths))

    def set_last_review(self, when: float | None, paths: Sequence[str] = ()) -> None:
        """Remember that everything of these paths up to `when` was reviewed.

        None takes that back.
        """
        moment = when if when is not None else NEVER
        self._set_fact(_of_ground("last_review", paths), moment)

    def last_report(self, paths: Sequence[str] = ()) -> float | None:
        """The moment of their last report that was given; None before the first."""
        return self._fact(_of_ground("last_report", paths))

    def set_last_report(self, when: float, paths: Sequence[str] = ()) -> None:
        """Remember that a report of everything of them up to `when` was given."""
        self._set_fact(_of_ground("last_report", paths), when)

    def last_done(self, paths: Sequence[str] = ()) -> tuple[float, float | None] | None:
        """The last review of these paths that can be taken back; None where none can.

        Up to which moment it was done, and where the period had begun before it.
        """
        done = self._fact(_of_ground("last_done", paths))
        if done is None:
            return None
        return done, self._fact(_of_ground("before_done", paths))

    def set_last_done(
        self, when: float | None, before: float | None, paths: Sequence[str] = ()
    ) -> None:
        """Remember a review that was done, so that it can be taken back; None: none."""
        for name, moment in (("before_done", before), ("last_done", when)):
            value = moment if moment is not None else NEVER
            self._set_fact(_of_ground(name, paths), value)

    def _fact(self, name: str) -> float | None:
        rows = self.read("SELECT value FROM facts WHERE name = ?", (name,))
        return _moment(rows[-1][0]) if rows else None

    def _set_fact(self, name: str, value: float) -> None:
        self.write(
            "INSERT INTO facts VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            [(name, value)],
        )


def _about(word: object) -> About:
    return "session" if word == "session" else "artifact"


def _of_ground(fact: str, paths: Sequence[str]) -> str:
    """The name of a fact of some paths, whatever their order and their links."""
    if not paths:
        return fact
    real = sorted({os.path.realpath(path) for path in paths})
    ground = sha256(os.fsencode("\0".join(real))).hexdigest()[:16]
    return f"{fact} {ground}"


def _moment(value: object) -> float | None:
    """A moment that a clock can show; None for whatever else a file may hold."""
    if not isinstance(value, int | float) or not 0 <= value < LATEST:
        return None
    return float(value)
