"""What comes from the terminal, where some of it is no text."""

from __future__ import annotations

import select
from typing import Protocol, cast

from textual.driver import Driver

from spillview.tui.terminal_output import Slim


class _Listening(Protocol):
    """A driver that reads the terminal in a thread of its own."""

    def run_input_thread(self) -> None:
        """Read until the application ends."""


class Forgiving:
    """Goes on reading after bytes that are no UTF-8 or no key there is.

    A terminal set to another encoding sends them, and so does a paste where the
    terminal does not bracket it. What came with them, 4 KiB at most, is lost.
    """

    def run_input_thread(self) -> None:
        """Read until the application ends."""
        while True:
            try:
                cast("_Listening", super()).run_input_thread()
            except (ValueError, OverflowError):
                continue
            return


def forgiving(driver: type[Driver]) -> type[Driver]:
    """The driver class, forgiving, and brief in what it writes; as it is where it reads
    in another way."""
    if not hasattr(driver, "run_input_thread"):
        return driver
    return type(driver.__name__, (Forgiving, Slim, driver), {})


def has_hung_up(driver: Driver | None) -> bool:
    """Whether the terminal is gone, so that no key and no picture passes any more.

    The system says so by SIGHUP too, which `nohup` and some shells have ignored.
    """
    fileno = getattr(driver, "fileno", None)
    if fileno is None or not hasattr(select, "poll"):
        return False
    watch = select.poll()
    watch.register(fileno, 0)
    return any(event & select.POLLHUP for _, event in watch.poll(0))
