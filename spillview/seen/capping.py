"""Artifacts that say in their own text that their harness cut them."""

from __future__ import annotations

import re

from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.profiles.profile import Profile

WINDOW = 1 << 20
"""Bytes looked at in one go."""

LONGEST_MARK = 1024
"""No mark is longer: so many bytes of two windows overlap."""

FARTHEST = 256 << 20
"""Bytes looked at in all, half of them at each end."""

CAPPED = "The harness caps this artifact: the spill is partial."
SENTENCE = "The artifact says itself that it was cut: the spill is partial."


def is_capped(content: Content, profile: Profile) -> bool:
    """Whether the harness's own mark of a cut stands in the content."""
    regex = profile.pointer.get("capped")
    if regex is None:
        return False
    mark = re.compile(regex.encode(), re.MULTILINE)
    ends = [(0, content.size)]
    if content.size > FARTHEST:
        ends = [(0, FARTHEST // 2), (content.size - FARTHEST // 2, content.size)]
    for at, end in ends:
        while at < end:
            data = content.pread(at, min(WINDOW + LONGEST_MARK, end - at))
            if not data:
                break
            if mark.search(data) is not None:
                return True
            at += WINDOW
    return False
