"""The file that says how screens were left; beside the marks, never among them.

It is written whenever somebody looks around, so it shares nothing with what must last.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from spillview.own_files import is_stranger, mended, open_own, set_aside
from spillview.places import private_dir

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.places import Places

NAME = "screens"
FORM = 1
"""Raised when what is kept changes."""

KEPT = 500
"""Screens of which is kept how they were left; the oldest make room."""

MOST = 4 << 20
"""Bytes of the file that are read."""

Entries = dict[str, tuple[str, float]]


class Screens:
    """What is kept by the names of screens. Nothing here raises for the disk's sake."""

    def __init__(self, places: Places) -> None:
        self.path = os.path.join(places.state_dir, NAME)

    def recall(self, name: str) -> str | None:
        """What was kept of the screen of that name; None where nothing was."""
        entries = self._read()
        known = entries.get(name) if entries is not None else None
        return known[0] if known is not None else None

    def remember(self, name: str, text: str | None, when: float) -> None:
        """Keep something of the screen of that name instead of what was; None: nothing.

        `when` (seconds since the epoch) says which of too many are the oldest.
        """
        entries = self._read()
        if entries is None:  # a newer program's, which knows better
            return
        if text is None:
            if entries.pop(name, None) is None:
                return
        else:
            entries[name] = (text, when)
        newest = sorted(entries.items(), key=lambda entry: -entry[1][1])[:KEPT]
        form = {"form": FORM, "screens": dict(newest)}
        data = json.dumps(form, separators=(",", ":")).encode()
        with suppress(OSError):
            self._write(data)

    def _read(self) -> Entries | None:
        """What is kept; nothing where it is broken, None where a newer program did."""
        try:
            with open_own(self.path) as file:
                data = file.read(MOST + 1)
        except OSError:
            return {}
        try:
            kept = json.loads(data)
        except (ValueError, RecursionError):
            return {}
        form = kept.get("form") if isinstance(kept, dict) else None
        if isinstance(form, int) and form > FORM:
            return None
        screens = kept.get("screens") if form == FORM else None
        if not isinstance(screens, dict):
            return {}
        return {name: (e[0], float(e[1])) for name, e in screens.items() if _is_one(e)}

    def _is_broken(self) -> bool:
        """Whether what has the name is no file of ours, or none that can be read."""
        if is_stranger(self.path):
            return True
        try:
            with open_own(self.path) as file:
                kept = json.loads(file.read(MOST + 1))
        except FileNotFoundError:
            return False
        except (OSError, ValueError, RecursionError):
            return True
        return not (isinstance(kept, dict) and isinstance(kept.get("screens"), dict))

    def _write(self, data: bytes) -> None:
        """Put it in the place of what is there. Raises OSError."""
        folder = private_dir(os.path.dirname(self.path))
        if self._is_broken():
            name = os.path.basename(set_aside(self.path))
            words = f"it was broken; it was set aside as {name}"
            mended(self.path, f"{words}: screens open as at first")
        import secrets  # with a load of its own, for the end of a screen

        draft = os.path.join(folder, f".{NAME}.{secrets.token_hex(6)}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            with os.fdopen(os.open(draft, flags, 0o600), "wb") as file:
                file.write(data)
            os.replace(draft, self.path)
        except OSError:
            with suppress(OSError):
                os.unlink(draft)
            raise


def screens_of(catalogue: Catalogue) -> Screens | None:
    """Those of a catalogue; None where nothing of it lasts, or the settings say so."""
    if not catalogue.has_state or not catalogue.settings.remember:
        return None
    return Screens(catalogue.places)


def _is_one(entry: Any) -> bool:
    """Whether an entry is what this program writes."""
    if not isinstance(entry, list) or len(entry) != 2:
        return False
    text, when = entry
    number = isinstance(when, int | float) and not isinstance(when, bool)
    return isinstance(text, str) and number and abs(when) < 1e15
