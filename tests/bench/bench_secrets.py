"""Looking for credentials and masking them: speed, what is found, false alarms.

python -m tests.bench.bench_secrets [--size MiB] [NAME ...]
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from functools import partial

from spillview.content.content import BytesContent, Content, open_content
from spillview.content.counts import count
from spillview.secrets.looking import look
from spillview.secrets.masking import MaskedContent
from spillview.secrets.spans import found
from tests.bench.large import FULL, arguments, file_of, files, peak_mebibytes
from tests.bench.table import Row, Scale, Target, medians, percentile, seconds
from tests.credentials import Maker, quiet_lines

PAGE = 8 << 10
"""Bytes of a page of 100 lines."""

PAGES = 200
SEEDS = range(20)
QUIET = 20_000


def against_counting(content: Content, runs: int) -> tuple[float, float]:
    """Median seconds of counting and of looking."""
    times = medians(
        {"count": partial(count, content), "look": partial(look, content)}, runs
    )
    return times["count"], times["look"]


def pages(content: Content) -> tuple[list[float], list[float]]:
    """Seconds that masking adds to a page: of a new place, and of the same again."""
    chooser = random.Random(7)
    cold, warm = [], []
    for _ in range(PAGES):
        offset = chooser.randrange(max(1, content.size - PAGE))
        bare = seconds(partial(content.pread, offset, PAGE))
        masked = MaskedContent(content)
        cold.append(seconds(partial(masked.pread, offset, PAGE)) - bare)
        warm.append(seconds(partial(masked.pread, offset, PAGE)) - bare)
    return cold, warm


def shares() -> tuple[float, float]:
    """The share of made credentials that are found whole; false alarms a line."""
    whole = total = 0
    for seed in SEEDS:
        made = Maker(seed)
        forms = [("use {} now", token) for token in made.tokens().values()]
        for form, secret in (*forms, *made.labelled()):
            line = form.format(secret).encode()
            start = line.index(secret.encode())
            end = start + len(secret)
            total += 1
            whole += any(s.start <= start and end <= s.end for s in found(line))
    alarms = sum(len(found(line.encode())) for line in quiet_lines(5, QUIET))
    return whole / total, alarms / QUIET


def rows(scale: Scale) -> Iterator[Row]:
    """A look through a large file, a masked page, and what is found."""
    size = scale.of(FULL, 1 << 20)
    path = file_of("ascii", size, scale.folder)
    with open_content(path) as content:
        counted, looked = against_counting(content, min(scale.runs, 3))
        speed = content.size / looked / 1e6
        yield Row(
            f"look for credentials in {size / 1e9:.3g} GB",
            Target(at_least=50, megabytes=150, unit="MB/s"),
            "counting it",
            looked / counted,
            looked,
            megabytes=peak_mebibytes(),
            found=speed,
        )
        cold, warm = pages(content)
    added = "masking adds to a page of 8 KiB"
    yield Row(f"{added}, anywhere", Target(seconds=0.002), seconds=percentile(cold, 95))
    yield Row(f"{added}, again", Target(seconds=0.0003), seconds=percentile(warm, 95))
    text = "".join(f"{line}\n" for line in quiet_lines(3, 20_000)).encode()
    dense = seconds(partial(look, BytesContent(text)))
    yield Row(
        "look through logs that speak of nothing but tokens and passwords",
        Target(at_least=20, unit="MB/s"),
        seconds=dense,
        found=len(text) / dense / 1e6,
    )
    share, alarms = shares()
    yield Row("made credentials found whole", Target(at_least=0.99), found=share)
    yield Row(
        "ordinary lines without a false alarm", Target(at_least=0.999), found=1 - alarms
    )


def main() -> None:
    """Print a row per file, then what is found."""
    options = arguments("Look for credentials in large files.")
    print(f"{'file':10}{'count':>9}{'look':>9}{'/ count':>9}{'MB/s':>7}  peak")
    for name, path in files(options):
        with open_content(path) as content:
            counted, looked = against_counting(content, options.runs)
            cold, warm = pages(content)
            print(
                f"{name:10}{counted:8.3f}s{looked:8.3f}s{looked / counted:9.1f}"
                f"{content.size / looked / 1e6:7.0f}  {peak_mebibytes()} MiB; a page"
                f" +{statistics.median(cold) * 1e3:.2f} ms,"
                f" again +{statistics.median(warm) * 1e3:.3f} ms"
            )
    share, alarms = shares()
    print(f"found {share:.2%}, false alarms in {alarms:.3%} of ordinary lines")


if __name__ == "__main__":
    main()
