"""The rules of a profile: roots, globs, names, notices, boundaries, retention.

These are named tuples: as dataclasses they would cost three times as much of every
start.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from spillview.digests import sha256
from spillview.hints import Any, Literal
from spillview.model import Claim, Unit
from spillview.named import NamedTuple
from spillview.profiles.claims import ClaimRule, read_claim

Confidence = Literal["source-read", "several reports", "single report", "ours"]
Form = Literal["head", "tail", "head+tail", "blocks", "none"]
"""`blocks`: our own envelopes, which say of each line or item where it stands."""
Way = Literal["path", "id", "call_id", "row", "virtual", "none"]

NONE: Mapping[str, Any] = MappingProxyType({})
_LEAD = 512
"""A notice begins so many chars before its needle at most."""


class EnvOverride(NamedTuple):
    """An environment variable that moves a root."""

    name: str
    path: str = "{value}"
    """Where the root then is; `{value}/.gemini` when the variable names the parent."""
    adds: bool = False
    """True when the usual place counts as well."""


class Root(NamedTuple):
    """A folder in which a harness keeps a store."""

    id: str
    paths: tuple[str, ...] = ()
    """Templates for platforms that are not named in `by_platform`."""
    by_platform: Mapping[str, tuple[str, ...]] = NONE
    """Templates by `linux`, `macos`, `windows`."""
    env: tuple[EnvOverride, ...] = ()
    """The first variable that is set decides."""
    given: bool = False
    """True for a folder only the user can name (a project's own data folder)."""
    confidence: Confidence | None = None
    note: str = ""


class Glob(NamedTuple):
    """Where artifacts lie below a root."""

    path: str
    """`{root}/part/<session>/<name>`: see `patterns`."""
    content: str = "spill"
    """What the files are: `spill`, `background`, `hook`, `page`, `stream`, …"""
    artifact: bool = True
    """False for files that belong to the store but are no artifacts (sidecars)."""
    named: bool = False
    """True when only files whose name fits a name rule count."""
    recognise: Literal["path", "name", "never"] = "path"
    """What tells a folder of unknown place to be of this harness."""
    bounded: bool = True
    """False where no boundary applies (background logs)."""
    session: Literal["id", "sha256-12"] = "id"
    """What `<session>` is: the id, or `session-` and 12 hex of the id's sha256."""
    transcript: str | None = None
    """The transcript the layout names, `{root}/…/<session>.jsonl`."""
    reader: str | None = None
    """The reader that gives rows of a database (or a field of a file) as artifacts."""
    field: str | None = None
    """For `reader`: where the text is, such as `.response` or `recall.blob`."""
    columns: Mapping[str, str] = NONE
    """For `table`: which column is the `key`, the `size`, `created`, `command`, `cwd`,
    `exit_code`, and the `codec` (or `=gzip`)."""
    tool: str | None = None
    confidence: Confidence | None = None
    versions: str = ""
    note: str = ""


class NameRule(NamedTuple):
    """What a file's name says; the whole name must fit `regex`."""

    regex: str
    """Groups `call_id`, `tool`, `label`, `digest`, `date`, … are what it says."""
    means: str = ""
    content: str | None = None
    """Replaces the glob's `content`."""
    tool: str | None = None
    """The tool all such files come from."""
    skip: bool = False
    """True for files that are no artifacts (being written, sidecars)."""
    decode: Literal["tilde"] | None = None
    """`tilde`: `~0020` in a group stands for that UTF-16 unit."""
    samples: tuple[Mapping[str, str], ...] = ()
    """`name` and the groups it must give."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled regex."""
        return compiled(self.regex, re.DOTALL)


class Preview(NamedTuple):
    """How the part of the artifact that the envelope shows stands in its text."""

    form: Form = "head"
    place: Literal["after", "before", "around"] = "after"
    """Where it stands, seen from the notice."""
    size: int | None = None
    unit: Unit = "chars"
    opens: tuple[str, ...] = ()
    """Texts directly before the preview that are no part of it."""
    closes: tuple[str, ...] = ()
    """Texts directly after the preview that are no part of it."""
    opening: str | None = None
    """Regex of the words that begin the whole text, before a preview that stands
    before its notice: without them the notice is none. Its groups may be claims."""
    gap: str | None = None
    """Regex of the mark between head and tail; None when nothing stands there."""
    numbered: bool = False
    """True when line numbers stand before its lines."""
    escaped: bool = False
    """True when `<` and `&` are written as entities."""
    behind: str | None = None
    """Regex of what the harness may add behind the preview."""
    field: str | None = None
    """Where the envelope is a JSON object: the member that holds the preview."""
    tags: tuple[str, ...] = ()
    """Tags whose brackets alone are written as entities: `<name>`, `</name>`."""


class Resolve(NamedTuple):
    """How a notice names its artifact."""

    by: Way = "path"
    """`path`; an `id` local to `path`; the `call_id`; a database `row`; a `virtual`
    path below `path`; `none` when nothing was saved."""
    path: str | None = None
    """A path pattern whose `<id>`, `<session>`, … come from the notice and its
    transcript: `{roo}/tasks/<session>/command-output/<id>`."""


class Sample(NamedTuple):
    """A text in which a notice must be found, and what its groups must say."""

    text: str
    expect: Mapping[str, str]


class Notice(NamedTuple):
    """One wording of the sentence that points at an artifact."""

    id: str
    regex: str
    needle: str
    """A literal that every such notice holds: look for it before the regex."""
    claims: tuple[ClaimRule, ...] = ()
    preview: Preview = Preview(form="none")
    resolve: Resolve = Resolve()
    cut: bool = False
    """True when the result was cut and nothing was saved."""
    partial: bool = False
    """True when the artifact itself is known to be capped."""
    reused: bool = False
    """True when later calls overwrite the same path."""
    replaces: bool = False
    """True when it took the place of a result that the model had received before."""
    extent: Literal["text", "element", "notice", "counted"] = "text"
    """What the envelope is: the whole text, from the notice to `close`, it alone, or
    so many chars from its beginning on as its group `size` says."""
    close: str | None = None
    words: tuple[str, ...] = ()
    """Regexes of what else the harness itself says in such a result: no part of the
    output, though it stands beside notice and preview."""
    places: tuple[str, ...] = ("result",)
    """Where it may stand: `result`, `prompt`, `attachment`."""
    at_end: bool = False
    """True when nothing but white space may follow it."""
    samples: tuple[Sample, ...] = ()
    confidence: Confidence | None = None
    versions: str = ""
    note: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled regex; `^` and `$` are those of lines."""
        return compiled(self.regex, re.MULTILINE)

    def find(self, text: str, start: int = 0) -> Iterable[re.Match[str]]:
        """Every place in `text` where the notice stands; quick when it does not."""
        last = text.rfind(self.needle)
        if last < 0:
            return ()
        if self.at_end:  # only the last one can stand at the end
            start = max(start, last - _LEAD)
        return self.pattern.finditer(text, start)

    def opens(self, text: str) -> re.Match[str] | None:
        """The words that begin `text` where such a notice needs some."""
        return compiled(self.preview.opening or "", 0).match(text)

    def claims_in(self, match: re.Match[str]) -> tuple[Claim, ...]:
        """What the notice states, with the slack of its own rounding."""
        groups = match.groupdict()
        opening = self.opens(match.string) if self.preview.opening else None
        if opening is not None:
            groups |= opening.groupdict()
        found = []
        for rule in self.claims:
            text = groups.get(rule.group)
            claim = read_claim(text, rule) if text else None
            if claim is not None:
                found.append(claim)
        return tuple(found)


class BoundaryRule(NamedTuple):
    """One gate: size and unit for some tools in some versions."""

    size: int
    unit: Unit
    tools: tuple[str, ...] = ()
    """Tool names, `*` allowed; empty: every tool no other rule names."""
    contents: tuple[str, ...] = ()
    """Only for these contents; empty: every bounded one."""
    since: str | None = None
    before: str | None = None
    """Versions `since` ≤ v < `before`; an unknown version counts as the newest."""
    env: str | None = None
    """A variable that replaces `size`."""
    env_min: int | None = None
    env_max: int | None = None
    gate: bool = True
    """False for limits on something else than one result: a turn, a disk."""
    setting: str = ""
    confidence: Confidence | None = None
    note: str = ""


class Retention(NamedTuple):
    """How the harness itself removes artifacts."""

    seconds: int | None = None
    """The age at which they go; None when it keeps them or nothing is known."""
    by: Literal["mtime", "name", "session"] = "mtime"
    automatic: bool | None = None
    """None where it is not known."""
    setting: str = ""
    max_files: int | None = None
    max_bytes: int | None = None
    note: str = ""

    def __str__(self) -> str:
        if self.seconds is None:
            return self.note or ("unknown" if self.automatic is None else "none")
        return f"{self.age} by {'date in the name' if self.by == 'name' else self.by}"

    @property
    def age(self) -> str:
        """The age at which files go, in words."""
        hours = (self.seconds or 0) // 3600
        number, unit = (hours // 24, "day") if hours % 24 == 0 else (hours, "hour")
        return f"{number} {unit}{'' if number == 1 else 's'}"


class TranscriptRule(NamedTuple):
    """Where transcripts lie and which reader understands them."""

    path: str
    """Captures `session`, `parent`, `agent`, `project`."""
    reader: str
    form: Literal["jsonl", "json", "sqlite", "json-dir"] = "jsonl"
    """`json-dir`: `path` names a folder that holds one JSON file per event."""
    decode: Literal["tilde"] | None = None
    """`tilde`: `~0020` in the captured session stands for that UTF-16 unit."""
    evidence: Mapping[str, str] = NONE
    """Captures that must fit these regexes before a file of unknown place counts."""
    results: bool = True
    """False where calls are kept without what came back of them."""
    confidence: Confidence | None = None
    note: str = ""


class ProjectName(NamedTuple):
    """How a harness makes a folder's name from a working folder's path."""

    replace: tuple[tuple[str, str], ...] = ()
    """Regex and text, applied one after the other."""
    tilde: str | None = None
    """Characters of this regex become `~` and 4 hex digits of each UTF-16 unit."""
    trim: str = ""
    """Characters taken off the beginning."""
    cut: int | None = None
    """Chars kept at most; where `cut_open`, something unknown follows them."""
    cut_open: bool = False
    before: str = ""
    after: str = ""
    hash: Literal["sha256"] | None = None
    """The name is this digest of the path, in hex; nothing else applies."""
    marker: str | None = None
    """The file in `<project>` that holds the path, `{root}/…/<project>/.project_root`;
    nothing else applies. A folder named by the digest may hold what was copied."""
    listed: str | None = None
    """A JSON file beside: `{"projects": {path: name}}`."""

    def fits(self, name: str, path: str) -> bool:
        """Whether the folder `name` may stand for the working folder `path`."""
        if self.marker is not None:
            return False
        if self.hash is not None:
            return name == sha256(os.fsencode(path)).hexdigest()
        key = path
        for regex, text in self.replace:
            key = compiled(regex, re.DOTALL).sub(text, key)
        if self.tilde is not None:
            key = compiled(self.tilde, re.DOTALL).sub(lambda m: _tilde(m[0]), key)
        key = key.lstrip(self.trim) if self.trim else key
        if self.cut is None or len(key) <= self.cut:
            return name == f"{self.before}{key}{self.after}"
        key = f"{self.before}{key[: self.cut]}"
        return name.startswith(key) if self.cut_open else name == key + self.after


def untilde(text: str) -> str:
    """`text` with each `~` and four hex digits replaced by that UTF-16 unit."""
    if "~" not in text:
        return text
    units = re.sub(
        r"~([0-9A-F]{4})", lambda m: chr(int(m[1], 16)), "" if text == "~" else text
    )
    # Two escaped halves of one character come together again.
    raw = units.encode("utf-16-le", "surrogatepass")
    return raw.decode("utf-16-le", "surrogatepass")


def _tilde(text: str) -> str:
    raw = text.encode("utf-16-be", "surrogatepass")
    return "".join(f"~{raw[i]:02X}{raw[i + 1]:02X}" for i in range(0, len(raw), 2))


@lru_cache(maxsize=1024)
def compiled(regex: str, flags: int) -> re.Pattern[str]:
    """A regex, compiled once."""
    return re.compile(regex, flags)
