"""Large outputs for made stores, and the byte ranges of parts of them.

Nothing here uses the package under test.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Range = tuple[int, int]


def output(size: int, last: str, *, seed: int = 1, odd: bool = False) -> str:
    """About `size` bytes of lines, each its own, that end in the line `last`.

    With `odd` some of them hold CJK, colours and CRLF line ends.
    """
    rows: list[str] = []
    length, n = 0, 0
    while length < size:
        n += 1
        row = f"[{seed:02d}-{n:05d}] step {(n * 7919 + seed * 31) % 99991:05d} of many"
        end = "\n"
        if odd and n % 9 == 4:
            row += " 漢字かな交じり 한글"
        if odd and n % 11 == 5:
            row = f"\x1b[31m{row}\x1b[0m"
        if odd and n % 13 == 6:
            end = "\r\n"
        rows.append(row + end)
        length += len((row + end).encode())
    return "".join(rows) + last + "\n"


def head(text: str, chars: int) -> Range:
    """The byte range of the first `chars` chars."""
    return 0, len(text[:chars].encode())


def tail(text: str, chars: int) -> Range:
    """The byte range of the last `chars` chars."""
    whole = len(text.encode())
    return whole - len(text[len(text) - chars :].encode()), whole


def lines(text: str, first: int, last: int) -> Range:
    """The byte range of those lines, line ends included."""
    rows = text.splitlines(keepends=True)
    assert "".join(rows) == text
    start = len("".join(rows[: first - 1]).encode())
    return start, start + len("".join(rows[first - 1 : last]).encode())


def shown(text: str, first: int, last: int) -> str:
    """Those lines as `sed -n 'first,lastp'` prints them."""
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


def united(*ranges: Range) -> tuple[Range, ...]:
    """The ranges sorted, those that touch or overlap made one."""
    merged: list[Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


def iso(epoch: float) -> str:
    """ISO 8601 with milliseconds and Z, as JavaScript writes it."""
    when = datetime.fromtimestamp(epoch, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def put(path: Path, text: str | bytes, epoch: float) -> Path:
    """A new file with that text and mtime; its folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        raise FileExistsError(path)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (epoch, epoch))
    return path


def put_lines(path: Path, records: Iterable[Any], epoch: float) -> Path:
    """A JSON Lines file."""
    rows = [json.dumps(r, ensure_ascii=False, separators=(",", ":")) for r in records]
    return put(path, "\n".join(rows) + "\n", epoch)
