"""Reads Claude Code's transcripts: JSON Lines with one content block a record."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spillview.model import Mention, Next
from spillview.transcripts import jsonl, logfile
from spillview.transcripts.calls import (
    Marks,
    command_of,
    exit_code_in,
    names_in,
    parse_time,
    paths_at_lines,
)
from spillview.transcripts.claude_records import (
    Call,
    blocks,
    calls_in,
    copy_chars,
    prompt_of,
    said,
    shell_input,
    title_of,
)
from spillview.transcripts.facts import Draft, Touch, TranscriptFacts, Waiting
from spillview.transcripts.notices import Block, Hit, notices_in

if TYPE_CHECKING:
    from spillview.content import Content, FileContent
    from spillview.discovery import TranscriptFound
    from spillview.profile import Profile

POINTER = "claude.pointer"
"""The notice id of a record that names its artifact in a field and not in its text."""

FIRST_IDS = 16
"""So many record ids at the start tell whether one session is a fork of another."""

LONGEST_LEAD = 400
"""Chars that may stand before a notice in a result; further in it is quoted text."""

SHORTEST_CUT = 4000
"""The smallest limit the harness can be set to: a shorter text was not cut by it."""

NOT_READS = frozenset(
    (
        "Agent",
        "AskUserQuestion",
        "Edit",
        "ExitPlanMode",
        "MultiEdit",
        "NotebookEdit",
        "SendMessage",
        "SendUserFile",
        "Task",
        "TaskCreate",
        "TaskUpdate",
        "TodoWrite",
        "Write",
    )
)
"""Tools whose arguments may name an artifact while their result shows none of it."""

TASK_TOOLS = frozenset(("AgentOutputTool", "BashOutput", "TaskOutput"))
_TASK_KEYS = ("task_id", "bash_id", "shell_id", "agentId")

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

__all__ = ["blocks", "read", "record_at"]

_LEAD = re.compile(r"\s*(?:Error: )?(?:Exit code -?\d+\s*)?")
_NUMBERED = re.compile(r"\s*\d+(?:→|\t)")


def read(
    found: TranscriptFound,
    profile: Profile,
    previous: TranscriptFacts | None,
    cancelled: Callable[[], bool] | None = None,
) -> TranscriptFacts:
    """The facts of one transcript, going on from `previous` where it still holds.

    Raises `Unreadable` when the file cannot be opened or read.
    """
    from spillview.content import open_content

    content = open_content(found.path)
    try:
        draft = logfile.resume(found, content, previous)
        reader = _Reader(found, profile, draft, content)
        reader.run(cancelled)
        logfile.finish(draft, content)
        return draft.facts()
    finally:
        content.close()


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
        self.slug = found.project_slug
        self.sessions = {draft.session, found.session, *draft.parents}
        self.pending = {t.call_id: t for t in draft.pending if t.call_id}
        self.offset = 0
        self.message: str | None = None
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
        draft.records += scanner.records
        draft.skipped += scanner.skipped
        draft.lines = scanner.number
        draft.unfinished = scanner.unfinished
        draft.size_read = draft.text_read = scanner.consumed
        draft.pending = list(self.pending.values())
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
            draft.waiting
            or self.pending
            or "inside" in draft.extra
            or (draft.title is None and draft.agent is None)
            or len(draft.first_ids) < FIRST_IDS
        )

    def _wanted(self, hits: int, data: bytes) -> bool:
        draft = self.draft
        if hits or len(draft.first_ids) < FIRST_IDS:
            return True
        if b'"tool_result"' in data:
            return any(call_id.encode() in data for call_id in self.pending)
        if b'"assistant"' in data:
            return bool(draft.waiting) or (
                "inside" in draft.extra
                and b'"tool_use"' in data
                and any(name in data for name in _NAMELIKE)
            )
        # Neither a result nor the agent's words: it may be a person's.
        return bool(draft.waiting) or (draft.title is None and draft.agent is None)

    def _take(self, record: jsonl.Record) -> None:
        value, draft = record.value, self.draft
        kind = value.get("type")
        self._identify(value)
        if kind == "summary":
            draft.entitle(_text(value.get("summary")), 2)
        elif kind in ("custom-title", "ai-title"):
            title = _text(value.get("customTitle")) or _text(value.get("aiTitle"))
            draft.entitle(title, 4 if kind == "custom-title" else 3)
        elif kind == "assistant":
            self._answer(record)
        elif kind in ("user", "attachment", "content-replacement"):
            self._receive(record)

    def _identify(self, value: dict[str, Any]) -> None:
        """What every record may say of its session."""
        draft = self.draft
        if isinstance(session := value.get("sessionId"), str):
            self.sessions.add(session)
        if draft.project is None:
            draft.project = _text(value.get("cwd"))
        draft.version = _text(value.get("version")) or draft.version
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
                self.sessions.add(origin)

    # What the agent says and calls

    def _answer(self, record: jsonl.Record) -> None:
        value, draft = record.value, self.draft
        calls = calls_in(value)
        text = said(value)
        lane = self._lane(value)
        message = value.get("message")
        message_id = message.get("id") if isinstance(message, dict) else None
        still: list[Waiting] = []
        for waiting in draft.waiting:
            same = waiting.message is not None and waiting.message == message_id
            if waiting.lane != lane or same:
                still.append(waiting)
                continue
            mention = draft.mentions[waiting.mention]
            known = mention.next or Next()
            if text is not None and known.text is None:
                known = replace(known, text=text)
            if calls and known.tool is None:
                command = command_of(calls[0].arguments)
                known = replace(known, tool=calls[0].tool, command=command)
            if known.record is None and known != Next():
                known = replace(known, record=record.number)
            if known != Next():
                draft.mentions[waiting.mention] = replace(mention, next=known)
            if known.text is None or known.tool is None:
                still.append(waiting)
        draft.waiting = still
        for call in calls:
            self._touch(call, value)

    def _touch(self, call: Call, value: dict[str, Any]) -> None:
        """Remember a call that names an artifact until its result comes."""
        if call.tool in NOT_READS:
            return
        names = names_in(call.arguments, self.profile, self.marks)
        if names and _GOES.search(command_of(call.arguments) or ""):
            self.draft.extra["inside"] = True
        if call.tool in TASK_TOOLS and isinstance(call.arguments, dict):
            ids = (call.arguments.get(key) for key in _TASK_KEYS)
            names += [f"{task}.output" for task in ids if isinstance(task, str)]
        if names:
            self.pending[call.id] = Touch(
                self.draft.transcript,
                self.draft.session,
                record=0,
                offset=0,
                length=0,
                tool=call.tool,
                call_id=call.id,
                command=command_of(call.arguments),
                names=tuple(names),
                agent=self._agent(value),
                time=parse_time(call.time),
            )

    # What the agent receives

    def _receive(self, record: jsonl.Record) -> None:
        value, draft = record.value, self.draft
        texts = blocks(value)
        prompt = prompt_of(value)
        lane = self._lane(value)
        if prompt is not None:
            draft.waiting = [w for w in draft.waiting if w.lane != lane]
            if value.get("type") == "user" and value.get("isSidechain") is not True:
                draft.entitle(title_of(prompt), 1)
        found: list[tuple[int, Block, Hit]] = []
        for index, block in enumerate(texts):
            for hit in notices_in(block.text, block.place, self.profile.notices):
                if self._genuine(hit, block, value):
                    found.append((index, block, hit))
        pointed = self._pointed(value, texts)
        if pointed is not None and not any(h.path for _, _, h in found):
            self._mention(record, 0, texts[0], None, pointed, prompt)
        for index, block, hit in found:
            self._mention(record, index, block, hit, hit.path, prompt)
        for call_id in dict.fromkeys(b.call_id for b in texts if b.place == "result"):
            mine = [b for b in texts if b.call_id == call_id]
            self._touched(record, call_id, mine, {id(b) for _, b, _ in found})

    def _pointed(self, value: dict[str, Any], texts: list[Block]) -> str | None:
        """The artifact's path by the record's own field, for its only result."""
        extra = value.get("toolUseResult")
        path = extra.get("persistedOutputPath") if isinstance(extra, dict) else None
        results = {b.call_id for b in texts if b.place == "result"}
        return path if isinstance(path, str) and path and len(results) == 1 else None

    def _genuine(self, hit: Hit, block: Block, value: dict[str, Any]) -> bool:
        """Whether a notice is the harness's own here, and not text about one."""
        lead = block.text[: hit.at]
        line = lead[lead.rfind("\n") + 1 :]
        if _NUMBERED.match(line):
            return False
        if hit.notice.cut:
            return block.place == "result" and (
                not lead.strip() or len(block.text) >= SHORTEST_CUT
            )
        if block.place == "result":
            if hit.notice.extent == "element" and not _LEAD.fullmatch(lead):
                return False
            if len(lead) > LONGEST_LEAD or '"type"' in line:
                return False
        extra = value.get("toolUseResult")
        if isinstance(extra, dict) and extra.get("persistedOutputPath") == hit.path:
            return True
        return self._own(hit.path, block.call_id)

    def _own(self, path: str | None, call_id: str | None) -> bool:
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

    def _mention(
        self,
        record: jsonl.Record,
        index: int,
        block: Block,
        hit: Hit | None,
        path: str | None,
        prompt: str | None,
    ) -> None:
        value, draft = record.value, self.draft
        groups = hit.groups if hit is not None else {}
        call_id = block.call_id or groups.get("call_id")
        call = self._call(call_id, record.offset) if call_id else None
        tool = call.tool if call is not None else None
        if hit is not None and hit.notice.cut and tool == "Read":
            return  # what the file holds is still in the file
        command = command_of(call.arguments) if call is not None else None
        if block.place == "prompt" and call is None and _is_output(hit):
            tool, command = "Bash", shell_input(block.text)
        time = parse_time(call.time) if call is not None else None
        if time is None:
            time = parse_time(value.get("timestamp"))
        failed, code = _outcome(block, groups, value)
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
                _text(value.get("version")) or draft.version,
                copied,
            )
        )
        draft.mention_ids.append(_text(value.get("uuid")))
        waiting = Waiting(
            len(draft.mentions) - 1,
            self._lane(value),
            call.message if call is not None else None,
        )
        draft.waiting.append(waiting)

    def _touched(
        self,
        record: jsonl.Record,
        call_id: str | None,
        texts: list[Block],
        enveloped: set[int],
    ) -> None:
        """Finish the touch that a result answers, or make one of what it shows."""
        touch = self.pending.pop(call_id, None) if call_id is not None else None
        shown: tuple[str, ...] = ()
        if not all(id(block) in enveloped for block in texts):
            paths: dict[str, None] = {}
            for block in texts:
                for path in paths_at_lines(block.text, self.profile, self.marks):
                    paths[path] = None
            shown = tuple(paths)
        if touch is None:
            if not shown or call_id is None:
                return
            call = self._call(call_id, record.offset)
            touch = Touch(
                self.draft.transcript,
                self.draft.session,
                0,
                0,
                0,
                call.tool if call is not None else None,
                call_id,
                command_of(call.arguments) if call is not None else None,
                agent=self._agent(record.value),
                time=parse_time(call.time) if call is not None else None,
            )
        self.draft.touches.append(
            replace(
                touch,
                record=record.number,
                offset=record.offset,
                length=record.length,
                shown=shown,
                failed=any(block.error for block in texts),
                record_id=_text(record.value.get("uuid")),
            )
        )

    def _call(self, call_id: str, before: int) -> Call | None:
        """The call of that id, from the records before offset `before`."""
        needle = b'"' + call_id.encode("utf-8", "replace") + b'"'
        for data in logfile.lines_back(self.content, needle, before):
            if b'"tool_use"' not in data:
                continue
            value = logfile.value_of(data)
            if value is None or value.get("type") != "assistant":
                continue
            for call in calls_in(value):
                if call.id == call_id:
                    return call
        return None

    def _lane(self, value: dict[str, Any]) -> str:
        """Whose records these are: the main agent's or a subagent's."""
        if self.draft.agent is not None or value.get("isSidechain") is not True:
            return ""
        return _text(value.get("agentId")) or "sidechain"

    def _agent(self, value: dict[str, Any]) -> str | None:
        if self.draft.agent is not None:
            return self.draft.agent
        return (self._lane(value) or None) if value.get("isSidechain") else None


def _is_output(hit: Hit | None) -> bool:
    """Whether a notice in a prompt stands for a `!` command's output."""
    return hit is not None and hit.notice.extent == "element"


def _outcome(
    block: Block, groups: dict[str, str], value: dict[str, Any]
) -> tuple[bool | None, int | None]:
    """Whether the call failed, and its exit code, as far as the record says."""
    if status := groups.get("status"):
        code = re.search(r"exit code (-?\d{1,10})", block.text)
        number = int(code[1]) if code else None
        return status in ("failed", "killed") or bool(number), number
    if block.place != "result":
        return None, None
    extra = value.get("toolUseResult")
    code_of = extra if isinstance(extra, dict) else {}
    number = None
    for key in ("exitCode", "exit_code", "returnCode"):
        if isinstance(code_of.get(key), int) and not isinstance(code_of[key], bool):
            number = int(code_of[key])
    if number is None and block.error:
        number = exit_code_in(block.text)
        if number is None and isinstance(extra, str):
            number = exit_code_in(extra)
    return bool(block.error) or bool(number), number


def record_at(content: Content, offset: int, length: int) -> dict[str, Any] | None:
    """The record in that byte range of a transcript."""
    return logfile.value_at(content, offset, length)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
