"""Regexes that are compiled when they are first used.

A module has them for all that it does, and a command does little of it.
"""

from __future__ import annotations

import re

from spillview.hints import TYPE_CHECKING, Any, AnyStr

if TYPE_CHECKING:

    def late(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
        """The regex; what `re.compile` refuses, it refuses when it is first used."""
else:

    class late:
        """The regex; what `re.compile` refuses, it refuses when it is first used."""

        def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
            self._source = (pattern, flags)

        def __getattr__(self, name: str) -> Any:
            value = getattr(re.compile(*self._source), name)
            setattr(self, name, value)  # the next time it is there at once
            return value


def early(regex: Any) -> re.Pattern[Any] | None:
    """The compiled regex that stands behind what `late` gave; None for all else."""
    kind: Any = late
    return re.compile(*regex._source) if isinstance(regex, kind) else None
