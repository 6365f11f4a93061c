"""The seam between a harness and whatever keeps its spills: one method, plain facts.

A store saves and says where; what is spilled, and what the model reads instead, is
decided elsewhere (`spillview.store.policy`, `spillview.envelopes`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, runtime_checkable

from spillview.errors import BadInput, SpillError
from spillview.model import Boundary

_ID = re.compile(r"[0-9a-f]{12}")


class SpillFailed(SpillError):
    """A spill could not be saved; nothing that looks whole was left behind."""


class SpillFull(SpillFailed):
    """A cap of the store leaves no room for even the beginning of this spill."""


class Part(NamedTuple):
    """A piece of an envelope that is the artifact's own text."""

    start: int
    end: int
    """Chars of the envelope's text."""
    first: int
    last: int
    """Bytes of the artifact: what they decode to is what stands there."""


@dataclass(frozen=True, slots=True)
class SpillEnvelope:
    """What the model receives in the artifact's place, kept in the sidecar."""

    text: str
    parts: tuple[Part, ...] | None = None
    """Every piece of the text that is the artifact's own; readers check each byte.
    None where that was not noted: readers then look for what the text shows."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What else is to be kept of it, as JSON knows it."""


@dataclass(frozen=True, slots=True)
class SpillOwner:
    """Whose spill it is.

    Raises `BadInput` without a session id.
    """

    session_id: str

    def __post_init__(self) -> None:
        _named(self.session_id, "A spill's owner", "a session id")


@dataclass(frozen=True, slots=True)
class SpillSource:
    """The call that it comes from.

    Raises `BadInput` without a tool's name, or for what is no text.
    """

    tool_name: str
    call_id: str | None = None
    label: str = "result"
    """What of the call it is: `result`, `dispatch`, or a name a person gave it."""
    command: str | None = None
    """The command line, where the tool has one."""
    cwd: str | None = None
    """The working folder of the call."""

    def __post_init__(self) -> None:
        _named(self.tool_name, "A spill's source", "a tool's name")
        if not isinstance(self.label, str):
            raise BadInput("A spill's label must be a text.")
        for name in ("call_id", "command", "cwd"):
            if not isinstance(getattr(self, name), str | None):
                raise BadInput(f"A spill's {name} must be a text or None.")


def _new_id() -> str:
    return os.urandom(6).hex()


@dataclass(frozen=True, slots=True)
class SpillRequest:
    """A spill to be saved, without its content: what a writer is opened with."""

    owner: SpillOwner
    source: SpillSource
    suggested_name: str
    """Any text; the file's name holds it encoded, and bounded."""
    id: str = field(default_factory=_new_id, kw_only=True, repr=False)
    """12 random hex digits that begin the file's name; the same request asked twice
    gets another one the second time."""
    envelope: SpillEnvelope | None = field(default=None, kw_only=True, repr=False)
    """What the model will read, where that is known before anything is saved."""
    boundaries: tuple[Boundary, ...] = field(default=(), kw_only=True)
    """The sizes it is spilled at: what readers compare it with."""

    def __post_init__(self) -> None:
        if not isinstance(self.suggested_name, str):
            raise BadInput("A spill's suggested name must be a text.")
        if not _ID.fullmatch(self.id):
            raise BadInput("A spill's id is 12 lower-case hex digits.")


@dataclass(frozen=True, slots=True)
class SaveTextSpill(SpillRequest):
    """A whole text to be saved."""

    content: str = field(repr=False)

    def __post_init__(self) -> None:
        # The zero-argument super() does not work in a class made again for its slots.
        SpillRequest.__post_init__(self)
        if not isinstance(self.content, str):
            raise BadInput("A spill's content must be a text; bytes go to a writer.")


@dataclass(frozen=True, slots=True)
class SpillRef:
    """Where a spill is, and how its reader gets at it."""

    locator: str
    """Opaque to everybody but the store; of `LocalSpillStore` an absolute path."""
    bytes: int
    """Size of what was stored."""
    retrieval_hint: str
    """A sentence for the model."""
    partial: bool = False
    """True when less was stored than there was."""
    whole_bytes: int | None = None
    """Size of what there was, where `partial`; None where that is not known."""


@dataclass(frozen=True, slots=True)
class SpillFacts:
    """What is known of an output once it has ended."""

    exit_code: int | None = None
    failed: bool | None = None
    envelope: SpillEnvelope | None = None
    partial: str | None = None
    """A plain sentence where what was written is not the whole output."""


@runtime_checkable
class SpillStore(Protocol):
    """Whatever can keep a text. Raises any `Exception` when it could not.

    Two more methods are used where a store has them, so that an envelope is known
    before anything is written: `locate(request)` gives the locator that saving this
    request will use, `hint(request)` the retrieval hint.
    """

    def save_text(self, request: SaveTextSpill) -> SpillRef:
        """Keep all of the request's content."""
        ...


def _named(value: object, whose: str, what: str) -> None:
    if not isinstance(value, str) or not value:
        raise BadInput(f"{whose} needs {what}.")
