"""Reading a profile's TOML: every mistake names the file, the key and what to do."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from spillview.claims import ClaimRule
from spillview.errors import BadProfile
from spillview.model import Problem
from spillview.patterns import BadPattern, parts_of, split_root
from spillview.profile import (
    BoundaryRule,
    EnvOverride,
    Glob,
    NameRule,
    Notice,
    Preview,
    Profile,
    ProjectName,
    Resolve,
    Retention,
    Root,
    Sample,
    TranscriptRule,
)
from spillview.resumption import ReadTool, Resume
from spillview.roots import check_template
from spillview.table import REQUIRED, Table

if TYPE_CHECKING:
    from spillview.record_fields import RecordFields

SCHEMA = 1
UNITS = ("chars", "utf16", "bytes", "lines", "tokens")
CLAIMS = ("bytes", "omitted_bytes", "chars", "utf16", "lines", "tokens", "sha256")
CONFIDENCE = ("source-read", "several reports", "single report", "ours")
PLATFORMS = ("linux", "macos", "windows")
_BUILT_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "harnesses")


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
    return parse_profile(text, path, trusted=trusted)


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
        confidence=table.choice("confidence", CONFIDENCE, "single report"),
        source=source,
        rules=hashlib.sha256(text.encode()).hexdigest()[:16],
        spills=table.flag("spills", True),
        guest=table.flag("guest", False),
        roots=tuple(map(_root, table.tables("root"))),
        globs=tuple(map(_glob, table.tables("glob"))),
        names=tuple(map(_name, table.tables("name_rule"))),
        notices=tuple(map(_notice, table.tables("notice"))),
        boundaries=tuple(map(_boundary, table.tables("boundary"))),
        retention=_retention(table.table("retention")),
        transcripts=tuple(map(_transcript, table.tables("transcript"))),
        pointer=table.mapping("pointer"),
        projects=tuple(map(_project, table.tables("project"))),
        frames=table.texts("frames"),
        members=table.texts("members"),
        quirks=table.texts("quirks"),
        records=_records(table.table("records")),
        verified=table.flag("verified", False),
        resume=_resume(table.table("resume")),
        read_tool=_read_tool(table.table("read_tool")),
    )
    table.done()
    _check_roots(profile, source)
    if profile.records is None and any(
        rule.reader == "fields" for rule in profile.transcripts
    ):
        raise table.bad("records", "is missing: the reader fields goes by it")
    if not trusted:
        check_profile(profile)
    return profile


def check_profile(profile: Profile) -> None:
    """Compile every regex and run every sample. Raises `BadProfile`."""
    for number, rule in enumerate(profile.names, 1):
        where = f"{profile.source}: name_rule {number}"
        _check_regex(rule.regex, f"{where}: regex", whole_names=True)
        for sample in rule.samples:
            found = rule.pattern.fullmatch(sample.get("name", ""))
            if found is None:
                raise BadProfile(f"{where}: regex does not fit its sample {sample}")
            _check_groups(found, sample, where, skip=("name",))
    for number, regex in enumerate(profile.frames, 1):
        _check_regex(regex, f"{profile.source}: frames {number}")
    _check_regex(profile.resume.id, f"{profile.source}: resume.id", whole_names=True)
    for notice in profile.notices:
        where = f"{profile.source}: notice {notice.id!r}"
        _check_regex(notice.regex, f"{where}: regex")
        if notice.preview.gap is not None:
            _check_regex(notice.preview.gap, f"{where}: preview.gap")
        if notice.preview.behind is not None:
            _check_regex(notice.preview.behind, f"{where}: preview.behind")
        groups = {**notice.pattern.groupindex}
        if notice.preview.opening is not None:
            _check_regex(
                notice.preview.opening, f"{where}: preview.opening", begin=True
            )
            groups |= re.compile(notice.preview.opening).groupindex
        if notice.extent == "counted" and "size" not in groups:
            raise BadProfile(
                f"{where}: extent is 'counted', but the regex has no group 'size': add"
                " it, or choose another extent"
            )
        for claim in notice.claims:
            if claim.group not in groups:
                raise BadProfile(
                    f"{where}: claims.{claim.group}: the regex has no such group: "
                    f"name one of {', '.join(groups) or 'none'}"
                )
        wanted = {"path": "path", "id": "id", "call_id": "call_id"}
        wanted |= {"row": "id", "virtual": "path"}
        group = wanted.get(notice.resolve.by)
        if group is not None and group not in groups and not notice.cut:
            raise BadProfile(
                f"{where}: resolve.by is {notice.resolve.by!r}, but the regex has no "
                f"group {group!r}: add it, or choose another resolve.by"
            )
        for sample_text in notice.samples:
            if notice.needle not in sample_text.text:
                raise BadProfile(f"{where}: needle is not in its sample: fix one")
            match = notice.pattern.search(sample_text.text)
            if match is None or notice.opens(sample_text.text) is None:
                raise BadProfile(f"{where}: regex does not match its sample: fix one")
            _check_groups(match, sample_text.expect, where)
    for key in ("handle", "capped"):
        if key in profile.pointer:
            _check_regex(profile.pointer[key], f"{profile.source}: pointer.{key}")
    for number, transcript in enumerate(profile.transcripts, 1):
        for key, regex in transcript.evidence.items():
            where = f"{profile.source}: transcript {number}: evidence.{key}"
            _check_regex(regex, where, whole_names=True)


def _check_groups(
    match: re.Match[str],
    expect: Mapping[str, str],
    where: str,
    skip: tuple[str, ...] = (),
) -> None:
    said = match.groupdict()
    for key, value in expect.items():
        if key not in skip and said.get(key) != value:
            raise BadProfile(
                f"{where}: group {key!r} gives {said.get(key)!r} on its sample, "
                f"not {value!r}: fix the regex or the sample"
            )


def _check_regex(
    regex: str, where: str, *, whole_names: bool = False, begin: bool = False
) -> None:
    # Only profiles of users are checked at run time.
    from spillview.regexes import UnsafeRegex, check_regex

    try:
        # What is matched at a text's beginning alone may be nothing at all.
        check_regex(f"\\A(?:{regex})x" if begin else regex, short_text=whole_names)
    except UnsafeRegex as error:
        raise BadProfile(f"{where}: {error}") from None


def _check_roots(profile: Profile, source: str) -> None:
    """Every pattern begins with a root of this profile, and parses."""
    ids = {root.id for root in profile.roots}
    patterns: list[tuple[str, str]] = []
    for number, glob in enumerate(profile.globs, 1):
        patterns.append((f"glob {number}: path", glob.path))
        if glob.transcript is not None:
            patterns.append((f"glob {number}: transcript", glob.transcript))
    for number, rule in enumerate(profile.transcripts, 1):
        patterns.append((f"transcript {number}: path", rule.path))
    for number, project in enumerate(profile.projects, 1):
        for key, text in (("marker", project.marker), ("listed", project.listed)):
            if text is not None:
                patterns.append((f"project {number}: {key}", text))
    for notice in profile.notices:
        if notice.resolve.path is not None:
            patterns.append(
                (f"notice {notice.id!r}: resolve.path", notice.resolve.path)
            )
    for where, pattern in patterns:
        try:
            root, rest = split_root(pattern)
            parts_of(rest)
        except BadPattern as error:
            raise BadProfile(f"{source}: {where} {pattern!r}: {error}") from None
        if root not in ids:
            known = ", ".join(sorted(ids)) or "none"
            raise BadProfile(
                f"{source}: {where}: {{{root}}} is no root here: "
                f"name one of {known}, or add [[root]] with that id"
            )


def _root(table: Table) -> Root:
    by_platform = {p: paths for p in PLATFORMS if (paths := table.texts(p))}
    root = Root(
        id=table.need("id"),
        paths=table.texts("path"),
        by_platform=by_platform,
        env=tuple(map(_env, table.tables("env"))),
        given=table.flag("given", False),
        confidence=table.choice("confidence", CONFIDENCE, None),
        note=table.text("note") or "",
    )
    if not root.paths and not by_platform and not root.env and not root.given:
        raise table.bad(
            "path",
            REQUIRED + ", or one of linux, macos, windows, or given = true where "
            "only the user can name the folder",
        )
    for path in root.paths + sum(by_platform.values(), ()):
        try:
            check_template(path)
        except BadPattern as error:
            raise table.bad("path", f"{path!r}: {error}") from None
    table.done()
    return root


def _env(table: Table) -> EnvOverride:
    override = EnvOverride(
        name=table.need("name"),
        path=table.text("path") or "{value}",
        adds=table.flag("adds", False),
    )
    if not override.path.startswith("{value}"):
        raise table.bad("path", "must begin with {value}, the variable's text")
    try:
        parts_of(override.path.removeprefix("{value}").replace("{uid}", "0"))
    except BadPattern as error:
        raise table.bad("path", f"{override.path!r}: {error}") from None
    table.done()
    return override


def _glob(table: Table) -> Glob:
    glob = Glob(
        path=table.need("path"),
        content=table.text("content") or "spill",
        artifact=table.flag("artifact", True),
        named=table.flag("named", False),
        recognise=table.choice("recognise", ("path", "name", "never"), "path"),
        bounded=table.flag("bounded", True),
        session=table.choice("session", ("id", "sha256-12"), "id"),
        transcript=table.text("transcript"),
        reader=table.text("reader"),
        field=table.text("field"),
        columns=table.mapping("columns"),
        tool=table.text("tool"),
        confidence=table.choice("confidence", CONFIDENCE, None),
        versions=table.text("versions") or "",
        note=table.text("note") or "",
    )
    if glob.reader is not None:
        from spillview.stored import check_glob  # not for mere files

        wrong = check_glob(glob)
        if wrong is not None:
            raise table.bad("field", wrong)
    table.done()
    return glob


def _name(table: Table) -> NameRule:
    rule = NameRule(
        regex=table.need("regex"),
        means=table.text("means") or "",
        content=table.text("content"),
        tool=table.text("tool"),
        skip=table.flag("skip", False),
        decode=table.choice("decode", ("tilde",), None),
        samples=tuple(sample.mapping() for sample in table.tables("sample")),
    )
    table.done()
    return rule


def _notice(table: Table) -> Notice:
    resolve = table.table("resolve")
    preview = table.table("preview")
    notice = Notice(
        id=table.need("id"),
        regex=table.need("regex"),
        needle=table.need("needle"),
        claims=tuple(_claims(table.table("claims"))),
        preview=_preview(preview),
        resolve=Resolve(
            by=resolve.choice(
                "by", ("path", "id", "call_id", "row", "virtual", "none"), "path"
            ),
            path=resolve.text("path"),
        ),
        cut=table.flag("cut", False),
        partial=table.flag("partial", False),
        reused=table.flag("reused", False),
        replaces=table.flag("replaces", False),
        extent=table.choice("extent", ("text", "element", "notice", "counted"), "text"),
        close=table.text("close"),
        places=table.texts("places") or ("result",),
        at_end=table.flag("at_end", False),
        samples=tuple(map(_sample, table.tables("sample"))),
        confidence=table.choice("confidence", CONFIDENCE, None),
        versions=table.text("versions") or "",
        note=table.text("note") or "",
    )
    if not notice.samples:
        raise table.bad("sample", REQUIRED + ": [[notice.sample]] text and expect")
    for place in notice.places:
        if place not in ("result", "prompt", "attachment"):
            raise table.bad("places", f"{place!r}: use result, prompt or attachment")
    if notice.extent == "element" and not notice.close:
        raise table.bad("close", REQUIRED + " where extent is element")
    resolve.done()
    preview.done()
    table.done()
    return notice


def _claims(table: Table) -> Iterator[ClaimRule]:
    for group in list(table.data):
        rule = table.table(group, "unit")
        yield ClaimRule(
            group=group,
            unit=rule.choice("unit", CLAIMS, "bytes"),
            base=rule.whole("base", 1024),
            decimals=rule.whole("decimals", 1, least=0),
            slack=rule.whole("slack", 0),
        )
        rule.done()


def _preview(table: Table) -> Preview:
    default = "head" if table.data else "none"
    return Preview(
        form=table.choice(
            "form", ("head", "tail", "head+tail", "blocks", "none"), default
        ),
        place=table.choice("place", ("after", "before", "around"), "after"),
        size=table.maybe("size"),
        unit=table.choice("unit", UNITS, "chars"),
        opens=table.texts("opens"),
        closes=table.texts("closes"),
        opening=table.text("opening"),
        gap=table.text("gap"),
        numbered=table.flag("numbered", False),
        escaped=table.flag("escaped", False),
        behind=table.text("behind"),
        field=table.text("field"),
        tags=table.texts("tags"),
    )


def _sample(table: Table) -> Sample:
    sample = Sample(table.need("text"), table.mapping("expect"))
    table.done()
    return sample


def _boundary(table: Table) -> BoundaryRule:
    rule = BoundaryRule(
        size=table.whole("size", None),
        unit=table.choice("unit", UNITS, None),
        tools=table.texts("tool"),
        contents=table.texts("content"),
        since=table.text("since"),
        before=table.text("before"),
        env=table.text("env"),
        env_min=table.maybe("env_min"),
        env_max=table.maybe("env_max"),
        gate=table.flag("gate", True),
        setting=table.text("setting") or "",
        confidence=table.choice("confidence", CONFIDENCE, None),
        note=table.text("note") or "",
    )
    if rule.unit is None:
        raise table.bad("unit", f"{REQUIRED}: one of {', '.join(UNITS)}")
    table.done()
    return rule


def _retention(table: Table) -> Retention:
    hours, days = table.maybe("hours"), table.maybe("days")
    automatic = table.data.get("automatic")
    retention = Retention(
        seconds=(days or 0) * 86_400 + (hours or 0) * 3_600 or None,
        by=table.choice("by", ("mtime", "name", "session"), "mtime"),
        automatic=table.flag("automatic", False) if automatic is not None else None,
        setting=table.text("setting") or "",
        max_files=table.maybe("max_files"),
        max_bytes=table.maybe("max_bytes"),
        note=table.text("note") or "",
    )
    table.done()
    return retention


def _resume(table: Table) -> Resume:
    standing = Resume()
    resume = Resume(
        command=table.texts("command"),
        cwd=table.choice("cwd", ("project", "any"), "any"),
        id=table.text("id") or standing.id,
        confidence=table.choice("confidence", CONFIDENCE, "single report"),
        source=table.text("source") or "",
        note=table.text("note") or "",
    )
    table.done()
    if resume.command and not any("{session}" in word for word in resume.command):
        raise table.bad("command", "must hold {session} where the id belongs")
    return resume


def _read_tool(table: Table) -> ReadTool:
    tool = ReadTool(table.text("call") or "", table.text("source") or "")
    table.done()
    return tool


def _records(table: Table) -> RecordFields | None:
    if not table.data:
        return None
    from spillview.record_fields import record_fields

    return record_fields(table)


def _transcript(table: Table) -> TranscriptRule:
    forms = ("jsonl", "json", "sqlite", "json-dir")
    rule = TranscriptRule(
        path=table.need("path"),
        reader=table.need("reader"),
        form=table.choice("form", forms, "jsonl"),
        decode=table.choice("decode", ("tilde",), None),
        evidence=table.mapping("evidence"),
        results=table.flag("results", True),
        confidence=table.choice("confidence", CONFIDENCE, None),
        note=table.text("note") or "",
    )
    table.done()
    return rule


def _project(table: Table) -> ProjectName:
    pairs = []
    for pair in table.pairs("replace"):
        _check_regex(pair[0], table.name("replace"), whole_names=True)
        pairs.append(pair)
    name = ProjectName(
        replace=tuple(pairs),
        tilde=table.text("tilde"),
        trim=table.text("trim") or "",
        cut=table.maybe("cut"),
        cut_open=table.flag("cut_open", False),
        before=table.text("before") or "",
        after=table.text("after") or "",
        hash=table.choice("hash", ("sha256",), None),
        marker=table.text("marker"),
        listed=table.text("listed"),
    )
    if name.tilde is not None:
        _check_regex(name.tilde, table.name("tilde"), whole_names=True)
    table.done()
    return name
