"""Reads dsh's session logs: an event a line, raw or in zstd frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from spillview.model import Mention
from spillview.transcripts import frames, jsonl, logfile
from spillview.transcripts.calls import (
    Marks,
    command_of,
    one_line,
    parse_time,
    texts_of,
)
from spillview.transcripts.decisions import Decisions
from spillview.transcripts.draft import Draft
from spillview.transcripts.events import Called, Event, Returned, Said
from spillview.transcripts.facts import TranscriptFacts, load
from spillview.transcripts.notices import Block, Hit, notices_in
from spillview.transcripts.remembered_calls import RememberedCall, RememberedCalls
from spillview.transcripts.touches import Touches, made_by
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.content.content import FileContent
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile

SPOKEN = (b"assistant/message", b"tool/call", b"tool/result")
"""What the records of `spoken` hold."""

COMPACTS = True

__all__ = ["COMPACTS", "SPOKEN", "blocks", "read", "record_at", "spoken"]

CALLS = 4096
"""So many calls are remembered until their result comes."""

NOT_READS = frozenset(("edit", "task", "todo_write", "write"))
"""Tools whose arguments may name an artifact while their result shows none of it."""

_OUTCOME = re.compile(
    r"\[(?:exit code: (?P<code>-?\d{1,10})|killed by signal: \w{1,20}|"
    r"timed out after \d{1,12}ms)\]\s{0,8}\Z"
)
_NO_CALLS = (b'"text-chunks"', b'"reasoning-chunks"', b'"tool-call-chunks"')


def read(
    found: TranscriptFound,
    profile: Profile,
    previous: TranscriptFacts | None,
    cancelled: Callable[[], bool] | None = None,
) -> TranscriptFacts:
    """The facts of one log, going on from `previous` where it still holds.

    Raises `Unreadable` when the file cannot be opened or read.
    """
    with logfile.reading(found, previous) as (content, draft):
        _Reader(profile, draft).run(content, cancelled)
    return draft.facts()


def record_at(content: FileContent, offset: int, length: int) -> dict[str, Any] | None:
    """The record in that byte range of a log's text."""
    if frames.is_compressed(content):
        return logfile.value_of(frames.text_at(content, offset, length))
    return logfile.value_at(content, offset, length)


def blocks(record: dict[str, Any]) -> list[Block]:
    """The texts of a result, those of one content joined as the harness joins them."""
    return [block for block, _ in _results(record)]


def spoken(record: dict[str, Any]) -> Iterator[Event]:
    """The answers, the calls, and the results that the model was given."""
    data = record.get("data")
    if not isinstance(data, dict):
        return
    step, time = _step(data), parse_time(record.get("time"))
    made = step if step != ":" else None
    if record.get("type") == "assistant/message":
        # Where no step is told, each message is an answer.
        number = record.get("seq")
        number = number if isinstance(number, int) else id(record)
        yield Said(text="", time=time, message=made or str(number))
    elif record.get("type") == "tool/call":
        call_id = text_in(data.get("callId"))
        if call_id is not None:
            yield Called(
                id=call_id,
                tool=text_in(data.get("name")) or "",
                arguments=_arguments(data.get("arguments")),
                time=time,
                message=made,
            )
    elif not _is_replacement(record):
        for block, shown in _results(record):
            if shown:
                failed = bool(block.error)
                yield Returned(
                    call_id=block.call_id,
                    texts=(block.text,),
                    failed=failed,
                    time=time,
                )


class _Reader:
    """Takes one log's records into a draft of its facts."""

    def __init__(self, profile: Profile, draft: Draft) -> None:
        self.profile = profile
        self.draft = draft
        rows = draft.extra.get("calls", {}).items()
        self.calls = RememberedCalls(CALLS, rows)
        self.touches = Touches(draft, profile, Marks.of(profile))
        self.decisions = Decisions(draft)

    def run(self, content: FileContent, cancelled: Callable[[], bool] | None) -> None:
        """Read to the end of the file."""
        draft = self.draft
        stream: frames.Frames | None = None
        chunks: Iterator[bytes]
        if frames.is_compressed(content):
            start = frames.Mark(draft.size_read, draft.extra.get("frame", 0))
            stream = frames.Frames(content, start, cancelled)
            chunks = _behind(stream, draft.text_read - start.text)
            joint = bool(draft.extra.get("joint"))
        else:
            end = content.size
            chunks = jsonl.pieces(content.pread, draft.size_read, end, cancelled)
            joint = logfile.joint(draft, content)
        small = jsonl.EXACT if stream is None else jsonl.EXACT // 8
        scanner = jsonl.Scanner(
            chunks,
            _NO_CALLS,
            _wanted,
            exact=content.size <= small,
            offset=draft.text_read,
            number=draft.lines,
            joint=joint,
        )
        for record in scanner:
            self._take(record)
        logfile.passed(draft, scanner)
        draft.pending = self.touches.waiting
        draft.waiting = self.decisions.waiting
        draft.extra = {"calls": dict(self.calls.rows())}
        if stream is None:
            draft.size_read = scanner.consumed
        else:
            draft.skipped += stream.broken
            draft.unfinished = scanner.unfinished or stream.torn
            mark = [m for m in stream.marks if m.text <= scanner.consumed][-1]
            draft.size_read = mark.file
            draft.extra["frame"] = mark.text
            draft.extra["joint"] = scanner.joint

    def _take(self, record: jsonl.Record) -> None:
        value, draft = record.value, self.draft
        kind, data = value.get("type"), value.get("data")
        if kind == "session":
            self._header(value)
            return
        time = parse_time(value.get("time"))
        draft.saw(time)
        if not isinstance(data, dict):
            return
        if kind == "tool/call":
            self._called(data, time)
        elif kind in ("tool/result", "tool/code-dispatch"):
            self._received(record, data, time)
        elif kind == "assistant/message":
            self._answered(record, data)
        elif kind == "user/message":
            self._prompted(data)
        elif kind == "session/title":
            draft.entitle(text_in(data.get("title")), 2)

    def _header(self, value: dict[str, Any]) -> None:
        draft = self.draft
        draft.session = text_in(value.get("id")) or draft.session
        draft.project = text_in(value.get("cwd")) or draft.project
        parent = text_in(value.get("parentSession"))
        if parent is not None and parent not in draft.parents:
            draft.parents.append(parent)
        draft.saw(parse_time(value.get("createdAt")))

    # What the agent says and calls

    def _called(self, data: dict[str, Any], time: float | None) -> None:
        call_id, tool = text_in(data.get("callId")), text_in(data.get("name"))
        arguments = _arguments(data.get("arguments"))
        step = _step(data)
        # A call of the step that made a result was decided before it.
        command = command_of(arguments)
        self.decisions.answered("", step, None, tool, command, None)
        if call_id is None:
            return
        self.calls.remember(call_id, RememberedCall(tool, command, time, step))
        if tool not in NOT_READS:
            self.touches.called(call_id, arguments, made_by(tool, arguments, time))

    def _answered(self, record: jsonl.Record, data: dict[str, Any]) -> None:
        message = data.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        text, tool, command = None, None, None
        for block in content if isinstance(content, list) else []:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text" and text is None:
                said = text_in(block.get("text"))
                text = said.strip() or None if said else None
            elif block.get("type") == "tool-call" and tool is None:
                tool = text_in(block.get("name"))
                command = command_of(_arguments(block.get("arguments")))
        step = _step(data)
        self.decisions.answered("", step, text, tool, command, record.number)

    def _prompted(self, data: dict[str, Any]) -> None:
        source = data.get("source")
        if not isinstance(source, dict) or source.get("kind") != "user":
            return
        self.decisions.prompted("")
        text = " ".join(texts_of(data.get("content")))
        if text.strip():
            self.draft.entitle(one_line(text), 1)

    # What the agent receives

    def _received(
        self, record: jsonl.Record, data: dict[str, Any], time: float | None
    ) -> None:
        value = record.value
        replaced = _is_replacement(value)
        message = data.get("message")
        record_id = text_in(message.get("id")) if isinstance(message, dict) else None
        nested = value.get("type") == "tool/code-dispatch"
        for index, (block, given) in enumerate(_results(value)):
            call = self.calls.get(block.call_id or "")
            if nested:
                command = command_of(_arguments(data.get("arguments")))
                call = RememberedCall(
                    text_in(data.get("name")), command, time, _step(data)
                )
            elif call is None:
                call = RememberedCall(None, None, None, _step(data))
            hits = notices_in(block.text, "result", self.profile.notices)
            for hit in hits:
                self._mention(record, index, block, hit, call, time, given)
                self.draft.mention_ids.append(record_id)
                if not replaced:
                    self.decisions.wait("", call.message)
            if not nested:
                self.touches.returned(
                    record,
                    block.call_id,
                    [] if hits else [block.text],
                    record_id,
                    bool(block.error),
                    call.made,
                )
        if not nested and not replaced:
            for block, _ in _results(value):
                self.calls.pop(block.call_id or "", None)

    def _mention(
        self,
        record: jsonl.Record,
        index: int,
        block: Block,
        hit: Hit,
        call: RememberedCall,
        time: float | None,
        given: bool,
    ) -> None:
        code, failed = _outcome(block, hit)
        paths = [hit.path, hit.groups.get("path2")] if hit.path else [None]
        for path in paths[:1] if paths[-1] is None else paths:
            self.draft.mentions.append(
                Mention(
                    self.draft.transcript,
                    self.draft.session,
                    record.number,
                    record.offset,
                    record.length,
                    "result",
                    hit.notice.id,
                    path,
                    index,
                    hit.start,
                    hit.end,
                    hit.claims,
                    block.call_id,
                    call.tool,
                    call.command,
                    failed,
                    code,
                    call.time if call.time is not None else time,
                    given=given,
                    ident=hit.groups.get("id") if self.profile.guest else None,
                )
            )


def _results(record: dict[str, Any]) -> list[tuple[Block, bool]]:
    """The texts of a result record, and whether the model was given each.

    A program's sub-call gives its value to the program; the log alone keeps this text.
    """
    data = record.get("data")
    if not isinstance(data, dict):
        return []
    if record.get("type") == "tool/code-dispatch":
        text = "".join(texts_of(data.get("content")))
        call_id = text_in(data.get("subCallId"))
        error = data.get("isError") is True
        return [(Block("result", text, call_id, error), False)] if text else []
    if record.get("type") != "tool/result":
        return []
    message = data.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    found = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, dict) and part.get("type") == "tool-result":
            text = "".join(texts_of(part.get("content")))
            error = part.get("isError") is True or data.get("error") is not None
            call_id = text_in(part.get("toolCallId"))
            found.append((Block("result", text, call_id, error), True))
    return found


def _outcome(block: Block, hit: Hit) -> tuple[int | None, bool]:
    """Exit code and failure, from the marks a shell's result ends with."""
    body = block.text[: hit.at] if hit.notice.at_end else block.text
    found = _OUTCOME.search(body[-200:])
    code = int(found["code"]) if found and found["code"] else None
    return code, bool(block.error) or (found is not None and code != 0)


def _is_replacement(value: dict[str, Any]) -> bool:
    """Whether the record only puts a shorter text in an earlier result's place."""
    operation = value.get("surfaceOp")
    return isinstance(operation, dict) and operation.get("op") == "replace"


def _arguments(value: Any) -> Any:
    """A call's arguments, which the log keeps as JSON text."""
    if isinstance(value, str):
        try:
            return load(value.encode("utf-8", "surrogatepass"))
        except ValueError:
            return value
    return value


def _step(data: dict[str, Any]) -> str:
    turn, step = data.get("turn"), data.get("step")
    # Of anything but plain numbers the text may be endless.
    return ":".join(str(n) if isinstance(n, int | str) else "" for n in (turn, step))


def _behind(chunks: frames.Frames, skip: int) -> Iterator[bytes]:
    """The chunks without their first `skip` bytes, which were taken in before."""
    for chunk in chunks:
        if skip >= len(chunk):
            skip -= len(chunk)
            continue
        yield chunk[skip:] if skip > 0 else chunk
        skip = 0


def _wanted(hits: int, data: bytes) -> bool:
    """Packed rows of streamed text hold no event; all else may."""
    return not hits or b'"seq"' in data
