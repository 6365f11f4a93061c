"""Which bytes of an artifact a shown text is: head, tail, or head and tail."""

from __future__ import annotations

import re
from collections.abc import Iterator

from spillview.content.rendering import Rendered, render
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING
from spillview.model import Counts, Range, Seen

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.profiles.profile import Preview

LEAST = 64
"""Chars that must fit before part of a text counts as shown."""

WINDOW = 4 << 20
"""Bytes looked at, at most, to find what a text with stripped parts came from."""

_REST = ("", "...", "…")
"""What may be left of a preview besides white space: the mark that it was cut."""


class _End(Frozen):
    """How far a shown text fits one end of the file."""

    chars: int
    """Chars of the shown text that fit."""
    ranges: tuple[Range, ...]


def align(shown: str, content: Content, counts: Counts, form: Preview | str) -> Seen:
    """The byte ranges of the file that `shown` is, its place given by `form`.

    `form` is a profile's preview or the word `head`, `tail`, `head+tail`, `none`.
    What could not be located makes the answer uncertain; nothing is called seen that
    was not compared with the file.
    """
    word = form if isinstance(form, str) else form.form
    gap = None if isinstance(form, str) else form.gap
    if word == "none" or not shown.strip():
        return Seen(())
    shown = _whole_chars(shown)
    if word == "head":
        return _best(_heads(shown, content, counts), shown)
    if word == "tail":
        return _best(_tails(shown, content, counts), shown)
    return _both(shown, content, counts, gap)


def around(head: str, tail: str, content: Content, counts: Counts) -> Seen | None:
    """The ranges of a head and a tail; None when either does not fit."""
    head, tail = _whole_chars(head), _whole_chars(tail)
    return _around(head + tail, len(head), len(head), content, counts)


def merge(
    ranges: Iterator[Range] | list[Range] | tuple[Range, ...],
) -> tuple[Range, ...]:
    """The ranges sorted, with those that touch or overlap made one."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def _whole_chars(shown: str) -> str:
    """Without the half of a surrogate pair that a cut left at either end."""
    if shown and "\ud800" <= shown[-1] <= "\udbff":
        shown = shown[:-1]
    if shown and "\udc00" <= shown[0] <= "\udfff":
        shown = shown[1:]
    return shown


def _best(ends: Iterator[_End], shown: str) -> Seen:
    """The first end that fits whole, else the longest part that fits."""
    best: _End | None = None
    for end in ends:
        if end.chars == len(shown):
            return Seen(merge(end.ranges))
        if best is None or end.chars > best.chars:
            best = end
    if best is None or best.chars < LEAST:
        return Seen((), certain=False)
    return Seen(merge(best.ranges), certain=False)


def _heads(shown: str, content: Content, counts: Counts) -> Iterator[_End]:
    """How `shown` fits the file's start, at every level of rendering."""
    for window in _once(_windows(len(shown), content, counts, tail=False)):
        text = window.text
        fits = _common(shown, text, 0)
        start = 0
        if fits == 0 and shown[:1] not in ("\n", "\r", " ", "\t"):
            blank = re.match(r"(?:[ \t\r]*\n)+", text)
            if blank is not None:
                start = blank.end()
                fits = _common(shown, text, start)
        rest = shown[fits:]
        ranges = tuple(window.ranges(start, start + fits))
        if rest.strip() in _REST or _broken(rest):
            fits = len(shown)
        yield _End(fits, ranges)


def _tails(shown: str, content: Content, counts: Counts) -> Iterator[_End]:
    """How `shown` fits the file's end, at every level of rendering."""
    for window in _once(_windows(len(shown), content, counts, tail=True)):
        for end in _ends(window.text):
            fits = _common_back(shown, window.text, end)
            if fits == 0:
                continue
            ranges = tuple(window.ranges(end - fits, end))
            rest = shown[: len(shown) - fits]
            if rest.strip() in _REST or _broken(rest):
                fits = len(shown)
            yield _End(fits, ranges)


def _ends(text: str) -> list[int]:
    """Where a tail may end: at the end, or before white space that was trimmed."""
    ends = [len(text)]
    if text.endswith("\n"):
        ends.append(len(text) - 1)
    ends.append(len(text.rstrip()))
    return list(dict.fromkeys(ends))


def align_from(
    shown: str, start: int, behind: int, content: Content, counts: Counts
) -> Seen:
    """Head and tail of the part of the file that begins at byte `start`.

    `behind` bytes of something else stood after that part when it was cut in two.
    """
    from spillview.seen.filelines import Rest

    seen = _both(shown, Rest(content, start), counts, None, behind)
    ranges = tuple((a + start, b + start) for a, b in seen.ranges)
    return Seen(ranges, seen.certain)


def _both(
    shown: str, content: Content, counts: Counts, gap: str | None, behind: int = 0
) -> Seen:
    """Head and tail with a mark between them, or with nothing."""
    whole = _best(_heads(shown, content, counts), shown)
    if whole.certain and whole.bytes == counts.bytes:
        return whole
    if gap is not None:
        found = [
            seen
            for match in re.finditer(gap, shown)
            if (seen := _around(shown, match.start(), match.end(), content, counts))
        ]
        if found:
            return _agreed(found)
    heads = _windows(len(shown), content, counts, tail=False)
    tails = _windows(len(shown), content, counts, tail=True)
    for head, tail in zip(heads, tails, strict=True):
        for end in _ends(tail.text):
            seen = _joined(shown, head, tail, behind, end)
            if seen is not None:
                return seen
    return Seen(whole.ranges if not whole.certain else (), certain=False)


def _around(
    shown: str, first: int, last: int, content: Content, counts: Counts
) -> Seen | None:
    """Head before `first` and tail from `last` on; None when either does not fit."""
    head = _best(_heads(shown[:first], content, counts), shown[:first])
    tail = _best(_tails(shown[last:], content, counts), shown[last:])
    if not (head.certain and tail.certain):
        return None
    return Seen(merge((*head.ranges, *tail.ranges)))


def _agreed(found: list[Seen]) -> Seen:
    """What all of several ways to read an envelope have in common."""
    if len(found) == 1 or all(each == found[0] for each in found):
        return found[0]
    common = found[0].ranges
    for each in found[1:]:
        common = _intersection(common, each.ranges)
    return Seen(common, certain=False)


def _intersection(a: tuple[Range, ...], b: tuple[Range, ...]) -> tuple[Range, ...]:
    return merge([(max(x[0], y[0]), min(x[1], y[1])) for x in a for y in b])


def _joined(
    shown: str, head: Rendered, tail: Rendered, behind: int, end: int
) -> Seen | None:
    """Head and tail with nothing between: where one ends must be found.

    The tail ends at `end`: white space after it may have been trimmed.

    Several places may fit when the content repeats itself. The harness gives both
    halves the same budget, which mostly leaves one of them; where it does not, only
    what all of them have in common counts.
    """
    most = _common(shown, head.text, 0)
    back = _common_back(shown, tail.text, end)
    least = len(shown) - back
    if least > most:
        return None
    middle = [k for k in _middles(shown, behind) if least <= k <= most]
    fitting = [k for k in middle if _even(shown, k, head, tail, behind, end)]
    candidates = fitting or [least, most]

    low, high = min(candidates), max(candidates)
    before = head.ranges(0, high)
    after = tail.ranges(end - (len(shown) - low), end)
    if low == high:
        if before and after and before[-1][1] > after[0][0]:
            return None  # longer than the file itself
        return Seen(merge([*before, *after]))
    before = head.ranges(0, low)
    after = tail.ranges(end - (len(shown) - high), end)
    if before and after and before[-1][1] > after[0][0]:
        return None
    return Seen(merge([*before, *after]), certain=False)


def _middles(shown: str, behind: int) -> list[int]:
    """Chars at which the bytes before and after are as good as equal."""
    total = len(shown.encode("utf-8", "surrogatepass")) + behind
    low, high = 0, len(shown)
    while low < high:
        middle = (low + high) // 2
        size = len(shown[:middle].encode("utf-8", "surrogatepass"))
        low, high = (middle + 1, high) if size * 2 < total else (low, middle)
    return [k for k in range(low - 6, low + 7) if 0 <= k <= len(shown)]


def _even(
    shown: str, k: int, head: Rendered, tail: Rendered, behind: int, end: int
) -> bool:
    """Whether one budget, halved and cut back to whole chars, gives this split."""
    before = len(shown[:k].encode("utf-8", "surrogatepass"))
    after = len(shown[k:].encode("utf-8", "surrogatepass")) + behind
    next_char = head.text[k : k + 1]
    at = end - (len(shown) - k)
    last_char = tail.text[at - 1 : at] if at > 0 else ""
    wide = len(next_char.encode("utf-8", "surrogatepass")) or 1
    back = len(last_char.encode("utf-8", "surrogatepass")) or 1
    budgets = {b for h in range(before, before + wide) for b in (2 * h - 1, 2 * h)}
    return any(
        b in budgets for t in range(after, after + back) for b in (2 * t, 2 * t + 1)
    )


def _windows(
    length: int, content: Content, counts: Counts, *, tail: bool
) -> Iterator[Rendered]:
    """The file's start or end as text, at each level of rendering.

    A level that would change nothing repeats the one before it. UTF-16 content follows
    decoded as what it is, in case the harness did so too. A window of a file that is
    no text takes a hundred times its size: there is one at a time.
    """
    near = min(4 * length + 64, WINDOW)
    far = min(max(near, 16 * length + (1 << 20)), WINDOW)
    plan = [
        (0, near, "utf-8"),
        (1, near, "utf-8"),
        (2, far, "utf-8"),
        (3, far, "utf-8"),
    ]
    if counts.encoding.startswith("utf-16"):
        plan += [(0, near, counts.encoding), (1, near, counts.encoding)]
    for level, size, encoding in plan:
        size = min(size, content.size)
        start = content.size - size if tail else 0
        if encoding != "utf-8" and start % 2:
            start -= 1
        data = content.pread(start, content.size - start if tail else size)
        needed = (b"", b"\r", b"\x1b[", b"\r")[level]
        if level == 0 or encoding != "utf-8" or needed in data:
            final = start + len(data) >= content.size
            window = render(data, start, level, final=final, encoding=encoding)
        yield window


def _once(windows: Iterator[Rendered]) -> Iterator[Rendered]:
    """Without those that repeat the one before."""
    before: Rendered | None = None
    for window in windows:
        if window is not before:
            yield window
        before = window


def _broken(rest: str) -> bool:
    """Whether only a char that a cut broke is left of a shown text."""
    return 0 < len(rest) <= 4 and not rest.strip("\ufffd")


def _common(shown: str, text: str, start: int) -> int:
    """Chars of `shown` that stand at `start` in `text`."""
    low, high = 0, min(len(shown), len(text) - start)
    if text.startswith(shown[:high], start):
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(shown[low:middle], start + low):
            low = middle
        else:
            high = middle - 1
    return low


def _common_back(shown: str, text: str, end: int) -> int:
    """Chars at the end of `shown` that stand before `end` in `text`."""
    low, high = 0, min(len(shown), end)
    total = len(shown)
    while low < high:
        middle = (low + high + 1) // 2
        if text.endswith(shown[total - middle : total - low], 0, end - low):
            low = middle
        else:
            high = middle - 1
    return low
