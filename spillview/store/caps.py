"""How much a store takes: of one spill, and of one session."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from spillview.errors import BadInput
from spillview.store.files import StoreDisk

WAIT = 30.0
"""Seconds to wait for others who write to the same session: dozens of processes, each
of which looks at thousands of files."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most bytes of one spill, and of all spills of a session; None: no cap.

    Raises `BadInput` for anything but whole numbers above zero.
    """

    file: int | None = None
    session: int | None = None

    def __post_init__(self) -> None:
        for value, what in ((self.file, "a file"), (self.session, "a session")):
            if value is not None and (
                isinstance(value, bool) or not isinstance(value, int) or value <= 0
            ):
                raise BadInput(f"The cap of {what} must be a number of bytes above 0.")

    @property
    def none(self) -> bool:
        """Whether there is no cap at all."""
        return self.file is None and self.session is None

    @contextmanager
    def room(
        self, disk: StoreDisk, folder: int, stored: int
    ) -> Iterator[tuple[int, str]]:
        """Bytes that a spill which holds `stored` may still take, and whose cap it is.

        With a cap of the session nobody else writes to its folder meanwhile, so the
        cap holds whatever the number of writers. Raises OSError.
        """
        most = 1 << 63
        room, why = most, ""
        if self.file is not None:
            room = self.file - stored
            why = f"The store's cap of {self.file:,} bytes a file cut it."
        if self.session is None:
            yield room, why
            return
        with disk.alone(folder, WAIT):
            left = max(self.session - disk.stored(folder), 0)
            if left < room:
                room = left
                why = f"The store's cap of {self.session:,} bytes a session cut it."
            yield room, why
