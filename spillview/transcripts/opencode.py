"""Reads opencode's sessions, and those of its forks: what a part or message tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from spillview.transcripts.calls import parse_time, texts_of
from spillview.transcripts.events import (
    About,
    Called,
    Compacted,
    Event,
    Place,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.values import text_in

if TYPE_CHECKING:
    from spillview.stored.databases import Database
    from spillview.transcripts.opencode_files import Tree
    from spillview.transcripts.tables import Source

COMPACTS = True

_DONE = ("completed", "error")


def rows_of(database: Database) -> Source:
    """The sessions of a database."""
    from spillview.transcripts.opencode_rows import Rows

    return Rows(database)


def tree_at(path: str) -> Tree:
    """The one session whose messages are files in a folder. Raises OSError."""
    from spillview.transcripts.opencode_files import Tree

    return Tree(path)


def final(record: dict[str, Any]) -> bool:
    """Whether a part or message is written to its end: its answer is complete."""
    message = record.get("message")
    info = message if isinstance(message, dict) else record
    if info.get("role") != "assistant" and info.get("type") != "assistant":
        return True
    times = info.get("time")
    done = isinstance(times, dict) and times.get("completed") is not None
    if not done and not info.get("error"):
        return False
    part = record.get("part")
    calls = [part] if isinstance(part, dict) else _content(record)
    return all(
        call.get("type") != "tool" or _state(call).get("status") in _DONE
        for call in calls
    )


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What a row tells: a session, a part with its message, or a message of v2."""
    session, part = record.get("session"), record.get("part")
    if isinstance(session, dict):
        yield _about(session)
    elif isinstance(part, dict):
        message = record.get("message")
        info = message if isinstance(message, dict) else {}
        yield About(record_id=text_in(record.get("id")))
        yield from _part(part, info, text_in(record.get("message_id")))
    else:
        yield from _message(record)


def _about(row: dict[str, Any]) -> About:
    times = row.get("time")
    started = times.get("created") if isinstance(times, dict) else None
    title = text_in(row.get("title")) or ""
    parents = (row.get("parent_id"), row.get("parentID"), row.get("fork_session_id"))
    return About(
        project=text_in(row.get("directory")),
        # "New session - <time>" is no title yet.
        title=None
        if title.startswith(("New session - ", "Child session - "))
        else title,
        title_rank=2,
        version=text_in(row.get("version")),
        time=parse_time(started if started is not None else row.get("time_created")),
        parents=tuple(p for p in parents if isinstance(p, str) and p),
    )


def _part(
    part: dict[str, Any], info: dict[str, Any], message: str | None
) -> Iterator[Event]:
    """One part of a message of the first form."""
    kind, text = part.get("type"), part.get("text")
    times = info.get("time")
    time = parse_time(times.get("created")) if isinstance(times, dict) else None
    if kind == "text" and isinstance(text, str):
        if info.get("role") != "user":
            yield Said(text=text, time=time, message=message)
        elif part.get("ignored") is not True:
            added = part.get("synthetic") is True
            place: Place = "attachment" if added else "prompt"
            yield Prompted(text=text, time=time, place=place)
    elif kind == "compaction":
        yield Compacted()
    elif kind == "tool":
        yield from _tool(
            text_in(part.get("callID")), text_in(part.get("tool")), part, time, message
        )


def _message(record: dict[str, Any]) -> Iterator[Event]:
    """One message of the second form, with all it holds."""
    times = record.get("time")
    time = parse_time(times.get("created")) if isinstance(times, dict) else None
    message = text_in(record.get("id"))
    yield About(record_id=message, time=time)
    kind, text = record.get("type"), record.get("text")
    if kind in ("user", "synthetic") and isinstance(text, str):
        place: Place = "prompt" if kind == "user" else "attachment"
        yield Prompted(text=text, time=time, place=place)
    elif kind == "compaction":
        yield Compacted()
    elif kind == "shell":
        yield from _typed(record, time)
    elif kind == "assistant":
        for block in _content(record):
            text = block.get("text")
            if block.get("type") == "text" and isinstance(text, str):
                yield Said(text=text, time=time, message=message)
            elif block.get("type") == "tool":
                ident = text_in(block.get("id")) or text_in(block.get("callID"))
                name = text_in(block.get("name")) or text_in(block.get("tool"))
                yield from _tool(ident, name, block, time, message)


def _typed(record: dict[str, Any], time: float | None) -> Iterator[Event]:
    """A command that the person typed, and what it printed."""
    ident = text_in(record.get("callID")) or text_in(record.get("id"))
    output = record.get("output")
    command = text_in(record.get("command"))
    if ident and isinstance(output, str):
        yield Returned(
            call_id=ident, texts=(output,), tool="shell", arguments=command, time=time
        )


def _tool(
    ident: str | None,
    tool: str | None,
    call: dict[str, Any],
    time: float | None,
    message: str | None,
) -> Iterator[Event]:
    """A call, and its result where there is one."""
    if ident is None or tool is None:
        return
    state = _state(call)
    times = state.get("time") or call.get("time")
    times = times if isinstance(times, dict) else {}
    began = times.get("start", times.get("ran", times.get("created")))
    start = parse_time(began) or time
    arguments = state.get("input")
    yield Called(id=ident, tool=tool, arguments=arguments, time=start, message=message)
    status = state.get("status")
    if status not in _DONE:
        return
    meta = state.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    code = meta.get("exit")
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    yield Returned(
        call_id=ident,
        texts=_shown(state),
        tool=tool,
        failed=status == "error" or code not in (None, 0),
        exit_code=code,
        time=parse_time(times.get("end", times.get("completed"))) or start,
        path=_saved(state, meta),
        whole=meta.get("truncated") is False and meta.get("status") != "running",
    )


def _shown(state: dict[str, Any]) -> tuple[str, ...]:
    """The texts that the model received."""
    output = state.get("output")
    if isinstance(output, str):
        return (output,)
    content = texts_of(state.get("content"))
    if content:
        return tuple(content)
    error = state.get("error")
    if isinstance(error, dict):
        error = error.get("message")
    return (error,) if isinstance(error, str) else ()


def _saved(state: dict[str, Any], meta: dict[str, Any]) -> str | None:
    """The artifact's path as the record gives it."""
    path = meta.get("outputPath")
    if not isinstance(path, str) or not path:
        paths = state.get("outputPaths")
        path = paths[0] if isinstance(paths, list) and len(paths) == 1 else None
    if not isinstance(path, str) or not path or meta.get("truncated") is False:
        return None
    return path


def _state(call: dict[str, Any]) -> dict[str, Any]:
    state = call.get("state")
    return state if isinstance(state, dict) else {}


def _content(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = record.get("content")
    return (
        [x for x in content if isinstance(x, dict)] if isinstance(content, list) else []
    )
