"""Counting one large file, as ratios to `wc -l` and `wc -lm` in the same run.

python -m tests.bench.bench_counts [--size MiB] [NAME ...]
"""

from __future__ import annotations

from functools import partial

from spillview.content import open_content
from spillview.counts import count
from tests.bench.large import arguments, files, medians, peak_mebibytes, ran


def main() -> None:
    """Print a row per file."""
    options = arguments("Count large files.")
    print(f"{'file':10}{'wc -l':>9}{'count':>9}{'/ wc -l':>9}{'/ wc -lm':>10}  peak")
    for name, path in files(options):
        with open_content(path) as content:
            times = medians(
                {"wc": ran("wc", "-l", path), "count": partial(count, content)},
                options.runs,
            )
            slow = medians({"wc": ran("wc", "-lm", path)}, 1)["wc"]
        print(
            f"{name:10}{times['wc']:8.3f}s{times['count']:8.3f}s"
            f"{times['count'] / times['wc']:9.2f}{times['count'] / slow:10.3f}"
            f"  {peak_mebibytes()} MiB"
        )


if __name__ == "__main__":
    main()
