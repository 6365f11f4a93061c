"""Which bytes of an artifact a later call showed, from what came back of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.alignment import align, merge
from spillview.commands import Reading, reading
from spillview.errors import Unreadable
from spillview.model import Counts, Found, Range, Read, Seen
from spillview.placing import occurrences, place

if TYPE_CHECKING:
    from spillview.content import Content
    from spillview.lines import LineIndex
    from spillview.profile import Profile

SHELLS = frozenset(
    (
        "Bash",
        "BashOutput",
        "PowerShell",
        "bash",
        "exec",
        "exec_command",
        "pwsh",
        "run_shell_command",
        "shell",
        "terminal",
    )
)
NUMBERING = frozenset(("Read", "View", "read", "read_file", "view"))
SEARCHES = frozenset(("Grep", "Search", "grep", "search"))

LEAST = 16
"""Chars that must stand in the file, in one place only, to be taken for a part of it
where nothing says which part it is."""

_ROW = re.compile(r"^[ \t]{0,12}(?P<n>\d{1,12})(?:→|\t|: |:$)(?P<text>.*)$")
_MATCH = re.compile(r"^(?P<n>\d{1,12})(?P<sep>[:-])(?P<text>.*)$")
_GREPPED = re.compile(r"^(?:Line|line) (?P<n>\d{1,12}): (?P<text>.*)$")
_CUT_LINE = re.compile(
    r"(?:\.\.\. ?(?:\[truncated\]|\(line truncated to \d{1,9} chars\))|…|\[\.\.\. "
    r"omitted end of long line\])$"
)
_EXIT = re.compile(r"\A\s{0,8}(?:Error: )?Exit code -?\d{1,10}\n?")
_MARKS = re.compile(
    r"\n?\[(?:exit code: -?\d{1,10}|killed by signal: \w{1,20}|timed out after \d+ms)\]"
    r"\s{0,8}\Z"
)
_ELEMENT = re.compile(
    r"<(?P<tag>output|stdout|content)>\n?(?P<body>.*?)(?:</(?P=tag)>|\Z)", re.DOTALL
)
_REMINDER = re.compile(r"\s{0,8}<system-reminder>.*?</system-reminder>", re.DOTALL)
_REFUSED = re.compile(
    r"No such file or directory|Permission denied|cannot open|does not exist|"
    r"File has not been read|not found",
)
_NOTHING = frozenset(
    (
        "",
        "(no output)",
        "(Bash completed with no output)",
        "No files found",
        "No matches found",
        "<system>Tool ran without output or errors</system>",
    )
)
SHORTEST_CUT = 400
"""A shown line that is only the start of the file's line must be this long, or end in
a mark, to be taken for a line that the tool cut."""


@dataclass(slots=True)
class _Rows:
    """Numbered lines of a text that were compared with the file."""

    ranges: list[Range]
    good: int = 0
    bad: int = 0
    other: int = 0
    """Lines without a number."""


class Reader:
    """Places the results of later calls in one artifact."""

    def __init__(
        self, found: Found, content: Content, counts: Counts, profile: Profile
    ) -> None:
        self.found = found
        self.content = content
        self.counts = counts
        self.profile = profile
        self.lines = Lines(content, counts)

    def ranges(self, read: Read) -> tuple[tuple[Range, ...] | None, bool]:
        """The bytes a read showed, None when unknown; and whether that is all."""
        from spillview.transcripts import record_text

        try:
            text = record_text(read, self.profile)
        except Unreadable:
            return None, False
        whole = self._unspilled(text)
        text = _body(text if whole is None else whole)
        if read.tool in SHELLS:
            text = _EXIT.sub("", text)
        if text.strip() in _NOTHING:
            return (), True
        if read.failed and (read.tool not in SHELLS or _REFUSED.search(text)):
            return (), True
        if not read.named:
            rows = self._named_rows(text)
            return merge(rows.ranges), rows.bad == 0
        if read.tool in SHELLS:
            shown = self._shell(text, read.command or "")
            without = _MARKS.sub("", text)
            if shown[0] is None and without != text:
                # The harness's own last line, unless the file ends in one as well.
                return self._shell(without, read.command or "")
            return shown
        rows = self._rows(text)
        if rows.good and rows.good >= rows.bad:
            sure = rows.other == 0 or read.tool in NUMBERING
            return merge(rows.ranges), rows.bad == 0 and sure
        if read.tool in SEARCHES:
            return self._searched(text)
        return self._plain(text, Reading(shows=True))

    def _unspilled(self, text: str) -> str | None:
        """What an envelope in a result's place shows of that result."""
        from spillview.seen import preview_of
        from spillview.transcripts.notices import notices_in

        for hit in notices_in(text, "result", self.profile.notices):
            if hit.path is not None and hit.notice.preview.form != "none":
                shown = preview_of(text[hit.start : hit.end], hit.notice)
                return "" if shown is None else shown
            if hit.path is not None and not text[: hit.at].strip():
                return ""
        return None

    def _is_mine(self, word: str) -> bool:
        """Whether a word of a command names this artifact."""
        from fnmatch import fnmatchcase

        last = word.replace("\\", "/").rpartition("/")[2]
        if last == self.found.name or word == self.found.path:
            return True
        if any(mark in last for mark in "*?["):
            return fnmatchcase(self.found.name, last)
        return False

    # Lines with numbers

    def _rows(
        self, text: str, *, search: bool = False, width: int | None = None
    ) -> _Rows:
        """Lines that carry a number, compared with the file's lines of that number."""
        rows = _Rows([])
        for line in text.split("\n"):
            found = _ROW.match(line) or _GREPPED.match(line)
            if search and found is None:
                found = _MATCH.match(line)
            self._count(rows, found, line, cut=len(line) == width)
        return rows

    def _named_rows(self, text: str) -> _Rows:
        """`path:number:text` lines of this artifact; those of others count nothing."""
        rows = _Rows([])
        for line in text.split("\n"):
            at = line.find(self.found.name)
            if at < 0 or line[at + len(self.found.name) :][:1] not in (":", "-"):
                continue
            found = _MATCH.match(line[at + len(self.found.name) + 1 :])
            if found is not None:
                self._count(rows, found, line)
        return rows

    def _count(
        self,
        rows: _Rows,
        found: re.Match[str] | None,
        line: str,
        *,
        cut: bool = False,
    ) -> None:
        if found is None:
            rows.other += bool(line.strip())
            return
        span = self.lines.shown(int(found["n"]), found["text"], cut=cut)
        if span is None:
            rows.bad += 1
        else:
            rows.good += 1
            rows.ranges.append(span)

    def _searched(self, text: str) -> tuple[tuple[Range, ...] | None, bool]:
        """What a search tool printed: numbered lines, lines with the path, or lines."""
        named = self._named_rows(text)
        if named.good:
            return merge(named.ranges), named.bad == 0
        rows = self._rows(text, search=True)
        if rows.good and rows.good >= rows.bad:
            return merge(rows.ranges), rows.bad == 0
        lines = [x for x in text.split("\n") if x.strip() and not self._is_path(x)]
        if not lines:
            return (), True
        if all(re.fullmatch(r"(?:Found )?\d{1,12}( .{0,60})?", line) for line in lines):
            return (), True
        return self._placed(lines, Reading(shows=True))

    def _is_path(self, line: str) -> bool:
        """Whether a line only names files or counts in them."""
        return bool(
            re.fullmatch(r"(?:/|\.{1,2}/|[A-Za-z]:\\).{1,4096}?(?::\d{1,12})?", line)
        )

    # What shells print

    def _shell(self, text: str, command: str) -> tuple[tuple[Range, ...] | None, bool]:
        known = reading(command, self._is_mine)
        if not known.shows and known.understood:
            return (), True
        if not known.understood:
            return None, False
        if not known.alone:
            # What other commands of the line print is no part of the file.
            text = "\n".join(x for x in text.split("\n") if not _beside(x, command))
            if not text.strip():
                return (), True
        numbered = self._named_rows(text)
        if numbered.good and numbered.bad == 0:
            return merge(numbered.ranges), True
        if re.search(r"(?<!\S)-\w*n|(?<!\S)nl\b|--line-number", command):
            rows = self._rows(text, search=True, width=known.width)
            marks = sum(line == "--" for line in text.split("\n"))
            if rows.good and rows.bad == 0:
                return merge(rows.ranges), rows.other <= marks
        return self._plain(text, known)

    def _plain(
        self, text: str, known: Reading
    ) -> tuple[tuple[Range, ...] | None, bool]:
        """Text without numbers: where the call says it stands, else where it can."""
        if known.alone and known.width is None:
            seen = self._anchored(text, known)
            if seen is not None:
                return seen.ranges, True
            data = text.encode("utf-8", "surrogatepass")
            if len(text.strip()) >= LEAST and known.ordered:
                places = occurrences(data, self.content)
                if len(places) == 1:
                    return ((places[0], places[0] + len(data)),), True
        lines = [line for line in text.split("\n") if line != "--"]
        return self._placed(lines, known)

    def _anchored(self, text: str, known: Reading) -> Seen | None:
        """The text at the place that the command names, when it is there."""
        if known.line is not None:
            start = self.lines.start(known.line)
            if start is None:
                return None
            rest = _Rest(self.content, start)
            seen = align(text, rest, self.counts, "head")
            if seen.certain:
                return Seen(tuple((a + start, b + start) for a, b in seen.ranges))
            return None
        if known.anchor is None:
            return None
        form = "tail" if known.anchor == "tail" else "head"
        seen = align(text, self.content, self.counts, form)
        return seen if seen.certain and seen.ranges else None

    def _placed(
        self, lines: list[str], known: Reading
    ) -> tuple[tuple[Range, ...] | None, bool]:
        placed = place(
            lines,
            self.content,
            self.counts,
            ordered=known.ordered,
            width=known.width,
        )
        if placed.missing or (placed.unsure and not placed.ranges):
            # Something else than the file's own lines: none of it can be trusted.
            return None, False
        return placed.ranges, not placed.unsure


class Lines:
    """The file's lines by number, with their texts as a tool shows them."""

    def __init__(self, content: Content, counts: Counts) -> None:
        self.content = content
        self.counts = counts
        self._index: LineIndex | None = None
        self._wide: list[int] | None = None

    def start(self, number: int) -> int | None:
        """The byte at which line `number` begins; None if there is none."""
        if number < 1 or number > self.counts.lines:
            return None
        if self.counts.encoding.startswith("utf-16"):
            return self._wide_start(number)
        if self._index is None:
            from spillview.lines import LineIndex

            self._index = LineIndex(self.content)
            self._index.extend()
        return self._index.line_start(number)

    def _wide_start(self, number: int) -> int | None:
        if self._wide is None:
            self._wide = []
            feed = "\n".encode(self.counts.encoding)
            data = self.content.pread(0, min(self.content.size, 16 << 20))
            at = 2 if data[:2] in (b"\xff\xfe", b"\xfe\xff") else 0
            while at < len(data):
                self._wide.append(at)
                step = data.find(feed, at)
                while step >= 0 and step % 2:
                    step = data.find(feed, step + 1)
                if step < 0:
                    break
                at = step + 2
        starts = self._wide
        return starts[number - 1] if number <= len(starts) else None

    def shown(self, number: int, text: str, *, cut: bool = False) -> Range | None:
        """The bytes of line `number` that `text` shows; None when it is not that.

        `cut` says that the tool may have shown the line's start only.
        """
        start = self.start(number)
        if start is None:
            return None
        following = self.start(number + 1)
        after = self.content.size if following is None else following
        text = text.removesuffix("\r")
        line = self.content.pread(start, min(after - start, 8 * len(text) + 64))
        whole = start + len(line) >= after
        wide = self.counts.encoding.startswith("utf-16")
        coding = self.counts.encoding if wide else "utf-8"
        row = line.decode(coding, "replace")
        if whole and text == row.rstrip("\n").removesuffix("\r"):
            return (start, after)
        plain = re.sub(r"\x1b\[[0-9;:]{0,64}[mK]", "", row)
        if whole and plain != row and text == plain.rstrip("\n").removesuffix("\r"):
            return (start, after)
        mark = _CUT_LINE.search(text)
        kept = text[: mark.start()] if mark is not None else text
        cut = cut or mark is not None or len(kept) >= SHORTEST_CUT
        if cut and row.startswith(kept):
            return (start, start + len(kept.encode(coding, "surrogatepass")))
        return None


class _Rest:
    """A content from some byte on."""

    path = None

    def __init__(self, content: Content, start: int) -> None:
        self._content = content
        self._start = start

    @property
    def size(self) -> int:
        return self._content.size - self._start

    def pread(self, offset: int, length: int) -> bytes:
        return self._content.pread(self._start + offset, length)

    def close(self) -> None:
        """The content belongs to somebody else."""


def numbered(text: str, content: Content, counts: Counts) -> Seen:
    """The lines that `text` shows with their numbers, each compared with the file."""
    lines = Lines(content, counts)
    found: list[Range] = []
    certain = True
    for row in text.split("\n"):
        match = _ROW.match(row)
        span = lines.shown(int(match["n"]), match["text"]) if match else None
        if span is not None:
            found.append(span)
        elif row.strip():
            certain = False
    return Seen(merge(found), certain and bool(found))


def _beside(line: str, command: str) -> bool:
    """Whether another command of the line printed this: an echo, a count, a listing."""
    bare = line.strip()
    if not bare:
        return False
    return (
        bare in command
        or re.fullmatch(r"(?:\d{1,15} {1,8}){1,4}\S.{0,4096}", bare) is not None
        or re.match(r"[-dl][rwxsStT-]{9}[.+@]? ", bare) is not None
        or re.fullmatch(r"\w{1,20}[:=] ?-?\d{1,10}", bare) is not None
    )


def _body(text: str) -> str:
    """A result's text without what the harness puts around a tool's output."""
    text = _REMINDER.sub("", text)
    element = _ELEMENT.search(text)
    if element is not None and text.lstrip().startswith("<"):
        text = re.sub(r"\n\n\([^\n]{0,300}\)\n?\Z", "", element["body"])
    return text.strip("\n")
