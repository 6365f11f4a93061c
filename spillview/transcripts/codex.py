"""Records of Codex's rollouts: one item a line, `payload` of `response_item`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from spillview.transcripts.calls import parse_time
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
from spillview.transcripts.facts import load
from spillview.transcripts.values import text_in

NEEDLES: tuple[bytes, ...] = (
    b'"session_meta"',
    b'"turn_context"',
    b'"function_call',
    b'"custom_tool_call',
    b'"local_shell_call',
    b'"message"',
    b'"instructions"',
    b'"compacted"',
)

COMPACTS = True

_EXIT = re.compile(
    r"\A(?:Command: [^\n]{0,4096}\n)?(?:Chunk ID: [^\n]{1,64}\n)?"
    r"(?:Wall time: [^\n]{1,64}\n)?"
    r"(?:Exit code: |Process exited with code )(-?\d{1,9})\n"
)
_INJECTED = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<hook_prompt",
    "<permissions instructions>",
    "<skill>",
    "<subagent_notification>",
    "<turn_aborted>",
    "<user_instructions>",
    "<user_shell_command>",
)
"""What begins a user message that no person wrote."""


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one line of a rollout tells."""
    kind, payload = record.get("type"), record.get("payload")
    time = parse_time(record.get("timestamp"))
    if not isinstance(payload, dict):
        # The first rollouts held the items themselves.
        if kind is None and text_in(record.get("id")) and "instructions" in record:
            yield from _meta(record, time, state)
            return
        payload, kind = record, "response_item"
    if kind == "session_meta":
        yield from _meta(payload, time, state)
    elif kind == "turn_context":
        yield About(project=text_in(payload.get("cwd")), time=time)
    elif kind == "compacted":
        yield Compacted()
    elif kind == "response_item":
        yield About(time=time)
        yield from _item(payload, time)


def _meta(
    payload: dict[str, Any], time: float | None, state: dict[str, Any]
) -> Iterable[Event]:
    """The session's own facts; a fork repeats those of its parent behind them."""
    if state.get("named"):
        return
    state["named"] = True
    ident = text_in(payload.get("id"))
    parents = [text_in(payload.get("forked_from_id")), _spawner(payload.get("source"))]
    yield About(
        session=ident,
        project=text_in(payload.get("cwd")),
        version=text_in(payload.get("cli_version")),
        time=parse_time(payload.get("timestamp")) or time,
        parents=tuple(p for p in parents if p is not None and p != ident),
    )


def _spawner(source: Any) -> str | None:
    """The thread that started this one as its subagent."""
    for key in ("subagent", "thread_spawn"):
        source = source.get(key) if isinstance(source, dict) else None
    return text_in(source.get("parent_thread_id")) if isinstance(source, dict) else None


def _item(item: dict[str, Any], time: float | None) -> Iterable[Event]:
    kind, call_id = item.get("type"), text_in(item.get("call_id"))
    if kind == "message":
        yield from _message(item, time)
    elif kind in ("function_call", "custom_tool_call") and call_id:
        given = item.get("arguments" if kind == "function_call" else "input")
        tool = text_in(item.get("name")) or "unknown"
        yield Called(id=call_id, tool=tool, arguments=_arguments(given), time=time)
    elif kind == "local_shell_call" and call_id:
        action = item.get("action")
        yield Called(id=call_id, tool="shell", arguments=_arguments(action), time=time)
    elif kind in (
        "function_call_output",
        "custom_tool_call_output",
        "local_shell_call_output",
    ):
        texts, failed = _output(item.get("output"))
        code = _exit_code(texts[0]) if texts else None
        if failed is None and code is not None:
            failed = code != 0
        yield Returned(
            call_id=call_id, texts=texts, failed=failed, exit_code=code, time=time
        )


def _message(item: dict[str, Any], time: float | None) -> Iterable[Event]:
    role = item.get("role")
    for text in _texts(item.get("content")):
        if role == "assistant":
            yield Said(text=text, time=time)
        elif role in ("user", "developer"):
            person = role == "user" and not text.lstrip().startswith(_INJECTED)
            place: Place = "prompt" if person else "attachment"
            yield Prompted(text=text, time=time, place=place)


def _output(output: Any) -> tuple[tuple[str, ...], bool | None]:
    """The texts of a result, and whether its record says that the call failed."""
    failed = None
    if isinstance(output, dict):
        success = output.get("success")
        failed = not success if isinstance(success, bool) else None
        output = output.get("content")
    return tuple(_texts(output)), failed


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    found = []
    for part in content if isinstance(content, list) else []:
        text = part.get("text") if isinstance(part, dict) else None
        if isinstance(text, str):
            found.append(text)
    return found


def _exit_code(text: str) -> int | None:
    """The exit code that the words before a shell's output (or its JSON) state."""
    found = _EXIT.match(text)
    if found is not None:
        return int(found[1])
    if text.startswith('{"output":') and len(text) < 1 << 20:
        try:
            value = load(text.encode("utf-8", "surrogatepass"))
        except ValueError:
            return None
        metadata = value.get("metadata") if isinstance(value, dict) else None
        code = metadata.get("exit_code") if isinstance(metadata, dict) else None
        if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 31:
            return code
    return None


def _arguments(value: Any) -> Any:
    """A call's arguments; of a command run by a shell, the command alone."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            value = load(value.encode("utf-8", "surrogatepass"))
        except ValueError:
            return value
    command = value.get("command") if isinstance(value, dict) else None
    if (
        isinstance(command, list)
        and len(command) == 3
        and all(isinstance(word, str) for word in command)
        and command[1] in ("-c", "-lc", "-Command")
    ):
        return {**value, "command": command[2]}
    return value
