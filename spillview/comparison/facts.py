"""Two artifacts side by side: lines, JSON items, verdicts, and what was seen of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spillview.comparison.items import ItemComparison, NotCompared, compare_items
from spillview.comparison.lines import LineComparison, compare_lines
from spillview.comparison.ordering import Progress
from spillview.content.content import FileContent
from spillview.errors import Unreadable
from spillview.model import Artifact, Seen
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.content.content import Content

UNITS = ("lines", "bytes", "chars", "tokens")
"""The sizes that stand side by side; tokens are estimated."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the later artifact has that the earlier one has not, and the other way."""

    before: Artifact
    after: Artifact
    lines: LineComparison
    items: ItemComparison | NotCompared | None
    """None where neither is JSON."""

    def sizes(self) -> list[tuple[str, int | None, int | None]]:
        """Each unit with the size of the earlier and the later one."""
        one, two = self.before.counts, self.after.counts
        return [
            (
                unit,
                None if one is None else getattr(one, unit),
                None if two is None else getattr(two, unit),
            )
            for unit in UNITS
        ]


def compare(
    before: Artifact,
    after: Artifact,
    *,
    plain: bool = False,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Read both and compare them; with `plain` times and other noise are left out.

    Raises `Unreadable` when one of them cannot be read or was written anew meanwhile,
    `Cancelled`. What only grew is compared up to where it ended at first.
    """
    from spillview.stored.stored import open_artifact

    with ExitStack() as stack:
        contents = []
        for artifact in (before, after):
            content = open_artifact(artifact.found, root=artifact.found.root)
            stack.callback(content.close)
            contents.append(content)
        first = [_ends(content, content.size) for content in contents]
        try:
            texts = [_text(one, stack) for one in contents]
            lines = compare_lines(
                texts[0][0],
                texts[1][0],
                seen_before=texts[0][1](_seen(before)),
                seen=texts[1][1](_seen(after)),
                plain=plain,
                cancelled=cancelled,
                progress=progress,
            )
            items = None
            if any(_may_be_json(artifact) for artifact in (before, after)):
                items = compare_items(*contents, cancelled=cancelled)
        except (LookupError, ValueError, AssertionError):
            # What was read twice was not the same: no fault of ours if it was written.
            _check_unwritten(contents, first, grown=True)
            raise
        _check_unwritten(contents, first)
    return Comparison(before, after, lines, items)


PROBE = 1 << 12
"""Bytes at either end of a file that are looked at again where it grew."""


def _ends(content: Content, size: int) -> tuple[bytes, bytes]:
    length = min(size, PROBE)
    return content.pread(0, length), content.pread(size - length, length)


def _check_unwritten(
    contents: Sequence[Content],
    first: Sequence[tuple[bytes, bytes]],
    *,
    grown: bool = False,
) -> None:
    """Raise `Unreadable` for a file that was written anew; with `grown`, or grew."""
    for content, ends in zip(contents, first, strict=True):
        if not isinstance(content, FileContent):
            continue
        size, change = content.size, content.refresh()
        if change is None:
            continue
        if grown or change != "grown" or _ends(content, size) != ends:
            path = printable(path_text(content.path or "it"))
            raise Unreadable(
                f"{path} was written anew while it was compared: compare it again."
            )


def _seen(artifact: Artifact) -> Seen | None:
    return artifact.link.seen if artifact.link is not None else None


def _may_be_json(artifact: Artifact) -> bool:
    return artifact.counts is not None and artifact.counts.kind in ("json", "jsonl")


def _text(
    content: Content, stack: ExitStack
) -> tuple[Content, Callable[[Seen | None], Seen | None]]:
    """The content as text, and what makes ranges of it ranges of that text."""
    from spillview.content.content import text_content
    from spillview.content.kinds import HEAD, utf16_of
    from spillview.content.transcoding import searched

    wide = utf16_of(content.pread(0, HEAD))
    if wide is None:
        return content, lambda seen: seen
    text = text_content(content, wide[0])
    stack.callback(text.close)
    mapping = searched(content, wide[0])

    def place(offset: int) -> int:
        return bisect_left(range(text.size), offset, key=mapping.disk)

    def ranges(seen: Seen | None) -> Seen | None:
        if seen is None:
            return None
        found = tuple((place(a), place(b)) for a, b in seen.ranges)
        return Seen(found, seen.certain)

    return text, ranges
