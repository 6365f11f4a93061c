"""The tables of a profile's TOML as rules: every mistake names the key and what to do.

Each function takes one table and raises `BadProfile`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from spillview.discovery.roots import check_template
from spillview.profiles.checks import check_regex
from spillview.profiles.claims import ClaimRule
from spillview.profiles.patterns import BadPattern, parts_of
from spillview.profiles.profile import (
    BoundaryRule,
    EnvOverride,
    Glob,
    NameRule,
    Notice,
    Preview,
    ProjectName,
    Resolve,
    Retention,
    Root,
    Sample,
    TranscriptRule,
)
from spillview.profiles.resumption import ReadTool, Resume
from spillview.profiles.toml_table import REQUIRED, Table

if TYPE_CHECKING:
    from spillview.profiles.record_fields import RecordFields

UNITS = ("chars", "utf16", "bytes", "lines", "tokens")
CLAIMS = ("bytes", "omitted_bytes", "chars", "utf16", "lines", "tokens", "sha256")
CONFIDENCE = ("source-read", "several reports", "single report", "ours")
PLATFORMS = ("linux", "macos", "windows")


def read_root(table: Table) -> Root:
    """A folder in which it keeps a store."""
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
        with _path_of(table, path):
            check_template(path)
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
    with _path_of(table, override.path):
        parts_of(override.path.removeprefix("{value}").replace("{uid}", "0"))
    table.done()
    return override


@contextmanager
def _path_of(table: Table, path: str) -> Iterator[None]:
    """Say where a path stands that is looked at and is no pattern."""
    try:
        yield
    except BadPattern as error:
        raise table.bad("path", f"{path!r}: {error}") from None


def read_glob(table: Table) -> Glob:
    """Where artifacts lie below a root."""
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
        from spillview.stored.stored import check_glob  # not for mere files

        wrong = check_glob(glob)
        if wrong is not None:
            raise table.bad("field", wrong)
    table.done()
    return glob


def read_name(table: Table) -> NameRule:
    """What a file's name says."""
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


def read_notice(table: Table) -> Notice:
    """One wording of the sentence that points at an artifact."""
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
        words=table.texts("words"),
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


def read_boundary(table: Table) -> BoundaryRule:
    """One gate."""
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


def read_retention(table: Table) -> Retention:
    """How the harness itself removes artifacts."""
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


def read_resume(table: Table) -> Resume:
    """How a session is resumed."""
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


def read_tool(table: Table) -> ReadTool:
    """How its model reads a part of a file."""
    tool = ReadTool(table.text("call") or "", table.text("source") or "")
    table.done()
    return tool


def read_records(table: Table) -> RecordFields | None:
    """Where everything stands in a record; None where nothing is said of it."""
    if not table.data:
        return None
    from spillview.profiles.record_fields import record_fields

    return record_fields(table)


def read_transcript(table: Table) -> TranscriptRule:
    """Where transcripts lie."""
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


def read_project(table: Table) -> ProjectName:
    """How a folder's name is made from a working folder's path."""
    pairs = []
    for pair in table.pairs("replace"):
        check_regex(pair[0], table.name("replace"), whole_names=True)
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
        check_regex(name.tilde, table.name("tilde"), whole_names=True)
    table.done()
    return name
