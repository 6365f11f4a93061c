"""The shapes of Claude Code's records: text blocks, calls, prompts, copies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spillview.frozen import Frozen
from spillview.model import Claim
from spillview.transcripts.calls import one_line, parse_time, strings, texts_of
from spillview.transcripts.events import (
    Called,
    Compacted,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.notices import Block

_COMMAND = re.compile(r"<command-name>([^<\n]{1,200})</command-name>")
_ARGS = re.compile(r"<command-args>([^<]{0,2000})</command-args>")
_SHELL = re.compile(r"<bash-input>([^<]{0,4000})</bash-input>")
_INJECTED = (
    "<task-notification>",
    "<local-command-",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<ide_",
    "<user-prompt-submit-hook>",
    "Caveat: The messages below",
    "[Request interrupted",
)
"""What begins a user record's text that no person wrote."""


class Call(Frozen):
    """One tool call as the agent made it."""

    id: str
    tool: str | None
    arguments: Any
    message: str | None
    time: Any
    """The record's timestamp, as written."""


def content_of(record: dict[str, Any]) -> list[Any]:
    """The message's content as a list of blocks."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def blocks(record: dict[str, Any]) -> list[Block]:
    """Every text of the record that can hold a notice, in a fixed order."""
    kind = record.get("type")
    if kind == "attachment":
        texts = strings(record.get("attachment"))
        return [Block("attachment", text) for _, text in texts]
    if kind == "content-replacement":
        return _replacements(record)
    if kind != "user":
        return []
    found: list[Block] = []
    for block in content_of(record):
        if not isinstance(block, dict):
            continue
        if block.get("type") == "text" and isinstance(block.get("text"), str):
            found.append(Block("prompt", block["text"]))
        elif block.get("type") == "tool_result":
            call_id = block.get("tool_use_id")
            call_id = call_id if isinstance(call_id, str) else None
            error = block.get("is_error") is True
            inner = block.get("content")
            for text in texts_of(inner):
                found.append(Block("result", text, call_id, error))
    return found


def _replacements(record: dict[str, Any]) -> list[Block]:
    found = []
    rows = record.get("replacements")
    for row in rows if isinstance(rows, list) else []:
        if not isinstance(row, dict):
            continue
        call_id = row.get("toolUseId")
        for text in texts_of(row.get("replacement")):
            found.append(
                Block("result", text, call_id if isinstance(call_id, str) else None)
            )
    return found


def calls_in(record: dict[str, Any]) -> list[Call]:
    """The tool calls of an assistant record."""
    message = record.get("message")
    message_id = message.get("id") if isinstance(message, dict) else None
    found = []
    for block in content_of(record):
        if isinstance(block, dict) and block.get("type") == "tool_use":
            call_id, tool = block.get("id"), block.get("name")
            if isinstance(call_id, str):
                found.append(
                    Call(
                        call_id,
                        tool if isinstance(tool, str) else None,
                        block.get("input"),
                        message_id if isinstance(message_id, str) else None,
                        record.get("timestamp"),
                    )
                )
    return found


def spoken(record: dict[str, Any]) -> Iterator[Event]:
    """The answers, calls and results, and where the context was compacted."""
    agent = lane_of(record) or None
    time = parse_time(record.get("timestamp"))
    given: list[Block] = []
    for block in [*blocks(record), None]:
        if given and (block is None or block.call_id != given[0].call_id):
            texts = tuple(each.text for each in given)
            yield Returned(
                call_id=given[0].call_id,
                texts=texts,
                failed=given[0].error is True,
                time=time,
                agent=agent,
            )
            given = []
        if block is not None and block.place == "result":
            given.append(block)
        elif block is not None:
            yield Prompted(text=block.text, place=block.place, agent=agent)
    if record.get("subtype") == "compact_boundary":
        yield Compacted(agent=agent)
    message = record.get("message")
    if record.get("type") != "assistant" or not isinstance(message, dict):
        return
    if record.get("isApiErrorMessage") is True:
        return  # the harness's own words
    made = message.get("id") or record.get("uuid")
    made = made if isinstance(made, str) else None
    yield Said(text="", time=time, message=made, agent=agent)
    for call in calls_in(record):
        yield Called(
            id=call.id,
            tool=call.tool or "",
            arguments=call.arguments,
            time=time,
            message=made,
            agent=agent,
        )


def lane_of(record: dict[str, Any]) -> str:
    """Whose record this is: the main agent's (empty) or a subagent's."""
    if record.get("isSidechain") is not True:
        return ""
    agent = record.get("agentId")
    return agent if isinstance(agent, str) and agent else "sidechain"


def said(record: dict[str, Any]) -> str | None:
    """The first words of an assistant record; thinking is not said."""
    for block in content_of(record):
        if isinstance(block, dict) and block.get("type") == "text":
            text = block.get("text")
            if isinstance(text, str) and text.strip():
                return text.strip()
    return None


def prompt_of(record: dict[str, Any]) -> str | None:
    """A person's own words in a record; None when no person wrote it."""
    if record.get("type") == "attachment":
        attachment = record.get("attachment")
        if not isinstance(attachment, dict):
            return None
        if attachment.get("type") != "queued_command":
            return None
        if attachment.get("commandMode") not in (None, "prompt", "bash"):
            return None
        text = attachment.get("prompt")
        return text if isinstance(text, str) and _by_person(text) else None
    if record.get("type") != "user" or record.get("isMeta") is True:
        return None
    if record.get("isCompactSummary") is True:
        return None
    origin = record.get("origin")
    if isinstance(origin, dict) and origin.get("kind") not in (None, "human"):
        return None
    content = content_of(record)
    if any(isinstance(b, dict) and b.get("type") == "tool_result" for b in content):
        return None
    for block in content:
        text = block.get("text") if isinstance(block, dict) else None
        if isinstance(text, str) and _by_person(text):
            return text
    return None


def _by_person(text: str) -> bool:
    start = text.lstrip()
    return bool(start) and not start.startswith(_INJECTED)


def title_of(prompt: str) -> str:
    """A prompt as a title: slash commands and `!` commands as they were typed."""
    head = prompt[:20_000]
    if command := _COMMAND.search(head):
        args = _ARGS.search(head)
        return one_line(f"{command[1]} {args[1] if args else ''}")
    if shell := _SHELL.search(head):
        return one_line(f"! {shell[1]}")
    return one_line(prompt)


def shell_input(prompt: str) -> str | None:
    """The command that a person ran with `!`."""
    found = _SHELL.search(prompt[:20_000])
    return found[1] if found else None


def copy_chars(record: dict[str, Any], shown: int, claims: tuple[Claim, ...]) -> int:
    """Chars of a full copy of the output beside the envelope; 0 when there is none.

    `shown` is the length of the envelope's text: a copy is longer, and at least as
    large as the size the notice claims.
    """
    extra = record.get("toolUseResult")
    longest = max((text for _, text in strings(extra)), key=len, default="")
    if len(longest) <= shown:
        return 0
    size = extra.get("persistedOutputSize") if isinstance(extra, dict) else None
    if isinstance(size, int):
        claims = (Claim("bytes", size, 64), *claims)
    for claim in claims:
        if claim.unit == "bytes" and isinstance(claim.value, int):
            whole = len(longest.encode("utf-8", "replace"))
            whole -= 2 * longest.count("\ufffd")  # each may stand for a single byte
            return len(longest) if whole >= claim.value - claim.slack - 64 else 0
        if claim.unit == "chars" and isinstance(claim.value, int):
            return len(longest) if len(longest) >= claim.value - 64 else 0
    return len(longest)
