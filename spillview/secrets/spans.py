"""Where credentials are in a text, as byte ranges.

What is found at a place depends on the bytes from `BACK` before it to `REACH` after it
and on nothing else. So a window of a file gives exactly what the whole file gives
there, wherever it was cut.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import lru_cache

from spillview.named import NamedTuple
from spillview.secrets.rules import RULES, Rule

REACH = 16 << 10
"""Bytes behind its literal that a credential is followed; what is longer is found as
far as that."""

BACK = 64
"""Bytes before its literal that decide about a credential."""


SHORT = 2048
"""Bytes of a text that are searched as fast without `stringzilla`."""


class Span(NamedTuple):
    """One credential: a byte range, and the rule that found it."""

    start: int
    end: int
    rule: Rule


@lru_cache(maxsize=1)
def _by_literal() -> tuple[
    list[tuple[bytes, list[int]]], list[tuple[bytes, list[int]]]
]:
    """The rules to try at each literal: exact ones, and those in any case."""
    sides: tuple[dict[bytes, list[int]], dict[bytes, list[int]]] = ({}, {})
    for number, rule in enumerate(RULES):
        for literal in rule.literals:
            sides[rule.folded].setdefault(literal, []).append(number)
    return list(sides[0].items()), list(sides[1].items())


@lru_cache(maxsize=len(RULES))
def _compiled(number: int) -> re.Pattern[bytes]:
    return re.compile(RULES[number].pattern)


def found(data: bytes, low: int = 0, high: int | None = None) -> list[Span]:
    """The credentials whose literal begins in `[low, high)` of `data`, by place.

    Exact as long as `data` has `BACK` bytes before `low` and `REACH` behind `high`, or
    begins or ends there. They may overlap.
    """
    high = len(data) if high is None else high
    spans: set[tuple[int, int, int]] = set()
    exact, folded = _by_literal()
    find: Callable[..., int] = bytes.find if len(data) < SHORT else _swift_find()
    # Most literals are nowhere, so that is asked before anything else.
    for literal, numbers in exact:
        if find(data, literal, low, high + len(literal) - 1) >= 0:
            _tried(find, data, data, low, high, literal, numbers, spans)
    lowered = data[low : high + BACK].lower()
    size = high - low - 1
    for literal, numbers in folded:
        if find(lowered, literal, 0, size + len(literal)) >= 0:
            _tried(find, data, lowered, low, high, literal, numbers, spans, -low)
    return [Span(start, end, RULES[number]) for start, end, number in sorted(spans)]


def _swift_find() -> Callable[..., int]:
    from stringzilla import find

    like_bytes_find: Callable[..., int] = find
    return like_bytes_find


def _tried(
    find: Callable[..., int],
    data: bytes,
    searched: bytes,
    low: int,
    high: int,
    literal: bytes,
    numbers: list[int],
    spans: set[tuple[int, int, int]],
    shift: int = 0,
) -> None:
    """Try the rules wherever the literal begins; `shift` leads into `searched`."""
    stop = high + shift + len(literal) - 1
    place = find(searched, literal, low + shift, stop)
    while place >= 0:
        at = place - shift
        for number in numbers:
            span = _at(data, at, number)
            if span is not None:
                spans.add(span)
        place = find(searched, literal, place + 1, stop)


def _at(data: bytes, at: int, number: int) -> tuple[int, int, int] | None:
    rule = RULES[number]
    pattern = _compiled(number)
    match = pattern.match(data, max(0, at - rule.back), at + REACH)
    if match is None:
        return None
    groups = pattern.groupindex
    group: str | int = "secret" if "secret" in groups else 0
    if "quoted" in groups and match["quoted"] is not None:
        group = "quoted"
    start, end = match.span(group)
    if rule.check or rule.entropy:
        secret = data[start:end]
        if rule.entropy and entropy(secret) < rule.entropy:
            return None
        if rule.check and not plausible(rule.check, secret, match):
            return None
    return start, end, number


def entropy(data: bytes) -> float:
    """Bits of information in each byte, were the bytes independent."""
    counts = [data.count(byte) for byte in set(data)]
    total = len(data)
    return -sum(n / total * math.log2(n / total) for n in counts)


_PLACEHOLDER = (
    rb"(?i)[*.x_#?-]+|\W*|<.*|.*>|[$%{@].*|.*\$\{.*|.*\{\{.*"
    rb"|(?:your|my|the|some|change|example|dummy|fake|test|sample|redacted|hidden"
    rb"|masked|secret|pass|password|passwd|passphrase|placeholder|insert|enter|replace)"
    rb"(?:[_-].*|me\W*|it\W*|s?\W*|ed\W*|\d{0,4})"
    rb"|none|null|nil|true|false|undefined|required|optional|string|str|bytes|int|bool"
    rb"|object|any|never|unknown|empty|missing|invalid|incorrect|expired|ok|yes|no"
    rb"|\[?redacted.*|/[\w./-]*|[a-z]:\\.*|\.{1,2}/.*"
    rb"|(?:self|this|os|process|config|settings|env|args|options|request|req|ctx"
    rb"|context|params|data|user|opts|props|state|cfg|conf)[.\[].*"
)
_IDENTIFIER = rb"[A-Za-z_]+(?:[._-][A-Za-z_]+)*"
_NAMED = rb"(?i)secret[_-]?access[_-]?key"
AWS_KEY = 40
"""Chars of AWS's secret key, and what stands before it."""
CHANCE = 20
"""So many letters alone are a credential, where they change case as by chance."""
_WORD = rb"[A-Z]+(?![a-z])|[A-Z]?[a-z]+"
_SHOUTED = rb"[A-Z0-9_]*(?:PASSW(?:OR)?D|PASSPHRASE|PWD)[A-Z0-9_]*="


@lru_cache(maxsize=8)
def _regex(pattern: bytes) -> re.Pattern[bytes]:
    """Compiled when it is first needed, which it seldom is."""
    return re.compile(pattern)


def plausible(check: str, secret: bytes, match: re.Match[bytes]) -> bool:
    """Whether a value is a credential, and no placeholder, name or piece of code."""
    if len(secret) == AWS_KEY and _regex(_NAMED).match(match[0]):
        return True  # of chance: it may begin as a path does, or have no digit
    if _regex(_PLACEHOLDER).fullmatch(secret):
        return False
    digits = any(48 <= byte <= 57 for byte in secret)
    letters = any(65 <= (byte & 0xDF) <= 90 for byte in secret)
    whole = match[0]
    if check == "value":
        if digits or not secret.isalpha():
            return digits and letters and not _wordy(secret)
        return len(secret) >= CHANCE and not _is_plain(secret)
    if match.re.groupindex.keys() >= {"quote"}:  # an assignment
        if match["quote"] is None:
            if _regex(_SHOUTED).match(whole) is None and not (
                (digits and letters) or _mixed(secret)
            ):
                return False
            if digits and not letters and len(secret) < 6:
                return False
        return not (secret.endswith(b":") or b"://" in secret)
    return digits or letters


def _mixed(secret: bytes) -> bool:
    """Whether it has something in it that no word and no name has."""
    return len(secret) >= 6 and not _regex(_IDENTIFIER).fullmatch(
        secret.rstrip(b".:!?")
    )


def _wordy(secret: bytes) -> bool:
    """Whether it is made of words, with a number here and there: a name, a path."""
    parts = [part for part in re.split(rb"[._/=+~-]+", secret) if part]
    plain = sum(map(len, filter(_is_plain, parts)))
    return plain > 0.6 * sum(map(len, parts)) and len(parts) > 1


def _is_plain(part: bytes) -> bool:
    """Whether it is a number, or words: those change case seldom, chance often."""
    if part.isdigit() or len(part) < 4:
        return True
    return part.isalpha() and len(part) >= 3 * len(_regex(_WORD).findall(part))


def merged(spans: list[Span]) -> Iterator[tuple[int, int]]:
    """The ranges of these spans, in order, none touching another."""
    begin = end = -1
    for span in sorted(spans):
        if span.start > end:
            if end > begin:
                yield begin, end
            begin, end = span.start, span.end
        else:
            end = max(end, span.end)
    if end > begin:
        yield begin, end


def distinct(spans: list[Span]) -> list[Span]:
    """These spans, none overlapping another: of those that do, the most telling one.

    A rule that knows the credential itself tells more than one that knows its label.
    """
    kept: list[Span] = []
    for generic in (False, True):
        for span in sorted(spans, key=lambda s: (s.start, -s.end)):
            if span.rule.generic is not generic:
                continue
            at = bisect_right(kept, span.start, key=lambda s: s.start)
            before = at > 0 and kept[at - 1].end > span.start
            behind = at < len(kept) and kept[at].start < span.end
            if not before and not behind:
                kept.insert(at, span)
    return kept
