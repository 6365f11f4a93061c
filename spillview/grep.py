"""Search of artifacts: ripgrep's own messages, with the artifact and what was seen.

Messages are dicts in the shape of `rg --json`. `data` also holds `artifact` (its id)
and, on matches, `seen` and `byte_range`, the line's bytes in the file on disk.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from spillview.content import open_content
from spillview.errors import Unreadable
from spillview.excerpts import frames
from spillview.findings import Reader
from spillview.kinds import HEAD, utf16_of
from spillview.model import Artifact, Problem
from spillview.ripgrep import (
    BadPattern,
    Ripgrep,
    Run,
    check_pattern,
    find_ripgrep,
    sentence,
    undisturbed,
)
from spillview.selection import Message, Options, Report
from spillview.transcoding import MARKS

__all__ = ["Cancelled", "Message", "Options", "Progress", "Report", "search", "tally"]

Cancelled = Callable[[], bool]
Progress = Callable[[int, int], None]

FIRST_FILES = 500
"""Files of the first batch, so that the search begins while others are looked at."""
BATCH_FILES = 4000
BATCH_ARGUMENTS = 24 << 10 if sys.platform == "win32" else 384 << 10
"""Chars of path names that one process is given: what the system takes, and less."""
BATCH_BYTES = 256 << 20
"""Bytes of content that one process is given, unless one file alone is larger."""
LARGE = 1 << 20
"""From this size on a file is looked at for lines that ripgrep should not hold."""
SAMPLE = 64 << 10
"""Bytes looked at, at each MiB; in files over 64 MiB at each sixteenth."""


def search(
    artifacts: Iterable[Artifact],
    pattern: str | Sequence[str],
    options: Options | None = None,
    *,
    facts: Callable[[Artifact], Artifact] | None = None,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
    report: Report | None = None,
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

    Raises `NoRipgrep`, `BadPattern` or `BadInput`. Closing the iterator kills ripgrep.
    """
    options = options or Options()
    report = report if report is not None else Report()
    arguments = [
        "--json",
        *([f"-B{options.before}"] if options.before else []),
        *([f"-A{options.after}"] if options.after else []),
        *options.arguments([pattern] if isinstance(pattern, str) else pattern),
    ]
    began = time.monotonic()
    totals = dict.fromkeys(_STATS, 0)
    with closing(_runs(artifacts, arguments, report, cancelled, progress)) as running:
        for batch, run in running:
            reader = Reader(batch.artifacts, batch.encoding, options, facts, report)
            with closing(reader):
                chunks = run.chunks(cancelled)
                yield from reader.messages(frames(chunks, whole=options.full_lines))
            if cancelled is not None and cancelled():
                return
            _add(totals, reader.stats)
            _account(batch, run, reader.ended, report)
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
    *,
    names_only: bool = False,
    cancelled: Cancelled | None = None,
    progress: Progress | None = None,
    report: Report | None = None,
) -> Iterator[tuple[Artifact, int]]:
    """How many lines match in each artifact that has a match (hits when only matching).

    With `names_only` each count is 1. `options.seen` needs `search`.
    """
    options = options or Options()
    assert options.seen is None
    report = report if report is not None else Report()
    counted = "--count-matches" if options.only_matching else "--count"
    arguments = [
        "--files-with-matches" if names_only else counted,
        "--with-filename",
        "--null",
        *options.arguments([pattern] if isinstance(pattern, str) else pattern),
    ]
    with closing(_runs(artifacts, arguments, report, cancelled, progress)) as running:
        for batch, run in running:
            output = b"".join(run.chunks(cancelled))
            if cancelled is not None and cancelled():
                return
            _account(batch, run, bool(output), report)
            while output:
                name, _, output = output.partition(b"\0")
                number = b"1"
                if not names_only:
                    number, _, output = output.partition(b"\n")
                yield batch.artifacts[os.fsdecode(name)], int(number)


# -- the files ---------------------------------------------------------------------


_LABELS = {"utf-16-le": "utf-16le", "utf-16-be": "utf-16be"}
"""ripgrep's names of the encodings it must be told of."""


@dataclass(slots=True)
class _Batch:
    """Files that one process searches, in their order, by their exact path."""

    encoding: str | None
    """The UTF-16 that ripgrep must be told of, for want of a byte order mark."""
    mapped: bool = False
    """Whether ripgrep maps the files: else it holds the longest line in memory."""
    artifacts: dict[str, Artifact] = field(default_factory=dict)
    most: int = BATCH_FILES
    arguments: int = 0
    content: int = 0

    def takes(self, path: str, size: int, encoding: str | None, mapped: bool) -> bool:
        """Whether one more file fits."""
        return not self.artifacts or (
            encoding == self.encoding
            and not (mapped or self.mapped)  # what happens to one is its own
            and len(self.artifacts) < self.most
            and self.arguments + len(path) <= BATCH_ARGUMENTS
            and self.content + size <= BATCH_BYTES
        )


def _batches(artifacts: Iterable[Artifact], report: Report) -> Iterator[_Batch]:
    """The regular files among `artifacts` by batches, each file once."""
    known: set[str] = set()
    batch = _Batch(None, most=FIRST_FILES)
    for artifact in artifacts:
        path = artifact.found.path
        if path in known:
            continue
        known.add(path)
        try:
            facts = os.lstat(path)
        except OSError as error:
            report.problems.append(_problem(artifact, _reason(error)))
            continue
        if not stat.S_ISREG(facts.st_mode):
            report.skipped += 1
            continue
        try:
            encoding = _told_encoding(artifact)
            mapped = facts.st_size >= LARGE and _has_long_line(artifact)
        except Unreadable as error:
            report.problems.append(_problem(artifact, str(error)))
            continue
        if not batch.takes(path, facts.st_size, encoding, mapped):
            yield batch
            batch = _Batch(encoding)
        batch.encoding, batch.mapped = encoding, mapped
        batch.artifacts[path] = artifact
        batch.arguments += len(path)
        batch.content += facts.st_size
    if batch.artifacts:
        yield batch


def _told_encoding(artifact: Artifact) -> str | None:
    """`utf-16-le` or `utf-16-be` where ripgrep would not see it by itself."""
    counts = artifact.counts
    if counts is not None and not counts.encoding.startswith("utf-16"):
        return None
    with open_content(artifact.found.path) as content:
        head = content.pread(0, HEAD)
    if head[:2] in MARKS:
        return None
    if counts is not None:
        return counts.encoding
    wide = utf16_of(head)
    return wide[0] if wide is not None else None


def _has_long_line(artifact: Artifact) -> bool:
    """Whether a large file has a stretch without a line end (a JSON of gigabytes).

    ripgrep would hold such a line in memory, twice over; of a mapped file it holds
    nothing. Only these are mapped: one that is truncated meanwhile ends the process.
    """
    with open_content(artifact.found.path) as content:
        step = LARGE if content.size <= 64 * LARGE else 16 * LARGE
        return any(
            b"\n" not in content.pread(offset, SAMPLE)
            for offset in range(0, content.size - SAMPLE, step)
        )


def _runs(
    artifacts: Iterable[Artifact],
    arguments: Sequence[str],
    report: Report,
    cancelled: Cancelled | None,
    progress: Progress | None,
) -> Generator[tuple[_Batch, Run], None, None]:
    """Running processes in their files' order, as many at once as there are cores.

    What still runs when this is closed is killed.
    """
    program = find_ripgrep()
    artifacts = list(artifacts)
    batches = _batches(artifacts, report)
    ahead: deque[tuple[_Batch, Run]] = deque()
    width = (os.cpu_count() or 1) + 1
    done = 0
    try:
        while True:
            while len(ahead) < width and (batch := next(batches, None)):
                with undisturbed():
                    ahead.append((batch, _start(program, arguments, batch)))
            if not ahead:
                break
            yield ahead[0]
            batch, run = ahead.popleft()
            run.close()
            done += len(batch.artifacts)
            if progress is not None:
                progress(done, len(artifacts))
            if cancelled is not None and cancelled():
                return
        if not done:
            check_pattern(program, arguments)
    finally:
        for _, run in ahead:
            run.close()


def _start(program: Ripgrep, arguments: Sequence[str], batch: _Batch) -> Run:
    told = [f"--encoding={_LABELS[batch.encoding]}"] if batch.encoding else []
    told += ["--mmap"] if batch.mapped else []
    return Run(program, [*told, *arguments], list(batch.artifacts))


def _account(batch: _Batch, run: Run, spoke: bool, report: Report) -> None:
    """Report what one process complained of, artifact by artifact."""
    code, errors = run.result()
    if code in (0, 1):
        return
    if batch.mapped and code < 0:
        [artifact] = batch.artifacts.values()
        shrunk = code == -getattr(signal, "SIGBUS", 0)
        report.problems.append(_problem(artifact, _SHRUNK if shrunk else _TOO_MUCH))
        return
    if code < 0:
        report.problems.append(
            Problem("", f"ripgrep was stopped by signal {-code}; its files are partial")
        )
        return
    named = False
    for path, artifact in batch.artifacts.items():
        told = b"rg: " + os.fsencode(path) + b": "
        start = errors.find(told)
        if start >= 0:
            named = True
            end = errors.find(b"\n", start + len(told))
            text = errors[start + len(told) : end if end >= 0 else None]
            report.problems.append(_problem(artifact, _plain(text)))
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
_SHRUNK = "it was truncated while it was searched, so not all of it was"
_TOO_MUCH = "one of its lines has more hits than ripgrep can hold in memory"
_DENIED = "no permission to read it"


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return _GONE
    return _DENIED if isinstance(error, PermissionError) else str(error.strerror)


def _problem(artifact: Artifact, text: str) -> Problem:
    return Problem(artifact.found.path, text, artifact.found.harness)


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
