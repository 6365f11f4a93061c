"""Parts of messages as the Gemini API has them: texts, calls and their responses.

Gemini CLI and its fork Qwen Code keep such parts in their records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_EXIT = re.compile(
    r"(?:\A|\n)Exit Code: (-?\d{1,9})"
    r"(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]{1,200}){0,3}"
    r"(?:\n</tool_output_masked>)?\s{0,4}\Z"
)


def parts_of(content: Any) -> list[dict[str, Any]]:
    """The parts of a content: one text, one part, or a list of either."""
    if isinstance(content, str):
        return [{"text": content}]
    if isinstance(content, dict):
        return [content]
    found = []
    for part in content if isinstance(content, list) else []:
        if isinstance(part, str):
            found.append({"text": part})
        elif isinstance(part, dict):
            found.append(part)
    return found


def texts_of(parts: list[dict[str, Any]]) -> list[str]:
    """The texts of parts, thoughts left out."""
    return [
        part["text"]
        for part in parts
        if isinstance(part.get("text"), str) and not part.get("thought")
    ]


def responses_of(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The responses to calls among parts."""
    for part in parts:
        response = part.get("functionResponse")
        if isinstance(response, dict):
            yield response


def calls_of(parts: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The calls among parts."""
    for part in parts:
        call = part.get("functionCall")
        if isinstance(call, dict):
            yield call


def response_texts(response: dict[str, Any]) -> tuple[str, ...]:
    """The texts that the model received as a call's response."""
    value = response.get("response")
    found: list[str] = []
    if isinstance(value, dict):
        for key in ("output", "content", "error", "result"):
            found += texts_of(parts_of(value.get(key)))
    elif isinstance(value, str):
        found.append(value)
    found += texts_of(parts_of(response.get("parts")))
    return tuple(found)


def exit_code_of(texts: tuple[str, ...]) -> int | None:
    """The exit code with which a shell's result ends."""
    for text in texts:
        found = _EXIT.search(text[-600:])
        if found is not None:
            return int(found[1])
    return None


def text_or_none(value: Any) -> str | None:
    """`value` where it is a text that says something."""
    return value if isinstance(value, str) and value else None
