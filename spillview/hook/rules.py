"""Which commands go through `wrap`: the rules of `rules.toml` and of the user.

A rule names programs and words, the options it needs and those that make it pass, and
how many lines of the end are always shown.
"""

from __future__ import annotations

import os

from spillview.errors import BadInput
from spillview.hook.globs import matches
from spillview.hook.reading import read_regular

TYPE_CHECKING = False  # as in `typing`, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_LISTS = ("quiet", "filters", "limiting", "limits", "interactive", "bare", "unasked")
_USER_LISTS = ("without", "beside")
_RULE = {
    "label": str,
    "tail": int,
    "commands": list,
    "values": list,
    "needs": list,
    "unless": list,
    "paths": list,
    "besides": list,
    "quiet": list,
}
_MAX_BYTES = 1 << 20
_FOLLOWING = ("--follow", "--watch", "--watchAll", "-w", "--serve")
_FOLLOWERS = (
    *("docker", "docker-compose", "podman", "kubectl", "oc", "nomad", "crictl"),
    *("journalctl", "dmesg", "heroku", "fly", "pm2"),
)
"""Programs whose `-f` is `--follow`."""
_LIMITING = (
    *("-q", "--quiet", "--silent", "-s", "-#", "-n", "-m", "--max-count", "--count"),
    *("--count-matches", "--limit", "--tail", "--lines", "--num", "--max-depth"),
    *("--summarize", "--shortstat", "--name-only", "--no-patch", "--brief", "--level"),
    *("-quit", "--list", "--listTests", "--max-results", "--limit-bytes"),
)
_ASKING = ("--help", "--version")
OWN = "hook.toml"
"""The name of the user's own rules, in spillview's config folder."""


class Rule:
    """Commands that go through `wrap`, and how; `row` is in order."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.label: str = row["label"]
        self.tail: int = row["tail"]
        """Lines of the end that are always shown."""
        self.commands = [command.split() for command in row["commands"]]
        """Each as a program and the words that must follow."""
        self.values: list[str] = row.get("values", [])
        self.needs: list[str] = row.get("needs", [])
        self.unless: list[str] = row.get("unless", [])
        self.paths: list[str] = row.get("paths", [])
        self.besides: list[str] = row.get("besides", [])
        self.quiet: list[str] | None = row.get("quiet")
        """None: the list that counts for every rule."""

    def fits(self, words: Sequence[str], quiet: Sequence[str]) -> bool:
        """Whether the rule wants this command; `words` begins with its program."""
        return self.refusal(words, quiet) == ""

    def refusal(self, words: Sequence[str], quiet: Sequence[str]) -> str | None:
        """Why the rule does not want a command, as a predicate.

        Empty where it does; None where it speaks of other commands.
        """
        ends = [begins(words, command, self.values) for command in self.commands]
        end = max(ends, default=0)
        if not end:
            return None
        options = [word for word in words[1:] if word[:1] in "-+"]
        refused = [*self.unless, *(quiet if self.quiet is None else self.quiet)]
        for option in refused:
            if given(option, options):
                return _told(option, options, words)
        for word in words[end:]:
            if word in self.besides:
                return f"is for something else than its output ({word})"
        needed = [word for word in before_dashes(words[1:]) if word[:1] == "-"]
        if self.needs and not any(given(option, needed) for option in self.needs):
            return f"prints little without {' or '.join(self.needs)}"
        if not self.paths or any(
            matches(path, word) for path in self.paths for word in words[1:]
        ):
            return ""
        return "reads no file that is named like a log"


def _told(option: str, options: Sequence[str], words: Sequence[str]) -> str:
    """What an option for which a command is left alone does, as a predicate."""
    word = next((each for each in options if given(option, [each])), option)
    what = f"({' '.join((os.path.basename(words[0]), word))})"
    if option in _FOLLOWING or (
        option == "-f" and os.path.basename(words[0]) in _FOLLOWERS
    ):
        return f"follows what comes, without an end {what}"
    if option in _ASKING:
        return f"tells of itself {what}"
    if option in _LIMITING:
        return f"limits its own output {what}"
    return f"has an option with which it is left alone {what}"


class Rules:
    """Every rule, the user's first, and the lists that count for all of them."""

    def __init__(self, tables: dict[str, Any]) -> None:
        self.rules = [Rule(row) for row in tables["rule"]]
        self.lists: dict[str, list[str]] = {
            key: tables[key] for key in (*_LISTS, *_USER_LISTS)
        }

    def refusal(self, words: Sequence[str]) -> str | None:
        """Why the rules that speak of a command do not want it; None if none does."""
        found = [rule.refusal(words, self.lists["quiet"]) for rule in self.rules]
        return next((said for said in found if said), None)

    def rule_for(self, words: Sequence[str]) -> Rule | None:
        """The first rule that wants this command; None where none does."""
        for rule in self.rules:
            if rule.fits(words, self.lists["quiet"]):
                return rule
        return None


def begins(
    words: Sequence[str], command: Sequence[str], values: Sequence[str] = ()
) -> int:
    """Whether a command is this program with these words, options passed over.

    Gives how many words that takes, 0 where it is another one.
    """
    if not words:
        return 0
    name = words[0] if "/" in command[0] else os.path.basename(words[0])
    if not matches(command[0], name):
        return 0
    at = 1
    for wanted in command[1:]:
        while at < len(words) and not matches(wanted, words[at]):
            if words[at][:1] != "-" or words[at] == "--":
                return 0
            at += 2 if words[at] in values else 1
        if at >= len(words):
            return 0
        at += 1
    return at


def given(option: str, options: Iterable[str]) -> bool:
    """Whether an option is among those given, also in a cluster or with a value."""
    for word in options:
        if word == option or word.startswith(f"{option}="):
            return True
        if option == "-#":
            if word[1:].isdecimal():
                return True
        elif len(option) == 2 and word[:1] == "-" and word[1:2] != "-":
            letters = word[1:].rstrip("0123456789")
            if option[1] in letters and letters.isalpha() and len(letters) <= 5:
                return True
    return False


def before_dashes(words: Sequence[str]) -> Sequence[str]:
    """The words before a `--`, behind which nothing is an option."""
    return words[: words.index("--")] if "--" in words else words


def load_rules(config_dir: str, cache_dir: str | None = None) -> Rules:
    """The built-in rules and the user's own, the latter first.

    With `cache_dir` they are kept there in a form that is read faster. Raises
    `BadInput` that names the file, the key and what to do.
    """
    shipped = os.path.join(os.path.dirname(__file__), "rules.toml")
    own = os.path.join(config_dir, OWN)
    if cache_dir is None:
        return Rules(_tables(shipped, own))
    from spillview.hook.keeping import kept

    return Rules(kept(cache_dir, (shipped, own), lambda: _tables(shipped, own)))


def _tables(shipped: str, own: str) -> dict[str, Any]:
    """Both files as one: every list of both, the user's rules first."""
    first = _read(own, _USER_LISTS)
    second = _read(shipped, ())
    labels = list(dict.fromkeys(rule["label"] for rule in second["rule"]))
    without = first.get("without", [])
    for label in without:
        if label not in labels:
            raise BadInput(f"{own}: without: {_unknown(label, labels)}")
    rules = [rule for rule in second["rule"] if rule["label"] not in without]
    names = (*_LISTS, *_USER_LISTS)
    lists = {name: [*second.get(name, []), *first.get(name, [])] for name in names}
    return {"rule": [*first["rule"], *rules], **lists}


def _read(path: str, more: tuple[str, ...]) -> dict[str, Any]:
    """One file of rules, in order; empty where there is none."""
    try:
        data = read_regular(path, _MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return {"rule": []}
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from None
    if len(data) > _MAX_BYTES:
        raise BadInput(f"{path}: is over {_MAX_BYTES:,} bytes")
    import tomllib

    try:
        table = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: byte {error.start} is not UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadInput(f"{path}: is not TOML: {error}") from None
    known = (*_LISTS, *more, "rule")
    for key, value in table.items():
        if key not in known:
            raise BadInput(f"{path}: {_unknown(key, known)}")
        if key != "rule":
            _check_words(value, f"{path}: {key}")
    rules = table.setdefault("rule", [])
    if not isinstance(rules, list):
        raise BadInput(f"{path}: rule: must be written [[rule]]")
    for number, rule in enumerate(rules, 1):
        _check_rule(rule, f"{path}: rule {number}")
    return table


def _check_rule(data: object, where: str) -> None:
    if not isinstance(data, dict):
        raise BadInput(f"{where}: must be a table")
    for key, value in data.items():
        if key not in _RULE:
            raise BadInput(f"{where}: {_unknown(key, _RULE)}")
        if not isinstance(value, _RULE[key]) or isinstance(value, bool):
            kinds = {str: "text", int: "a number", list: "a list of words"}
            raise BadInput(f"{where}: {key} must be {kinds[_RULE[key]]}")
        if isinstance(value, list):
            _check_words(value, f"{where}: {key}")
    for key in ("label", "tail", "commands"):
        if key not in data:
            raise BadInput(f"{where}: has no {key}")
    label = data["label"]
    if not label or len(label) > 80 or not label.isprintable():
        raise BadInput(f"{where}: label must be 1 to 80 printable characters")
    if not 1 <= data["tail"] <= 1000:
        raise BadInput(f"{where}: tail must be 1 to 1000 lines")
    if not data["commands"] or not all(each.split() for each in data["commands"]):
        raise BadInput(f"{where}: commands must name at least one program")


def _check_words(value: object, where: str) -> None:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise BadInput(f"{where}: must be a list of texts")


def _unknown(key: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    names = list(known)
    near = get_close_matches(key, names, 1, 0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
    return f"{key!r} is not known here: {hint}"
