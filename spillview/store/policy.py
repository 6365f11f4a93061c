"""When a tool's result is spilled, and what the model reads in its place.

Best effort: whatever goes wrong, the call keeps its result.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from spillview.errors import BadInput
from spillview.hints import Any, Literal, TypeVar, get_args
from spillview.model import Boundary, Unit
from spillview.store.encoding import well_formed
from spillview.store.notice import GAP, Preview, measure, replacement
from spillview.store.seam import (
    Part,
    SaveTextSpill,
    SpillEnvelope,
    SpillOwner,
    SpillRef,
    SpillSource,
    SpillStore,
)

Given = TypeVar("Given")
"""What a call has given: a text, or anything that stays as it is."""

Reason = Literal[
    "spilled",
    "off",
    "not-accepted",
    "replaced",
    "nested",
    "exempt",
    "not-text",
    "within-cap",
    "no-session",
    "no-store",
    "would-not-fit",
    "save-failed",
]
"""Why a result was spilled or not, in the order in which they are looked at."""

TROUBLE = frozenset({"no-session", "no-store", "would-not-fit", "save-failed"})
"""Reasons for which a result that should have been spilled was not."""

READS = frozenset({"read", "Read", "read_file", "spill_read"})
"""Tools that read files: to spill what they read of a spill would have no end."""

log = logging.getLogger("spillview")


class BadPolicy(BadInput, ValueError):
    """A policy was made with a value that means nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the policy did with one result."""

    text: Any
    """For the model: the replacement, or what was given, unchanged."""
    reason: Reason
    sentence: str = ""
    """What went wrong, where something did."""
    ref: SpillRef | None = None
    """Where the result is stored; also when its replacement did not fit after all."""
    preview: Preview | None = None
    """Head, tail and omitted bytes, when it was spilled."""

    @property
    def spilled(self) -> bool:
        """Whether `text` is a replacement."""
        return self.reason == "spilled"


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    call_id: str | None
    session_id: str
    label: str
    command: str | None
    cwd: str | None
    name: str


@dataclass(frozen=True, slots=True)
class SpillPolicy:
    """Results above `max_inline` of `unit` are spilled; without it none are.

    Raises `BadPolicy` (a `ValueError`) for a cap that is no whole number from 0 on,
    an unknown unit, or a word where a set of tools is meant.
    """

    max_inline: int | None = None
    unit: Unit = "bytes"
    exempt: frozenset[str] = READS
    """Tools whose results are never spilled."""
    gap: str = GAP
    """What stands between head and tail; may be empty."""
    warn: Callable[[Decision], object] | None = field(default=None, compare=False)
    """Told of each decision in `TROUBLE`; by default the log `spillview` is."""

    def __post_init__(self) -> None:
        cap = self.max_inline
        if cap is not None and (isinstance(cap, bool) or not isinstance(cap, int)):
            raise BadPolicy(f"max_inline must be a whole number, not {cap!r}.")
        if cap is not None and cap < 0:
            raise BadPolicy(f"max_inline must be 0 or more, not {cap}.")
        if self.unit not in get_args(Unit):
            units = ", ".join(get_args(Unit))
            raise BadPolicy(f"unit must be one of {units}, not {self.unit!r}.")
        if isinstance(self.exempt, str):
            raise BadPolicy("exempt must be a set of tool names, not one name.")
        object.__setattr__(self, "exempt", frozenset(self.exempt))

    def apply(
        self,
        text: Given,
        *,
        store: SpillStore | None,
        tool: str,
        call_id: str | None,
        session_id: str | None,
        accepted: bool = True,
        replaced: bool = False,
        nested: bool = False,
        label: str = "result",
        command: str | None = None,
        cwd: str | None = None,
        suggested_name: str | None = None,
    ) -> Given:
        """The text for the model: the replacement, or `text` itself.

        Never raises an `Exception`; what ends the program or cancels a task passes.
        """
        result: Given = self.decide(
            text,
            store=store,
            tool=tool,
            call_id=call_id,
            session_id=session_id,
            accepted=accepted,
            replaced=replaced,
            nested=nested,
            label=label,
            command=command,
            cwd=cwd,
            suggested_name=suggested_name,
        ).text
        return result

    def decide(
        self,
        text: Any,
        *,
        store: SpillStore | None,
        tool: str,
        call_id: str | None,
        session_id: str | None,
        accepted: bool = True,
        replaced: bool = False,
        nested: bool = False,
        label: str = "result",
        command: str | None = None,
        cwd: str | None = None,
        suggested_name: str | None = None,
    ) -> Decision:
        """What is done with one result, and why. Never raises an `Exception`.

        `accepted`: no hook blocked the result. `replaced`: a hook gave the call
        another value, which is rendered anew. `nested`: another call made this one.
        """
        try:
            reason = self._skip(text, tool, accepted, replaced, nested)
            if reason is not None:
                decision = Decision(text, reason)
            elif not session_id:
                said = "The call has no session: its result stays inline."
                decision = Decision(text, "no-session", said)
            elif store is None:
                said = "There is no store: the result stays inline."
                decision = Decision(text, "no-store", said)
            else:
                name = suggested_name if suggested_name is not None else f"{tool}.txt"
                call = _Call(tool, call_id, session_id, label, command, cwd, name)
                decision = self._spill(text, store, call)
        except Exception as error:  # a store is anybody's, and the call goes on
            said = f"The result could not be spilled and stays inline: {_said(error)}"
            decision = Decision(text, "save-failed", said)
        if decision.reason in TROUBLE:
            self._tell(decision)
        return decision

    def _skip(
        self, text: Any, tool: str, accepted: bool, replaced: bool, nested: bool
    ) -> Reason | None:
        """Why the policy has nothing to do here; None where it has."""
        if self.max_inline is None:
            return "off"
        if not accepted:
            return "not-accepted"
        if replaced:
            return "replaced"
        if nested:
            return "nested"
        if tool in self.exempt:
            return "exempt"
        if not isinstance(text, str):
            return "not-text"
        if self._within(text, self.max_inline):
            return "within-cap"
        return None

    def _within(self, text: str, cap: int) -> bool:
        # No char takes more than four bytes or two units: most need no counting.
        if self.unit != "lines" and len(text) * 4 <= cap:
            return True
        return measure(text, self.unit) <= cap

    def _spill(self, text: str, store: SpillStore, call: _Call) -> Decision:
        content = well_formed(text)
        request = SaveTextSpill(
            SpillOwner(call.session_id),
            SpillSource(
                call.tool, call.call_id, call.label, command=call.command, cwd=call.cwd
            ),
            call.name,
            content,
            boundaries=self._gates(),
        )
        foreseen: tuple[str, str] | None = None
        made: tuple[str, Preview] | None = None
        locate = getattr(store, "locate", None)
        if callable(locate):
            hint = getattr(store, "hint", None)
            foreseen = locate(request), hint(request) if callable(hint) else ""
            made = self._replacement(content, foreseen)
            if made is None:
                return Decision(text, "would-not-fit", self._misfit())
            if callable(hint):
                request = replace(request, envelope=self._envelope(made))
        ref = store.save_text(request)
        actual = ref.locator, ref.retrieval_hint
        stored = (ref.bytes, ref.whole_bytes) if ref.partial else None
        if actual != foreseen or stored is not None:
            made = self._replacement(content, actual, stored)
            self._amend(store, ref, made)
        if made is None:
            return Decision(text, "would-not-fit", self._misfit(), ref)
        return Decision(made[0], "spilled", ref=ref, preview=made[1])

    def _gates(self) -> tuple[Boundary, ...]:
        """The cap as a boundary; nothing can be compared with one of 0."""
        return (Boundary(self.max_inline, self.unit),) if self.max_inline else ()

    def _replacement(
        self,
        content: str,
        where: tuple[str, str],
        stored: tuple[int, int | None] | None = None,
    ) -> tuple[str, Preview] | None:
        assert self.max_inline is not None
        locator, hint = (well_formed(each) for each in where)
        return replacement(
            content,
            self.max_inline,
            self.unit,
            locator,
            hint,
            gap=self.gap,
            stored=stored,
        )

    def _envelope(
        self, made: tuple[str, Preview], held: int | None = None
    ) -> SpillEnvelope:
        """The replacement, and what of it are the artifact's bytes, `held` of them."""
        text, shown = made
        head, tail = shown.head, shown.tail
        size = measure(head, "bytes")
        after = len(head) + (len(self.gap) if head and tail else 0)
        first = size + shown.omitted
        last = first + measure(tail, "bytes")
        if held is not None and held < size:
            # The store holds whole characters only.
            head = head.encode("utf-8")[:held].decode("utf-8", "ignore")
            size = measure(head, "bytes")
        whole = Part(0, len(head), 0, size), Part(after, after + len(tail), first, last)
        parts = [
            part
            for part in whole
            if part.start < part.end and (held is None or part.last <= held)
        ]
        facts = {
            "max_inline": self.max_inline,
            "unit": self.unit,
            "omitted_bytes": shown.omitted,
        }
        return SpillEnvelope(text, tuple(parts), facts)

    def _amend(
        self, store: SpillStore, ref: SpillRef, made: tuple[str, Preview] | None
    ) -> None:
        """Have a store that can do so note what the model received after all."""
        amend = getattr(store, "amend", None)
        if callable(amend):
            held = ref.bytes if ref.partial else None
            with suppress(Exception):
                amend(ref, None if made is None else self._envelope(made, held))

    def _misfit(self) -> str:
        return (
            f"Not even a notice fits into {self.max_inline} {self.unit}:"
            " the result stays inline."
        )

    def _tell(self, decision: Decision) -> None:
        """Tell of trouble; a callback or a log that fails does not fail the call."""
        with suppress(Exception):
            if self.warn is not None:
                self.warn(decision)
            else:
                log.warning("%s", decision.sentence)


def _said(error: Exception) -> str:
    try:
        return str(error) or type(error).__name__
    except Exception:  # an error's text is made by anybody, too
        return type(error).__name__
