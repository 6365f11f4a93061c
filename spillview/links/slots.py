"""Artifacts in slots that later calls overwrite: whether an output is still there.

Nothing names the call that wrote a file last. What a notice claims of it must still be
true to the byte or line, and the file no older than the call; else the file holds some
other output, and none of it was seen however much it looks alike.
"""

from __future__ import annotations

from spillview.hints import TYPE_CHECKING
from spillview.links.makers import SLACK

if TYPE_CHECKING:
    from spillview.model import Counts, Found, Link
    from spillview.profiles.profile import Profile

OVERWRITTEN = (
    "Later calls write to the same path: the file is not what this call left there."
)


def overwritten(found: Found, link: Link, counts: Counts, profile: Profile) -> bool:
    """Whether the slot holds another output than the one its envelope is about."""
    from spillview.transcripts.notices import by_id

    first = link.envelope
    notice = by_id(profile, first.notice) if first is not None else None
    if first is None or notice is None or not notice.reused:
        return False
    if first.time is not None and found.mtime_ns / 1e9 < first.time - SLACK:
        return True
    for claim in first.claims:
        if claim.unit in ("bytes", "chars", "utf16", "lines") and (
            isinstance(claim.value, int)
        ):
            # A line end at the very end may be counted as a line or not.
            slack = claim.slack + (claim.unit == "lines")
            if abs(getattr(counts, claim.unit) - claim.value) > slack:
                return True
    return False
