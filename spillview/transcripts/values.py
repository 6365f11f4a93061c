"""What readers ask of records and transcripts: is it of the kind they expect."""

from __future__ import annotations

from typing import Any


def text_in(value: Any) -> str | None:
    """The value where it is a text that is not empty; else None."""
    return value if isinstance(value, str) and value else None


def plain_in(value: Any) -> str | int | float | None:
    """The value where it is a text or a number; else None."""
    return value if isinstance(value, str | int | float) else None


def is_rows(form: str, reader: object) -> bool:
    """Whether a transcript of this form is rows, of one session or of many."""
    return form == "sqlite" or (form == "json-dir" and hasattr(reader, "tree_at"))
