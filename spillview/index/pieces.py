"""Parts of a pattern: the texts that they can match, and what those texts need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from spillview.index.folds import spellings
from spillview.index.needs import GRAM, REACH, AnyOf, Chain, Need

VARIANTS = 16
"""More spellings of one piece make it unknown."""
GROUPS = 24
"""Grams of one required text that are asked for."""

Element = tuple[bytes, ...]
"""One of these stands here."""


class Unknown(Exception):
    """The pattern holds something whose meaning is not known here."""


class Piece(NamedTuple):
    """Part of a pattern."""

    variants: Element | None
    """All the texts that it can match; None where that is not known."""
    needs: Need = ()
    """What it cannot match without."""


NOTHING = Piece((b"",))
"""It matches between two characters."""
GAP = Piece(None)
"""It matches anything."""


def char_piece(char: str, folded: bool) -> Piece:
    """One character as it is, or in all its spellings."""
    if "\n" in char:
        raise Unknown
    if not folded:
        return Piece((char.encode().lower(),))
    same = spellings(char)
    return GAP if same is None else Piece(distinct(c.encode().lower() for c in same))


def distinct(texts: Iterable[bytes]) -> Element:
    """The texts in their order, each once."""
    return tuple(dict.fromkeys(texts))


def joined(pieces: Sequence[Piece]) -> Piece:
    """The pieces one after the other."""
    whole: Element | None = (b"",)
    clauses: list[Chain | AnyOf] = []
    chain: list[Element] = []
    for piece in pieces:
        if piece.variants is None:
            clauses += _chains(chain)
            chain, whole = [], None
        else:
            chain.append(piece.variants)
            if whole is not None:
                whole = _product(whole, piece.variants)
        if piece.variants is None or len(piece.variants) > 1:
            clauses += piece.needs
    clauses += _chains(chain)
    return Piece(whole, tuple(dict.fromkeys(clauses)))


def _product(one: Element, other: Element) -> Element | None:
    if len(one) * len(other) > VARIANTS:
        return None
    return distinct(a + b for a, b in product(one, other))


def either(needs: Sequence[Need]) -> Need:
    """What is required where any of these is."""
    if not needs or not all(needs):
        return ()
    return needs[0] if len(set(needs)) == 1 else (AnyOf(tuple(needs)),)


def _chains(elements: Sequence[Element]) -> list[Chain | AnyOf]:
    """The grams of elements that follow each other, in windows of `REACH` bytes."""
    fine = [part for element in elements for part in _split(element)]
    chains: list[Chain | AnyOf] = []
    start = 0
    while start < len(fine):
        stop, size = start, 0
        while stop < len(fine) and size + max(map(len, fine[stop])) <= REACH:
            size += max(map(len, fine[stop]))
            stop += 1
        groups = _distinct_groups(fine[start:stop])
        if groups:
            chains.append(Chain(groups))
        start = max(stop, start + 1)
    return chains


def _split(element: Element) -> Iterator[Element]:
    """The element by its first bytes, as far as all its variants share them."""
    while all(element) and len({text[0] for text in element}) == 1:
        yield (element[0][:1],)
        element = distinct(text[1:] for text in element)
    if element != (b"",):
        yield element


def _distinct_groups(elements: Sequence[Element]) -> tuple[tuple[bytes, ...], ...]:
    groups: dict[tuple[bytes, ...], None] = {}
    for start in range(len(elements)):
        group = _grams(elements[start:])
        if group is not None:
            groups[group] = None
    # Those of one gram tell most.
    return tuple(sorted(groups, key=len)[:GROUPS])


def _grams(elements: Sequence[Element]) -> tuple[bytes, ...] | None:
    """What the first `GRAM` bytes of these can be; None where it is too much to say."""
    texts: Element = (b"",)
    for element in elements:
        if all(len(text) == GRAM for text in texts):
            break
        longer: dict[bytes, None] = {}
        for text in texts:
            for part in element if len(text) < GRAM else (b"",):
                longer[(text + part)[:GRAM]] = None
        if len(longer) > VARIANTS:
            return None
        texts = tuple(longer)
    return tuple(sorted(texts)) if all(len(t) == GRAM for t in texts) else None
