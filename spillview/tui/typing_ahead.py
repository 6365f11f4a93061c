"""Keys typed faster than a screen follows: each waits for what the one before did.

Textual hands every key to the widget that has the focus when it arrives. What `/` does
is to move the focus to a line of input, a moment later; without waiting, the letters
of `/ build ` would be taken for commands, and its blank marks something reviewed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial

from textual import events
from textual.message_pump import MessagePump
from textual.timer import Timer

from spillview.tui.theme import Themed

ROUNDS = 3
"""A key's own action, what that asks of others, and the focus that they move."""

PATIENCE = 0.25
"""Seconds after which a key that is not done yet holds up the next no longer."""


class TypingAhead(Themed):
    """An application that takes one key after the other."""

    _held: deque[events.Key]
    _turn: int = 0
    """Counts the keys; a late end of an earlier one is of no concern."""
    _busy: bool = False
    _patience: Timer | None = None

    def __init__(self, theme: str | None = None) -> None:
        super().__init__(theme)
        self._held = deque()

    async def on_event(self, event: events.Event) -> None:
        """Hold a key back while the one before is at work."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._busy:
            self._held.append(event)
        else:
            await self._give(event)

    async def _give(self, key: events.Key) -> None:
        self._busy = True
        self._turn += 1
        self._patience = self.set_timer(PATIENCE, partial(self._next, self._turn))
        target: MessagePump = self.focused or self.screen
        await super().on_event(key)
        self._follow(self._turn, target, ROUNDS)

    def _follow(self, turn: int, target: MessagePump, rounds: int) -> None:
        """Go the way that a key goes, from the widget up, always behind it."""
        if turn != self._turn:
            return
        if not rounds:
            self.call_later(self._next, turn)
            return
        way = [target]
        while (parent := way[-1]._parent) is not None and parent is not self:
            way.append(parent)
        self._hop(turn, way, partial(self._follow, turn, target, rounds - 1))

    def _hop(
        self, turn: int, way: Sequence[MessagePump], arrived: partial[None]
    ) -> None:
        if turn != self._turn:
            return
        if not way:
            self.call_later(arrived)
        elif not way[0].call_later(partial(self._hop, turn, way[1:], arrived)):
            self.call_later(self._next, turn)  # it was removed meanwhile

    async def _next(self, turn: int) -> None:
        if turn != self._turn or not self._busy:
            return
        if self._patience is not None:
            self._patience.stop()
        self._busy = False
        if self._held:
            await self._give(self._held.popleft())
