"""`grep`: search artifacts, and tell what of it the model saw."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence

from spillview.cli.commands import query_of, tell_problems
from spillview.cli.search_options import describe, options_of, words_of
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Artifact
from spillview.text import path_text, plural, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.search.selection import Message, Options, Report

__all__ = ["describe", "run"]

DAMAGED = (
    "a part of the search index was damaged, so everything in it was searched instead;"
    " `spillview index` makes it anew"
)


HELD = 0.05
"""Seconds that a found line may wait for those behind it."""

_PLAIN = re.compile(r"[\w \"'/:;,=@%&<>!~`-]*").fullmatch
"""Tells of a pattern that it can be read, for it means itself."""


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Search; exit code 0 with a match, 1 without, 2 when a part could not be read."""
    if args.secrets:
        return _secrets(args, streams)
    patterns, words = words_of(args)
    options = options_of(args)
    from spillview.catalogue.catalogue import Catalogue
    from spillview.search.foreign import foreign, sentence
    from spillview.search.ripgrep import BadPattern, check_pattern, find_ripgrep
    from spillview.search.selection import Report

    program = find_ripgrep()
    arguments = options.arguments(patterns)
    # A pattern that is none should not wait for the stores to be read.
    if not all(map(_PLAIN, patterns)):
        try:
            check_pattern(program, arguments)
        except BadPattern as error:
            if options.fixed:
                raise
            raise BadPattern(f"{error} (-F takes it as plain text)") from None
    report = Report()
    catalogue = Catalogue.here()
    try:
        with _killable():
            artifacts = catalogue.where(words, query_of(args))
            search = _Search(catalogue, artifacts, patterns, options, report, streams)
            matched = search.run(args)
            search.remember()
            others = foreign(
                artifacts,
                patterns,
                cancelled=streams.closed,
                progress=lambda done, all_: streams.progress("looked at", done, all_),
            )
        code = tell_problems(streams, catalogue)
    finally:
        catalogue.close()
    if streams.closed():
        return 0  # the search ended because nobody reads on
    if others:
        streams.note(sentence(others, patterns))
    if not artifacts:
        _tell_none(args, streams)
    elif not matched:
        streams.note(f"no line matches in {plural(len(artifacts), 'artifact')}")
    return _tell(report, streams) or code or (0 if matched else 1)


def _tell_none(args: argparse.Namespace, streams: Streams) -> None:
    """Say that there was nothing to search."""
    from spillview.cli.absence import none_found

    narrowed = any(getattr(args, name) is not None for name in ("harness", "session"))
    words = args.words if args.regexp or args.secrets else args.words[1:]
    streams.note(
        none_found("artifact", query_of(args), elsewhere=bool(words) or narrowed)
    )


def _secrets(args: argparse.Namespace, streams: Streams) -> int:
    """Where credentials are; exit code 1 where none was found."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli import credentials

    credentials.check(args)
    catalogue = Catalogue.here()
    try:
        artifacts = catalogue.where(args.words, query_of(args))
        found, printed = credentials.run(catalogue, artifacts, args, streams)
        if not artifacts:
            _tell_none(args, streams)
        if catalogue.state is not None:
            catalogue.state.remember_ids(
                (a.id, a.found.address) for a in artifacts if a.id in printed
            )
        code = tell_problems(streams, catalogue)
    finally:
        catalogue.close()
    return 0 if streams.closed() else code or (0 if found else 1)


class _killable:
    """Makes a polite end of this process end ripgrep too."""

    def __enter__(self) -> None:
        self._before: dict[int, Any] = {}
        if threading.current_thread() is not threading.main_thread():
            return
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                self._before[number] = signal.signal(number, _leave)

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)


def _leave(number: int, _frame: object) -> None:
    sys.exit(128 + number)


class _Search:
    """One search, printed as it goes."""

    def __init__(
        self,
        catalogue: Catalogue,
        artifacts: Sequence[Artifact],
        patterns: Sequence[str],
        options: Options,
        report: Report,
        streams: Streams,
    ) -> None:
        self._catalogue = catalogue
        self._artifacts = artifacts
        self._patterns = patterns
        self._options = options
        self._report = report
        self._streams = streams
        self._by_id: dict[str, Artifact] = {}
        """Those that matched."""
        self._told: dict[str, str] = {}
        self._held = False
        """Whether lines wait for being handed on."""
        self._handed = 0.0

    def run(self, args: argparse.Namespace) -> bool:
        """Search and print; True when something matched."""
        if args.count or args.files_with_matches:
            return self._counts(args)
        if args.json:
            return self._json()
        from spillview.cli.matches import Matches

        shown = Matches(
            self._streams,
            self._by_id,
            self._options,
            now=self._catalogue.now(),
            raw=args.raw,
        )
        return shown.write(self._messages())

    def _messages(self) -> Iterator[Message]:
        from spillview.search.grep import search

        return search(
            self._artifacts,
            self._patterns,
            self._options,
            facts=self._facts,
            cancelled=self._closed,
            progress=self._progress,
            report=self._report,
            index=self._catalogue.places.index_dir,
            looked=True,
        )

    def _facts(self, artifact: Artifact) -> Artifact:
        """The artifact with what the model saw of it, so far as it was not known."""
        self._told[artifact.id] = artifact.found.address
        if artifact.link is None or artifact.link.seen is None:
            artifact = self._catalogue.complete_one(artifact)
        self._by_id[artifact.id] = artifact
        return artifact

    def remember(self) -> None:
        """Keep the ids that were printed, so that they can be used afterwards."""
        if self._catalogue.state is not None:
            self._catalogue.state.remember_ids(self._told.items())

    def _progress(self, done: int, total: int) -> None:
        self._streams.progress("searched", done, total)

    def _json(self) -> bool:
        matched = False
        for message in self._messages():
            kind = message["type"]
            matched = matched or kind == "match"
            self._streams.json(message)
            self._held = True
            if kind == "end" and time.monotonic() - self._handed > HELD:
                self._hand_on()
        self._hand_on()
        return matched

    def _hand_on(self) -> None:
        """Hand on what was found so far."""
        if self._held:
            self._streams.flush()
            self._held, self._handed = False, time.monotonic()

    def _closed(self) -> bool:
        """Whether nobody reads on; asked before each wait for more of the search."""
        self._hand_on()
        return self._streams.closed()

    def _counts(self, args: argparse.Namespace) -> bool:
        matched = False
        for ident, address, number in self._counted(args.files_with_matches):
            matched = True
            self._told[ident] = address
            place = address.replace("\0", "#")
            if args.json:
                self._streams.json(_count_row(ident, place, number, args.count))
            else:
                self._count_line(ident, place, number if args.count else None)
        return matched

    def _counted(self, names_only: bool) -> Iterator[tuple[str, str, int]]:
        """Id, address and number of each artifact with a match."""
        if self._options.seen is None:
            from spillview.search.grep import counts

            found = counts(
                self._artifacts,
                self._patterns,
                self._options,
                names_only=names_only,
                cancelled=self._streams.closed,
                progress=self._progress,
                report=self._report,
                index=self._catalogue.places.index_dir,
                looked=True,
            )
            for index, number in found:
                yield *_named(self._artifacts, index), number
            return
        for message in self._messages():
            data = message["data"]
            if message["type"] != "end":
                continue
            stats = data["stats"]
            counted = "matches" if self._options.only_matching else "matched_lines"
            artifact = self._by_id[data["artifact"]]
            yield artifact.id, artifact.found.address, stats[counted]

    def _count_line(self, ident: str, place: str, number: int | None) -> None:
        path = printable(path_text(place))
        streams = self._streams
        if streams.terminal:
            path = f"{streams.styled(ident[:8], 'name')}  {path}"
        streams.line(path if number is None else f"{path}:{number}")


def _named(artifacts: Sequence[Artifact], index: int) -> tuple[str, str]:
    """Id and address of one of the artifacts; of a `Listing` none is made for it."""
    from spillview.catalogue.listing import Listing

    if isinstance(artifacts, Listing):
        return artifacts.ident(index), artifacts.address(index)
    artifact = artifacts[index]
    return artifact.id, artifact.found.address


def _count_row(ident: str, place: str, number: int, counted: bool) -> dict[str, Any]:
    from spillview.search.excerpts import as_text

    data: dict[str, Any] = {"path": as_text(os.fsencode(place)), "artifact": ident}
    if counted:
        data["count"] = number
    return {"type": "count" if counted else "file", "data": data}


def _tell(report: Report, streams: Streams) -> int:
    """Say what was left out; exit code 2 when something could not be read."""
    for problem in report.problems:
        path = path_text(problem.path)
        named = not path or path in problem.sentence
        streams.error(problem.sentence if named else f"{path}: {problem.sentence}")
    if report.skipped:
        one = report.skipped == 1
        what = "link or special file was" if one else "links and special files were"
        streams.note(f"{report.skipped:,} {what} not searched")
    if report.damaged:
        streams.note(DAMAGED)
    if report.unknown:
        streams.note(
            f"matches left out as neither seen nor unseen: {report.unknown:,}"
            " (it is not known what the model saw of their artifacts)"
        )
    return 2 if report.problems else 0
