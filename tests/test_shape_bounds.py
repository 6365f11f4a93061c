"""Memory that the size of a text does not change, and work that can be stopped."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from spillview.errors import Cancelled
from spillview.possessive import SOUND
from spillview.shape import outline
from spillview.shape.keys import Keys
from tests.shapes import (
    Repeated,
    facts,
    outlined,
)

SHAPES = {
    "records": (b"[", b'{"id":1,"t":"abc"},', b'{"id":2,"t":"x"}]'),
    "inner array": (b'{"a":{"items":[', b'{"id":1,"t":[{"id":2}]},', b"{}]}}"),
    "lines": (b"", b'{"id":1,"t":"abc"}\n', b""),
    "empty lists": (b"[", b"[],", b"[]]"),
    "one string": (b'["', b"text \\n ", b'"]'),
    "one number": (b"[", b"1234567", b",2]"),
    "one key": (b'{"', b"key ", b'":1}'),
    "white space": (b"[1,", b"    ", b"2]"),
    "opens": (b"", b"[", b""),
    "large members": (b"[", b"[" + b"[1]," * 25_000 + b"2],", b"3]"),
}


@pytest.mark.parametrize("name", SHAPES)
def test_memory_is_bounded_whatever_is_large(name: str) -> None:
    head, block, tail = SHAPES[name]
    size = 4_000_000
    content = Repeated(head, block, size // len(block), tail)
    outlined(b'[{"a":1}]')  # what is imported once does not count
    tracemalloc.start()
    try:
        found = outline(content, lines=name == "lines", batch=1 << 12, whole=1 << 14)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.complete == (name != "opens")
    # A hundred thousand open containers are held, and not more of them.
    bound = size * 20 if name == "opens" else size // 2
    if name == "one string" and not SOUND:
        bound = 16 << 20  # the rounds of a regex within a piece of 256 KiB
    assert peak < bound


def test_ever_new_keys_are_bounded_and_said() -> None:
    keys = (f'"key {n}":{{"v":{n}}}' for n in range(60_000))
    text = "{" + ",".join(keys) + "}"
    found = outlined(text)
    assert facts(found) == {
        (): (1, {"object": 1}, 0, 60_000, 60_000, None, None),
        (None,): (60_000, {"object": 60_000}, 0, 1, 1, None, None),
        (None, "v"): (60_000, {"number": 60_000}, 60_000, None, None, 0, 59_999),
    }
    assert [facts.path for facts in found.paths] == [".", ".[]", ".[].v"]
    assert found.warnings[0].startswith("60,000 distinct keys are taken together")


def test_maps_inside_maps_are_bounded_and_said() -> None:
    rows = ({f"a{n % 700}": {f"b{n % 691}": {f"c{n % 677}": n}}} for n in range(30_000))
    text = json.dumps(list(rows))
    found = outlined(text)
    assert len(found.paths) < 20_000
    assert sum(facts.types.get("number", 0) for facts in found.paths) == 30_000
    assert "are taken together" in found.warnings[0]


def test_keys_of_a_large_object_are_counted_exactly_on_disk_too() -> None:
    keys = Keys(held=4096, few=10)
    for n in range(0, 5000, 50):
        keys.add(f"key {m % 1234}" for m in range(n, n + 50))
    assert keys.added >= keys.distinct() == 1234
    keys.close()


def test_it_stops_when_asked_and_tells_how_far_it_is() -> None:
    content = Repeated(*SHAPES["records"][:2], 100_000, SHAPES["records"][2])
    told: list[tuple[int, int]] = []

    def cancelled() -> bool:
        return len(told) >= 3

    with pytest.raises(Cancelled):
        outline(content, cancelled=cancelled, progress=lambda *n: told.append(n))
    assert len(told) == 3
    assert all(0 < done <= total == content.size for done, total in told)


@pytest.mark.parametrize("name", ["one string", "one number", "one key"])
def test_it_stops_inside_of_what_is_large(name: str) -> None:
    head, block, tail = SHAPES[name]
    content = Repeated(head, block, 4_000_000 // len(block), tail)
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 4

    with pytest.raises(Cancelled):
        outline(content, cancelled=cancelled)
