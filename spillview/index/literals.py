"""What a pattern cannot match without: texts that each match must hold.

ripgrep's syntax is read just as far as it is understood for certain; of anything else
nothing is required, and the index is of no use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from spillview.index.needs import Chain, Need
from spillview.index.pieces import Unknown, char_piece, either, joined
from spillview.index.syntax import Parser

LONGEST = 10_000
"""Chars of a pattern that are looked at."""
MOST = 4_000
"""Grams of a whole pattern; more are not worth the reading."""


def required(patterns: Sequence[str], case: str | None, fixed: bool) -> Need:
    """What each line must hold that matches one of `patterns`.

    `case` is ripgrep's own option (`-i`, `-S`), None where case matters.
    """
    needs = []
    for pattern in patterns:
        if len(pattern) > LONGEST:
            return ()
        folded = case is not None or _FOLDING.search(pattern) is not None
        try:
            if fixed:
                piece = joined([char_piece(c, folded) for c in pattern])
            else:
                piece = Parser(pattern, folded).whole()
        except (Unknown, UnicodeEncodeError):
            return ()
        needs.append(piece.needs)
    need = either(needs)
    return need if sum(_sizes(need)) <= MOST else ()


_FOLDING = re.compile(r"\(\?[a-zA-Z-]*i")


def _sizes(need: Need) -> Iterator[int]:
    for clause in need:
        if isinstance(clause, Chain):
            yield sum(map(len, clause.groups))
        else:
            for each in clause.needs:
                yield from _sizes(each)
