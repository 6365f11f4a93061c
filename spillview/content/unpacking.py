"""Taking a text out of what it is packed in, part by part, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

from spillview.hints import TYPE_CHECKING
from spillview.regexes import late

if TYPE_CHECKING:
    from spillview.content.content import Content

CHUNK = 1 << 18
_MARK = late(rb'["{}\[\]]')


def inflated(parts: Iterator[bytes]) -> Generator[bytes]:
    """gzip (several members one after the other, too) or zlib data, unpacked.

    Memory is bounded whatever it grows to. Raises `ValueError` when it is damaged or
    ends too soon.
    """
    import zlib

    machine = zlib.decompressobj(47)
    begun = False
    for part in parts:
        data = part
        while data:
            if machine.eof:
                if not data.strip(b"\0"):
                    break
                machine = zlib.decompressobj(47)
            begun = True
            try:
                out = machine.decompress(data, CHUNK)
            except zlib.error as error:
                raise ValueError(f"its data is damaged ({error})") from None
            if out:
                yield out
            data = machine.unused_data if machine.eof else machine.unconsumed_tail
    if begun and not machine.eof:
        while out := _more(machine):
            yield out
        if not machine.eof:
            raise ValueError("its data ends too soon")


def _more(machine: object) -> bytes:
    import zlib

    try:
        out: bytes = machine.decompress(b"", CHUNK)  # type: ignore[attr-defined]  # zlib's class has no name
    except zlib.error as error:
        raise ValueError(f"its data is damaged ({error})") from None
    return out


def member_at(
    file: Content, name: str, stop: Callable[[], None] = lambda: None
) -> int | None:
    """Where the inside of the string begins that is a member of the file's object.

    `stop` is called now and then, and may raise.
    """
    return next((at for key, at in _members(file, stop) if key == name), None)


def longest_member(file: Content) -> tuple[str, int, int] | None:
    """The longest text that is a member of the file's object.

    Its name, the byte where the inside of its string begins, and how many bytes that
    takes; the first of equals. None where no member is a text.
    """
    from spillview.content.pages import unescaped

    longest: tuple[str, int, int] | None = None
    members = _members(file, lambda: None)
    found = next(members, None)
    while found is not None:
        key, start = found
        end = start
        for after, _, closed in unescaped(file, start, chunk=CHUNK):
            end = after - closed
        if longest is None or end - start > longest[2]:
            longest = key, start, end - start
        found = next(members, None)
    return longest


def _members(file: Content, stop: Callable[[], None]) -> Iterator[tuple[str, int]]:
    """Name and first byte of each text that is a member of the file's object."""
    from spillview.content.pages import unescaped

    depth, at, key = 0, 0, ""
    while True:
        stop()
        data = file.pread(at, 4096)
        mark = _MARK.search(data)
        if not data:
            return
        if mark is None:
            at += len(data)
            continue
        at += mark.end()
        if mark[0] != b'"':
            depth += 1 if mark[0] in b"{[" else -1
            continue
        before = data[: mark.start()].rstrip(b" \t\r\n")[-1:]
        if depth == 1 and before == b":":
            yield key, at
        text = b""
        for end, piece, _ in unescaped(file, at, chunk=CHUNK):
            stop()
            text, at = text + piece if len(text) < 256 else text, end
        if depth == 1 and before in (b"{", b",", b""):
            key = text.decode("utf-8", "replace")
