"""Which bytes of an artifact a later call showed, from what came back of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.model import Counts, Found, Range, Read, Seen
from spillview.seen.alignment import align, merge
from spillview.seen.commands import Reading, reading
from spillview.seen.filelines import ROW, Lines, Rest
from spillview.seen.frames import body, unframed, without_end, without_exit
from spillview.seen.placing import occurrences, place
from spillview.seen.previews import preview_of
from spillview.seen.tools import NUMBERING, SEARCHES, is_shell

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.profiles.profile import Preview, Profile

LEAST = 16
"""Chars that must stand in the file, in one place only, to be taken for a part of it
where nothing says which part it is."""

_MATCH = re.compile(r"^(?P<n>\d{1,12})(?P<sep>[:-])(?P<text>.*)$")
_GREPPED = re.compile(r"^(?:Line|line) (?P<n>\d{1,12}): (?P<text>.*)$")
_BARRED = re.compile(r"^[ \t]{0,12}(?P<n>\d{1,12})\|(?P<text>.*)$")
_HEADING = re.compile(
    r"\[Showing results with pagination|"
    r"Found \d{1,12} (?:total )?(?:file|line|match|occurrence|result)"
)
_JQ = re.compile(
    r"\s*(?:cd [^;&|]{1,4096}&&\s*)?(?:cat [^;&|]{1,4096}\|\s*)?jq\s[^;&`$]{1,4096}\Z"
)
"""A command that is `jq` alone, which prints values of the file in its own spacing."""
_NO_LINES = re.compile(r"\"output_mode\": ?\"(?:count|files_with_matches)\"")
_COUNTED = re.compile(r"(?:\w{1,20}[:=] ?)?-?\d{1,12}|(?:\d{1,15} {1,8}){1,3}total")
_LISTED = re.compile(r"[-dl][rwxsStT-]{9}[.+@]? |total \d{1,12}$")
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
        told = self._told(text)
        if told is not None:
            return told.ranges, told.certain
        spilled = self._unspilled(text)
        if spilled is None:
            output = unframed(text, self.profile)
            ranges, sure = self._shown(body(output), read)
            return self._to_the_line_end(output, ranges), sure
        part, rule = spilled
        whole = self._both_ends(part, rule, read) if rule is not None else None
        return (whole.ranges, True) if whole is not None else self._cut(part, read)

    def _both_ends(self, part: str, rule: Preview, read: Read) -> Seen | None:
        """Head and tail that are left of a command's output which is the whole file."""
        if rule.form != "head+tail" or not is_shell(read.tool):
            return None
        known = reading(read.command or "", self._is_mine)
        if not (known.understood and known.alone and known.anchor == "whole"):
            return None
        for shown in dict.fromkeys((part, without_end(part))):
            seen = align(shown, self.content, self.counts, rule)
            if seen.certain and seen.ranges:
                return seen
        return None

    def _cut(self, part: str, read: Read) -> tuple[tuple[Range, ...] | None, bool]:
        """The bytes that a result showed of which the preview `part` is left."""
        known = self._shown(body(unframed(part, self.profile)), read)
        head, _, last = part.rstrip("\n").rpartition("\n")
        if known[1] or not head:
            return known
        # The cut split the last line, which is then no line of the file.
        ranges, sure = self._shown(body(unframed(head, self.profile)), read)
        if known[0] is None:
            verdict = self.counts.verdict
            return ranges, sure and verdict is not None and verdict.text not in last
        begun = None if is_shell(read.tool) else self._begun(last)
        if not ranges or not sure or begun is None:
            return known
        return merge((*ranges, *begun)), True

    def _begun(self, row: str) -> tuple[Range, ...] | None:
        """What a numbered row shows that was cut; None where it is no such row."""
        if not row.strip() or row.strip().isdecimal():
            return ()
        found = ROW.match(row)
        if found is None:
            return None
        span = self.lines.shown(int(found["n"]), found["text"], cut=True)
        return None if span is None else (span,)

    def _to_the_line_end(
        self, text: str, ranges: tuple[Range, ...] | None
    ) -> tuple[Range, ...] | None:
        """One range with the line end that the text ends in, where the file has it."""
        if ranges is None or len(ranges) != 1 or not text.endswith("\n"):
            return ranges
        start, end = ranges[0]
        after = self.content.pread(end, 2)
        if after[:1] == b"\n":
            return ((start, end + 1),)
        return ((start, end + 2),) if after == b"\r\n" else ranges

    def _shown(self, text: str, read: Read) -> tuple[tuple[Range, ...] | None, bool]:
        if is_shell(read.tool):
            text = without_exit(text)
        if text.strip() in _NOTHING:
            return (), True
        if read.failed and (not is_shell(read.tool) or _refused(text)):
            return (), True
        if not read.named:
            rows = self._named_rows(text)
            return merge(rows.ranges), rows.bad == 0
        if is_shell(read.tool) and self.found.stored is not None:
            # Its owner's own command prints it, or lines of it.
            return self._plain(text, Reading(shows=True))
        if is_shell(read.tool):
            shown = self.shown_in_shell(text, read.command or "")
            without = without_end(text)
            if shown[0] is None and without != text:
                # The harness's own last line, unless the file ends in one as well.
                return self.shown_in_shell(without, read.command or "")
            return shown
        if read.tool in SEARCHES:
            if _NO_LINES.search(read.command or ""):
                return (), True
            return self._searched(text)
        rows = self._rows(text)
        numbers = rows.other == 0 or read.tool in NUMBERING
        if rows.good and rows.good >= rows.bad and numbers:
            return merge(rows.ranges), rows.bad == 0
        return self._plain(text, Reading(shows=True))

    def _told(self, text: str) -> Seen | None:
        """What an envelope of this very artifact, one that says so itself, shows."""
        from spillview.transcripts.notices import notices_in

        ours = [n for n in self.profile.notices if n.preview.form == "blocks"]
        for hit in notices_in(text, "result", ours):
            if hit.path == self.found.path:
                from spillview.envelopes.reading import seen_in

                return seen_in(text[hit.start : hit.end], self.content, self.counts)
        return None

    def _unspilled(self, text: str) -> tuple[str, Preview | None] | None:
        """What an envelope in a result's place shows of that result, and how."""
        from spillview.transcripts.notices import notices_in

        for hit in notices_in(text, "result", self.profile.notices):
            if hit.path is not None and hit.notice.preview.form != "none":
                shown = preview_of(text[hit.start : hit.end], hit.notice)
                return shown or "", hit.notice.preview
            if hit.path is not None and not text[: hit.at].strip():
                return "", None
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
        forms = (ROW, _GREPPED, _MATCH) if search else (ROW, _GREPPED, _BARRED)
        for line in text.split("\n"):
            # `3: x` is line 3 of a read tool, or ` x` as a search prints it.
            found = [match for form in forms if (match := form.match(line))]
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
                self._count(rows, [found], line)
        return rows

    def _count(
        self,
        rows: _Rows,
        found: Sequence[re.Match[str]],
        line: str,
        *,
        cut: bool = False,
    ) -> None:
        if not found:
            rows.other += bool(line.strip())
            return
        for match in found:
            span = self.lines.shown(int(match["n"]), match["text"], cut=cut)
            if span is not None:
                rows.good += 1
                rows.ranges.append(span)
                return
        rows.bad += 1

    def _searched(self, text: str) -> tuple[tuple[Range, ...] | None, bool]:
        """What a search tool printed: numbered lines, lines with the path, or lines."""
        named = self._named_rows(text)
        if named.good:
            return merge(named.ranges), named.bad == 0
        lines: list[str] = []
        mine = True
        for line in text.split("\n"):
            if self._is_path(line):
                # A heading: what follows stands in that file.
                mine = self._is_mine(line)
            elif mine and line.strip() and not _HEADING.match(line):
                lines.append(line)
        if not lines:
            return (), True
        rows = self._rows("\n".join(lines), search=True)
        if rows.good and rows.other == 0 and rows.good >= rows.bad:
            return merge(rows.ranges), rows.bad == 0
        return self._placed(lines, Reading(shows=True, context=True))

    def _is_path(self, line: str) -> bool:
        """Whether a line only names files or counts in them."""
        return bool(
            re.fullmatch(r"(?:/|\.{1,2}/|[A-Za-z]:\\).{1,4096}?(?::\d{1,12})?", line)
        )

    # What shells print

    def shown_in_shell(
        self, text: str, command: str
    ) -> tuple[tuple[Range, ...] | None, bool]:
        """What a shell's command that printed `text` showed of the artifact."""
        known = reading(command, self._is_mine)
        if not known.shows and known.understood:
            return (), True
        if not known.understood:
            found = self._json(text) if _JQ.match(command) else None
            return (None, False) if found is None else (found, True)
        if known.alone:
            return self._printed(text, known)
        # What other commands of the line print is no part of the file.
        lines = text.split("\n")
        other = [x for x in lines if self._is_beside(x, command)]
        kept = [n for n, x in enumerate(lines) if not self._is_beside(x, command)]
        mine = "\n".join(lines[n] for n in kept).strip("\n")
        # What was left out from between may be lines of the file: it is no one piece.
        piece = bool(kept) and kept[-1] - kept[0] < len(kept)
        ranges, sure = self._printed(mine, known, piece) if mine else ((), True)
        either = place(other, self.content, self.counts, ordered=False)
        return ranges, sure and not either.ranges and not either.unsure

    def _printed(
        self, text: str, known: Reading, piece: bool = True
    ) -> tuple[tuple[Range, ...] | None, bool]:
        """What a command that shows only this file printed of it; `piece`: at once."""
        seen = self._contiguous(text, known) if piece and not known.numbered else None
        if seen is not None:
            return seen.ranges, True
        named = self._named_rows(text)
        if named.good and named.bad == 0:
            return merge(named.ranges), True
        if known.numbered:
            rows = self._rows(text, search=True, width=known.width)
            marks = sum(line == "--" for line in text.split("\n"))
            if rows.good and rows.bad == 0 and rows.other <= marks:
                return merge(rows.ranges), True
        return self._placed(text.split("\n"), known)

    def _is_beside(self, line: str, command: str) -> bool:
        """Whether another command may have printed this: an echo, a count, a list."""
        bare = line.strip()
        return bool(bare) and (
            bare in command
            or _COUNTED.fullmatch(bare) is not None
            or _LISTED.match(bare) is not None
            or (bare[:1].isdigit() and self.found.name in bare)
        )

    # Text without numbers

    def _json(self, text: str) -> tuple[Range, ...] | None:
        """Values that `jq` printed, where each stands in the file once."""
        from spillview.seen.rewriting import find_json

        ranges = find_json(text, self.content)
        return None if ranges is None else merge(ranges)

    def _plain(
        self, text: str, known: Reading
    ) -> tuple[tuple[Range, ...] | None, bool]:
        """Text that stands where the call says it does, else where it can."""
        seen = self._contiguous(text, known)
        if seen is not None:
            return seen.ranges, True
        return self._placed(text.split("\n"), known)

    def _contiguous(self, text: str, known: Reading) -> Seen | None:
        """The text as one piece of the file, when there is one place for it."""
        if known.width is not None:
            return None
        seen = self._anchored(text, known)
        if seen is not None:
            return seen
        data = text.encode("utf-8", "surrogatepass")
        if len(text.strip()) >= LEAST and known.ordered:
            places = occurrences(data, self.content)
            if len(places) == 1:
                return Seen(((places[0], places[0] + len(data)),))
        return None

    def _anchored(self, text: str, known: Reading) -> Seen | None:
        """The text at the place that the command names, when it is there."""
        if known.line is not None:
            start = self.lines.start(known.line)
            if start is None:
                return None
            rest = Rest(self.content, start)
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
        rows = [line for line in lines if line != "--" or not known.context]
        placed = place(
            rows,
            self.content,
            self.counts,
            ordered=known.ordered,
            width=known.width,
        )
        if placed.missing or (placed.unsure and not placed.ranges):
            # Something else than the file's own lines: none of it can be trusted.
            return None, False
        sure = not placed.unsure
        if len(rows) < len(lines) and sure:
            # A line of the file may read like the mark between groups.
            mark = place(["--"], self.content, self.counts)
            sure = not mark.ranges and not mark.unsure
        return placed.ranges, sure


def _refused(text: str) -> bool:
    """Whether every line of a failed command's text says why it showed nothing."""
    return all(_REFUSED.search(line) for line in text.split("\n") if line.strip())
