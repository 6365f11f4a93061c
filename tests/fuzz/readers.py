"""Readers of what others wrote, put to bytes that a fuzzer makes.

A target takes bytes and raises where the reader does what it never may: any other error
than its own, a range outside of the file, text called seen that is not there.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from spillview.cleanup.journal import decode
from spillview.cleanup.pins import _unpacked as pins_of
from spillview.config import Settings
from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.discovery.discovery import TranscriptFound, discover
from spillview.errors import SpillError, Unreadable
from spillview.hook.settings import cut_out, inserted, scan
from spillview.places import Places
from spillview.profiles.file import built_in, parse_profile
from spillview.profiles.profile import Profile
from spillview.seen.alignment import align
from spillview.shape import outline
from spillview.text import legible, printable
from spillview.transcripts import read_transcript
from spillview.transcripts.facts import TranscriptFacts
from spillview.transcripts.notices import notices_in
from tests.harness_stores import NAMES, make

Target = Callable[[bytes], None]
LARGEST = 1 << 20
"""Bytes of a made transcript that are changed; larger ones would take all the time."""


def notices(data: bytes) -> None:
    """The notices of all profiles in one text, and what each claims."""
    text = data.decode("utf-8", "surrogateescape")
    for profile in profiles().values():
        for hit in notices_in(text, "result", profile.notices):
            assert 0 <= hit.start <= hit.end <= len(text)


def alignment(data: bytes) -> None:
    """What is called seen stands in the file, byte for byte, and in the text shown."""
    if len(data) < 2:
        return
    cut = 2 + (len(data) - 2) * data[0] // 256
    shown, body = data[2:cut].decode("utf-8", "replace"), data[cut:]
    content = BytesContent(body)
    form = ("head", "tail", "head+tail")[data[1] % 3]
    seen = align(shown, content, count(content), form)
    last = 0
    for start, end in seen.ranges:
        assert last <= start < end <= len(body), (form, shown, body, seen)
        last = end
        for line in body[start:end].split(b"\n"):
            words = line.decode("utf-8", "replace").strip().strip("\ufffd")
            assert words in shown or not words.isprintable(), (form, shown, body, seen)


def shape(data: bytes) -> None:
    """What Python's own reader takes is an outline of the same kind."""
    content = BytesContent(data)
    found = outline(content)
    try:
        value = json.loads(data.decode())
    except (ValueError, RecursionError):
        return
    kinds: dict[type, str] = {list: "array", dict: "object"}
    if type(value) in kinds and found.unwrapped is None and b"\n" not in data.strip():
        assert found.kind == kinds[type(value)], (data, found.kind)
        assert found.complete, data


def screen(data: bytes) -> None:
    """Nothing is left that a terminal obeys."""
    text = data.decode("utf-8", "surrogateescape")
    for shown in (printable(text), printable(legible(text))):
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in shown), data


def journal(data: bytes) -> None:
    """A journal is whole or refused."""
    with suppress(Unreadable):
        found = decode(data, "20260101-000000-abcd")
        assert decode(found.encode(), found.batch).items == found.items


def pins(data: bytes) -> None:
    """A list of pins is whole or refused."""
    with suppress(ValueError, KeyError, TypeError):
        pins_of(data)


def settings(data: bytes) -> None:
    """A piece that was put into settings comes out again, byte for byte."""
    try:
        text = data.decode()
        new, start, end = inserted(text, ("hooks", "PreToolUse"), {"x": 1})
    except (SpillError, UnicodeDecodeError):
        return
    assert json.loads(new)["hooks"]["PreToolUse"][-1] == {"x": 1}, text
    assert new[:start] + new[end:] == text
    root = scan(new)
    assert cut_out(new, [(root, len(root.members) - 1)], 0) is not None


def profile(data: bytes) -> None:
    """A user's profile is read or refused with a sentence."""
    with suppress(SpillError):
        parse_profile(data.decode("utf-8", "replace"), "fuzz.toml")


def transcripts(data: bytes) -> None:
    """Made transcripts of every harness, changed at some places: read, or refused."""
    made = logs()
    if len(data) < 8 or not made:
        return
    found, of, original = made[int.from_bytes(data[:2], "big") % len(made)]
    changed = bytearray(original)
    at = 2
    while at + 6 <= len(data) and len(changed) > 0:
        place = int.from_bytes(data[at : at + 3], "big") % len(changed)
        size = data[at + 3] % 16
        gone = data[at + 4] % 64
        changed[place : place + gone] = data[at + 5 : at + 5 + size]
        at += 5 + size
    Path(found.path).write_bytes(changed)
    with suppress(SpillError):
        facts = read_transcript(found, of)
        stored = facts.to_json()
        assert TranscriptFacts.from_json(stored) is not None


@cache
def profiles() -> dict[str, Profile]:
    """The built-in profiles."""
    return {each.harness: each for each in built_in()}


_made: list[tempfile.TemporaryDirectory[str]] = []


@cache
def logs() -> list[tuple[TranscriptFound, Profile, bytes]]:
    """A file of every made store's transcripts that is no database."""
    found: list[tuple[TranscriptFound, Profile, bytes]] = []
    for name in NAMES:
        folder = tempfile.TemporaryDirectory(prefix="fuzz-")
        _made.append(folder)
        store = make(name, Path(folder.name))
        places = Places.of_home(folder.name)
        roots = tuple(map(str, store.roots)) if store.roots else ()
        seen = discover(places, profiles(), Settings(), roots)
        for log in seen.transcripts:
            path = Path(log.path)
            if path.is_file() and path.stat().st_size < LARGEST:
                data = path.read_bytes()
                if not data.startswith(b"SQLite"):
                    found.append((log, profiles()[log.harness], data))
    return found


READERS: dict[str, Target] = {
    "notices": notices,
    "alignment": alignment,
    "shape": shape,
    "screen": screen,
    "journal": journal,
    "pins": pins,
    "settings": settings,
    "profile": profile,
    "transcripts": transcripts,
}


def seeds(name: str) -> list[bytes]:
    """Inputs to begin with: what the reader takes."""
    pin = b'{"pins": 1, "crc32": 0}\n{"id": "a", "path": "/x", "when": 1}\n'
    envelope = b"<persisted-output>\nOutput too large (12KB). Full output saved to: /x"
    texts = {
        "notices": [envelope, b"... [truncated 12 of 30 lines, full output: /x/y] ..."],
        "alignment": [b"\x80\x00line 1\nline 2\nline 1\nline 2\nline 3\n"],
        "shape": [b'{"a": [1, 2.5, null, "x\\u00e9"], "b": {}}', b'[{"a":1},{"a":2}]'],
        "screen": ["a\x1b[2J\u202eb".encode()],
        "pins": [pin],
        "settings": [b'{\n  "hooks": {"PreToolUse": []},\n  "x": 1\n}\n', b"{}"],
        "transcripts": [bytes([n, 0, 1, 2, 3, 4, 5, 6, 7, 8]) for n in range(64)],
    }
    if name == "profile":
        folder = Path(__file__).parents[2] / "spillview/harnesses"
        return [path.read_bytes() for path in sorted(folder.glob("*.toml"))]
    return texts.get(name, [b"{}\n"])
