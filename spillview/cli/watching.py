"""`watch`: one check for runaway growth."""

from __future__ import annotations

import argparse
import time

from spillview.cli.commands import query_of, tell_problems
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING
from spillview.text import human_age, human_bytes, path_text, plural, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.cli.tables import Cell
    from spillview.growth.limits import Limits
    from spillview.growth.readings import Check, Reading

WATCH = """\
One check for runaway growth: what grows now and how fast, which process writes it, and
how long the disk will bear it. Exit code 1 when a limit is passed, 0 when none is, 2
when some part could not be read.

  spillview watch                               what grows now, against our own limits
  spillview watch -q --max-file 5GB --full-within 6h     for cron: silent if all is well
  */10 * * * * /opt/bin/spillview watch -q      every 10 minutes (limits in config.toml)
  spillview watch --interval 10s ~/project      the sessions of a folder, for 10 seconds

A cron job does not know your PATH: give the absolute path that `command -v spillview`
prints.

A rate is measured between two looks of one run (--interval), and against the sizes that
the run before has kept, so that a cron job sees the rate over its whole period; this
counts where the run before is not older than 2 hours. What was replaced, shortened or
renamed in between has no rate.

Sizes are what files take of the disk: each file once, holes not, links not. Files that
were deleted while a process has them open count where /proc tells of them. The 10 worst
files are looked into: does one line or block come again and again (over as many bytes
as is said; with --whole over all), does it name itself, as a log does that `grep -r`
writes into the tree it reads. Limits may stand in config.toml:

  [watch]
  max_file = "5GB"
  max_rate = "100MB/min"
  min_free = "5%"

columns: LIMIT (that is passed) SIZE RATE OVER (which time) NOW (between the looks)
FULL IN (its disk) PROCESS PATH REPEATS"""

INTERVAL = 1.0
"""Seconds between the two looks, unless told otherwise."""
LONGEST = 3600
"""Seconds that the second look may be waited for."""
STEP = 0.2
"""Seconds between two words of how long it waits."""

_LIMITS = (
    ("max-file", "SIZE", "what one file may take"),
    ("max-session", "SIZE", "what the artifacts of one session may take"),
    ("max-total", "SIZE", "what all artifacts may take together"),
    ("max-rate", "SIZE/s|min|h", "how fast a file, or all together, may grow"),
    ("min-free", "SIZE|%", "what must be free on each disk of a store"),
    ("full-within", "AGE", "no disk may be full so soon at the rate of growth"),
)


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `watch`."""
    parser.description = WATCH
    limits = parser.add_argument_group("limits (`none` lifts one of config.toml)")
    for limit, value, words in _LIMITS:
        limits.add_argument(f"--{limit}", metavar=value, help=words)
    options = parser.add_argument_group("options")
    options.add_argument(
        "--interval",
        metavar="AGE",
        help="time between the two looks (1s); 0 looks once",
    )
    options.add_argument(
        "--whole",
        action="store_true",
        help="look for repetition in all of the worst files, not in parts of them",
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Look, tell, remember; exit code 1 when a limit is passed, 2 if some is unread."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.growth.check import check

    interval = _interval(args.interval)
    catalogue = Catalogue.here()
    try:
        query = query_of(args, args.words)
        limits, chosen = _limits(args, catalogue)
        found = check(
            catalogue,
            query,
            limits,
            chosen=chosen,
            interval=interval,
            whole=args.whole,
            sleep=lambda seconds: _wait(seconds, streams),
        )
        if args.json:
            _write_json(found, streams)
        else:
            _write(found, streams)
        unread = tell_problems(streams, catalogue)
        for problem in found.problems[len(catalogue.problems) :]:
            streams.error(problem.sentence)
            unread = 2
        if query.session is not None and not found.total.names:
            streams.error(f"no artifact of session {query.session} was found")
            unread = 2
        return 1 if found.passed else unread
    except KeyboardInterrupt:
        streams.error(
            "stopped before the check ended: nothing is said of any limit, and the"
            " sizes that the check before kept are still there"
        )
        raise
    finally:
        catalogue.close()


def _wait(seconds: float, streams: Streams) -> None:
    """Let that much time pass before the second look, and say how much is left."""
    began = time.monotonic()
    while (left := seconds - (time.monotonic() - began)) > 0:
        time.sleep(min(left, STEP))
        waited = int(time.monotonic() - began)
        streams.progress("seconds waited", waited, round(seconds))


def _interval(typed: str | None) -> float:
    from spillview.typed import parse_age

    if typed is None:
        return INTERVAL
    if typed.strip() in ("0", "0s"):
        return 0.0
    seconds = parse_age(typed)
    if seconds > LONGEST:
        raise BadInput(
            "--interval is at most 1h: a cron job sees the time between runs"
        )
    return seconds


def _limits(args: argparse.Namespace, catalogue: Catalogue) -> tuple[Limits, bool]:
    """What the options and the settings say, and whether they say anything."""
    from spillview.growth.limits import DEFAULTS, limits_of

    typed = dict(catalogue.settings.watch)
    for limit, _, _ in _LIMITS:
        value = getattr(args, limit.replace("-", "_"))
        if value is not None:
            typed[limit] = value
    return (limits_of(typed), True) if typed else (DEFAULTS, False)


def _write_json(found: Check, streams: Streams) -> None:
    from spillview.growth.rows import reading_row, summary_row

    for reading in found.readings:
        streams.json(reading_row(reading))
    if not any(reading.kind == "total" for reading in found.readings):
        streams.json(reading_row(found.total))
    streams.json(summary_row(found))


def _write(found: Check, streams: Streams) -> None:
    from spillview.cli.tables import Column, write_table

    columns = [
        Column("LIMIT", least=15, most=24),
        Column("SIZE", right=True),
        Column("RATE", right=True),
        Column("OVER", right=True, drop=3),
        Column("NOW", right=True, drop=4),
        Column("FULL IN", right=True, drop=2),
        Column("PROCESS", least=14, most=30, drop=1),
        Column("PATH", least=20),
        Column("REPEATS", least=12, drop=5),
    ]
    shown = found.passed if streams.quiet else found.readings
    rows = [r for r in shown if r.passed or r.kind != "disk"]
    write_table(streams, columns, [_cells(reading) for reading in rows])
    _tell(found, streams)


def _cells(reading: Reading) -> list[Cell]:
    from spillview.cli.tables import Cell
    from spillview.growth.wording import (
        full_text,
        limit_words,
        place,
        rate_words,
        repetition_words,
        who,
    )

    passed = ", ".join(map(limit_words, reading.passed))
    return [
        Cell(passed or "–", "over" if passed else "dim"),
        Cell(human_bytes(reading.disk)),
        *(Cell(words) for words in rate_words(reading)),
        Cell(full_text(reading.full_in)),
        Cell(printable(path_text(who(reading.holders)))),
        Cell(printable(path_text(place(reading))), path=reading.kind != "total"),
        Cell(printable(repetition_words(reading))),
    ]


def _tell(found: Check, streams: Streams) -> None:
    """What was looked at, how, and against which limits."""
    from spillview.growth.wording import disk_words

    files = [r for r in found.readings if r.kind in ("file", "deleted")]
    growing = sum(reading.grows for reading in files)
    total, since = found.total, found.total.since
    looks = f"two looks in {found.interval:g}s" if found.interval else "one look"
    text = f"{growing:,} {'grows' if growing == 1 else 'grow'}: {looks}"
    if since is not None and since.grown is not None:
        least = "at least " if since.why else ""
        came = f"{least}{human_bytes(since.grown)}"
        text += f"; {came} came in {human_age(since.seconds)} since the check before"
    else:
        text += "; there is no earlier check to compare with"
    streams.note(text)
    held = f"{plural(total.names, 'artifact')} take {human_bytes(total.disk)}"
    if total.bytes != total.disk:
        held += f" of the disk and hold {human_bytes(total.bytes)}"
    disks = [reading for reading in found.readings if reading.kind == "disk"]
    streams.note("; ".join([held, *(printable(disk_words(disk)) for disk in disks)]))
    whose = "" if found.chosen else " (our own: no option and no [watch] sets any)"
    streams.note(f"limits{whose}: {', '.join(found.limits.words()) or 'none'}")
    if not found.told:
        streams.note("this system does not tell which process has a file open")
    elif found.closed:
        streams.note(
            "processes of other users could not be looked into, and what they hold is"
            f" not known: {found.closed:,}"
        )
