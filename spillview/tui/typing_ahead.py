"""Keys typed faster than a screen follows: each waits for what the one before did.

Textual hands every key to the widget that has the focus when it arrives. What `/` does
is to move the focus to a line of input, a moment later; without waiting, the letters
of `/ build ` would be taken for commands, and its blank marks something reviewed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

from textual import events
from textual.message_pump import MessagePump
from textual.timer import Timer

from spillview.tui.pauses import behind_key
from spillview.tui.theme import Themed

ROUNDS = 3
"""A key's own action, what that asks of others, and the focus that they move."""

PATIENCE = 0.25
"""Seconds after which a key that is not done yet holds up the next no longer."""


class _Hop:
    """A step behind a key, from one of the widgets on its way to the next."""

    __slots__ = ("_app", "_arrived", "_turn", "_way")

    _param_count = 0
    """What Textual would find out anew each time, in a tenth of a key's time."""

    def __init__(
        self,
        app: TypingAhead,
        turn: int,
        way: Sequence[MessagePump],
        arrived: Callable[[], None],
    ) -> None:
        self._app = app
        self._turn = turn
        self._way = way
        self._arrived = arrived

    def __call__(self) -> None:
        self._app.hop(self._turn, self._way, self._arrived)


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
        self.hop(turn, way, partial(self._follow, turn, target, rounds - 1))

    def hop(
        self, turn: int, way: Sequence[MessagePump], arrived: Callable[[], None]
    ) -> None:
        """Go on behind a key: through the first of these widgets, then the others."""
        if turn != self._turn:
            return
        if not way:
            self.call_later(arrived)
            return
        step = events.Callback(callback=_Hop(self, turn, way[1:], arrived))
        if not way[0].post_message(step):
            self.call_later(self._next, turn)  # it was removed meanwhile

    async def _next(self, turn: int) -> None:
        if turn != self._turn or not self._busy:
            return
        if self._patience is not None:
            self._patience.stop()
        self._busy = False
        if self._held:
            await self._give(self._held.popleft())
        else:
            self.call_after_refresh(behind_key)
