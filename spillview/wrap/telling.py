"""How a run ended, in words."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.wrap.running import Ended


def signal_name(number: int | None) -> str:
    """What a signal is called."""
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"


def outcome(ended: Ended) -> str:
    """The exit code, between two parts of a sentence."""
    by = f", ended by {signal_name(ended.signal)}" if ended.signal else ""
    return f" exit code {ended.code}{by};"


def partial_of(ended: Ended) -> str | None:
    """Why the output is not all there could be; None where it is."""
    if ended.cut_off is not None:
        return f"{signal_name(ended.cut_off)} came before the end of what was piped in."
    if ended.left_open:
        return (
            "The command has ended, but something that it left running may print more,"
            " which is not kept."
        )
    return None
