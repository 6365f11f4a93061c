"""Texts of commands for made stores, and how harnesses cut and name them.

Nothing here uses the package under test.
"""

from __future__ import annotations

from datetime import UTC, datetime

Range = tuple[int, int]
NIGHT = 1_795_000_000
FAILED = "FAILED tests/test_app.py::test_total - assert 41 == 42"
PASSED = "1204 passed in 38.21s"


def output(
    word: str,
    size: int = 80_000,
    *,
    verdict: str = PASSED,
    kind: str = "plain",
    end: str = "\n",
) -> bytes:
    """About `size` bytes of lines that differ, with a verdict in the last one.

    `kind`: `plain`, `cjk`, `crlf`, `ansi`.
    """
    feed = "\r\n" if kind == "crlf" else "\n"
    lines, total, number = [], 0, 0
    while total < size:
        number += 1
        line = (
            f"{number:06d} {word} case {number * 7919 % 100003} took {number % 97} ms"
        )
        if kind == "cjk":
            line += f" 検査{number}番は正常です"
        elif kind == "ansi":
            line = f"\x1b[32m{line}\x1b[0m"
        lines.append(line)
        total += len(line.encode()) + len(feed)
    lines.append(verdict)
    return (feed.join(lines) + end.replace("\n", feed)).encode()


def head(data: bytes, size: int) -> bytes:
    """The first `size` bytes, back to a whole char."""
    while size and size < len(data) and data[size] & 0xC0 == 0x80:
        size -= 1
    return data[:size]


def tail(data: bytes, size: int) -> bytes:
    """The last `size` bytes, on to a whole char."""
    start = max(0, len(data) - size)
    while start < len(data) and data[start] & 0xC0 == 0x80:
        start += 1
    return data[start:]


def last_lines(data: bytes, lines: int, size: int) -> bytes:
    """The last whole lines: as many as both limits let."""
    rows = data.split(b"\n")
    ends = not rows[-1]
    if ends:
        rows.pop()
    kept: list[bytes] = []
    for row in reversed(rows):
        if len(kept) == lines or sum(map(len, kept)) + len(kept) + len(row) > size:
            break
        kept.insert(0, row)
    return b"\n".join(kept) + (b"\n" if ends else b"")


def line_start(data: bytes, number: int) -> int:
    """Where line `number` begins, counted from 1."""
    at = 0
    for _ in range(number - 1):
        at = data.index(b"\n", at) + 1
    return at


def words(size: int) -> str:
    """A size as JavaScript harnesses print it: 999B, 12.3KB, 1.2MB."""
    if size < 1024:
        return f"{size}B"
    if size < 1 << 20:
        return f"{size / 1024:.1f}KB"
    return f"{size / (1 << 20):.1f}MB"


def iso(epoch: float) -> str:
    """ISO 8601 with milliseconds and Z."""
    when = datetime.fromtimestamp(epoch, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def millis(epoch: float) -> int:
    """Epoch milliseconds."""
    return int(epoch * 1000)
