"""Artifacts in which a letter beyond ASCII may stand and not be found.

A pattern is UTF-8. UTF-16 is searched as such too; what else a file may be in (Latin-1,
Shift JIS) no file says, so its bytes are searched as they are. A letter of the pattern
that is not ASCII has other bytes there, and nobody should take it for absent.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence

from spillview.content.kinds import HEAD, utf16_of
from spillview.content.transcoding import MARKS
from spillview.errors import Unreadable
from spillview.model import Artifact
from spillview.stored.stored import open_artifact

BLOCK = 1 << 20
"""Bytes that are looked at together."""

_BEYOND = re.compile(
    r"[^\x00-\x7f]|\\x[89a-fA-F][0-9a-fA-F]|\\[xuU]\{0*[1-9a-fA-F][0-9a-fA-F]{2,}\}"
    r"|\\x\{[89a-fA-F][0-9a-fA-F]\}|\\u(?!00[0-7])[0-9a-fA-F]{4}"
)


def beyond_ascii(patterns: Sequence[str]) -> str | None:
    """The first letter of the patterns that is not ASCII, as it is written there."""
    found = next(filter(None, map(_BEYOND.search, patterns)), None)
    return found.group() if found is not None else None


def foreign(
    artifacts: Sequence[Artifact],
    patterns: Sequence[str],
    *,
    cancelled: Callable[[], bool] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Artifact]:
    """Those with bytes that are no UTF-8, where that matters to the patterns.

    Those that were not counted yet are read to know it. `progress` is called with
    (looked at, total) artifacts; where `cancelled` says so, the list ends early.
    """
    if beyond_ascii(patterns) is None:
        return []
    found = []
    for number, artifact in enumerate(artifacts, 1):
        if cancelled is not None and cancelled():
            break
        counts = artifact.counts
        if counts is not None:
            if counts.encoding == "utf-8-invalid":
                found.append(artifact)
        elif artifact.found.type == "file" and _is_foreign(artifact):
            found.append(artifact)
        if progress is not None:
            progress(number, len(artifacts))
    return found


def _is_foreign(artifact: Artifact) -> bool:
    """Whether a text that was not counted has bytes that are no UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    try:
        with open_artifact(artifact.found) as content:
            head = content.pread(0, HEAD)
            if b"\0" in head or head[:2] in MARKS or utf16_of(head) is not None:
                return False  # UTF-16, or no text at all
            for offset in range(0, content.size, BLOCK):
                decoder.decode(content.pread(offset, BLOCK))
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return True
    except (OSError, Unreadable):
        return False  # that is told where it is searched
    return False


def sentence(found: Sequence[Artifact], patterns: Sequence[str]) -> str:
    """What was not looked for in them, and what to do."""
    from spillview.text import path_text, plural

    letter = beyond_ascii(patterns)
    hold = "holds" if len(found) == 1 else "hold"
    return (
        f"{plural(len(found), 'artifact')} {hold} bytes that are no UTF-8: there"
        f" “{letter}” is found in UTF-8 alone, not in Latin-1 or another encoding"
        f" (`rg --encoding latin1` looks); the first is"
        f" {path_text(found[0].found.place)}"
    )
