"""Looking for cycles of objects a little at a time, so that no key waits for it.

Python looks once so many more objects were made than were let go. Where as many old
ones go as new ones come (links that are kept for a while), it never does for long, and
then looks through all of them at once: a tenth of a second. Here those of each moment
are looked through in their turn, by the clock; what outlives two such looks is looked
through in a long pause, or lives on where that would take too long.
"""

from __future__ import annotations

import gc
from time import thread_time

THRESHOLDS = (1_000_000, 100, 1_000)
"""As of `gc.set_threshold`: the turns come long before."""

TURN_SECONDS = 0.1
"""What was made in so long is looked through in a few milliseconds."""

YOUNG = 500
"""New objects that are worth a look behind a key."""

OLDER = 3
"""Looks at what is new whose survivors are worth one more."""

OLDEST = 50
"""Of such looks again: their survivors are worth one at everything in a long pause."""

MOST_SECONDS = 0.02
"""What would take longer to look through is taken to live on."""


class _Old:
    """What outlived two looks, since all of that was looked through."""

    seconds = 0.0
    """A look through all of it takes about so long, on the processor."""
    looks = 0
    """How often some was added."""
    kept = False
    """Whether some was taken to live on, and may have died since."""

    def forget(self) -> None:
        """All of it was looked through, or taken to live on."""
        self.seconds, self.looks = 0.0, 0


_old = _Old()


def hold_back() -> None:
    """Look through nothing until a first frame stands: what is loaded lives on."""
    gc.disable()


def take_turns() -> None:
    """From now on the turns come, and Python looks through nothing by itself.

    What was made until now lives on and is not looked through.
    """
    gc.freeze()
    _old.forget()
    _old.kept = False
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


def live_on() -> None:
    """What was made lives on: it is not looked through until nobody is there."""
    gc.freeze()
    _old.forget()
    _old.kept = True


def behind_key() -> None:
    """Look through what a key made."""
    if gc.get_count()[0] > YOUNG:
        gc.collect(0)


def turn() -> None:
    """Look through what is new; after some such looks, through what outlived them."""
    if gc.get_count()[1] <= OLDER:
        gc.collect(0)
        return
    began = thread_time()
    gc.collect(1)
    _old.seconds += thread_time() - began
    _old.looks += 1
    if _old.seconds > MOST_SECONDS:
        live_on()


def in_pause(*, away: bool = False) -> None:
    """Look through what outlived two looks, in a pause of some seconds.

    `away`: nobody is there, so that it may take long. Then what was taken to live on is
    looked through too, once.
    """
    if away and _old.kept:
        gc.unfreeze()
        gc.collect()
        gc.freeze()
        _old.forget()
        _old.kept = False
    elif _old.looks > OLDEST:
        gc.collect()
        _old.forget()
