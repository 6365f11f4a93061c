"""Reads Claude Code's transcripts: JSON Lines with one content block a record."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spillview.model import Mention
from spillview.transcripts import jsonl, logfile
from spillview.transcripts.calls import Marks, command_of, parse_time
from spillview.transcripts.claude_calls import NOT_READS, Calls, tasks_of
from spillview.transcripts.claude_ground import Ground, is_shell_output, outcome
from spillview.transcripts.claude_records import (
    Call,
    blocks,
    calls_in,
    copy_chars,
    lane_of,
    prompt_of,
    said,
    shell_input,
    spoken,
    title_of,
)
from spillview.transcripts.decisions import Decisions
from spillview.transcripts.draft import Draft
from spillview.transcripts.facts import TranscriptFacts
from spillview.transcripts.notices import Block, Hit, notices_in
from spillview.transcripts.touches import Made, Touches, made_by
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.content.content import Content, FileContent
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile

POINTER = "claude.pointer"
"""The notice id of a record that names its artifact in a field and not in its text."""

FIRST_IDS = 16
"""So many record ids at the start tell whether one session is a fork of another."""

_NEEDLES = (
    b"persistedOutputPath",
    b'"content-replacement"',
    b'"summary"',
    b'-title"',
    b'"task_id"',
    b'"bash_id"',
    b'"shell_id"',
)
"""What a record must be parsed for, besides the needles of the profile's notices."""

_NAMELIKE = (b".txt", b".json", b".output")
"""How names of artifacts end. A call can give one without its folder only where an
earlier one went there."""

_GOES = re.compile(r"\b(?:cd|pushd|Set-Location|chdir)\b")

SPOKEN = (b'"assistant"', b"compact_boundary", b'"tool_result"')
"""What the records of `spoken` hold."""

COMPACTS = True

__all__ = ["COMPACTS", "SPOKEN", "blocks", "read", "record_at", "spoken"]


def read(
    found: TranscriptFound,
    profile: Profile,
    previous: TranscriptFacts | None,
    cancelled: Callable[[], bool] | None = None,
) -> TranscriptFacts:
    """The facts of one transcript, going on from `previous` where it still holds.

    Raises `Unreadable` when the file cannot be opened or read.
    """
    with logfile.reading(found, previous) as (content, draft):
        _Reader(found, profile, draft, content).run(cancelled)
    return draft.facts()


class _Reader:
    """Takes one transcript's records into a draft of its facts."""

    def __init__(
        self,
        found: TranscriptFound,
        profile: Profile,
        draft: Draft,
        content: FileContent,
    ) -> None:
        self.profile = profile
        self.draft = draft
        self.content = content
        self.marks = Marks.of(profile)
        self.ground = Ground(
            {draft.session, found.session, *draft.parents},
            found.project_slug,
            self.marks,
            profile if profile.guest else None,
        )
        self.touches = Touches(draft, profile, self.marks)
        self.decisions = Decisions(draft)
        self.calls = Calls(content)
        needles = [*_NEEDLES]
        needles += [mark.encode() for mark in self.marks.names]
        needles += [notice.needle.encode() for notice in profile.notices]
        self.needles = tuple(dict.fromkeys(needles))

    def run(self, cancelled: Callable[[], bool] | None) -> None:
        """Read to the end of the file."""
        draft, content = self.draft, self.content
        scanner = jsonl.Scanner(
            jsonl.pieces(content.pread, draft.size_read, content.size, cancelled),
            self.needles,
            self._wanted,
            offset=draft.size_read,
            number=draft.lines,
            idle=self._idle,
            opening=b'{"parentUuid":',
            exact=content.size <= jsonl.EXACT,
            joint=logfile.joint(draft, content),
        )
        for record in scanner:
            self._take(record)
        logfile.passed(draft, scanner)
        draft.size_read = scanner.consumed
        draft.pending = self.touches.waiting
        draft.waiting = self.decisions.waiting
        for offset, length in reversed(scanner.last):
            value = logfile.value_at(content, offset, length)
            time = parse_time(value.get("timestamp")) if value else None
            if time is not None:
                draft.saw(time)
                break

    def _idle(self) -> bool:
        """Whether only a line with a needle can tell anything new."""
        draft = self.draft
        return not (
            self.decisions
            or self.touches
            or "inside" in draft.extra
            or (draft.title is None and draft.agent is None)
            or len(draft.first_ids) < FIRST_IDS
        )

    def _wanted(self, hits: int, data: bytes) -> bool:
        draft = self.draft
        if hits or len(draft.first_ids) < FIRST_IDS:
            return True
        if b'"tool_result"' in data:
            return self.touches.awaits(data)
        if b'"assistant"' in data:
            return bool(self.decisions) or (
                "inside" in draft.extra
                and b'"tool_use"' in data
                and any(name in data for name in _NAMELIKE)
            )
        # Neither a result nor the agent's words: it may be a person's.
        return bool(self.decisions) or (draft.title is None and draft.agent is None)

    def _take(self, record: jsonl.Record) -> None:
        value, draft = record.value, self.draft
        kind = value.get("type")
        self._identify(value)
        if kind == "summary":
            draft.entitle(text_in(value.get("summary")), 2)
        elif kind in ("custom-title", "ai-title"):
            title = text_in(value.get("customTitle")) or text_in(value.get("aiTitle"))
            draft.entitle(title, 4 if kind == "custom-title" else 3)
        elif kind == "assistant":
            self._answer(record)
        elif kind in ("user", "attachment", "content-replacement"):
            self._receive(record)

    def _identify(self, value: dict[str, Any]) -> None:
        """What every record may say of its session."""
        draft = self.draft
        if isinstance(session := value.get("sessionId"), str):
            self.ground.sessions.add(session)
        if draft.project is None:
            draft.project = text_in(value.get("cwd"))
        draft.version = text_in(value.get("version")) or draft.version
        if draft.started is None:
            draft.saw(parse_time(value.get("timestamp")))
        record_id = value.get("uuid")
        if isinstance(record_id, str) and len(draft.first_ids) < FIRST_IDS:
            draft.first_ids.append(record_id)
        forked = value.get("forkedFrom")
        if isinstance(forked, dict):
            origin = forked.get("sessionId")
            if isinstance(origin, str) and origin not in draft.parents:
                draft.parents.append(origin)
                self.ground.sessions.add(origin)

    # What the agent says and calls

    def _answer(self, record: jsonl.Record) -> None:
        value = record.value
        calls = calls_in(value)
        message = value.get("message")
        self.decisions.answered(
            self._lane(value),
            text_in(message.get("id")) if isinstance(message, dict) else None,
            said(value),
            calls[0].tool if calls else None,
            command_of(calls[0].arguments) if calls else None,
            record.number,
        )
        for call in calls:
            self._touch(call, value)

    def _touch(self, call: Call, value: dict[str, Any]) -> None:
        """Remember a call that names an artifact until its result comes."""
        if call.tool in NOT_READS:
            return
        more = [f"{task}.output" for task in tasks_of(call)]
        made = made_by(call.tool, call.arguments, parse_time(call.time))
        agent = self._agent(value)
        named = self.touches.called(call.id, call.arguments, made, agent, more)
        if named and _GOES.search(made[1] or ""):
            self.draft.extra["inside"] = True

    # What the agent receives

    def _receive(self, record: jsonl.Record) -> None:
        value, draft = record.value, self.draft
        texts = blocks(value)
        prompt = prompt_of(value)
        lane = self._lane(value)
        if prompt is not None:
            self.decisions.prompted(lane)
            if value.get("type") == "user":
                self.touches.given_up(self._agent(value))
            if value.get("type") == "user" and value.get("isSidechain") is not True:
                draft.entitle(title_of(prompt), 1)
        if typed := shell_input(prompt or ""):
            draft.extra["typed"] = typed  # its output is a record of its own
        found: list[tuple[int, Block, Hit]] = []
        for index, block in enumerate(texts):
            for hit in notices_in(block.text, block.place, self.profile.notices):
                if self.ground.genuine(hit, block, value):
                    found.append((index, block, hit))
        pointed = self._pointed(value, texts)
        if pointed is not None and not any(h.path for _, _, h in found):
            self._mention(record, 0, texts[0], None, pointed)
        for index, block, hit in found:
            path = hit.path
            if path and pointed is not None and pointed.startswith(path):
                path = pointed  # whole, where a line end in it cuts the notice's
            self._mention(record, index, block, hit, path)
        enveloped = {id(block) for _, block, _ in found}
        for call_id in dict.fromkeys(b.call_id for b in texts if b.place == "result"):
            mine = [block for block in texts if block.call_id == call_id]
            self._returned(record, call_id, mine, enveloped)

    def _pointed(self, value: dict[str, Any], texts: list[Block]) -> str | None:
        """The artifact's path by the record's own field, for its only result."""
        extra = value.get("toolUseResult")
        path = extra.get("persistedOutputPath") if isinstance(extra, dict) else None
        results = {b.call_id for b in texts if b.place == "result"}
        return path if isinstance(path, str) and path and len(results) == 1 else None

    def _mention(
        self,
        record: jsonl.Record,
        index: int,
        block: Block,
        hit: Hit | None,
        path: str | None,
    ) -> None:
        value, draft = record.value, self.draft
        groups = hit.groups if hit is not None else {}
        call_id = block.call_id or groups.get("call_id")
        call = self.calls.find(call_id, record.offset) if call_id else None
        tool = call.tool if call is not None else None
        if hit is not None and hit.notice.cut and tool == "Read":
            return  # what the file holds is still in the file
        command = command_of(call.arguments) if call is not None else None
        if block.place == "prompt" and call is None and is_shell_output(hit):
            tool = "Bash"
            command = shell_input(block.text)
            if command is None and block.text.lstrip().startswith("<bash-stdout>"):
                command = self.draft.extra.get("typed")
        time = parse_time(call.time) if call is not None else None
        if time is None:
            time = parse_time(value.get("timestamp"))
        failed, code = outcome(block, groups, value)
        claims = hit.claims if hit is not None else ()
        start, end = (hit.start, hit.end) if hit is not None else (0, len(block.text))
        copied = 0
        if block.place == "result" and (hit is None or not hit.notice.cut):
            copied = copy_chars(value, end - start, claims)
        draft.mentions.append(
            Mention(
                draft.transcript,
                draft.session,
                record.number,
                record.offset,
                record.length,
                block.place,
                hit.notice.id if hit is not None else POINTER,
                path,
                index,
                start,
                end,
                claims,
                call_id,
                tool,
                command,
                failed,
                code,
                time,
                self._agent(value),
                text_in(value.get("version")) or draft.version,
                copied,
                ident=groups.get("id") if self.profile.guest else None,
            )
        )
        draft.mention_ids.append(text_in(value.get("uuid")))
        message = call.message if call is not None else None
        self.decisions.wait(self._lane(value), message)

    def _returned(
        self,
        record: jsonl.Record,
        call_id: str | None,
        texts: list[Block],
        enveloped: set[int],
    ) -> None:
        def maker() -> Made:
            call = self.calls.find(call_id, record.offset) if call_id else None
            if call is None:
                return None, None, None
            return made_by(call.tool, call.arguments, parse_time(call.time))

        self.touches.returned(
            record,
            call_id,
            [block.text for block in texts if id(block) not in enveloped],
            text_in(record.value.get("uuid")),
            any(block.error for block in texts),
            maker,
            self._agent(record.value),
        )

    def _lane(self, value: dict[str, Any]) -> str:
        """Whose records these are: the main agent's or a subagent's."""
        return "" if self.draft.agent is not None else lane_of(value)

    def _agent(self, value: dict[str, Any]) -> str | None:
        if self.draft.agent is not None:
            return self.draft.agent
        return (self._lane(value) or None) if value.get("isSidechain") else None


def record_at(content: Content, offset: int, length: int) -> dict[str, Any] | None:
    """The record in that byte range of a transcript."""
    return logfile.value_at(content, offset, length)
