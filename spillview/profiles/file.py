"""Reading a profile's TOML: every mistake names the file, the key and what to do."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator

from spillview.errors import BadProfile
from spillview.model import Problem
from spillview.profiles import tables as tables
from spillview.profiles.checks import check_profile, check_roots
from spillview.profiles.profile import Profile
from spillview.profiles.toml_table import Table

__all__ = ["built_in", "check_profile", "parse_profile", "read_profile", "user_files"]

SCHEMA = 1
_BUILT_IN = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "harnesses"
)


def built_in() -> Iterator[Profile]:
    """The profiles that come with the program."""
    for name in sorted(os.listdir(_BUILT_IN)):
        if name.endswith(".toml"):
            yield read_profile(os.path.join(_BUILT_IN, name), trusted=True)


def user_files(config_dir: str, problems: list[Problem]) -> Iterator[Profile]:
    """The user's own profiles; what is wrong with one is added to `problems`."""
    folder = os.path.join(config_dir, "harnesses")
    try:
        names = sorted(os.listdir(folder))
    except FileNotFoundError:
        return
    except OSError as error:
        problems.append(Problem(folder, f"cannot be listed: {error.strerror}"))
        return
    for name in names:
        if not name.endswith(".toml"):
            continue
        path = os.path.join(folder, name)
        try:
            yield read_profile(path)
        except BadProfile as error:
            problems.append(Problem(path, str(error)))


def read_profile(path: str, *, trusted: bool = False) -> Profile:
    """The profile in the file `path`.

    `trusted` leaves out the checks of regexes and samples that the tests make for
    the built-in profiles. Raises `BadProfile`.
    """
    if not os.path.isfile(path):
        raise BadProfile(f"{path}: is not a regular file: put a profile there")
    try:
        with open(path, "rb") as file:
            data = file.read(1 << 20)
    except OSError as error:
        raise BadProfile(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadProfile(
            f"{path}: byte {error.start} is not UTF-8: save it as UTF-8"
        ) from None
    profile = parse_profile(text, path, trusted=trusted)
    if not trusted:
        _check_readers(profile, path)
    return profile


def _check_readers(profile: Profile, path: str) -> None:
    from spillview.transcripts import READERS
    from spillview.typed import meant

    for number, rule in enumerate(profile.transcripts, 1):
        if rule.reader not in READERS:
            raise BadProfile(
                f"{path}: transcript {number}: reader: {rule.reader!r} is no reader:"
                f" {meant(rule.reader, sorted(READERS))}"
            )


def parse_profile(text: str, source: str, *, trusted: bool = False) -> Profile:
    """The profile that `text` is; `source` names it in errors. Raises `BadProfile`."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadProfile(f"{source}: is not TOML: {error}") from None
    table = Table(data, source)
    schema = table.whole("schema", SCHEMA)
    if schema != SCHEMA:
        raise table.bad(
            "schema", f"is {schema}: this program reads schema {SCHEMA} only"
        )
    harness = table.need("harness")
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", harness):
        raise table.bad("harness", "must be lower-case letters, digits and -")
    profile = Profile(
        harness=harness,
        name=table.text("name") or harness,
        confidence=table.choice("confidence", tables.CONFIDENCE, "single report"),
        source=source,
        rules=hashlib.sha256(text.encode()).hexdigest()[:16],
        spills=table.flag("spills", True),
        guest=table.flag("guest", False),
        roots=tuple(map(tables.read_root, table.tables("root"))),
        globs=tuple(map(tables.read_glob, table.tables("glob"))),
        names=tuple(map(tables.read_name, table.tables("name_rule"))),
        notices=tuple(map(tables.read_notice, table.tables("notice"))),
        boundaries=tuple(map(tables.read_boundary, table.tables("boundary"))),
        retention=tables.read_retention(table.table("retention")),
        transcripts=tuple(map(tables.read_transcript, table.tables("transcript"))),
        pointer=table.mapping("pointer"),
        projects=tuple(map(tables.read_project, table.tables("project"))),
        frames=table.texts("frames"),
        members=table.texts("members"),
        quirks=table.texts("quirks"),
        records=tables.read_records(table.table("records")),
        verified=table.flag("verified", False),
        resume=tables.read_resume(table.table("resume")),
        read_tool=tables.read_tool(table.table("read_tool")),
    )
    table.done()
    check_roots(profile, source)
    if profile.records is None and any(
        rule.reader == "fields" for rule in profile.transcripts
    ):
        raise table.bad("records", "is missing: the reader fields goes by it")
    if not trusted:
        check_profile(profile)
    return profile
