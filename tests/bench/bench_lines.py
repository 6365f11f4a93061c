"""The line index and pages of one large file, as ratios to wc, sed and less.

python -m tests.bench.bench_lines [--size MiB] [NAME ...]
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Iterator
from functools import partial

from spillview.content.content import Content, open_content
from spillview.content.lines import LineIndex
from spillview.content.pages import PageUnit, page
from tests.bench.large import (
    FULL,
    arguments,
    file_of,
    files,
    made,
    peak_mebibytes,
    ran,
    until_shown,
)
from tests.bench.table import Row, Scale, Target, medians, percentile, seconds

PAGES = 300

WITHIN = Target(seconds=0.0003)


def indexed(content: Content) -> LineIndex:
    """A complete index of `content`."""
    index = LineIndex(content)
    index.extend()
    return index


def against_wc(path: str, runs: int) -> tuple[float, float]:
    """Median seconds of `wc -l` and of indexing."""
    with open_content(path) as content:
        times = medians(
            {"wc": ran("wc", "-l", path), "index": partial(indexed, content)}, runs
        )
    return times["wc"], times["index"]


def pages(
    content: Content, index: LineIndex, unit: PageUnit, stop: int, limit: int
) -> list[float]:
    """Seconds of one page somewhere in the file, many times."""
    chooser = random.Random(7)
    return [
        seconds(partial(page, content, index, unit, offset, limit))
        for offset in (chooser.randrange(1, max(2, stop)) for _ in range(PAGES))
    ]


def ten_million(scale: Scale) -> str:
    """1 GB in 10 million lines of 100 bytes."""
    block = b"".join(b"%09d" % n + b" x" * 45 + b"\n" for n in range(20_000))
    size = scale.of(FULL, 100_000)
    return made(f"lines-{size}", scale.folder, size, block)


def rows(scale: Scale) -> Iterator[Row]:
    """The index against `wc -l`; pages by line, char and byte, far down."""
    steps = [against_wc(ten_million(step), scale.runs) for step in scale.steps()]
    path = ten_million(scale)
    lines, ours = steps[-1]
    with open_content(path) as content:
        index = indexed(content)
        size = f"{content.size / 1e9:.3g} GB, {index.lines:,} lines"
        yield Row(
            f"line index of {size}",
            Target(ratio=1.3, megabytes=150),
            "`wc -l`",
            ours / lines,
            ours,
            tuple(took for _, took in steps),
            peak_mebibytes(),
        )
        far = max(1, index.lines * 3 // 4)
        sed = seconds(ran("sed", "-n", f"{far},{far + 99}p;{far + 99}q", path))
        took = pages(content, index, "line", index.lines - 99, 100)
    yield Row(
        f"a page of 100 lines anywhere in {size}, once indexed, 95th percentile",
        WITHIN,
        "`sed -n`, three quarters down",
        statistics.median(took) / sed,
        percentile(took),
        grown(scale, "line"),
    )
    path = file_of("japanese", scale.of(FULL, 1 << 10), scale.folder)
    with open_content(path) as content:
        index = indexed(content)
        size = f"{content.size / 1e9:.3g} GB of Japanese"
        by_char = percentile(pages(content, index, "char", index.chars, 4000))
        by_byte = percentile(pages(content, index, "byte", content.size, 8000))
    for unit, limit, took_one in (("chars", 4000, by_char), ("bytes", 8000, by_byte)):
        work = f"a page of {limit:,} {unit} anywhere in {size}, 95th percentile"
        yield Row(work, WITHIN, seconds=took_one)


def grown(scale: Scale, unit: PageUnit) -> tuple[float, ...]:
    """The same page in a hundredth, a tenth and all of the lines."""
    found = []
    for step in scale.steps():
        with open_content(ten_million(step)) as content:
            index = indexed(content)
            stop = index.lines - 99
            found.append(percentile(pages(content, index, unit, stop, 100)))
    return tuple(found)


def main() -> None:
    """Print a block per file."""
    options = arguments("Index large files and read pages of them.")
    for name, path in files(options):
        lines, ours = against_wc(path, options.runs)
        print(
            f"{name}: index {ours:.3f} s = {ours / lines:.2f} x wc -l,"
            f" peak {peak_mebibytes()} MiB"
        )
        with open_content(path) as content:
            index = indexed(content)
            took = told(content, index, "line", index.lines - 99, 100)
            told(content, index, "char", index.chars, 4000)
            if index.lines > 1000:
                peers(content, index, path, took, less=name in ("ascii", "japanese"))


def told(
    content: Content, index: LineIndex, unit: PageUnit, stop: int, limit: int
) -> float:
    """Print and return the median seconds of one page somewhere in the file."""
    times = pages(content, index, unit, stop, limit)
    median = statistics.median(times)
    print(
        f"  a random page of {limit:,} {unit}s: median {median * 1e3:.3f} ms,"
        f" worst {max(times) * 1e3:.3f} ms"
    )
    return median


def peers(
    content: Content, index: LineIndex, path: str, took: float, *, less: bool
) -> None:
    """Print what others need for a page three quarters down the file."""
    far = index.lines * 3 // 4
    times = {
        "sed": seconds(ran("sed", "-n", f"{far},{far + 99}p;{far + 99}q", path)),
        "tail | head": seconds(ran("sh", "-c", f"tail -n +{far} '{path}' | head -100")),
    }
    if less:
        shown = page(content, index, "line", far, 1).data.strip()[:8]
        times["less"] = until_shown(["less", f"+{far}g", path], shown)
    for peer, theirs in times.items():
        print(f"  {peer}: {theirs * 1e3:.0f} ms; a page is {took / theirs:.5f} x that")


if __name__ == "__main__":
    main()
