"""Comparisons of files that are written while they are read."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.comparison import facts
from spillview.comparison.facts import compare
from spillview.content.content import Content
from spillview.errors import Unreadable
from spillview.model import Artifact
from spillview.places import Places

BEFORE = [{"id": n, "v": n % 7} for n in range(300)]
AFTER = [{"id": n + 5, "v": n % 7} for n in range(300)]


def both(home: Path) -> tuple[Artifact, Artifact]:
    """Two documents, found and counted."""
    found = []
    catalogue = Catalogue(Places.of_home(str(home)))
    for name, items in (("before", BEFORE), ("after", AFTER)):
        path = home / f"{name}.json"
        path.write_text(json.dumps(items, indent=1))
        os.utime(path, (1_000, 1_000))
        found.append(catalogue.find(str(path), Query()))
    catalogue.close()
    return found[0], found[1]


def write_meanwhile(
    monkeypatch: pytest.MonkeyPatch, path: str, data: bytes, *, between: bool
) -> None:
    """Let a file be written before its lines, or after them, before its items."""
    name = "compare_items" if between else "compare_lines"
    real = getattr(facts, name)

    def written(*contents: Content, **more: object) -> object:
        with open(path, "r+b") as file:
            file.write(data)
            file.truncate(len(data))
        return real(*contents, **more)

    monkeypatch.setattr(facts, name, written)


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"\xff" * 100_000,
        json.dumps(AFTER[:3]).encode(),
        json.dumps(AFTER * 9, indent=1).encode(),
        json.dumps([{"other": 1}] * 2_000).encode(),
    ],
)
def test_a_file_that_is_written_anew_is_said_to_be(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    data: bytes,
    side: int,
    between: bool,
) -> None:
    pair = both(tmp_path)
    write_meanwhile(monkeypatch, pair[side].found.path, data, between=between)
    with pytest.raises(Unreadable, match="while it was"):
        compare(*pair)


def test_a_file_that_grows_is_compared_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = both(tmp_path)
    whole = compare(*pair)
    path = pair[1].found.path
    more = Path(path).read_bytes() + b"\nand a line after it\n"
    write_meanwhile(monkeypatch, path, more, between=False)
    grown = compare(*pair)
    assert grown.lines.new == whole.lines.new
    assert grown.items == whole.items


def test_a_fault_of_our_own_stays_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndexError("ours")

    monkeypatch.setattr(facts, "compare_lines", broken)
    with pytest.raises(IndexError, match="ours"):
        compare(*both(tmp_path))
