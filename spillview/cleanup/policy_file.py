"""The `[[policy]]` tables of `config.toml`, read into policies."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, TypeVar

from spillview.cleanup.policies import Policies, Policy
from spillview.cleanup.rules import Rules
from spillview.config import config_path, unknown_key
from spillview.errors import BadInput
from spillview.text import path_text
from spillview.typed import meant, parse_age, parse_size

if TYPE_CHECKING:
    from spillview.config import Settings
    from spillview.places import Places

EXAMPLE = """\
[[policy]]                     # for everything
older_than = "30d"
max_total = "10GB"

[[policy]]                     # the most specific policy decides, alone
harness = "claude-code"
project = "~/work/*"
keep_last = 20
max_session = "200MB"
"""
"""What standing policies look like."""

Value = TypeVar("Value", int, float)

_SCOPE = ("harness", "project")
_SIZES = ("max_file", "max_session", "max_total")
KEYS = (*_SCOPE, "older_than", "keep_last", *_SIZES, "orphans", "keep")
"""What a policy may say."""


def read_policies(data: object, path: str, home: str) -> tuple[Policy, ...]:
    """The policies of a file's `policy` key; `~` in a project stands for `home`.

    Raises `BadInput` naming the file, the policy, the key and what to do.
    """
    if not isinstance(data, list) or not all(isinstance(each, dict) for each in data):
        raise BadInput(f"{path}: policy: must be tables, each begun with [[policy]]")
    found: dict[tuple[str | None, str | None], Policy] = {}
    for number, table in enumerate(data, 1):
        where = f"{path}: policy {number}"
        policy = _policy(table, number, where, home)
        scope = (policy.harness, policy.folder)
        if scope in found:
            raise BadInput(
                f"{where}: policy {found[scope].number} is for the same"
                f" ({policy.name}): put both into one"
            )
        found[scope] = policy
    return tuple(found.values())


def _policy(table: dict[str, Any], number: int, where: str, home: str) -> Policy:
    for key in table:
        if key not in KEYS:
            raise BadInput(f"{where}: {unknown_key(key, KEYS)}")
    keep = _flag(table, "keep", where)
    rules = Rules(
        older_than=_typed(table, "older_than", where, parse_age, "30d"),
        keep_last=_number(table, "keep_last", where),
        max_total=_typed(table, "max_total", where, parse_size, "10GB"),
        max_file=_typed(table, "max_file", where, parse_size, "500MB"),
        max_session=_typed(table, "max_session", where, parse_size, "200MB"),
        orphans=_flag(table, "orphans", where),
    )
    if keep and rules.any:
        raise BadInput(
            f"{where}: keep: keeps everything, so no other rule can stand beside it"
        )
    if not keep and not rules.any:
        raise BadInput(
            f"{where}: says nothing of what is to go: give older_than, keep_last,"
            " max_file, max_session, max_total or orphans; or keep = true"
        )
    harness = _text(table, "harness", where)
    project = _text(table, "project", where)
    folder = _folder(project, where, home) if project is not None else None
    return Policy(rules, harness, project, folder, keep, number)


def _folder(project: str, where: str, home: str) -> str:
    folder = project
    if folder == "~" or folder.startswith("~/"):
        folder = home + folder[1:]
    if not folder.startswith(("/", "**/")) or {".", ".."} & set(folder.split("/")):
        raise BadInput(
            f"{where}: project: {project!r} must be an absolute path, or begin with"
            " ~/ or **/, and hold no . or .."
        )
    return folder.rstrip("/") or "/"


def _text(table: dict[str, Any], key: str, where: str) -> str | None:
    value = table.get(key)
    if value is None or (isinstance(value, str) and value):
        return value
    what = "a harness's name" if key == "harness" else "a glob such as '~/work/*'"
    raise BadInput(f"{where}: {key}: must be {what}")


def _typed(
    table: dict[str, Any],
    key: str,
    where: str,
    parse: Callable[[str], Value],
    example: str,
) -> Value | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str):
        raise BadInput(f'{where}: {key}: must be written like "{example}"')
    try:
        return parse(value)
    except BadInput as error:
        raise BadInput(f"{where}: {key}: {error}") from None


def _number(table: dict[str, Any], key: str, where: str) -> int | None:
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadInput(f"{where}: {key}: must be a whole number of 1 or more")
    return value


def _flag(table: dict[str, Any], key: str, where: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise BadInput(f"{where}: {key}: must be true or false")
    return value


class NoPolicies(BadInput):
    """The settings hold no standing policy."""


def standing_policies(
    settings: Settings, places: Places, harnesses: Collection[str]
) -> Policies:
    """The policies that are set.

    Raises `NoPolicies` when there is none, and `BadInput` for an unknown harness.
    """
    path = path_text(config_path(places))
    if not settings.policies:
        raise NoPolicies(f"no standing policy is set: put some into {path}")
    for policy in settings.policies:
        if policy.harness is not None and policy.harness not in harnesses:
            hint = meant(policy.harness, sorted(harnesses))
            raise BadInput(
                f"{path}: policy {policy.number}: harness: {policy.harness!r} is no"
                f" harness: {hint}"
            )
    return Policies(settings.policies)
