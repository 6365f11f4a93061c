"""The runs of every command: from transcripts, artifacts and our own history.

The same run may be told of several times, and is taken once: a spilled output by its
artifact, a fork's copies of a call by their call, a command that an agent ran through
`wrap`, itself or by the hook, by the history, in the project of the agent's session.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spillview.catalogue.query import MIN_PREFIX, Query
from spillview.errors import Unreadable
from spillview.forecast.normalising import is_command_line, normalised, unwrapped
from spillview.forecast.own_runs import OwnRuns
from spillview.forecast.runs import Group, Key, Run
from spillview.model import Artifact, Boundary, Problem
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.catalogue.listing import Listing
    from spillview.discovery.discovery import TranscriptFound
    from spillview.links.session_facts import SessionFacts
    from spillview.model import Mention
    from spillview.places import Places
    from spillview.transcripts.results import Result, Results
    from spillview.wrap import history

Cancelled = Callable[[], bool]
Progress = Callable[[int, int], None]
Mark = int
"""Stands for a transcript, the offset of a record in it, and a text block of that."""
Completing = Callable[["Listing"], Iterable[Artifact]]
"""Gives each artifact of a listing once, complete."""


def mark_of(mention: Mention) -> Mark:
    """What an envelope's place is known by: very many are."""
    return hash((mention.transcript, mention.offset, mention.block))


def each_once(
    artifacts: Iterable[Artifact], completing: Completing
) -> Iterable[Artifact]:
    """The artifacts, one after the other; of a listing as `completing` gives them.

    Others may be given twice: as they were first, and with what was settled later.
    """
    from spillview.catalogue.listing import Listing

    if isinstance(artifacts, Listing):
        return completing(artifacts)
    return {artifact.id: artifact for artifact in artifacts}.values()


@dataclass(slots=True)
class Series:
    """Every command that was found, with its runs."""

    groups: dict[Key, Group] = field(default_factory=dict)
    undated: int = 0
    """Runs left out because no record tells when they were."""
    left_out: int = 0
    """Older runs of sessions that had too many."""
    problems: list[Problem] = field(default_factory=list)

    def group(self, project: str | None, command: str, tool: str | None) -> Group:
        """The group of a command, made where there is none."""
        folder, command = path_text(project or ""), path_text(command)
        named = None if is_command_line(command) else tool
        key = Key(folder, normalised(command, tool=named, project=folder))
        found = self.groups.get(key)
        if found is None:
            found = self.groups[key] = Group(key)
        return found


@dataclass(frozen=True, slots=True)
class Told:
    """One session of a transcript with its results."""

    log: TranscriptFound
    session: str
    project: str | None
    version: str | None
    results: Results


def told(
    catalogue: Catalogue,
    query: Query,
    problems: list[Problem],
    *,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Iterable[Told]:
    """Each session of the last scan's transcripts, one at a time, origins before forks.

    A session that cannot be read is added to `problems`.
    """
    from spillview.transcripts import READERS, reader_of
    from spillview.transcripts.results import results_of
    from spillview.transcripts.values import is_rows

    sessions = sorted(catalogue.transcripts(cancelled), key=_origins_first)
    read: set[str] = set()
    for done, (log, session, facts) in enumerate(sessions):
        if cancelled is not None and cancelled():
            return
        if progress is not None:
            progress(done, len(sessions))
        if log.reader not in READERS or not _is_session(query.session, session, log):
            continue
        profile = catalogue.profile(log.harness)
        if log.path in read and not is_rows(log.form, reader_of(log.reader, profile)):
            continue  # all of it is one session, whatever its records call that
        read.add(log.path)
        try:
            results = results_of(log, profile, session, catalogue.cache, cancelled)
        except Unreadable as error:
            problems.append(Problem(log.path, str(error), log.harness))
            continue
        project = (facts.project if facts is not None else None) or results.project
        version = results.version or (facts.version if facts is not None else None)
        yield Told(log, session, project or log.project, version, results)


def _origins_first(
    each: tuple[TranscriptFound, str, SessionFacts | None],
) -> tuple[bool, float]:
    facts = each[2]
    if facts is None:
        return True, 0.0
    return bool(facts.parents), facts.started or 0.0


def _is_session(wanted: str | None, session: str, log: TranscriptFound) -> bool:
    return wanted is None or any(
        sid == wanted or (len(wanted) >= MIN_PREFIX and sid.startswith(wanted))
        for sid in (session, log.session)
    )


def gather(
    catalogue: Catalogue,
    artifacts: Iterable[Artifact],
    query: Query,
    *,
    completing: Completing = iter,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Series:
    """The runs behind completed `artifacts` of the last scan, and all others.

    Bounded by the newest runs of each command. What could not be read is a problem.
    """
    found = each_once(artifacts, completing)
    return _Gathering(catalogue, query).run(found, progress, cancelled)


class _Gathering:
    def __init__(self, catalogue: Catalogue, query: Query) -> None:
        self._catalogue, self._query = catalogue, query
        self._series = Series()
        self._calls: set[int] = set()
        self._own = OwnRuns()
        self._gates: dict[tuple[str | None, ...], tuple[Boundary, ...]] = {}

    def run(
        self,
        artifacts: Iterable[Artifact],
        progress: Progress | None,
        cancelled: Cancelled | None,
    ) -> Series:
        problems = self._series.problems
        ours = self._own.read(self._histories(), problems)
        linked: set[Mark] = set()
        for artifact in artifacts:
            if cancelled is not None and cancelled():
                break
            if artifact.link is not None:
                linked.update(map(mark_of, artifact.link.mentions))
            if artifact.id not in ours:
                self._take_artifact(artifact)
        for each in told(
            self._catalogue,
            self._query,
            problems,
            progress=progress,
            cancelled=cancelled,
        ):
            self._take(each, linked)
        self._take_history()
        return self._series

    # Transcripts

    def _take(self, told: Told, linked: set[Mark]) -> None:
        self._series.left_out += told.results.left_out
        mentions = self._catalogue.mentions_in(told.log.path, told.session)
        by_call = {m.call_id: m for m in mentions if m.call_id is not None}
        by_place = {(m.offset, m.block): m for m in mentions}
        for result in told.results.results:
            if not self._is_run(result) or not self._is_new(told, result):
                continue
            mention = by_call.get(result.call_id or "")
            if mention is None:
                mention = by_place.get((result.offset, result.block))
            gone = mention is not None and mark_of(mention) not in linked
            self._take_result(told, result, enveloped=mention is not None, gone=gone)

    def _is_run(self, result: Result) -> bool:
        from spillview.transcripts.genuine import changes_files

        if not result.command or result.background:
            return False
        return not changes_files(result.tool or "")

    def _is_new(self, told: Told, result: Result) -> bool:
        """Whether no other transcript told of the call: forks hold copies."""
        if result.call_id is None:
            return True
        call = (told.log.harness, result.call_id, result.command, result.time)
        key = hash(call)
        if key in self._calls:
            return False
        self._calls.add(key)
        return True

    def _take_result(
        self, told: Told, result: Result, *, enveloped: bool, gone: bool
    ) -> None:
        assert result.command is not None  # or it is no run
        time = result.time
        if time is None:
            self._series.undated += 1
            return
        if not _in_time(self._query, time):
            return
        inner = unwrapped(result.command)
        own = self._own.of_call(inner, told.project or "", time, result.returned)
        if own is not None:
            self._add_own(own, told.project, inner.command, result.tool)
        elif not enveloped:
            run = Run(
                time,
                result.bytes,
                result.chars,
                result.utf16,
                result.lines,
                self._boundaries(told, result.tool),
                told.log.harness,
                number=result.number,
            )
            self._add(told.project, inner.command, result.tool, run)
        elif gone:
            group = self._series.group(told.project, inner.command, result.tool)
            group.unsized += 1

    def _boundaries(self, told: Told, tool: str | None) -> tuple[Boundary, ...]:
        catalogue = self._catalogue
        kind = (told.log.harness, tool, told.version)
        gates = self._gates.get(kind)
        if gates is None:
            gates = self._gates[kind] = catalogue.profile(
                told.log.harness
            ).boundaries_for(
                tool,
                told.version,
                env=catalogue.places.env,
                settings=catalogue.settings,
            )
        return gates

    # Artifacts

    def _take_artifact(self, artifact: Artifact) -> None:
        counts, command = artifact.counts, artifact.command
        if counts is None or not command or not artifact.boundaries:
            return  # a background log is written whatever its size
        if "partial" in artifact.flags:
            self._series.group(
                artifact.project, unwrapped(command).command, artifact.tool
            ).unsized += 1
            return
        if not artifact.dated:
            self._series.undated += 1
            return
        if not _in_time(self._query, artifact.created):
            return
        run = Run(
            artifact.created,
            counts.bytes,
            counts.chars,
            counts.utf16,
            counts.lines,
            artifact.boundaries,
            artifact.found.harness,
            spilled=True,
        )
        shown = unwrapped(path_text(command)).command
        # Before the runs that transcripts tell of, and yet the later ones.
        self._add(artifact.project, shown, artifact.tool, run, late=True)

    # Our own history

    def _histories(self) -> list[Places]:
        """This user's, and that of each PATH which is a home."""
        from spillview.places import Places

        own = self._catalogue.places
        places = {own.state_dir: own}
        for path in self._query.paths:
            other = Places.of_home(path)
            places.setdefault(other.state_dir, other)
        return list(places.values())

    def _take_history(self) -> None:
        """Take the runs of the history that no agent's call was."""
        query = self._query
        if query.session is not None or query.harness not in (None, "spillview"):
            return
        mine = self._catalogue.places
        for told, command, places in self._own.rest():
            # Of a home that was named all of it is meant.
            admitted = places is not mine or self._admits(told.cwd)
            if admitted and _in_time(query, told.started):
                self._add_own(told, told.cwd, command, None)

    def _add_own(
        self, told: history.Run, project: str | None, command: str, tool: str | None
    ) -> None:
        if told.chars is None:  # it was not counted
            self._series.group(project, command, tool).unsized += 1
            return
        gate = Boundary(told.boundary, told.boundary_unit)
        run = Run(
            told.started,
            told.bytes,
            told.chars,
            told.utf16 if told.utf16 is not None else told.chars,
            told.lines or 0,
            (gate,) if told.boundary > 0 else (),
            told.source,
            spilled=told.spilled is not None,
        )
        self._add(project, command, tool, run)

    def _admits(self, cwd: str) -> bool:
        """Whether a folder is in one of the PATHs asked for, if any are."""
        if not self._query.paths:
            return True
        here = os.path.realpath(cwd)
        for path in self._query.paths:
            folder = os.path.realpath(path)
            if here == folder or here.startswith(folder.rstrip("/") + "/"):
                return True
        return False

    def _add(
        self,
        project: str | None,
        command: str,
        tool: str | None,
        run: Run,
        *,
        late: bool = False,
    ) -> None:
        command, tool = path_text(command), path_text(tool) if tool else None
        self._series.group(project, command, tool).add(run, command, tool, late=late)


def _in_time(query: Query, when: float) -> bool:
    if query.since is not None and when < query.since:
        return False
    return query.until is None or when <= query.until
