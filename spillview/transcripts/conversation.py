"""What the events of a conversation mean for artifacts, for a reader of any harness.

A reader module gives `events(record, state)`; here its texts are searched for notices,
calls are matched with their results, later reads and the agent's next words noted.
"""

from __future__ import annotations

import os
from copy import deepcopy
from typing import TYPE_CHECKING, Any, cast

from spillview.model import Mention
from spillview.seen.capping import CAPPED
from spillview.transcripts import jsonl
from spillview.transcripts.blocks import blocks_of, plain_arguments
from spillview.transcripts.calls import Marks, command_of, one_line
from spillview.transcripts.decisions import Decisions
from spillview.transcripts.draft import Draft
from spillview.transcripts.events import (
    About,
    Called,
    Prompted,
    Reader,
    Returned,
    Said,
)
from spillview.transcripts.genuine import Ground, changes_files
from spillview.transcripts.notices import Block, Hit, notices_in
from spillview.transcripts.remembered_calls import RememberedCall, RememberedCalls
from spillview.transcripts.touches import Touches, made_by

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile

CALLS = 1024
"""So many calls are remembered until their result comes."""

ANSWERED = 64
"""So many answered calls are remembered: some harnesses write a record again."""

LONGEST_COMMAND = 4096
"""Chars of a command that are remembered until the result comes."""

FIRST_IDS = 16
"""So many record ids at the start tell whether one session is a fork of another."""

SESSIONS = 256
"""So many ids of sessions that records name are remembered."""


class Conversation:
    """Takes the records of one session into a draft of its facts."""

    def __init__(
        self, found: TranscriptFound, profile: Profile, module: object, draft: Draft
    ) -> None:
        self.profile = profile
        self.reader = cast(Reader, module)
        self.draft = draft
        draft.extra = deepcopy(draft.extra)
        extra = draft.extra
        self.state: dict[str, Any] = extra.setdefault("state", {})
        self.calls = RememberedCalls(CALLS, extra.get("calls", ()))
        self.answered = RememberedCalls(ANSWERED, extra.get("answered", ()))
        marks = Marks.of(profile)
        self.ground = Ground(
            profile,
            {
                name
                for name in (
                    draft.session,
                    found.session,
                    found.spill_session,
                    found.parent_session,
                    found.agent,
                    *draft.parents,
                    *extra.get("sessions", []),
                )
                if name
            },
        )
        self.touches = Touches(draft, profile, marks)
        self.decisions = Decisions(draft)
        self.mentioned = {_same(mention) for mention in draft.mentions}
        self.touched = {(t.call_id, t.tool, t.command) for t in draft.touches}
        given: tuple[bytes, ...] = getattr(module, "NEEDLES", ())
        needles = [*given] if given else []
        if given:
            needles += [mark.encode() for mark in marks.names]
            needles += [notice.needle.encode() for notice in profile.notices]
        self.needles = tuple(dict.fromkeys(needles))
        self._time: float | None = None
        self._record_id: str | None = None

    def wanted(self, hits: int, data: bytes) -> bool:
        """Whether a line can tell anything: it holds a needle, or none are named."""
        return bool(hits) or not self.needles

    def count(self, record: jsonl.Record | None) -> None:
        """Take a record and count it, or what could not be read (None)."""
        if record is None:
            self.draft.skipped += 1
        else:
            self.draft.records += 1
            self.take(record)

    def take(self, record: jsonl.Record) -> None:
        """Take what a record tells; one that its reader cannot bear is skipped."""
        try:
            events = list(self.reader.events(record.value, self.state))
        except Exception:  # a record that its reader is not ready for
            if os.environ.get("SPILLVIEW_DEBUG"):
                raise
            self.draft.records -= record.number > 0
            self.draft.skipped += record.number > 0
            return
        self._time = self._record_id = None
        for event in events:
            if isinstance(event, About):
                self._about(event)
        index = 0
        for event in events:
            if isinstance(event, Called):
                self._called(event, record)
            elif isinstance(event, Said):
                self._said(event, record)
            elif isinstance(event, Prompted | Returned):
                texts = blocks_of((event,))
                if isinstance(event, Prompted):
                    self._prompted(event, texts, record, index)
                else:
                    self._returned(event, texts, record, index)
                index += len(texts)

    def close(self) -> None:
        """Put what is not finished into the draft, for whoever reads on."""
        draft = self.draft
        draft.pending = self.touches.waiting
        draft.waiting = self.decisions.waiting
        draft.extra["calls"] = self.calls.rows()
        draft.extra["answered"] = self.answered.rows()

    # What the session is

    def _about(self, event: About) -> None:
        draft, known = self.draft, self.ground.sessions
        if event.session:
            if draft.parent_session is None and not draft.extra.get("named"):
                draft.session, draft.extra["named"] = event.session, True
            self._know(event.session)
        draft.project = draft.project or event.project
        draft.version = event.version or draft.version
        draft.entitle(one_line(event.title) if event.title else None, event.title_rank)
        for parent in event.parents:
            if parent not in draft.parents and parent != draft.session:
                draft.parents.append(parent)
                known.add(parent)
        if event.record_id:
            self._record_id = event.record_id
            if len(draft.first_ids) < FIRST_IDS:
                draft.first_ids.append(event.record_id)
        if event.time is not None:
            self._time = event.time
            draft.saw(event.time)

    def _know(self, session: str) -> None:
        """Another name of this session, as one of its records gives it."""
        known = self.ground.sessions
        names = self.draft.extra.setdefault("sessions", [])
        if session not in known and len(names) < SESSIONS:
            names.append(session)
            known.add(session)

    def _when(self, time: float | None) -> float | None:
        self.draft.saw(time)
        return time if time is not None else self._time

    def _agent(self, agent: str | None) -> str | None:
        return self.draft.agent or agent

    def _lane(self, agent: str | None) -> str:
        """Whose records these are: the main agent's or a subagent's."""
        return "" if self.draft.agent is not None else agent or ""

    # What the agent says and calls

    def _said(self, event: Said, record: jsonl.Record) -> None:
        self._when(event.time)
        text = event.text.strip()
        if text:
            self.decisions.answered(
                self._lane(event.agent), event.message, text, None, None, record.number
            )

    def _called(self, event: Called, record: jsonl.Record) -> None:
        time = self._when(event.time)
        if event.id in self.answered:
            return  # a record that was written again
        arguments = plain_arguments(event.arguments)
        command = command_of(arguments)
        if event.id not in self.calls:
            lane = self._lane(event.agent)
            self.decisions.answered(
                lane, event.message, None, event.tool, command, record.number
            )
        cut = command[:LONGEST_COMMAND] if command else None
        call = RememberedCall(event.tool, cut, time, event.message)
        self.calls.remember(event.id, call)
        if not changes_files(event.tool):
            made = made_by(event.tool, arguments, time)
            agent = self._agent(event.agent)
            self.touches.called(event.id, arguments, made, agent)

    # What the agent receives

    def _prompted(
        self, event: Prompted, texts: list[Block], record: jsonl.Record, index: int
    ) -> None:
        time = self._when(event.time)
        lane, agent = self._lane(event.agent), self._agent(event.agent)
        if event.place == "prompt" and event.text.strip():
            self.decisions.prompted(lane)
            self.touches.given_up(agent)
            if not lane and self.draft.agent is None:
                self.draft.entitle(one_line(event.text), 1)
        (block,) = texts
        hits = notices_in(block.text, block.place, self.profile.notices)
        for hit in self._own(hits, block, None, None):
            call = RememberedCall(time=time)
            call_id = hit.groups.get("call_id")
            self._mention(record, index, block, hit, call, call_id, agent, None)
            self.decisions.wait(lane, None)

    def _returned(
        self, event: Returned, texts: list[Block], record: jsonl.Record, index: int
    ) -> None:
        time = self._when(event.time)
        call = self._call_of(event, time)
        agent, lane = self._agent(event.agent), self._lane(event.agent)
        found: list[tuple[int, Block, Hit]] = []
        for place, block in enumerate(texts):
            hits = notices_in(block.text, "result", self.profile.notices)
            if event.whole:
                hits = []
            for hit in self._own(hits, block, call.tool, event.path):
                found.append((place, block, hit))
        saved = [each for each in found if not each[2].notice.cut]
        pointed = event.path or event.ident
        if saved or pointed:
            found = saved  # a mark of the cut beside it: the whole was kept
        if pointed and not found:
            self._mention(
                record, index, texts[0], None, call, event.call_id, agent, event
            )
            self.decisions.wait(lane, call.message)
        for place, block, hit in found:
            if self._mention(
                record, index + place, block, hit, call, event.call_id, agent, event
            ):
                self.decisions.wait(lane, call.message)
        if event.call_id is not None:
            enveloped = {id(block) for _, block, _ in found}
            if pointed and not found:
                enveloped.add(id(texts[0]))
            shown = [block.text for block in texts if id(block) not in enveloped]
            if (event.call_id, call.tool, call.command) not in self.touched:
                before = len(self.draft.touches)
                self.touches.returned(
                    record,
                    event.call_id,
                    shown,
                    self._record_id,
                    event.failed is True,
                    call.made,
                    agent,
                )
                for touch in self.draft.touches[before:]:
                    self.touched.add((touch.call_id, touch.tool, touch.command))
            self.calls.pop(event.call_id, None)
            self.answered.remember(event.call_id, call)

    def _call_of(self, event: Returned, time: float | None) -> RememberedCall:
        """The call that a result answers, with what the result itself says of it."""
        key = event.call_id or ""
        known = self.calls.get(key) or self.answered.get(key) or RememberedCall()
        tool = event.tool if known.tool is None else known.tool
        command = known.command
        if command is None:
            command = command_of(plain_arguments(event.arguments))
            command = command[:LONGEST_COMMAND] if command else None
        when = known.time if known.time is not None else time
        return RememberedCall(tool, command, when, known.message)

    def _own(
        self, hits: list[Hit], block: Block, tool: str | None, field: str | None
    ) -> list[Hit]:
        """The harness's own notices among some, one for each artifact they name."""
        order = {notice.id: rank for rank, notice in enumerate(self.profile.notices)}
        kept: dict[tuple[str, str | None], Hit] = {}
        for hit in sorted(hits, key=lambda hit: order[hit.notice.id]):
            if self.ground.genuine(hit, block, tool=tool, field=field):
                name = hit.path or hit.groups.get("id")
                kind = "cut" if hit.notice.cut else "saved"
                kept.setdefault((kind, name if kind == "saved" else None), hit)
        return sorted(kept.values(), key=lambda hit: (hit.at, hit.start))

    def _mention(
        self,
        record: jsonl.Record,
        index: int,
        block: Block,
        hit: Hit | None,
        call: RememberedCall,
        call_id: str | None,
        agent: str | None,
        event: Returned | None,
    ) -> bool:
        """Note an envelope; False for one that is known from an earlier record."""
        draft = self.draft
        groups = hit.groups if hit is not None else {}
        path = hit.path if hit is not None else None
        if (
            event is not None
            and event.path
            and not (hit is not None and hit.notice.cut)
        ):
            path = event.path
        ident = groups.get("id") or (event.ident if event is not None else None)
        start, end = (hit.start, hit.end) if hit is not None else (0, len(block.text))
        failed, code = _outcome(event, groups)
        mention = Mention(
            draft.transcript,
            draft.session,
            record.number,
            record.offset,
            record.length,
            block.place,
            hit.notice.id if hit is not None else f"{self.profile.harness}.pointer",
            path,
            index,
            start,
            end,
            hit.claims if hit is not None else (),
            call_id or groups.get("call_id"),
            call.tool,
            call.command,
            failed,
            code,
            call.time,
            agent,
            draft.version,
            event.copy_chars if event is not None else 0,
            ident=ident,
            partial=CAPPED if event is not None and event.partial else None,
        )
        same = _same(mention)
        if mention.call_id is not None and same in self.mentioned:
            return False
        self.mentioned.add(same)
        draft.mentions.append(mention)
        draft.mention_ids.append(self._record_id)
        return True


def _same(mention: Mention) -> tuple[object, ...]:
    """What two records of one envelope have in common."""
    return (
        mention.call_id,
        mention.notice,
        mention.path,
        mention.ident,
        mention.start,
        mention.end,
        mention.command,
    )


def _outcome(
    event: Returned | None, groups: dict[str, str]
) -> tuple[bool | None, int | None]:
    """Whether the call failed, and its exit code, as far as the record says."""
    code = event.exit_code if event is not None else None
    if code is None:
        text = groups.get("exit_code", "")
        digits = text.removeprefix("-")
        if digits.isascii() and digits.isdigit() and len(digits) < 10:
            code = int(text)
    failed = event.failed if event is not None else None
    if failed is None and code is not None:
        failed = code != 0
    return failed, code
