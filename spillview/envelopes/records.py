"""Rows of any source as dicts, one at a time: Python values, CSV, TSV, JSON, SQL."""

from __future__ import annotations

import codecs
import csv
import dataclasses
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from spillview.content.content import BytesContent, Content, open_content, text_content
from spillview.content.kinds import HEAD, utf16_of
from spillview.errors import BadInput
from spillview.possessive import repeated
from spillview.shape.numbers import Constant, Written
from spillview.store.encoding import pieces

Record = dict[str, Any]

LARGEST = 16 << 20
"""Bytes of one row; a longer one is refused."""

BLOCK = 1 << 18
"""Bytes read at a time."""

_SEPARATORS = ("\t", ",", ";")
_SQL_ROWS = 500
_QUOTED = re.compile(
    r'(?:^|(?<=[\t,;]))"' + repeated(r'[^"]|""') + r'"(?=[\t,;\r\n]|\Z)'
)
"""A cell in quotes; a quote inside another cell is a char of it."""


class Rows:
    """The rows of one source; to be gone through once.

    `source` may be dicts, dataclasses, named tuples or other sequences, a cursor of a
    database (with `description` and `fetchmany`), or a text: CSV or TSV with a header,
    a JSON array, an object that holds one, or JSON Lines. A text is a `str`, `bytes`, a
    `Content`, or the path of a file (`pathlib.Path`).
    """

    def __init__(self, source: Any) -> None:
        self.left_out = 0
        """Lines that hold no row: broken JSON Lines, known when all were read."""
        self._source = source
        self._close: list[Content] = []

    def __iter__(self) -> Iterator[Record]:
        """Raises `BadInput` where a row is none, and what reading raises."""
        source = self._source
        try:
            if isinstance(source, str):
                content: Content = BytesContent(b"".join(pieces(source)))
                yield from self._of_text(content)
            elif isinstance(source, bytes | bytearray):
                yield from self._of_text(BytesContent(bytes(source)))
            elif isinstance(source, os.PathLike):
                opened = open_content(os.fsdecode(source))
                self._close.append(opened)
                yield from self._of_text(opened)
            elif hasattr(source, "pread"):
                yield from self._of_text(source)
            elif hasattr(source, "fetchmany") and hasattr(source, "description"):
                yield from _of_cursor(source)
            elif isinstance(source, Mapping) or not hasattr(source, "__iter__"):
                kind = type(source).__name__
                raise BadInput(f"Rows are many of a kind, and this is one {kind}.")
            else:
                for row in source:
                    yield _record(row)
        finally:
            while self._close:
                self._close.pop().close()

    def _of_text(self, content: Content) -> Iterator[Record]:
        wide = utf16_of(content.pread(0, HEAD))
        if wide is not None:
            content = text_content(content, wide[0])
            self._close.append(content)
        head = content.pread(0, 4096).removeprefix(codecs.BOM_UTF8).lstrip(b" \t\r\n")
        if head[:1] in (b"[", b"{"):
            yield from self._of_json(content)
        else:
            yield from _of_csv(content)

    def _of_json(self, content: Content) -> Iterator[Record]:
        from spillview.shape.locating import first_places
        from spillview.shape.source import Source

        with Source(content) as source:
            inner = source.inner
            outline = source.outline()
            begin = outline.begin
            if outline.kind == "jsonl":
                for line in _lines(inner, begin):
                    if line.strip():
                        try:
                            yield _record(_loaded(line))
                        except ValueError:
                            self.left_out += 1
                return
            if outline.error is not None:
                raise BadInput(
                    f"The rows are no whole JSON: it breaks at byte"
                    f" {outline.error.byte:,}."
                )
            if outline.kind == "array":
                begin = _behind_bracket(inner, begin)
            elif outline.records is not None:
                trail = outline.records.trail
                begin = first_places(outline, inner, [trail])[trail][0]
            else:
                raise BadInput("There is no array of rows in this JSON.")
            for value in _elements(inner, begin):
                yield _record(value)


def _record(row: Any) -> Record:
    """A row as a dict with text keys."""
    if isinstance(row, Mapping):
        found = {str(key): value for key, value in row.items()}
        if len(found) == len(row):
            return found
        # `1` and "1" are two keys.
        names = distinct_names([str(key) for key in row])
        return dict(zip(names, row.values(), strict=True))
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return {f.name: getattr(row, f.name) for f in dataclasses.fields(row)}
    if hasattr(row, "_asdict"):
        return dict(row._asdict())
    if hasattr(row, "keys"):  # sqlite3.Row
        return {str(key): row[key] for key in row.keys()}  # noqa: SIM118 - no mapping
    if isinstance(row, Sequence) and not isinstance(row, str | bytes):
        return {f"column {n}": value for n, value in enumerate(row, 1)}
    return {"value": row}


def _of_cursor(cursor: Any) -> Iterator[Record]:
    if cursor.description is None:
        raise BadInput("This cursor has no rows: execute a SELECT first.")
    names = distinct_names([str(column[0]) for column in cursor.description])
    while rows := cursor.fetchmany(_SQL_ROWS):
        for row in rows:
            plain = isinstance(row, Sequence) and not isinstance(row, str | bytes)
            if plain and len(row) == len(names):
                yield dict(zip(names, row, strict=True))
            else:  # a row factory may give anything
                yield _record(row)


def distinct_names(names: Sequence[str]) -> list[str]:
    """Column names, each once: `a`, `a (2)`, and `column 3` for an empty one."""
    found: dict[str, None] = {}
    _name_more(found, {}, names)
    return list(found)


def _name_more(
    found: dict[str, None], numbers: dict[str, int], names: Iterable[str]
) -> None:
    """Add further columns; `numbers` is how often each name had to be told apart."""
    for name in names:
        name = name.strip() or f"column {len(found) + 1}"
        new, number = name, numbers.get(name, 1)
        while new in found:
            number += 1
            new = f"{name} ({number})"
        numbers[name] = number
        found[new] = None


# -- CSV and TSV ----------------------------------------------------------------------


def _of_csv(content: Content) -> Iterator[Record]:
    lines = _texts(content)
    first = next(lines, None)
    while first is not None and not first.strip():
        first = next(lines, None)
    if first is None:
        return
    bare = _QUOTED.sub("", first)
    separator = max(_SEPARATORS, key=bare.count)

    def all_lines() -> Iterator[str]:
        yield first
        yield from lines

    source = _Counted(all_lines())
    reader = csv.reader(source, delimiter=separator)
    names: dict[str, None] = {}
    numbers: dict[str, int] = {}
    began = False
    while (row := _next_row(reader, source)) is not None:
        if not began:
            _name_more(names, numbers, row)
            began = True
        elif row:
            _name_more(names, numbers, [""] * (len(row) - len(names)))
            yield dict(zip(names, row, strict=False))


class _Counted:
    """Lines, and how many were taken; whether an end was asked for."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self.number = 0
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        for line in self._lines:
            self.number += 1
            return line
        self.ended = True
        raise StopIteration


def _next_row(reader: Iterator[list[str]], lines: _Counted) -> list[str] | None:
    limit = csv.field_size_limit(LARGEST)  # the setting is everybody's
    begin = lines.number + 1
    try:
        row = next(reader, None)
    except csv.Error as error:
        why = str(error)
        if "new-line" in why:
            why = (
                f"line {lines.number:,} has a CR inside a cell without quotes; where"
                " lines end with CR alone, write them with LF"
            )
        raise BadInput(f"The rows are no CSV or TSV: {why}.") from None
    finally:
        csv.field_size_limit(limit)
    if row is not None and lines.ended:
        # Only a quote that is open still reads on behind the last line.
        raise BadInput(
            f"The rows are no whole CSV or TSV: a quote that is opened in the row of"
            f" line {begin:,} is never closed."
        )
    return row


def _texts(content: Content) -> Iterator[str]:
    mark = "\ufeff"
    for line in _lines(content, 0):
        yield line.decode("utf-8", "replace").removeprefix(mark)
        mark = ""


def _lines(content: Content, at: int) -> Iterator[bytes]:
    """Lines with their LFs."""
    carry = b""
    while data := content.pread(at, BLOCK):
        at += len(data)
        lines = (carry + data).split(b"\n")
        carry = lines.pop()
        if len(carry) > LARGEST:
            raise _too_long(at - len(carry))
        for line in lines:
            yield line + b"\n"
    if carry:
        yield carry


# -- JSON -----------------------------------------------------------------------------


def _integer(text: str) -> int | Written:
    return int(text) if len(text) < 600 else Written(text)


_DECODER = json.JSONDecoder(
    parse_float=Written, parse_int=_integer, parse_constant=Constant
)
"""Numbers are as they are written."""

_SPACE = re.compile(r"[ \t\r\n]*+")


def _loaded(raw: bytes) -> Any:
    try:
        return _DECODER.decode(raw.decode("utf-8", "replace").removeprefix("\ufeff"))
    except RecursionError:
        raise _too_deep() from None


def _elements(content: Content, at: int) -> Iterator[Any]:
    """The elements of an array whose first one begins at byte `at`."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    text, pos, length, ended = "", 0, BLOCK, False
    while True:
        pos = _behind_space(text, pos)
        if text.startswith("]", pos):
            return
        try:
            value, end = _DECODER.raw_decode(text, pos)
            # A comma or bracket must follow: a number may go on in the next block.
            end = _behind_space(text, end)
            mark = text[end : end + 1]
        except RecursionError:
            raise _too_deep() from None
        except ValueError:
            mark = ""
        if mark:
            yield value
            if mark == "]":
                return
            pos, length = end + 1, BLOCK
            continue
        if ended:
            raise BadInput(f"The rows are no whole JSON: they break at byte {at:,}.")
        if length > LARGEST:
            raise _too_long(at - length // 2)
        data = content.pread(at, length)
        at += len(data)
        ended = at >= content.size
        text, pos = text[pos:] + decoder.decode(data, ended), 0
        length *= 2  # a row longer than the block: not to be tried too often


def _behind_space(text: str, pos: int) -> int:
    match = _SPACE.match(text, pos)
    assert match is not None
    return match.end()


def _behind_bracket(content: Content, at: int) -> int:
    while content.pread(at, 1) in (b" ", b"\t", b"\r", b"\n"):
        at += 1
    return at + 1


def _too_deep() -> BadInput:
    return BadInput("A row is nested too deep: a table has cells, not trees.")


def _too_long(at: int) -> BadInput:
    return BadInput(
        f"The row at byte {at:,} is longer than {LARGEST >> 20} MiB: a table has"
        " shorter ones."
    )
