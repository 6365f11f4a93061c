"""How to search, and which of the matches are kept for what the model saw of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence

from spillview.errors import BadInput
from spillview.frozen import Frozen
from spillview.hints import Any
from spillview.model import Problem

Message = dict[str, Any]
"""One message in the shape of `rg --json`."""


class Options(Frozen):
    """How to search; each option means what ripgrep's of the same name means."""

    case: str | None = None
    """`-i` or `-S`; None matches case."""
    fixed: bool = False
    word: bool = False
    line: bool = False
    invert: bool = False
    only_matching: bool = False
    """Give every hit in a long line, in as many excerpts as it takes."""
    max_count: int | None = None
    """Matching lines per artifact, counted after `seen` has chosen."""
    before: int = 0
    after: int = 0
    seen: bool | None = None
    """True: only what the model received; False: only what it did not."""
    full_lines: bool = False
    """Give lines over 64 KiB whole."""

    def arguments(self, patterns: Sequence[str]) -> list[str]:
        """ripgrep's own arguments for this search."""
        chosen: list[str] = [self.case] if self.case else []
        for wanted, flag in (
            (self.fixed, "-F"),
            (self.word, "-w"),
            (self.line, "-x"),
            (self.invert, "-v"),
        ):
            if wanted:
                chosen.append(flag)
        if self.max_count is not None and self.seen is None:
            chosen.append(f"-m{self.max_count}")
        for pattern in patterns:
            if "\0" in pattern:
                raise BadInput(r"a pattern cannot hold a NUL byte; write it as \x00")
            try:
                os.fsencode(pattern)
            except UnicodeEncodeError:  # half of a surrogate pair, which no file holds
                raise BadInput("the pattern holds something that is no text") from None
            chosen += ["-e", pattern]
        return chosen


class Report:
    """What a search could not do; filled while it runs."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.skipped = 0
        """Links and special files, which are never opened."""
        self.unknown = 0
        """Matches left out by `seen`: nothing is known of what the model saw."""
        self.foreign = 0
        """Artifacts with bytes that are no UTF-8, where a letter of the pattern is not
        ASCII: it is found in their UTF-8 alone."""
        self.damaged = 0
        """Parts of the search index that were damaged, and removed; nothing was
        missed."""


class Selection:
    """Keeps the matches that were (or were not) seen, with the context around them."""

    def __init__(self, seen: bool, options: Options, report: Report) -> None:
        self._seen = seen
        self._options = options
        self._report = report
        self._begin: Message | None = None
        self._held: deque[Message] = deque(maxlen=options.before)
        """Lines before a match that may yet come."""
        self._until = 0
        """The last line number that the context after a match reaches."""
        self._told = 0
        """The last line number told."""
        self._lines = 0
        self._matches = 0
        self.stats = {"matched_lines": 0, "matches": 0, "searches_with_match": 0}

    def messages(self, message: Message) -> Iterator[Message]:
        """What is told now that `message` is known."""
        kind, data = message["type"], message["data"]
        if kind == "begin":
            self._begin = message
            self._held.clear()
            self._until = self._told = self._lines = self._matches = 0
        elif kind == "end":
            if self._begin is None:
                yield self._end(message)
        elif kind == "match" and self._keeps(data):
            yield from self._match(message)
        else:
            yield from self._around(message)

    def _keeps(self, data: Message) -> bool:
        if data["seen"] is None:
            self._report.unknown += 1
            return False
        limit = self._options.max_count
        full = limit is not None and self._lines >= limit
        same = data["line_number"] == self._told and self._lines > 0
        return data["seen"] is self._seen and (not full or same)

    def _match(self, message: Message) -> Iterator[Message]:
        data = message["data"]
        number: int = data["line_number"]
        if self._begin is not None:
            yield self._begin
            self._begin = None
        for earlier in self._held:
            if earlier["data"]["line_number"] >= number - self._options.before:
                yield earlier
        self._held.clear()
        self._lines += number != self._told or self._lines == 0
        self._matches += data.get("submatches_total", len(data["submatches"]))
        self._told = number
        self._until = number + self._options.after
        yield message

    def _around(self, message: Message) -> Iterator[Message]:
        data = message["data"]
        number: int = data["line_number"]
        if message["type"] == "match":
            data = {**data, "submatches": []}
            data.pop("seen", None)
            data.pop("submatches_total", None)
        context = {"type": "context", "data": data}
        if number <= self._told:
            return  # a further excerpt of a line that was told
        if self._lines and number <= self._until:
            self._told = number
            yield context
        elif self._options.before:
            self._held.append(context)

    def _end(self, message: Message) -> Message:
        stats = message["data"]["stats"]
        stats["matched_lines"] = self._lines
        stats["matches"] = self._matches
        self.stats["matched_lines"] += self._lines
        self.stats["matches"] += self._matches
        self.stats["searches_with_match"] += 1
        return message
