"""Looking for cycles of objects in the pauses between keys.

Python looks whenever so many objects are new, which is mostly in the midst of a paint,
and takes the longer the more there are. Here a little is looked through once a key is
painted, and more when nobody has typed for a while; what comes up in between (counting,
linking) has its turn as ever, in smaller parts.
"""

from __future__ import annotations

import gc

THRESHOLDS = (10_000, 10, 1_000)
"""As of `gc.set_threshold`: a look at so many new objects takes about 2 ms. One at all
there are takes a second once a report of 20,000 artifacts is among them: never by
itself, while somebody may be typing."""

YOUNG = 500
"""New objects that are worth a look behind a key."""

OLDER = 8
"""Looks behind keys whose survivors are worth one in a pause."""

OLDEST = 50
"""Looks in pauses whose survivors are worth one at everything in a long pause."""


def hold_back() -> None:
    """Look through nothing until a first frame stands: what is loaded lives on."""
    gc.disable()


def take_turns() -> None:
    """Look through smaller parts than a command does, which nobody waits for.

    What was made until now lives on and is not looked through.
    """
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
    gc.enable()


def behind_key() -> None:
    """Look through what a key made."""
    if gc.get_count()[0] > YOUNG:
        gc.collect(0)


def in_pause(*, long: bool = False) -> None:
    """Look through what was made since the last pause; in a `long` one through all."""
    if long and gc.get_count()[2] > OLDEST:
        gc.collect()
    elif gc.get_count()[1] > OLDER:
        gc.collect(1)
