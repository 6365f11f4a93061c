"""Where an outline is less than the whole truth: every limit said in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from spillview.shape.containers import BATCH
from spillview.shape.numbers import LONGEST, Number, is_portable, written
from spillview.shape.samples import Item
from spillview.shape.stream import Stream
from spillview.shape.tree import (
    DEEPEST,
    LONGEST_KEY,
    MANY_KEYS,
    Node,
    Tree,
)

SAFE = 2**53
"""Integers beyond this lose digits where numbers are doubles, as in jq 1.6."""


JQ_DEEPEST = 256
"""Arrays and objects inside each other that jq 1.6 reads."""


def warnings(stream: Stream) -> list[str]:
    """What a reader of the outline of a finished pass has to know, as sentences."""
    tree = stream.tree
    said = []
    if stream.invalid is not None:
        said.append(
            f"It is not valid UTF-8 from byte {stream.invalid:,} on: what cannot be"
            " decoded reads �."
        )
    if stream.broken_lines and stream.documents:
        lines = _many(stream.broken_lines, "line is", "lines are")
        said.append(f"{lines} no JSON: left out, the others are outlined.")
    if tree.duplicates:
        said.append(_about_duplicates(tree.duplicates, stream.twice))
    if tree.constants:
        values = _many(tree.constants, "value is", "values are")
        said.append(
            f"{values} NaN or Infinity, which JSON does not have: counted as numbers,"
            " left out of min and max."
        )
    said += _about_numbers(tree)
    if tree.depth > DEEPEST:
        more = f"; jq 1.6 reads {JQ_DEEPEST}" if tree.depth > JQ_DEEPEST else ""
        below = _many(tree.deeper.count, "value lies", "values lie")
        said.append(
            f"Arrays and objects are nested {tree.depth:,} deep{more}. Paths of up to"
            f" {DEEPEST} steps are listed; {below} deeper."
        )
    said += [_about_map(node, tree) for node in tree.root.walk() if node.mapped]
    if tree.long_keys:
        said.append(
            f"Keys of over {LONGEST_KEY:,} characters are cut in paths and end with a"
            " digest, which jq does not know."
        )
    return said


def _many(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"


def _about_duplicates(lost: int, twice: int) -> str:
    rule = "the last value counts, as in jq"
    if twice:
        rule += (
            f"; {twice:,} of them in objects of over {BATCH // 1024:,} KiB, where every"
            " value counts"
        )
    keys = _many(lost, "key stands", "keys stand")
    return f"{keys} again in the same object: {rule}."


def _about_numbers(tree: Tree) -> list[str]:
    said = []
    nodes = [node for node in tree.root.walk() if node.low is not None]
    large = [n for n in nodes if _is_large(n.low) or _is_large(n.high)]
    if large:
        names = ", ".join(node.path for node in large[:5])
        more = f" and {len(large) - 5:,} more paths" if len(large) > 5 else ""
        said.append(
            f"Integers beyond 2^53 at {names}{more}: exact here, rounded by jq 1.6 and"
            " JavaScript."
        )
    texts = [
        written(number)
        for node in nodes
        for number in (node.low, node.high)
        if number is not None
    ]
    longest = max(
        (text for text in texts if not is_portable(text)), key=len, default=""
    )
    if longest:
        digits = len(longest.lstrip("-"))
        said.append(
            f"A number of {digits:,} characters is more than a double holds, and more"
            " than some parsers take: given as a string, digit for digit."
        )
    if tree.endless:
        numbers = _many(tree.endless, "number", "numbers")
        said.append(
            f"{numbers} of over {LONGEST:,} characters: counted, but left out of min"
            " and max."
        )
    return said


def _is_large(value: Number | None) -> bool:
    """Whether it is an integer that a double may not hold."""
    return isinstance(value, int) and not -SAFE <= value <= SAFE


def _about_map(node: Node, tree: Tree) -> str:
    path = f"{node.path}[]".replace("..", ".") if node.parent else ".[]"
    if node.names is not None:
        known = f"{len(node.names):,}"
        rule = (
            f"objects of over {MANY_KEYS} keys with values of one type, and few keys in"
            " common, are maps"
        )
    else:
        known = f"Over {tree.most_keys:,}"
        if node.objects == 1 and node.longest:
            known = f"{node.longest:,}"
        rule = f"objects with over {tree.most_keys:,} distinct keys are maps"
        if tree.crowded:
            most = f"{tree.most_paths:,}"
            rule += f", and so are those with the most keys of over {most} paths"
    return f"{known} distinct keys are taken together as {path}: {rule}."


def about_sample(items: Sequence[Item]) -> list[str]:
    """Where the sample is not what is written in the text, as sentences."""
    said = []
    for place, item in enumerate(items):
        if not item.whole:
            said.append(
                f"Item {place} of the sample is large ({item.size:,} bytes) or nested"
                " deep: its beginning is given, as a string."
            )
        elif item.altered:
            said.append(
                f"Item {place} of the sample holds numbers that some parsers refuse:"
                " given as strings, and NaN or Infinity as null."
            )
    return said
