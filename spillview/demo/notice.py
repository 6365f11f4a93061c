"""The notice that stands in place of an output in Claude Code."""

from __future__ import annotations

PREVIEW = 2000
"""UTF-16 units that a notice's preview shows."""


def persisted(path: str, data: bytes) -> str:
    """The notice with its preview that stands in place of the output."""
    return (
        f"<persisted-output>\nOutput too large ({size(len(data))}). "
        f"Full output saved to: {path}\n\nPreview (first 2KB):\n"
        f"{preview(data.decode('utf-8', 'replace'))}\n...\n</persisted-output>"
    )


def preview(text: str) -> str:
    """The first 2,000 UTF-16 units, no character split."""
    units = text[:PREVIEW].encode("utf-16-le")[: PREVIEW * 2]
    return units.decode("utf-16-le", "ignore")


def size(count: int) -> str:
    """Bytes as the notice writes them: `812 bytes`, `64.8KB`, `600KB`, `1.8MB`."""
    if count < 1024:
        return f"{count} bytes"
    value = count / 1024
    unit = "KB"
    if value >= 1024:
        value, unit = value / 1024, "MB"
    return f"{value:.1f}".removesuffix(".0") + unit
