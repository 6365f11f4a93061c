"""Texts that make a regex work hardest: each of its repeats, as often as can be.

`python -m tests.pumps` measures how the time grows with the length for every pattern of
the program and of its profiles, and prints those that grow faster than the text.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # not in the type stubs
from typing import Any
from unittest import mock

import spillview
from spillview.profiles import checks as profile_checks
from spillview.profiles import file as profile_file
from spillview.profiles import tables as profile_tables
from spillview.regexes import early

PACKAGE = Path(spillview.__file__).parent
LONG = 16
"""A repeat that goes this far is pumped."""
ENDS = ("", "\0", "\n!")
"""What stands behind: mostly something that lets the match fail at last."""


def patterns() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    """Every compiled pattern of the program's modules and of what it reads, by where.

    Those of `profiles` and `verdicts.toml` as they are compiled there.
    """
    found: dict[str, re.Pattern[str] | re.Pattern[bytes]] = {}
    for info in pkgutil.walk_packages([str(PACKAGE)], "spillview."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            for number, each in enumerate(_compiled(value)):
                found.setdefault(f"{info.name}.{name} {number}", each)
    for number, (regex, where) in enumerate(profile_regexes()):
        found[f"{where} ({number})"] = re.compile(regex, re.MULTILINE)
    rules = tomllib.loads((PACKAGE / "content" / "verdicts.toml").read_text())
    for number, rule in enumerate(rules["rule"]):
        found[f"verdicts.toml {number}"] = re.compile(rule["regex"])
    return found


def profile_regexes() -> list[tuple[str, str]]:
    """Each regex of a built-in profile as it was checked, and where it stands."""
    seen: list[tuple[str, str]] = []

    def noted(regex: str, where: str, *_: object, **__: object) -> None:
        if regex:
            seen.append((regex, Path(where.split(": ")[0]).name + where[-40:]))

    with (
        mock.patch.object(profile_checks, "check_regex", noted),
        mock.patch.object(profile_tables, "check_regex", noted),
    ):
        for path in sorted((PACKAGE / "harnesses").glob("*.toml")):
            profile_file.read_profile(str(path))
    return seen


def _compiled(value: Any) -> Iterator[re.Pattern[Any]]:
    late = early(value)
    if isinstance(value, re.Pattern):
        yield value
    elif late is not None:
        yield late
    elif isinstance(value, tuple | list | frozenset | set):
        for each in value:
            yield from _compiled(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _compiled(each)


def pumped(pattern: re.Pattern[Any], length: int) -> Iterator[str]:
    """Texts of about `length` chars, one for each long repeat and each end."""
    source = pattern.pattern
    if isinstance(source, bytes):
        source = source.decode("latin-1")
    tree = _parser.parse(source, pattern.flags & ~(re.UNICODE | re.LOCALE))
    done = set()
    for before, body in _repeats(list(tree), ""):
        for part in {body, _other(body)} - {""}:
            for end in ENDS:
                text = before + part * (length // len(part)) + end
                if text not in done:
                    done.add(text)
                    yield text
        yield (before + body) * (length // (len(before + body) or 1))


def _other(body: str) -> str:
    """The same with blanks: what `\\s` and `.` both take."""
    return " " if body and (body.isspace() or body == "a") else ""


def _repeats(items: list[Any], before: str) -> Iterator[tuple[str, str]]:
    """A text that leads up to each long repeat, and one that the repeat takes once."""
    for number, (op, value) in enumerate(items):
        name = str(op)
        lead = before + "".join(_one(each) for each in items[:number])
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, high, body = value
            once = "".join(_one(each) for each in body)
            if int(high) >= LONG and once:
                yield lead, once
            yield from _repeats(list(body), lead)
        elif name == "SUBPATTERN":
            yield from _repeats(list(value[3]), lead)
        elif name == "ATOMIC_GROUP":
            yield from _repeats(list(value), lead)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _repeats(list(branch), lead)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _repeats(list(value[1]), lead)


def _one(item: Any) -> str:
    """Some text that a node takes."""
    op, value = item
    name = str(op)
    if name == "LITERAL":
        return chr(value)
    if name == "NOT_LITERAL":
        return "a" if value != ord("a") else "b"
    if name == "ANY":
        return "a"
    if name == "IN":
        return _member(value)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return "".join(map(_one, value[2])) * max(int(value[0]), 1)
    if name == "SUBPATTERN":
        return "".join(map(_one, value[3]))
    if name == "ATOMIC_GROUP":
        return "".join(map(_one, value))
    if name == "BRANCH":
        return "".join(map(_one, value[1][0]))
    return ""


_TRIED = "a0 \n.-_/:\"'[]{}()<>=,;#!|\\\t~x\u20ac\x1b"


def _member(items: Any) -> str:
    """A character of a class."""
    classes = {"DIGIT": "0", "SPACE": " ", "WORD": "a"}
    out = set()
    negated = str(items[0][0]) == "NEGATE"
    for op, value in items:
        name = str(op)
        if name == "LITERAL":
            out.add(chr(value))
        elif name == "RANGE":
            out.update(
                chr(c) for c in range(value[0], min(value[1], value[0] + 999) + 1)
            )
        elif name == "CATEGORY":
            kind = str(value).rsplit("_", 1)[-1]
            if "NOT" in str(value):
                out.update(c for c in _TRIED if c != classes.get(kind))
            else:
                out.update(c for c in _TRIED if re.match(_SHORT[kind], c))
    if negated:
        return next((c for c in _TRIED if c not in out), "\u20ad")
    return next((c for c in _TRIED if c in out), min(out, default=""))


_SHORT = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


class TooLong(Exception):
    """A search took more of the processor's time than it may."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what takes more seconds of this process's own time."""

    def ring(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def search(pattern: re.Pattern[Any], text: str) -> None:
    """Look for every match, as the program does at worst."""
    given: Any = text
    if isinstance(pattern.pattern, bytes):
        given = text.encode("utf-8", "replace")
    for _ in pattern.finditer(given):
        pass


def spent(pattern: re.Pattern[Any], text: str) -> float:
    """Seconds of the processor that a search takes, the better of two."""
    best = float("inf")
    for _ in range(2):
        begun = time.process_time()
        search(pattern, text)
        best = min(best, time.process_time() - begun)
    return best


def main() -> None:
    """Print what grows faster than the text."""
    every = patterns()
    for where, pattern in every.items():
        worst = 0.0
        for short, long in zip(
            pumped(pattern, 4_000), pumped(pattern, 16_000), strict=False
        ):
            try:
                with at_most(10):
                    slow, quick = spent(pattern, long), spent(pattern, short)
            except TooLong:
                worst = float("inf")
                break
            if slow > 0.004:
                worst = max(worst, slow / max(quick, 1e-6))
        if worst > 8:
            said = f"{worst:6.1f}x for 4x  {where}  {str(pattern.pattern)[:160]!r}"
            print(said, flush=True)  # noqa: T201  # its result
    print(f"{len(every)} patterns")  # noqa: T201  # its result


if __name__ == "__main__":
    main()
