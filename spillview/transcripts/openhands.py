"""What OpenHands' events tell: one file each, an action, an observation or a message.

An observation of the terminal keeps the whole output. The text the model is given is
made from it for every request: the output, the lines about the command, and, where
that is long, head and tail around a notice. Here it is made in the same way; the file's
name, which holds the digest of the whole text, proves that it was.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import parse_time, texts_of
from spillview.transcripts.events import (
    About,
    Called,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.facts import load
from spillview.transcripts.values import text_in

COMPACTS = True

LIMIT = 30_000
"""Chars of a command's text that the model is given at most."""

_NOTE = (
    "<response clipped><NOTE>Due to the max output limit, only part of the full "
    "response has been shown to you."
)
_ERROR = "[An error occurred during execution.]\n"


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """The events of one file; `state` is not needed."""
    time = parse_time(record.get("timestamp"))
    found: list[Event] = [About(time=time, record_id=text_in(record.get("id")))]
    maker = _MAKERS.get(text_in(record.get("kind")) or "")
    if maker is not None:
        found += maker(record, time)
    return found


def _acted(record: dict[str, Any], time: float | None) -> Iterator[Event]:
    call = record.get("tool_call")
    call = call if isinstance(call, dict) else {}
    message = text_in(record.get("llm_response_id"))
    words = "\n".join(texts_of(record.get("thought"))).strip()
    if words:
        yield Said(text=words, time=time, message=message)
    tool = text_in(record.get("tool_name")) or text_in(call.get("name"))
    call_id = text_in(record.get("tool_call_id")) or text_in(call.get("id"))
    if tool is None or call_id is None:
        return
    arguments = call.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = load(arguments.encode("utf-8", "surrogatepass"))
        except ValueError:
            arguments = None
    if not isinstance(arguments, dict):
        action = record.get("action")
        arguments = action if isinstance(action, dict) else None
    if tool == "file_editor" and isinstance(arguments, dict):
        # Its `command` is a word such as view, and no command line.
        arguments = {
            ("action" if key == "command" else key): value
            for key, value in arguments.items()
        }
    yield Called(id=call_id, tool=tool, arguments=arguments, time=time, message=message)


def _observed(record: dict[str, Any], time: float | None) -> Iterator[Event]:
    seen = record.get("observation")
    seen = seen if isinstance(seen, dict) else {}
    metadata = seen.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    code = seen.get("exit_code", metadata.get("exit_code"))
    code = code if isinstance(code, int) and not isinstance(code, bool) else None
    code = None if code == -1 else code
    error = seen.get("is_error") is True
    texts = [text for text in texts_of(seen.get("content")) if text]
    if seen.get("kind") == "TerminalObservation":
        texts = [_shown("".join(texts), seen, metadata)]
        if error:
            texts.insert(0, _ERROR)
    directory = text_in(metadata.get("working_dir"))
    if directory is not None:
        yield About(project=directory)
    yield Returned(
        call_id=text_in(record.get("tool_call_id")),
        texts=tuple(texts),
        tool=text_in(record.get("tool_name")),
        failed=error or bool(code),
        exit_code=code,
        time=time,
    )


def _failed(record: dict[str, Any], time: float | None) -> Iterator[Event]:
    error = text_in(record.get("error"))
    yield Returned(
        call_id=text_in(record.get("tool_call_id")),
        texts=(error,) if error is not None else (),
        tool=text_in(record.get("tool_name")),
        failed=True,
        time=time,
    )


def _spoke(record: dict[str, Any], time: float | None) -> Iterator[Event]:
    message = record.get("llm_message")
    message = message if isinstance(message, dict) else {}
    text = "\n".join(texts_of(message.get("content")))
    if not text.strip():
        return
    if message.get("role") == "user":
        yield Prompted(text=text, time=time)
    elif message.get("role") == "assistant":
        said = text_in(record.get("llm_response_id"))
        yield Said(text=text.strip(), time=time, message=said)


def _condensed(record: dict[str, Any], time: float | None) -> Iterator[Event]:
    yield Compacted()


_MAKERS = {
    "ActionEvent": _acted,
    "ObservationEvent": _observed,
    "AgentErrorEvent": _failed,
    "MessageEvent": _spoke,
    "Condensation": _condensed,
}


def _shown(output: str, seen: dict[str, Any], metadata: dict[str, Any]) -> str:
    """The text that the model was given of a command's output."""
    if "<response clipped><NOTE>" in output and len(output) <= LIMIT:
        return output  # cut before it was kept
    prefix, suffix = metadata.get("prefix"), metadata.get("suffix")
    text = f"{text_in(prefix) or ''}{output}{text_in(suffix) or ''}"
    if directory := text_in(metadata.get("working_dir")):
        text += f"\n[Current working directory: {directory}]"
    if python := text_in(metadata.get("py_interpreter_path")):
        text += f"\n[Python interpreter: {python}]"
    code = metadata.get("exit_code")
    if isinstance(code, int) and code != -1:
        text += f"\n[Command finished with exit code {code}]"
    return _clipped(text, text_in(seen.get("full_output_save_dir")))


def _clipped(text: str, folder: str | None) -> str:
    """`text` within the limit: head and tail, and between them what says so."""
    if len(text) <= LIMIT:
        return text
    notice = f"{_NOTE}</NOTE>"
    head = -(-(LIMIT - len(notice)) // 2)
    if folder is not None:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        sep = "\\" if "\\" in folder and "/" not in folder else "/"
        path = f"{folder.rstrip(sep)}{sep}bash_output_{digest[:8]}.txt"
        line = len(text[:head].splitlines()) + 1
        notice = (
            f"{_NOTE} The complete output has been saved to {path} - you can use other "
            "tools to view the full content (truncated part starts around line "
            f"{line}).</NOTE>"
        )
    head = min(head, max(0, LIMIT - len(notice)))
    tail = LIMIT - len(notice) - head
    return text[:head] + notice + (text[-tail:] if tail > 0 else "")
