"""Folding large files into envelopes, as ratios to peers in the same run: `wc -l` for
a text, the outline alone for JSON.

python -m tests.bench.bench_envelopes [--size MiB] [NAME ...]
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from spillview.content.content import open_content
from spillview.content.counts import count
from spillview.envelopes.document import fold_json
from spillview.envelopes.text import fold_text
from spillview.model import Counts
from spillview.shape.source import outline_of
from tests.bench.large import arguments, files, peak_mebibytes, ran
from tests.bench.table import medians


def main() -> None:
    """Print a row per file, and one for a file of JSON records."""
    options = arguments("Fold large files.")
    print(f"{'file':10}{'peer':>9}{'fold':>9}{'ratio':>8}  peak")
    for name, path in files(options):
        counts = _counts(path)
        works: dict[str, Callable[[], object]] = {
            "peer": ran("wc", "-l", path),
            "fold": partial(_fold, path, counts),
        }
        _row(name, medians(works, options.runs))
    path = os.path.join(options.folder, f"records-{options.size}")
    if not os.path.exists(path):
        block = b",".join(
            b'{"id":%d,"title":"article %d","tags":["a","b"]}' % (n, n)
            for n in range(10_000)
        )
        with open(path, "wb") as file:
            file.write(b"[" + block)
            while file.tell() < options.size << 20:
                file.write(b"," + block)
            file.write(b"]")
    counts = _counts(path)
    works = {
        "peer": lambda: _outline(path),
        "fold": lambda: _fold_json(path, counts),
    }
    _row("records", medians(works, options.runs))


def _row(name: str, times: dict[str, float]) -> None:
    print(
        f"{name:10}{times['peer']:8.3f}s{times['fold']:8.3f}s"
        f"{times['fold'] / times['peer']:8.2f}  {peak_mebibytes()} MiB"
    )


def _counts(path: str) -> Counts:
    with open_content(path) as content:
        return count(content)


def _fold(path: str, counts: Counts) -> None:
    with open_content(path) as content:
        fold_text(content, counts, label="bench", path=path)


def _fold_json(path: str, counts: Counts) -> None:
    with open_content(path) as content:
        fold_json(content, counts, path=path)


def _outline(path: str) -> None:
    with open_content(path) as content:
        outline_of(content)


if __name__ == "__main__":
    main()
