"""The line index and pages of one large file, as ratios to wc, sed and less.

python -m tests.bench.bench_lines [--size MiB] [NAME ...]
"""

from __future__ import annotations

import random
import statistics
from functools import partial

from spillview.content import Content, open_content
from spillview.lines import LineIndex
from spillview.pages import PageUnit, page
from tests.bench.large import (
    arguments,
    files,
    medians,
    peak_mebibytes,
    ran,
    seconds,
    until_shown,
)

PAGES = 300


def indexed(content: Content) -> LineIndex:
    """A complete index of `content`."""
    index = LineIndex(content)
    index.extend()
    return index


def main() -> None:
    """Print a block per file."""
    options = arguments("Index large files and read pages of them.")
    for name, path in files(options):
        with open_content(path) as content:
            times = medians(
                {"wc": ran("wc", "-l", path), "index": partial(indexed, content)},
                options.runs,
            )
            ratio = times["index"] / times["wc"]
            print(
                f"{name}: index {times['index']:.3f} s = {ratio:.2f} x wc -l,"
                f" peak {peak_mebibytes()} MiB"
            )
            index = indexed(content)
            took = random_pages(content, index, "line", index.lines - 99, 100)
            random_pages(content, index, "char", index.chars, 4000)
            if index.lines > 1000:
                peers(content, index, path, took, less=name in ("ascii", "japanese"))


def random_pages(
    content: Content, index: LineIndex, unit: PageUnit, stop: int, limit: int
) -> float:
    """Print and return the median seconds of one page somewhere in the file."""
    chooser = random.Random(7)
    times = [
        seconds(partial(page, content, index, unit, offset, limit))
        for offset in (chooser.randrange(1, max(2, stop)) for _ in range(PAGES))
    ]
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
