"""What a record of any harness tells, in words that all of them share.

A reader of one harness turns a record into these; what they mean for artifacts is
worked out in one place (`conversation`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from spillview.transcripts.values import text_in

Place = Literal["result", "prompt", "attachment"]


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Facts of the session that a record gives; None where it gives none."""

    session: str | None = None
    """The session's own id, where it differs from what the file's name says."""
    project: str | None = None
    """The working folder, as an absolute path."""
    title: str | None = None
    title_rank: int = 2
    """How good a title it is: a prompt 1, a summary 2, a name given 3."""
    version: str | None = None
    time: float | None = None
    """Seconds since the epoch."""
    record_id: str | None = None
    """The record's own id, equal in the copies that forks hold."""
    parents: tuple[str, ...] = ()
    """Sessions it was forked from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """The agent called a tool."""

    id: str
    tool: str
    arguments: Any = None
    """As the record holds them: an object, or the command as text."""
    time: float | None = None
    message: str | None = None
    """The message the call is part of: calls of one message were decided together."""
    agent: str | None = None
    """The subagent that called, if it was one."""


def call_in(
    part: Any,
    arguments: str,
    *,
    ident: str = "id",
    tool: str = "name",
    time: float | None = None,
    message: str | None = None,
    agent: str | None = None,
) -> Iterator[Called]:
    """The call that a part of a record is, by the names of its members.

    Nothing where it is no object, or has no id or no tool.
    """
    if isinstance(part, dict):
        call_id, name = text_in(part.get(ident)), text_in(part.get(tool))
        if call_id is not None and name is not None:
            yield Called(
                id=call_id,
                tool=name,
                arguments=part.get(arguments),
                time=time,
                message=message,
                agent=agent,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """The agent said something to the person."""

    text: str
    time: float | None = None
    message: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompted:
    """A person (or what stands for one) spoke; notices may stand in the text."""

    text: str
    time: float | None = None
    agent: str | None = None
    place: Place = "prompt"
    """`attachment` for text that the harness adds: then nobody spoke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What the model received as the result of a call."""

    call_id: str | None
    texts: tuple[str, ...]
    """Each text block exactly as the model received it."""
    tool: str | None = None
    """Where the result itself names the tool (else the call does)."""
    arguments: Any = None
    """Where the result itself holds the call's arguments or command."""
    failed: bool | None = None
    """None where the harness records nothing about it."""
    exit_code: int | None = None
    time: float | None = None
    agent: str | None = None
    path: str | None = None
    """The artifact's path by a field of the record, beside or instead of a notice."""
    ident: str | None = None
    """The artifact's id by a field of the record, where it has no path."""
    partial: bool = False
    """True when the record says that the artifact is capped."""
    whole: bool = False
    """True when the record says that nothing was cut: a notice in it is a quotation."""
    copy_chars: int = 0
    """Chars of a full copy that the record holds beside the texts; 0 if none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """The context was compacted: what was said before is no longer carried.

    A reader whose records tell this, or whose sessions end with it, says
    `COMPACTS = True`; for others what an envelope cost is not known.
    """

    agent: str | None = None


Event = About | Called | Said | Prompted | Returned | Compacted


class Reader(Protocol):
    """What a reader's module gives.

    The texts of `Returned` and `Prompted`, and their order, must follow from the record
    alone and not from `state`: an envelope is read again from its record.
    """

    def events(self, record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
        """What a record tells; `state` is the transcript's memory, kept as JSON."""
