"""Short, seeded runs of what `python -m tests.fuzz` does for as long as it may."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="the oracles count with it")

from .fuzz import __main__ as words
from .fuzz import bytewise, guided, inputs, readers

FOUND: dict[str, tuple[bytes, ...]] = {}
"""Inputs that once went wrong, by target."""


@pytest.mark.parametrize("name", [*bytewise.BYTEWISE, "printable"])
def test_pure_functions_agree_with_their_oracles(name: str) -> None:
    done = 0
    for more in bytewise.runs(name, seed=20, deep=False):
        done += more
        if done > 12_000:
            break
    assert done > 12_000


def test_every_short_text_is_counted_as_the_decoder_does() -> None:
    alphabet = bytes.fromhex("0a 41 80 a0 bf c2 e0 ed f0 f4")
    for batch in inputs.batches(inputs.every(alphabet, 4)):
        assert bytewise.check_codepoints(batch) == len(batch)


def test_an_oracle_that_differs_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bytewise, "chars", lambda data: (len(data), 0, True))
    with pytest.raises(bytewise.Differs, match="chars"):
        bytewise.check_codepoints([b"a", "é".encode()])


@pytest.mark.parametrize("name", sorted(readers.READERS))
def test_readers_refuse_or_read_whatever_they_are_given(name: str) -> None:
    for data in readers.seeds(name):
        readers.READERS[name](data)
    for data in FOUND.get(name, ()):
        readers.READERS[name](data)
    assert guided.by_hypothesis(name, 0, most=40) > 0


def test_the_command_knows_every_target() -> None:
    assert set(words.READERS) == set(readers.READERS)
    assert set(words.BYTEWISE) == {*bytewise.BYTEWISE, "printable"}
