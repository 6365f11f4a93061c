"""Search of artifacts: ripgrep's own messages, with the artifact and what was seen.

Messages are dicts in the shape of `rg --json`. `data` also holds `artifact` (its id)
and, on matches, `seen` and `byte_range`, the line's bytes in the file on disk.
"""

from __future__ import annotations

import os
import signal
import time
from collections import deque
from collections.abc import (
    Callable,
    Collection,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import closing

from spillview.errors import Unreadable
from spillview.hints import Any
from spillview.index.known import Known, ask, left
from spillview.model import Artifact, Problem
from spillview.search.handles import DESCRIPTORS, Batch, Subject, batches, room
from spillview.search.ripgrep import (
    BadPattern,
    Ripgrep,
    Run,
    check_pattern,
    find_ripgrep,
    sentence,
    undisturbed,
)
from spillview.search.selection import Message, Options, Report

__all__ = [
    "Cancelled",
    "Message",
    "Options",
    "Progress",
    "Report",
    "counts",
    "search",
    "tally",
]

PATIENCE = 4
"""Looks at a process that does nothing at all before it is ended."""

Cancelled = Callable[[], bool]
Progress = Callable[[int, int], None]


def search(
    artifacts: Iterable[Artifact],
    pattern: str | Sequence[str],
    options: Options | None = None,
    *,
    facts: Callable[[Artifact], Artifact] | None = None,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
    report: Report | None = None,
    index: str | None = None,
    looked: bool = False,
) -> Iterator[Message]:
    """Messages in the artifacts' own order, then one `summary`.

    Args:
        artifacts: Each file is searched once, however often it is named.
        pattern: In ripgrep's syntax; several are alternatives.
        options: How to search.
        facts: Completes the link of an artifact that matched, so that `seen` is known.
        cancelled: Looked at many times a second; the search ends without a summary.
        progress: Called with (searched, total) artifacts.
        report: Takes what could not be read.
        index: The folder of the search index: what it knows to have no match is not
            read. The messages are the same without it.
        looked: Whether a `Listing` was made a moment ago, by the same command: what
            the index knows of a file as it was then need not be asked for again.

    Raises `NoRipgrep`, `BadPattern` or `BadInput`. Closing the iterator kills ripgrep.
    """
    options = options or Options()
    report = report if report is not None else Report()
    patterns = [pattern] if isinstance(pattern, str) else pattern
    arguments = [
        "--json",
        *([f"-B{options.before}"] if options.before else []),
        *([f"-A{options.after}"] if options.after else []),
        *options.arguments(patterns),
    ]
    began = time.monotonic()
    totals = dict.fromkeys(_STATS, 0)
    if not isinstance(artifacts, Sequence):
        artifacts = list(artifacts)
    known = ask(index, patterns, options)
    report.damaged += known.damaged
    runs = _runs(artifacts, arguments, report, cancelled, progress, known, looked)
    with closing(runs) as running:
        for batch, run in running:
            # Imported while ripgrep works.
            from spillview.search.excerpts import frames
            from spillview.search.findings import Reader

            reader = Reader(batch, options, facts, report)
            with closing(reader):
                chunks = run.chunks(cancelled, _Minder(batch, run).look)
                parts = frames(reader.taken(chunks), whole=options.full_lines)
                yield from reader.messages(parts)
            if cancelled is not None and cancelled():
                return
            _add(totals, reader.stats)
            _account(batch, run, reader.ended, report)
            _tell_replaced(batch, _replaced(batch), reader.doubtful, report)
    totals["searches"] += known.files
    totals["bytes_searched"] += known.size
    yield {
        "data": {
            "elapsed_total": _elapsed(int((time.monotonic() - began) * 1e9)),
            "stats": _summed(totals),
        },
        "type": "summary",
    }


def tally(
    artifacts: Iterable[Artifact],
    pattern: str | Sequence[str],
    options: Options | None = None,
    **more: Any,
) -> Iterator[tuple[Artifact, int]]:
    """The artifacts that match and the numbers that `counts` gives; takes the same."""
    if not isinstance(artifacts, Sequence):
        artifacts = list(artifacts)
    subject = Subject(artifacts)
    for index, number in counts(artifacts, pattern, options, **more):
        yield subject[index], number


def counts(
    artifacts: Sequence[Artifact],
    pattern: str | Sequence[str],
    options: Options | None = None,
    *,
    names_only: bool = False,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
    report: Report | None = None,
    index: str | None = None,
    looked: bool = False,
) -> Iterator[tuple[int, int]]:
    """Which of the artifacts match, by their numbers, and in how many lines each.

    Hits are counted when only matching; with `names_only` each count is 1.
    `options.seen` needs `search`.
    """
    options = options or Options()
    assert options.seen is None
    report = report if report is not None else Report()
    patterns = [pattern] if isinstance(pattern, str) else pattern
    counted = "--count-matches" if options.only_matching else "--count"
    arguments = [
        "--files-with-matches" if names_only else counted,
        "--with-filename",
        "--null",
        *options.arguments(patterns),
    ]
    known = ask(index, patterns, options)
    report.damaged += known.damaged
    runs = _runs(artifacts, arguments, report, cancelled, progress, known, looked)
    with closing(runs) as running:
        for batch, run in running:
            output = b"".join(run.chunks(cancelled, _Minder(batch, run).look))
            if cancelled is not None and cancelled():
                return
            _account(batch, run, bool(output), report)
            replaced = _replaced(batch)
            told = dict(_counted(os.fsdecode(output), names_only))
            _tell_replaced(batch, replaced, replaced.intersection(told), report)
            for name, number in told.items():
                if name not in replaced:
                    yield batch.names[name], number


def _counted(output: str, names_only: bool) -> Iterator[tuple[str, int]]:
    """The files that ripgrep named, and its numbers."""
    name, *parts = output.split("\0")
    for part in parts:
        number, _, following = ("1", "", part) if names_only else part.partition("\n")
        yield name, int(number)
        name = following


# -- the files ---------------------------------------------------------------------


_LABELS = {"utf-16-le": "utf-16le", "utf-16-be": "utf-16be"}
"""ripgrep's names of the encodings it must be told of."""


def _runs(
    artifacts: Sequence[Artifact],
    arguments: Sequence[str],
    report: Report,
    cancelled: Cancelled | None,
    progress: Progress | None,
    known: Known,
    looked: bool,
) -> Generator[tuple[Batch, Run], None, None]:
    """Running processes in their files' order, as many at once as there are cores.

    What still runs when this is closed is killed.
    """
    program = find_ripgrep()
    ahead: deque[tuple[Batch, Run]] = deque()
    width = (os.cpu_count() or 1) + 1

    def skip() -> None:
        report.skipped += 1

    def refuse(artifact: Artifact, error: OSError | Unreadable) -> None:
        text = _reason(error) if isinstance(error, OSError) else str(error)
        report.problems.append(_problem(artifact, text))

    chosen = left(artifacts, known, looked=looked)
    coming = batches(artifacts, chosen, room(width), skip, refuse)
    done = 0
    try:
        while True:
            while len(ahead) < width and (batch := next(coming, None)):
                with undisturbed():
                    ahead.append((batch, _start(program, arguments, batch)))
            if not ahead:
                break
            yield ahead[0]
            batch, run = ahead.popleft()
            run.close()
            batch.close()
            done += len(batch.names)
            if progress is not None:
                progress(done + known.files, len(artifacts))
            if cancelled is not None and cancelled():
                return
        if not done:
            check_pattern(program, arguments)
    finally:
        for batch, run in ahead:
            run.close()
            batch.close()


def _start(program: Ripgrep, arguments: Sequence[str], batch: Batch) -> Run:
    told = [f"--encoding={_LABELS[batch.encoding]}"] if batch.encoding else []
    told += ["--mmap"] if batch.mapped else []
    opened = [content.fileno() for content in batch.contents.values()]
    folder: str | None = None
    if batch.ground is not None:
        opened.append(batch.ground.folder)
        folder = f"{DESCRIPTORS}/{batch.ground.folder}"
    return Run(
        program,
        [*told, *arguments],
        list(batch.names),
        opened=opened,
        folder=folder,
    )


class _Minder:
    """Looks after a process that says nothing: a name may be that of a FIFO by now."""

    def __init__(self, batch: Batch, run: Run) -> None:
        self._ground = batch.ground
        self._run = run
        self._looks = 0

    def look(self) -> None:
        """Let it go on; end it where it waits all the same."""
        if self._ground is None or not self._ground.wake() or not self._run.waits():
            self._looks = 0
            return
        self._looks += 1
        if self._looks == PATIENCE:
            self._run.kill()


def _replaced(batch: Batch) -> set[str]:
    """The names that mean something else than when the batch was made."""
    return batch.ground.replaced() if batch.ground is not None else set()


def _tell_replaced(
    batch: Batch, replaced: set[str], doubtful: Collection[str], report: Report
) -> None:
    """Say which files were not searched, or nothing was believed of."""
    for name in batch.names if replaced or doubtful else ():
        if name in doubtful or (name in replaced and batch.displaced(name)):
            report.problems.append(_problem(batch.artifact(name), _REPLACED))


def _account(batch: Batch, run: Run, spoke: bool, report: Report) -> None:
    """Report what one process complained of, artifact by artifact."""
    code, errors = run.result()
    if code in (0, 1):
        return
    if batch.mapped and code < 0:
        [artifact] = map(batch.artifact, batch.names)
        shrunk = code == -getattr(signal, "SIGBUS", 0)
        report.problems.append(_problem(artifact, _SHRUNK if shrunk else _TOO_MUCH))
        return
    if code < 0:
        report.problems.append(
            Problem("", f"ripgrep was stopped by signal {-code}; its files are partial")
        )
        return
    named = False
    for path in batch.names:
        told = b"rg: " + os.fsencode(path) + b": "
        start = errors.find(told)
        if start >= 0:
            named = True
            end = errors.find(b"\n", start + len(told))
            text = errors[start + len(told) : end if end >= 0 else None]
            report.problems.append(_problem(batch.artifact(path), _plain(text)))
    if named:
        return
    if not spoke:
        raise BadPattern(f"ripgrep cannot read the pattern: {sentence(errors)}")
    report.problems.append(Problem("", f"ripgrep: {sentence(errors)}"))


def _plain(text: bytes) -> str:
    for number, reason in ((b"os error 2)", _GONE), (b"os error 13)", _DENIED)):
        if number in text:
            return reason
    return text.decode("utf-8", "replace").strip()


_GONE = "it is gone"
_REPLACED = "it was replaced while it was searched; search it again"
_SHRUNK = "it was truncated while it was searched, so not all of it was"
_TOO_MUCH = "one of its lines has more hits than ripgrep can hold in memory"
_DENIED = "no permission to read it"


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _GONE
    return _DENIED if isinstance(error, PermissionError) else str(error.strerror)


def _problem(artifact: Artifact, text: str) -> Problem:
    return Problem(artifact.found.place, text, artifact.found.harness)


# -- the summary -------------------------------------------------------------------

_STATS = (
    "bytes_printed",
    "bytes_searched",
    "elapsed",
    "matched_lines",
    "matches",
    "searches",
    "searches_with_match",
)


def _add(totals: dict[str, int], stats: dict[str, Any]) -> None:
    """Add one process's own summary; `elapsed` in nanoseconds."""
    for name in _STATS:
        value = stats.get(name, 0)
        if isinstance(value, dict):
            value = value["secs"] * 10**9 + value["nanos"]
        totals[name] += value


def _summed(totals: dict[str, int]) -> dict[str, Any]:
    return {
        name: _elapsed(value) if name == "elapsed" else value
        for name, value in totals.items()
    }


def _elapsed(nanoseconds: int) -> dict[str, Any]:
    seconds, rest = divmod(nanoseconds, 10**9)
    return {"human": f"{nanoseconds / 1e9:.6f}s", "nanos": rest, "secs": seconds}
