"""A comparison in words, for a terminal and for a screen; everything is printable."""

from __future__ import annotations

from collections.abc import Iterator

from spillview.comparison.facts import Comparison
from spillview.comparison.items import ItemComparison
from spillview.model import Artifact
from spillview.seen.endings import ending_line, ending_seen
from spillview.text import human_count, path_text, printable

KEYS = 6
"""Keys of items that are named in one line."""

FIELDS = 6


def signed(before: int | None, after: int | None) -> str:
    """The difference with its sign; empty where one is not known."""
    if before is None or after is None:
        return ""
    return "same" if before == after else f"{after - before:+,}"


def line_words(found: Comparison) -> str:
    """How many lines are new, gone, moved, and what of the new ones was seen."""
    lines = found.lines
    if not (lines.new or lines.gone or lines.moved):
        what = "no line is new or gone"
    else:
        what = f"{human_count(lines.new)} new, {human_count(lines.gone)} gone"
    moved = f", {human_count(lines.moved)} at another place" if lines.moved else ""
    noise = ""
    if lines.noise:
        noise = f"; {human_count(lines.noise)} of them differ in times alone"
    return f"{what}{moved}{noise}; {human_count(lines.same)} are in both"


def seen_words(found: Comparison) -> str:
    """What of the new lines the model received; empty where there is none."""
    lines = found.lines
    if not lines.new:
        return ""
    if lines.new_seen is None:
        return "what the model saw of the new lines is not known"
    if not lines.new_seen:
        return "the model never saw any of the new lines"
    if lines.new_seen == lines.new:
        return "the model saw all of the new lines"
    return (
        f"the model saw {human_count(lines.new_seen)} of the"
        f" {human_count(lines.new)} new lines"
    )


def trouble_words(found: Comparison) -> str:
    """How many of the new lines tell of errors; empty where none does."""
    lines = found.lines
    if not lines.trouble:
        return ""
    least = "" if lines.trouble_total is not None else "at least "
    total = lines.trouble_total or len(lines.trouble)
    tell = "tells" if total == 1 else "tell"
    words = f"{least}{human_count(total)} of the new lines {tell} of errors"
    if total == len(lines.trouble) and all(one.seen is False for one in lines.trouble):
        words += ", never seen"
    return words


def ignored_words(found: Comparison) -> str:
    """What was left out of the lines; empty where every byte counted."""
    ignored = found.lines.ignored
    return "" if ignored is None else f"left out of every line: {ignored}"


def item_words(found: Comparison) -> Iterator[str]:
    """What became of the JSON items."""
    items = found.items
    if items is None:
        return
    if not isinstance(items, ItemComparison):
        yield printable(path_text(items.sentence))
        return
    yield (
        f"{human_count(items.before)} before, {human_count(items.after)} after:"
        f" {human_count(items.added)} added, {human_count(items.removed)} removed,"
        f" {human_count(items.changed)} changed; {printable(path_text(items.said))}"
    )
    for name, total, keys in (
        ("added", items.added, items.first_added),
        ("removed", items.removed, items.first_removed),
        ("changed", items.changed, items.first_changed),
    ):
        if keys:
            told = ", ".join(printable(path_text(key)) for key in keys[:KEYS])
            more = total - min(total, KEYS)
            yield f"{name}: {told}" + (f" and {human_count(more)} more" if more else "")
    if items.fields:
        fields = ", ".join(
            f"{printable(path_text(name))} {human_count(count)}"
            for name, count in items.fields[:FIELDS]
        )
        more = len(items.fields) - min(len(items.fields), FIELDS)
        rest = f" and {more:,} more fields" if more else ""
        of = "" if items.fields_of == items.changed else f" (of {items.fields_of:,})"
        yield f"changed in{of}: {fields}{rest}"


def ending(artifact: Artifact) -> tuple[str, str]:
    """How it ended, and in which words: `fail, never seen`, `test failed, …`."""
    line, seen = ending_line(artifact), ending_seen(artifact)
    kind = artifact.link.verdict if artifact.link is not None else "unknown"
    whether = "not known whether seen"
    if seen is not None:
        whether = "seen" if seen else "never seen"
    mention = artifact.envelope
    code = mention.exit_code if mention is not None else None
    words: list[str] = [kind] if kind != "unknown" else []
    if code is not None:
        words.append(f"exit code {code}")
    words.append(whether)
    if line is None:
        return ", ".join(words), "it has no line that says how it ended"
    return ", ".join(words), printable(path_text(line.text))
