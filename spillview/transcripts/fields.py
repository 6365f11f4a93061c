"""Records of a harness whose profile says in which fields everything stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from spillview.transcripts.calls import parse_time
from spillview.transcripts.events import (
    About,
    Called,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile
    from spillview.profiles.record_fields import Match, Paths, RecordFields, Shape

MOST = 10_000
"""So many parts of one record are looked at."""


def reader_for(profile: Profile) -> FieldReader:
    """The reader that a profile describes."""
    from spillview.profiles.record_fields import RecordFields

    return FieldReader(profile.records or RecordFields())


class FieldReader:
    """Turns records into events by a profile's rules."""

    def __init__(self, rules: RecordFields) -> None:
        self._rules = rules

    def events(self, record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
        """What one record tells; `state` is not needed."""
        about = {name: first(record, paths) for name, paths in self._rules.session}
        parent = text_in(about.get("parent"))
        yield About(
            session=text_in(about.get("session")),
            project=text_in(about.get("project")),
            title=text_in(about.get("title")),
            version=text_in(about.get("version")),
            time=parse_time(about.get("time")),
            record_id=text_in(about.get("record_id")),
            parents=(parent,) if parent is not None else (),
        )
        for shape in self._rules.shapes:
            if not fits(record, shape.when):
                continue
            parts = values(record, shape.each) if shape.each is not None else (record,)
            for part in parts:
                if fits(part, shape.where):
                    yield from _event(shape, part)


def _event(shape: Shape, part: Any) -> Iterator[Event]:
    given = dict(shape.fields)

    def one(name: str) -> Any:
        return first(part, given.get(name, ()))

    if shape.kind in ("prompt", "said"):
        for text in texts(part, given["text"]):
            yield Prompted(text=text) if shape.kind == "prompt" else Said(text=text)
        return
    call_id = text_in(one("id"))
    if call_id is None:
        return
    if shape.kind == "call":
        tool = text_in(one("name"))
        if tool is not None:
            yield Called(id=call_id, tool=tool, arguments=one("arguments"))
        return
    code = one("exit_code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    yield Returned(
        call_id=call_id,
        texts=tuple(texts(part, given.get("text", ()))),
        tool=text_in(one("name")),
        arguments=one("arguments"),
        failed=_failed(one("error"), code) if "error" in given else None,
        exit_code=code,
        path=text_in(one("path")),
        ident=text_in(one("ident")),
        partial=one("partial") is True,
    )


def _failed(error: Any, code: int | None) -> bool:
    """Whether a field says that a call failed: a flag, a status, or an error's text."""
    if isinstance(error, str):
        return error.lower() not in ("", "ok", "success", "succeeded", "completed")
    return bool(error) or bool(code)


def fits(value: Any, rules: Match) -> bool:
    """Whether the texts that rules name stand in a value."""
    return all(
        any(_plain(found) == wanted for found in values(value, path))
        for path, wanted in rules
    )


def first(value: Any, paths: Paths) -> Any:
    """What the first path that leads anywhere leads to first; None if none does."""
    for path in paths:
        for found in values(value, path):
            if found is not None:
                return found
    return None


def texts(value: Any, paths: Paths) -> list[str]:
    """All texts that the first path with some leads to."""
    for path in paths:
        found = [text for text in values(value, path) if isinstance(text, str)]
        if found:
            return found
    return []


def values(value: Any, path: str) -> list[Any]:
    """Everything that a path leads to, `MOST` at most."""
    found = [value]
    if path == ".":
        return found
    for step in path.split("."):
        key = step.rstrip("[]")
        if key:
            found = [v[key] for v in found if isinstance(v, dict) and key in v]
        for _ in range(step.count("[]")):
            found = [x for v in found if isinstance(v, list) for x in v[:MOST]][:MOST]
    return found


def _plain(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else None
