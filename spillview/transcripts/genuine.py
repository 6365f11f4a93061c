"""Which notices in a conversation are the harness's own, and not text about one.

A false link is the worst fault, so a notice counts only where the harness puts one: at
an edge of a result, outside numbered and found lines, and with a path that lies where
this harness keeps the artifacts of this session, or that the record itself gives.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.transcripts.addressing import artifact_endings, split

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile
    from spillview.transcripts.notices import Block, Hit

LEAD = 400
"""Chars that may stand before a notice at a result's start."""

TRAIL = 2000
"""Chars that may stand behind a notice at a result's end: hints on how to read on."""

SHORTEST_CUT = 1000
"""A shorter text was not cut by a mark in its middle."""

_NUMBERED = re.compile(
    r"\s{0,12}\d{1,9}(?:→|\t|\||[:-])|[^\s:][^\n:]{0,1024}:\d{1,9}[:-]"
)
_MARKS = re.compile(
    r"(?:[+>#*|`'\"-]|//|\s){1,16}"  # of a diff, a quotation, a comment, a list
    r"|[^\s:]{1,1024}\.\w{1,8}:"  # of a search without numbers
    r"|\s{1,40}\"[\w.-]{1,64}\":\s{0,4}\"(?:.{0,8192}\\n)?"  # of a member in JSON
)
"""What stands before a notice on its line where some text quotes it."""
_FENCE = re.compile(r"(?:^|\n) {0,3}(?:```|~~~)[^\n`]{0,40}\s{0,8}\Z")
_FENCED = re.compile(r"\s{0,8}(?:```|~~~)")
_DOCUMENT = re.compile(
    r"^(?:#{1,6} [^\n]|diff --git |@@ -\d|\+\+\+ |```|~~~)", re.MULTILINE
)
"""A line of a text for people to read, or of a patch."""
_READS = re.compile(
    r"(?:fs[_.-]?)?(?:read|view|open|cat)(?:[_.-]?(?:many|multiple))?"
    r"(?:[_.-]?(?:files?|document|text|range|lines?|notebook))?(?:[_.-]?v?\d)?",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"(?:fs[_.-]?)?(?:write|edit|create|insert|replace|append|delete|remove|rename|move|"
    r"apply|multi_?edit|search_?(?:and_?)?replace|str_?replace(?!_editor)|patch|todo|"
    r"update_?plan|task_?(?:create|update)|attempt_?completion|ask)",
    re.IGNORECASE,
)
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]")


@dataclass(slots=True)
class Ground:
    """Where the artifacts of one transcript's session lie."""

    profile: Profile
    sessions: set[str]
    """Its id, its parent's, its subagents', those it was forked from."""

    def genuine(
        self,
        hit: Hit,
        block: Block,
        *,
        tool: str | None = None,
        field: str | None = None,
    ) -> bool:
        """Whether a notice is the harness's own here.

        `tool` is that of the call a result answers, `field` the path that the record
        gives beside it.
        """
        notice = hit.notice
        if is_numbered(line_before(block.text, hit)) or is_numbered(hit.path or ""):
            return False
        if block.place == "result" and (
            is_quoted(block.text, hit) or not self._placed(hit, block, tool)
        ):
            return False
        if notice.cut:
            return block.place == "result"
        if field is not None and hit.path is not None and field.startswith(hit.path):
            return True
        if hit.path is None:
            return True
        if notice.resolve.by != "path":
            return not self._is_foreign(hit.path)
        return self.owns(hit.path, block.call_id)

    def _placed(self, hit: Hit, block: Block, tool: str | None) -> bool:
        """Whether it stands where a harness puts one into a result."""
        text, notice = block.text, hit.notice
        before = len(text[: hit.at].strip())
        after = len(text[hit.until :].strip())
        if tool is not None and _READS.fullmatch(tool):
            # A file that quotes a notice can hold it anywhere; a notice about the
            # file's own text is the first or the last of it.
            shown = notice.preview
            if shown.form == "none" or shown.place == "after":
                first = before == 0
            else:
                first = False
            last = shown.place == "before" and after <= TRAIL
            middle = shown.place == "around" and min(before, after) >= SHORTEST_CUT
            if not (first or last or middle or (notice.at_end and not after)):
                return False
        if notice.cut:
            return not before or not after or len(text) >= SHORTEST_CUT
        if notice.extent == "element" and (
            before > LEAD or len(text[hit.end :].strip()) > TRAIL
        ):
            return False
        return notice.preview.place == "around" or before <= LEAD or after <= TRAIL

    def owns(self, path: str, call_id: str | None) -> bool:
        """Whether `path` lies where this session's artifacts do, or nowhere at all."""
        parts = split(path)
        if len(parts) == 1:
            return True  # "undefined": the harness wrote no path
        if call_id and _stem(parts[-1]) == call_id:
            return True
        known = self._sessions_named()
        placed = False
        for ending in artifact_endings(self.profile):
            captures = ending.match(parts)
            if captures is None:
                continue
            session = captures.get("parent") or captures.get("session")
            if session is None:
                read = self.profile.read_name(parts[-1])
                if read is None or not read[0].skip:
                    return True
            elif session in known:
                return True
            placed = True
        if placed:
            return False  # another session's
        # A folder that the user chose: then the file's name must be one of theirs.
        read = self.profile.read_name(parts[-1])
        return read is not None and not read[0].skip and not _loose(read[0].regex)

    def _is_foreign(self, path: str) -> bool:
        """Whether a path that need not be real says that it is another session's."""
        found = (e.match(split(path)) for e in artifact_endings(self.profile))
        named = {c.get("parent") or c.get("session") for c in found if c is not None}
        return bool(named) and not named & {None, *self._sessions_named()}

    def _sessions_named(self) -> set[str]:
        from spillview.discovery.routes import hashed_session

        known = {_UNSAFE.sub("_", name) for name in self.sessions} | self.sessions
        if any(glob.session == "sha256-12" for glob in self.profile.globs):
            known |= {hashed_session(name) for name in self.sessions}
        return known


def is_numbered(line: str) -> bool:
    """Whether a line is one of a file that a reading or a search shows."""
    return _NUMBERED.match(line) is not None


def line_before(text: str, hit: Hit) -> str:
    """What stands before a notice's first words on their line."""
    words = text[hit.at : hit.until]
    at = hit.at + len(words) - len(words.lstrip())
    return text[text.rfind("\n", 0, at) + 1 : hit.at]


def is_quoted(text: str, hit: Hit) -> bool:
    """Whether a notice in a result looks like one that some other text shows.

    Its line begins as one of a transcript, a patch, a search or a quotation; or it
    stands in a fence, or beside the headings of a document.
    """
    notice, line = hit.notice, line_before(text, hit)
    if '"type"' in line:
        return True  # a line of a transcript
    shown = notice.preview
    if shown.field is not None and not _holds(text, shown.field):
        return True
    if notice.cut or (shown.form != "none" and shown.place == "around"):
        return False
    if shown.field is None and _MARKS.fullmatch(line):
        return True
    if shown.form != "none" and shown.place == "before":
        behind = text[hit.until : hit.until + TRAIL]
        return _DOCUMENT.search(behind.lstrip("\n")) is not None
    ahead = text[max(0, hit.at - LEAD) : hit.at]
    if _FENCE.search(ahead) or _DOCUMENT.search(ahead):
        return True
    return notice.extent == "element" and _FENCED.match(text, hit.end) is not None


def _holds(text: str, field: str) -> bool:
    """Whether a result is the object in which the harness has its notice."""
    from spillview.transcripts.facts import load

    try:
        value = load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return isinstance(value, dict) and field in value


def _stem(name: str) -> str:
    return name.partition(".")[0]


def _loose(regex: str) -> bool:
    """Whether a name rule fits any name."""
    return (
        re.fullmatch(r"\^?(?:\(\?P<\w+>)?\.[+*]\)?(?:\\\.\w{1,8})?\$?", regex)
        is not None
    )


def changes_files(tool: str) -> bool:
    """Whether a tool's arguments may name an artifact while its result shows none."""
    return _CHANGES.match(tool) is not None
