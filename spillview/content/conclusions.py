"""What an output concludes: its last lines by the patterns of the runners."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Conclusion, Counts, Line, VerdictClass
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.content.content import Content

TAIL = 64 << 10
"""Bytes at the end of an output in which its conclusion is looked for."""

MOST = 60
"""Last lines, blank ones left out, that a rule may reach without a needle."""

TEXT_LIMIT = 2_000
"""Chars of a line that are looked at, and kept."""

_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,64}[mK]")
_WRAPPERS = frozenset(
    ("builtin", "command", "env", "exec", "nice", "nohup", "stdbuf", "sudo", "time")
)
_STEP = re.compile(r"&&|\|\||;|\n")
_BEFORE = re.compile(r"[A-Za-z_]\w{0,80}=\S{0,4096}|\d{1,9}[smh]?")
"""What may stand before a command's name."""


class Rule(Frozen):
    """One pattern of `verdicts.toml`."""

    runner: str
    verdict: VerdictClass
    pattern: re.Pattern[str]
    within: int = 1
    """How many last lines, blank ones left out, the line may be among."""
    over: bool = False
    """Whether it counts even where a later line tells of something else."""
    needle: bytes | None = None
    """What must stand in the output's end for the rule to be tried at all."""


QUICK = 8 << 10
"""Bytes at the end that mostly hold every line that is looked at."""

SHORT = TEXT_LIMIT // 4
"""A line of more chars is looked at as it is kept."""

_BLANKS = " \t\n\r\v\f"
"""What `bytes.strip` takes for white space."""


class _Listing(Frozen):
    """Calls whose output is other people's text: it concludes nothing."""

    tools: frozenset[str]
    commands: frozenset[str]


def conclusion(
    content: Content,
    counts: Counts,
    tool: str | None = None,
    command: str | None = None,
) -> Conclusion | None:
    """The line among the last ones that says how the runner ended; None without one.

    The line nearest to the end decides, unless a rule says that its own counts for
    more (a list of failures before the number of what passed). What a search or a
    listing prints is no conclusion. Whether it was seen is left open.
    """
    if counts.kind in ("binary", "image") or lists(tool, command):
        return None
    if counts.encoding.startswith("utf-16"):
        return _of_one(counts.verdict)
    nearest: Conclusion | None = None
    start = max(0, content.size - TAIL)
    data = content.pread(start, content.size - start)
    needles = frozenset(needle for needle in _needles() if needle in data)
    reach = _reach(1, needles)
    plain = b"\x1b" not in data and b"\r" not in data
    wanted = _wanted(data, start, needles) if plain else None
    for distance, (number, begin, row) in enumerate(
        _rows(data, start, counts.lines), 1
    ):
        if wanted is not None:
            if not wanted:
                break
            if distance != wanted[-1]:
                continue
            del wanted[-1]
        if distance > reach.within:
            reach = _reach(distance, needles)
            if not reach.rules:
                break
        if len(row) > TEXT_LIMIT:
            text = bare(_line(number, begin, row).text)
        elif plain:
            text = row.decode("utf-8", "replace").strip().strip("= \t")
        else:
            text = bare(row.decode("utf-8", "replace"))
        bound = reach.any_of.match(text) is not None
        for rule in reach.rules if bound else reach.loose:
            if nearest is not None and not rule.over:
                continue
            if rule.pattern.search(text) is None:
                continue
            line = _line(number, begin, row)
            found = Conclusion(line, rule.runner, rule.verdict)
            if rule.over and (nearest is None or nearest.verdict != rule.verdict):
                return found
            nearest = nearest or found
            break
    return nearest


def _wanted(data: bytes, start: int, needles: frozenset[bytes]) -> list[int] | None:
    """Which of the last lines a rule may match, the last of them last.

    A quick look at a text without colours; None where it is not enough.
    """
    cut = max(0, len(data) - QUICK)
    rows = data[cut:].decode("utf-8", "replace").split("\n")
    del rows[: cut + start > 0]  # it begins before what was read
    rows = [row for row in reversed(rows) if row.strip(_BLANKS)]
    wanted: list[int] = []
    distance = 0
    while (reach := _reach(distance + 1, needles)).rules:
        if cut > 0 and len(rows) < reach.within:
            return None
        any_of, loose = reach.any_of, reach.loose
        for at, row in enumerate(rows[distance : reach.within], distance + 1):
            if (
                loose
                or len(row) > SHORT
                or any_of.match(row.strip().strip("= \t")) is not None
            ):
                wanted.append(at)
        distance = reach.within
        if distance >= len(rows):
            break
    wanted.reverse()
    return wanted


def _of_one(line: Line | None) -> Conclusion | None:
    """What a line concludes of which nothing but itself can be looked at."""
    if line is None:
        return None
    text = bare(line.text)
    for rule in _rules():
        if rule.needle is None and rule.pattern.search(text):
            return Conclusion(line, rule.runner, rule.verdict)
    return None


def classify(
    verdict: str | None,
    tool: str | None = None,
    failed: bool | None = None,
    exit_code: int | None = None,
) -> VerdictClass:
    """What an output's last line concludes, the call's own outcome first.

    An error state or an exit code other than 0 means `fail` whatever the text says; a
    text that tells of failure means `fail` even where the call succeeded (a pipe hides
    the exit code of its first command).
    """
    text = bare(verdict or "")
    found: VerdictClass = "unknown"
    if not lists(tool, None):
        for rule in _rules():
            if rule.pattern.search(text):
                found = rule.verdict
                break
    return outcome(found, failed, exit_code)


def outcome(
    concluded: VerdictClass, failed: bool | None, exit_code: int | None
) -> VerdictClass:
    """The class of a call from what it printed and how it ended."""
    if failed or exit_code:
        return "fail"
    if concluded == "unknown" and exit_code == 0:
        return "pass"
    return concluded


def lists(tool: str | None, command: str | None) -> bool:
    """Whether a call prints texts it found somewhere: a search, a history, a list."""
    listing = _listing()
    if tool in listing.tools:
        return True
    steps = [step for step in _STEP.split(command or "") if step.strip()]
    for step in reversed(steps):
        words = step.split("|", 1)[0].split()
        words = [word for word in words if not _BEFORE.fullmatch(word)]
        while words and words[0].rpartition("/")[2] in _WRAPPERS:
            del words[0]
        if not words or words[0] in ("cd", "echo", "true", "done", "fi", "}", ")"):
            continue
        name = words[0].rpartition("/")[2]
        verb = next((word for word in words[1:] if not word.startswith("-")), "")
        return name in listing.commands or f"{name} {verb}" in listing.commands
    return False


def bare(text: str) -> str:
    """A line without colours, overwritten frames and the frame drawn around it."""
    text = _COLOUR.sub("", text[:TEXT_LIMIT].strip())
    return text.rpartition("\r")[2].strip("= \t")


def _rows(data: bytes, start: int, lines: int) -> Iterator[tuple[int, int, bytes]]:
    """Number, place and bytes of the last lines that are not blank, the last first."""
    number, end = lines, len(data)
    if data.endswith(b"\n"):
        end -= 1
    while end >= 0:
        begin = data.rfind(b"\n", 0, end) + 1
        if begin == 0 and start > 0:
            return  # it begins before what was read
        row = data[begin:end]
        if row.strip():
            yield number, start + begin, row
        number -= 1
        end = begin - 1


def _line(number: int, start: int, row: bytes) -> Line:
    """The line, its last frames kept where it is too long to be kept whole."""
    row = row.removesuffix(b"\r")
    kept = row if len(row) <= 4 * TEXT_LIMIT else row[-4 * TEXT_LIMIT :]
    text = kept.decode("utf-8", "replace")
    if len(text) > TEXT_LIMIT and "\r" in text:
        text = text[-TEXT_LIMIT:].partition("\r")[2]
    truncated = len(text) > TEXT_LIMIT or len(kept) < len(row)
    return Line(number, start, start + len(row), text[:TEXT_LIMIT], truncated)


@cache
def _data() -> dict[str, Any]:
    import tomllib

    text = (
        files("spillview.content").joinpath("verdicts.toml").read_text(encoding="utf-8")
    )
    return tomllib.loads(text)


@cache
def _rules() -> tuple[Rule, ...]:
    """The rules of `verdicts.toml`, in order."""
    return tuple(
        Rule(
            rule["runner"],
            rule["verdict"],
            re.compile(rule["regex"]),
            rule.get("within", 1),
            rule.get("over", False),
            rule["needle"].encode() if "needle" in rule else None,
        )
        for rule in _data()["rule"]
    )


class _Reach(NamedTuple):
    """The rules that reach as far as a line, or farther."""

    within: int
    """The last line for which these are all."""
    rules: tuple[Rule, ...]
    any_of: re.Pattern[str]
    """What matches a line wherever one of the rules does that match at its start
    alone."""
    loose: tuple[Rule, ...]
    """The other rules, to be tried one by one."""


@cache
def _needles() -> frozenset[bytes]:
    return frozenset(rule.needle for rule in _rules() if rule.needle is not None)


@cache
def _reach(distance: int, needles: frozenset[bytes]) -> _Reach:
    """The rules for the line at a distance from the end, where the needles stand."""
    rules = tuple(
        rule
        for rule in _rules()
        if rule.within >= distance and (rule.needle is None or rule.needle in needles)
    )
    within = min((rule.within for rule in rules), default=0)
    begun = [(rule, _behind_start(rule.pattern.pattern)) for rule in rules]
    # Without their `^` the branches are told apart by their first characters.
    bound = "|".join(regex for _, regex in begun if regex is not None)
    loose = tuple(rule for rule, regex in begun if regex is None)
    return _Reach(within, rules, re.compile(bound or "(?!)"), loose)


_SPLITS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()|]")


def _behind_start(regex: str) -> str | None:
    """The regex to `match` where it matches only at a text's start; None elsewhere."""
    depth, starts = 0, [0]
    for token in _SPLITS.finditer(regex):
        depth += (token[0] == "(") - (token[0] == ")")
        if token[0] == "|" and depth == 0:
            starts.append(token.end())
    if not all(regex.startswith("^", at) for at in starts):
        return None
    ends = [*(at - 1 for at in starts[1:]), len(regex)]
    return "|".join(regex[at + 1 : end] for at, end in zip(starts, ends, strict=True))


@cache
def _listing() -> _Listing:
    raw = _data()["listing"]
    return _Listing(frozenset(raw["tools"]), frozenset(raw["commands"]))
