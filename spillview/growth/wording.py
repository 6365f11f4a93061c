"""What a check says in words."""

from __future__ import annotations

from collections.abc import Sequence

from spillview.discovery.writers import Holder
from spillview.growth.limits import rate_text, text_of
from spillview.growth.readings import Passed, Reading
from spillview.growth.repetition import Repetition
from spillview.text import human_age, human_bytes, path_text


def limit_words(passed: Passed) -> str:
    """A limit that is passed: `max-file 1GB`."""
    return f"{passed.limit} {text_of(passed.limit, passed.most)}"


def rate_words(reading: Reading) -> tuple[str, str, str]:
    """How fast it grows, over which time that is known, and how fast now.

    `?` where it is not known, and in place of the time why; the last is empty where
    nothing else than the first two is known.
    """
    if reading.kind == "disk":
        return rate_text(reading.filling or 0), "", ""
    change, now = reading.change, reading.now
    if change is None:
        return "?", "", ""
    rate = change.per_second
    over = change.why if rate is None else human_age(round(change.seconds))
    current = ""
    if now is not None and now is not change:
        current = "?" if now.per_second is None else rate_text(now.per_second)
    return "?" if rate is None else rate_text(rate), over, current


def full_text(seconds: float | None) -> str:
    """When a disk is full: `2h`; empty where nothing grows on it."""
    return "" if seconds is None else human_age(seconds)


def who(holders: Sequence[Holder]) -> str:
    """The process that writes a file, else that has it open, and how many more."""
    if not holders:
        return ""
    first = max(holders, key=lambda holder: (holder.writes, -holder.pid))
    more = f" (+{len(holders) - 1})" if len(holders) > 1 else ""
    program, space, rest = first.command.partition(" ")
    words = " ".join(rest.split())
    command = f"{program.rpartition('/')[2] or program}{space}{words}"
    return f"{first.pid} {command}{'' if first.writes else ' (reads it)'}{more}"


def place(reading: Reading) -> str:
    """What a reading is of."""
    if reading.kind == "session":
        return f"session {reading.session} of {reading.harness}"
    if reading.kind == "total":
        return f"all {reading.names:,} artifacts"
    path = path_text(reading.path)
    if reading.kind == "disk":
        return f"the disk of {path}"
    if reading.kind == "deleted":
        return f"{path} (deleted)"
    return path


def disk_words(reading: Reading) -> str:
    """A disk: what is free, and when it is full."""
    share = f" ({reading.disk / reading.of:.0%})" if reading.of else ""
    text = (
        f"{human_bytes(reading.disk)}{share} free on the disk of"
        f" {path_text(reading.path)}"
    )
    if reading.full_in is not None:
        text += f", full in {human_age(reading.full_in)} at this rate"
    return text


def growth_words(reading: Reading) -> list[str]:
    """What is to be said of a file that grows, beside how large it is."""
    words = []
    change = reading.change
    if change is None or change.per_second is None:
        words.append("its rate is not known")
    elif change.grown:
        words.append(rate_text(change.per_second))
    else:
        words.append("nothing came just now")
    if reading.full_in is not None:
        words.append(f"the disk is full in {human_age(reading.full_in)}")
    if reading.holders:
        words.append(f"open in {path_text(who(reading.holders))}")
    repeats = repetition_words(reading)
    return [*words, repeats] if repeats else words


def repetition_words(reading: Reading) -> str:
    """What a file repeats, and whether its writer reads it; empty for neither."""
    found = reading.repetition
    words = repeats(found) if found is not None else []
    if reading.reads_itself:
        words.append("its writer reads it, too")
    return "; ".join(words)


def repeats(found: Repetition) -> list[str]:
    """What a file repeats, and over how much of it that was measured."""
    words = []
    block, often = found.block, found.often
    if often is not None and often.times == often.lines:
        words.append(f"one line is all {often.lines:,}: {path_text(often.text)}")
    elif block is not None:
        words.append(
            f"{human_bytes(block.bytes)} again and again, {block.copies:,.0f} times"
            f" from byte {block.start:,} on"
        )
    elif often is not None:
        words.append(
            f"one line is {often.times:,} of {often.lines:,}: {path_text(often.text)}"
        )
    if found.named_at is not None:
        words.append(
            f"names itself {found.names:,} times, first at byte {found.named_at:,}"
        )
    if words and not found.whole:
        looked = human_bytes(found.looked)
        words.append(f"of {looked} looked at")
    return words
