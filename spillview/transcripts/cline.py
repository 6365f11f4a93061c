"""Messages of Cline, Roo Code and the older Kilo Code: blocks as Anthropic's API has
them, in one JSON document."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from spillview.transcripts.calls import one_line, parse_time
from spillview.transcripts.events import (
    About,
    Called,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.values import text_in

RECORDS: tuple[str, ...] = ("[]", "messages[]")
"""Where the messages are: the document itself, or its `messages`."""

_HEADING = re.compile(
    r"\A\[(?P<tool>[a-z_]{3,40})(?: for '(?P<command>.{0,4096}?)')?\] Result:\n?\Z",
    re.DOTALL,
)
"""What stands before a result where tools were called in XML."""
_XML_CALL = re.compile(r"<execute_command>\s{0,8}<command>(?P<command>[^<]{1,8192})<")
_ASKED = re.compile(
    r"<(?:task|user_message|user_input(?: [^>\n]{0,80})?|feedback)>\s{0,8}"
    r"(?P<asked>[^<]{1,2000})"
)
_FOLDER = re.compile(
    r"# Current (?:Workspace|Working) Directory \((?P<folder>[^\n)]{1,4096})\) Files"
)
_EXIT = re.compile(
    r"(?:Exit code: |\[Command exited with code |\(exit code |exited with code )"
    r"(?P<code>-?\d{1,10})"
)
_KILLED = "Process terminated by signal "
_START = 5000
"""Chars in which a result says how its command ended: the folder's path is in them."""


def events(record: dict[str, Any], state: dict[str, Any]) -> Iterable[Event]:
    """What one message tells; all that stands beside the messages comes first."""
    if "" in record:
        yield from _document(record[""])
        return
    time = parse_time(record.get("ts"))
    ident = text_in(record.get("id"))
    if time is not None or ident is not None:
        yield About(time=time, record_id=ident)
    role = record.get("role")
    message = ident or (str(record["ts"]) if time is not None else None)
    if role == "assistant":
        yield from _answer(record.get("content"), message, time, state)
    elif role == "user":
        yield from _given(record.get("content"), time, state)


def _document(value: Any) -> Iterator[Event]:
    if not isinstance(value, dict):
        return
    origin = value.get("origin")
    version = origin.get("version") if isinstance(origin, dict) else None
    session, version = text_in(value.get("sessionId")), text_in(version)
    if session is not None or version is not None:
        yield About(session=session, version=version)


def _answer(
    content: Any, message: str | None, time: float | None, state: dict[str, Any]
) -> Iterator[Event]:
    for block in _blocks(content):
        text = text_in(block.get("text"))
        if block.get("type") == "text" and text is not None:
            call = _XML_CALL.search(text)
            if call is not None:
                state["command"] = call["command"].strip()
            yield Said(text=text, time=time, message=message)
        elif block.get("type") == "tool_use":
            call_id, tool = text_in(block.get("id")), text_in(block.get("name"))
            if call_id is not None and tool is not None:
                yield Called(
                    id=call_id,
                    tool=tool,
                    arguments=_arguments(block.get("input")),
                    time=time,
                    message=message,
                )


def _given(content: Any, time: float | None, state: dict[str, Any]) -> Iterator[Event]:
    """What the model was given: results, prompts, what the harness adds."""
    heading: re.Match[str] | None = None
    for block in _blocks(content):
        text = text_in(block.get("text"))
        if block.get("type") == "tool_result":
            yield _result(block, time)
        elif block.get("type") != "text" or text is None:
            continue
        elif heading is not None:
            tool = heading["tool"]
            command = state.pop("command", None) or heading["command"]
            yield _returned(None, (text,), None, time, tool, command)
            heading = None
        else:
            heading = _HEADING.match(text)
            if heading is None:
                yield from _prompt(text, time)


def _prompt(text: str, time: float | None) -> Iterator[Event]:
    folder = _FOLDER.search(text)
    if folder is not None:
        yield About(project=folder["folder"])
    asked = _ASKED.search(text)
    if asked is not None:
        yield About(title=one_line(asked["asked"]), title_rank=1)
    added = asked is None and text.lstrip().startswith("<environment_details>")
    yield Prompted(text=text, time=time, place="attachment" if added else "prompt")


def _result(block: dict[str, Any], time: float | None) -> Event:
    texts, failed = _texts(block.get("content"))
    if block.get("is_error") is True:
        failed = True
    return _returned(text_in(block.get("tool_use_id")), texts, failed, time, None, None)


def _returned(
    call_id: str | None,
    texts: tuple[str, ...],
    failed: bool | None,
    time: float | None,
    tool: str | None,
    command: str | None,
) -> Event:
    code = None
    start = texts[0][:_START] if texts else ""
    if start.startswith(("Command executed", "[Command exited", "Exit code")):
        head = start[: start.find("\n\n")] if "\n\n" in start else start
        found = _EXIT.search(head)
        code = int(found["code"]) if found is not None else None
        if code is not None:
            failed = failed or code != 0
        elif _KILLED in head:
            failed = True
    return Returned(
        call_id=call_id,
        texts=texts,
        tool=tool,
        arguments=command,
        failed=failed,
        exit_code=code,
        time=time,
    )


def _texts(content: Any) -> tuple[tuple[str, ...], bool | None]:
    """The texts of a result, and whether it says that it failed.

    The SDK keeps a row a command, `{query, result, success}`.
    """
    if isinstance(content, str):
        return (content,), None
    texts, failed = [], None
    for block in content if isinstance(content, list) else [content]:
        if not isinstance(block, dict):
            continue
        for key in ("text", "result"):
            text = text_in(block.get(key))
            if text is not None:
                texts.append(text)
                break
        success = block.get("success")
        if isinstance(success, bool):
            failed = bool(failed) or not success
    return tuple(texts), failed


def _arguments(value: Any) -> Any:
    """A call's arguments; the one command of a list of one stands for itself."""
    if isinstance(value, dict):
        commands = value.get("commands")
        if isinstance(commands, str) and commands:
            return commands
        if isinstance(commands, list) and commands:
            lines = [command for command in commands if isinstance(command, str)]
            return "\n".join(lines) if len(lines) == len(commands) else value
    return value


def _blocks(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]
