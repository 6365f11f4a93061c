"""Which notices in Claude Code's records are its own, and how their calls ended."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spillview.transcripts.calls import Marks, exit_code_in
from spillview.transcripts.genuine import is_numbered, is_quoted
from spillview.transcripts.notices import Block, Hit

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile

LONGEST_LEAD = 400
"""Chars that may stand before a notice in a result; further in it is quoted text."""

SHORTEST_CUT = 4000
"""The smallest limit the harness can be set to: a shorter text was not cut by it."""

_LEAD = re.compile(r"\s*(?:Error: )?(?:Exit code -?\d+\s*)?")
_NUMBERED = re.compile(r"\s*\d+(?:→|\t)")
_CODE = re.compile(r"exit code (-?\d{1,10})")
_CODE_FIELDS = ("exitCode", "exit_code", "returnCode")


@dataclass(slots=True)
class Ground:
    """Where the artifacts of one transcript's session lie."""

    sessions: set[str]
    """Its id, its parent's, those it was forked from, those its records name."""
    slug: str | None
    """Its project's folder name: older background tasks lie below it alone."""
    marks: Marks
    guest: Profile | None = None
    """Whose notices are looked for, where it is not the harness itself."""

    def genuine(self, hit: Hit, block: Block, record: dict[str, Any]) -> bool:
        """Whether a notice is the harness's own here, and not text about one."""
        lead = block.text[: hit.at]
        line = lead[lead.rfind("\n") + 1 :]
        if _NUMBERED.match(line):
            return False
        if self.guest is not None:
            quoted = is_numbered(line) or is_quoted(block.text, hit)
            mine = hit.path is None or self._holds(hit.path)
            return block.place == "result" and mine and not quoted
        if hit.notice.cut:
            return block.place == "result" and (
                not lead.strip() or len(block.text) >= SHORTEST_CUT
            )
        if block.place == "result":
            if hit.notice.extent == "element" and not _LEAD.fullmatch(lead):
                return False
            if len(lead) > LONGEST_LEAD or '"type"' in line:
                return False
        extra = record.get("toolUseResult")
        if isinstance(extra, dict) and extra.get("persistedOutputPath") == hit.path:
            return True
        return self.owns(hit.path, block.call_id)

    def _holds(self, path: str) -> bool:
        """Whether `path` lies where the guest keeps its artifacts."""
        from spillview.transcripts.addressing import artifact_endings, split

        assert self.guest is not None
        parts = split(path)
        return any(e.match(parts) is not None for e in artifact_endings(self.guest))

    def owns(self, path: str | None, call_id: str | None) -> bool:
        """Whether `path` lies where this session's artifacts do, or nowhere at all."""
        if path is None:
            return True
        parts = path.replace("\\", "/").split("/")
        if len(parts) == 1:
            return True  # "undefined": the harness wrote no path
        if call_id is not None and parts[-1].partition(".")[0] == call_id:
            return True
        at = self.marks.at(parts)
        if at is None:
            return False
        return parts[at] in self.sessions or parts[at] == self.slug


def is_shell_output(hit: Hit | None) -> bool:
    """Whether a notice in a prompt stands for a `!` command's output."""
    return hit is not None and hit.notice.extent == "element"


def outcome(
    block: Block, groups: dict[str, str], record: dict[str, Any]
) -> tuple[bool | None, int | None]:
    """Whether the call failed, and its exit code, as far as the record says."""
    if status := groups.get("status"):
        code = _CODE.search(block.text)
        number = int(code[1]) if code else None
        return status in ("failed", "killed") or bool(number), number
    if block.place != "result":
        return None, None
    extra = record.get("toolUseResult")
    number = _code_field(extra) if isinstance(extra, dict) else None
    if number is None and block.error:
        number = exit_code_in(block.text)
        if number is None and isinstance(extra, str):
            number = exit_code_in(extra)
    return bool(block.error) or bool(number), number


def _code_field(extra: dict[str, Any]) -> int | None:
    for key in _CODE_FIELDS:
        value = extra.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None
