"""What a shell command shows of a file: its lines, a part of them, or nothing.

Nothing here runs a command. A command that is not understood shows something unknown;
it is never taken for one that shows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_SILENT = _set(
    """
    cd chmod chown cp exit export false kill mkdir mv popd pushd pwd rm rmdir set shift
    sleep sync touch true ulimit umask unset wait
    """
)
"""Commands that print nothing (or a folder's name) when they succeed."""

_OTHER = _set(
    """
    [ basename cksum cmp date df dirname du echo expr file hostname id ls md5sum printf
    readlink realpath sha1sum sha256sum shasum stat test tree type uname wc which whoami
    """
)
"""Commands that print, but never a file's own lines."""

_SEARCH = _set("ack ag egrep fgrep grep rg ugrep zgrep")
_UNORDERED = _set("shuf sort tac uniq")
_COUNT = _set("cksum md5sum sha1sum sha256sum shasum wc")
_WRAPPERS = _set("builtin command env exec nice nohup stdbuf sudo time")
_KEYWORDS = _set(
    """
    case do done elif else esac fi for function if in select then until while
    """
)
_COUNTING = re.compile(
    r"^(?:-[A-Za-z]*[cqlL][A-Za-z]*|--count|--quiet|--files-with.*)$"
)
_NUMBERS = re.compile(r"^(?:-[A-Za-z]*[nb][A-Za-z]*|--line-number|--number)$")
_CONTEXT = re.compile(r"^(?:-[A-Za-z]*[ABC]\d*|-\d+|--\w*context.*)$")
_PARTS = re.compile(r"^(?:-[A-Za-z]*o|--only-matching|--json|--replace|-r=)")
_SOME_LINES = re.compile(
    r"^\s*+(\d{1,12}+)\s*+,\s*+(?:\d{1,12}+|\$)\s*+p?\s*+;?\s*+(?:\d*+q)?\s*+$"
)

_SOME = re.compile(r"[\d,$;p\s]+|/[^/]+/p")

Anchor = Literal["head", "tail", "whole"]


@dataclass(slots=True)
class Reading:
    """What a command shows of one file."""

    shows: bool = False
    """Whether some of the file's text may be in the result."""
    understood: bool = True
    """False when the command may print anything."""
    alone: bool = True
    """True when nothing but the file's text is in the result."""
    anchor: Anchor | None = None
    """Where in the file the text stands, if the command says so."""
    line: int | None = None
    """The line at which the text begins, if the command says so."""
    ordered: bool = True
    """Whether lines come in the file's order."""
    width: int | None = None
    """Lines are cut to this many chars."""
    numbered: bool = False
    """Lines carry their numbers."""
    context: bool = False
    """A `--` may stand between groups of lines."""
    times: int = 0
    """How many of its commands show the file."""


@dataclass(slots=True)
class _Segment:
    stages: list[list[str]] = field(default_factory=lambda: [[]])
    redirected: bool = False
    opaque: bool = False


def reading(command: str, named: Callable[[str], bool]) -> Reading:
    """What `command` shows of the file for whose names `named` is true."""
    result = Reading()
    segments = _segments(command)
    variables: dict[str, str] = {}
    for segment in segments:
        stages = [_plain(words, variables) for words in segment.stages]
        if any(words[:1] and words[0] in _KEYWORDS for words in stages):
            segment.opaque = True
        mine = any(named(word) for words in stages for word in words)
        if not any(stages):
            continue
        if segment.opaque:
            result.understood = False
            result.shows = True
        elif segment.redirected and not any(w[:1] == ["tee"] for w in stages):
            continue
        elif mine:
            _show(result, stages, named)
        else:
            _beside(result, stages)
    if result.times > 1:
        result.anchor = result.line = None
        result.ordered = False
    return result


def _beside(result: Reading, stages: list[list[str]]) -> None:
    """Take in a command that does not name the file."""
    names = [words[0].rpartition("/")[2] for words in stages if words]
    if all(name in _SILENT for name in names):
        return
    result.alone = False
    if not all(name in _SILENT or name in _OTHER for name in names):
        result.understood = False


def _show(
    result: Reading, stages: list[list[str]], named: Callable[[str], bool]
) -> None:
    """Take in a command that names the file."""
    name = stages[0][0].rpartition("/")[2] if stages[0] else ""
    if len(stages) == 1 and (name in _SILENT or name in _OTHER):
        result.alone = result.alone and name in _SILENT
        return
    step = _Step()
    for index, words in enumerate(stages):
        if not words:
            step.known = False
            continue
        others = [w for w in words[1:] if not named(w)]
        step.take(words[0].rpartition("/")[2], others, first=index == 0)
    if step.nothing and step.known:
        result.alone = False
        return
    result.shows = True
    result.times += 1
    result.understood = result.understood and step.known
    result.ordered = result.ordered and step.ordered
    result.width = step.width
    result.numbered = result.numbered or step.numbered
    result.context = result.context or step.context
    if step.cuts <= 1:
        result.anchor, result.line = step.anchor, step.line


@dataclass(slots=True)
class _Step:
    """A pipeline's stages, one after the other."""

    known: bool = True
    nothing: bool = False
    ordered: bool = True
    width: int | None = None
    numbered: bool = False
    context: bool = False
    anchor: Anchor | None = None
    line: int | None = None
    cuts: int = 0

    def take(self, name: str, words: list[str], *, first: bool) -> None:
        """Take in one stage: its command's name and its arguments."""
        options = [w for w in words if w.startswith("-")]
        if name in _COUNT and not first:
            self.nothing = True
        elif name in _SEARCH:
            self.cuts += 2  # no anchor: any lines
            self.numbered = self.numbered or any(map(_NUMBERS.match, options))
            self.context = self.context or any(map(_CONTEXT.match, options))
            if any(_COUNTING.match(option) for option in options):
                self.nothing = True
            elif any(_PARTS.match(option) for option in options):
                self.known = False
        elif name in ("head", "tail"):
            self.cuts += 1
            self._end(name, words)
        elif name in ("cat", "bat", "less", "more", "tee"):
            if any(map(_NUMBERS.match, options)):
                self.numbered = True
                self.cuts += 2
            elif self.cuts == 0:
                self.anchor = "whole"
        elif name == "nl":
            self.numbered = True
            self.cuts += 2
        elif name == "sed":
            self._sed(words)
        elif name in ("awk", "gawk"):
            self._awk(words)
        elif name in _UNORDERED:
            self.ordered = False
            self.cuts += 2
            if name == "uniq" and options:
                self.known = False
        elif name == "cut" and (size := _cut_width(words)) is not None:
            self.width = size
        else:
            self.known = False

    def _end(self, name: str, words: list[str]) -> None:
        value = next(
            (w for w in words if re.fullmatch(r"(?:-n|-c)?\+\d{1,12}", w)), None
        )
        if name == "tail" and value is not None and not value.startswith("-c"):
            self.line, self.anchor = int(value.lstrip("-n+")), None
        elif name == "tail" and value is not None:
            self.cuts += 1
        elif any(re.fullmatch(r"(?:-n|-c|--\w+=)?-\d{1,12}", w) for w in words) and any(
            w in ("-n", "-c") or w.startswith(("-n-", "-c-", "--")) for w in words
        ):
            self.cuts += 1  # all but some: no end is given
        else:
            self.anchor = "head" if name == "head" else "tail"

    def _sed(self, words: list[str]) -> None:
        quiet = any(re.fullmatch(r"-[A-Za-z]*n[A-Za-z]*", w) for w in words)
        if any(re.match(r"-[A-Za-z]*i|--in-place", w) for w in words):
            self.nothing = True
            return
        scripts = [w for w in words if not w.startswith("-")]
        lines = _SOME_LINES.match(scripts[0]) if len(scripts) == 1 else None
        if quiet and lines is not None:
            self.cuts += 1
            self.line, self.anchor = int(lines[1]), None
        elif quiet and len(scripts) == 1 and _SOME.fullmatch(scripts[0]):
            self.cuts += 2
        else:
            self.known = False

    def _awk(self, words: list[str]) -> None:
        self.cuts += 2
        program = next((w for w in words if not w.startswith("-")), "")
        whole = re.sub(r"\{\s*print(?:\s+\$0)?\s*\}", "", program)
        if "{" in whole or len([w for w in words if not w.startswith("-")]) > 1:
            self.known = False


def _cut_width(words: list[str]) -> int | None:
    for word in words:
        found = re.fullmatch(r"(?:-c|-b|--characters=|--bytes=)?(?:1?-)(\d{1,9})", word)
        if found is not None:
            return int(found[1])
    return None


def _plain(words: list[str], variables: dict[str, str]) -> list[str]:
    """A stage's words with variables put in, without what merely wraps its command."""
    done: list[str] = []
    for word in words:
        if not done and (
            found := re.fullmatch(r"([A-Za-z_]\w*)=(.*)", word, re.DOTALL)
        ):
            variables[found[1]] = found[2]
            continue
        for name, value in variables.items():
            if "$" in word:
                word = word.replace("${" + name + "}", value)
                word = re.sub(rf"\${name}(?!\w)", value.replace("\\", r"\\"), word)
        if not done and word.rpartition("/")[2] in _WRAPPERS:
            continue
        if not done and word in ("timeout", "gtimeout"):
            continue
        if not done and re.fullmatch(r"\d{1,9}[smh]?", word):
            continue
        done.append(word)
    return done


def _segments(command: str) -> list[_Segment]:
    """The command's pipelines in order, split as a shell would in simple cases."""
    segments = [_Segment()]
    word: list[str] | None = None
    at, size = 0, len(command)

    def end_word() -> None:
        nonlocal word
        if word is not None:
            segments[-1].stages[-1].append("".join(word))
            word = None

    while at < size:
        char = command[at]
        two = command[at : at + 2]
        if char == "\\" and at + 1 < size:
            if command[at + 1] != "\n":
                word = [*(word or []), command[at + 1]]
            at += 2
        elif char == "'":
            stop = command.find("'", at + 1)
            stop = size if stop < 0 else stop
            word = [*(word or []), command[at + 1 : stop]]
            at = stop + 1
        elif char == '"':
            stop = at + 1
            while stop < size and command[stop] != '"':
                stop += 2 if command[stop] == "\\" else 1
            inner = command[at + 1 : stop]
            if "$(" in inner or "`" in inner:
                segments[-1].opaque = True
            word = [*(word or []), re.sub(r"\\([\"\\$`])", r"\1", inner)]
            at = stop + 1
        elif two in ("$(", "<(", ">(", "<<") or char == "`":
            segments[-1].opaque = True
            at += 2
        elif two in ("&&", "||"):
            end_word()
            segments.append(_Segment())
            at += 2
        elif char == ">" or two == "&>":
            at = _redirect(command, at, word, segments[-1])
            if word is not None and "".join(word).isdigit():
                word = None
            end_word()
        elif char == "|":
            end_word()
            segments[-1].stages.append([])
            at += 2 if two == "|&" else 1
        elif char in ";\n&(){}" and not (char in "{}" and word is not None):
            end_word()
            segments.append(_Segment())
            at += 1
        elif char == "#" and word is None:
            stop = command.find("\n", at)
            at = size if stop < 0 else stop
        elif char in " \t\r":
            end_word()
            at += 1
        else:
            word = [*(word or []), char]
            at += 1
    end_word()
    return segments


def _redirect(command: str, at: int, word: list[str] | None, segment: _Segment) -> int:
    """Step over a redirection; note it when it takes the output away."""
    number = "".join(word) if word is not None else ""
    found = re.compile(r"&?>>?\|?\s*(&\s*[\d-]+|[^\s;|&<>()]*)").match(command, at)
    assert found is not None
    target = found[1]
    both = command.startswith("&>", at)
    if both or (number in ("", "1") and not target.startswith("&")):
        segment.redirected = True
    return found.end()
