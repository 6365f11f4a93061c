"""The texts of a record's events, and the arguments of its calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from spillview.transcripts.events import Event, Prompted, Reader, Returned
from spillview.transcripts.facts import load
from spillview.transcripts.notices import Block


def blocks_of(events: Iterable[Event]) -> list[Block]:
    """The texts of a record's events, in the order in which they are counted."""
    found: list[Block] = []
    for event in events:
        if isinstance(event, Prompted):
            found.append(Block(event.place, event.text))
        elif isinstance(event, Returned):
            texts = event.texts or (("",) if event.path or event.ident else ())
            for text in texts:
                found.append(Block("result", text, event.call_id, event.failed))
    return found


def blocks(module: object, record: dict[str, Any]) -> list[Block]:
    """The texts of a record that is read again."""
    return blocks_of(list(cast(Reader, module).events(record, {})))


def plain_arguments(arguments: Any) -> Any:
    """A call's arguments; where the record holds them as JSON text, what it holds."""
    if isinstance(arguments, str) and arguments.lstrip()[:1] == "{":
        try:
            return load(arguments.encode("utf-8", "surrogatepass"))
        except ValueError:
            return arguments
    return arguments
