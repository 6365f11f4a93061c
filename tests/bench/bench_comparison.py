"""Time and memory of comparing two logs line by line.

    python -m tests.bench.bench_comparison A B [--plain]

Without files two of 1 GB are made in a temporary folder; one line of a thousand
differs.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time

from spillview.comparison.lines import compare_lines
from spillview.content.content import open_content

SIZE = 1_000_000_000


def make(folder: str, size: int = SIZE) -> tuple[str, str]:
    """Two logs of about `size` bytes."""
    paths = os.path.join(folder, "before.log"), os.path.join(folder, "after.log")
    number = written = 0
    with open(paths[0], "wb") as one, open(paths[1], "wb") as two:
        while written < size:
            left, right = [], []
            for _ in range(10_000):
                number += 1
                row = b"test cart::case_%08d ... ok, rounds half to even (0.%03ds)" % (
                    number,
                    number % 997,
                )
                left.append(row)
                right.append(row if number % 1000 else row + b" FAILED")
            written += one.write(b"\n".join(left) + b"\n")
            two.write(b"\n".join(right) + b"\n")
    return paths


def main() -> None:
    """Compare, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="spillview-bench-") as folder:
        before, after = args.files or make(folder)
        one, two = open_content(before), open_content(after)
        start = time.perf_counter()
        found = compare_lines(one, two, plain=args.plain)
        seconds = time.perf_counter() - start
        one.close()
        two.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{found.same:,} same, {found.new:,} new, {found.gone:,} gone,"
        f" {found.moved:,} moved, {found.hunks_total:,} hunks, noise {found.noise}:"
        f" {seconds:.1f} s, {peak:,.0f} MiB at most"
    )


if __name__ == "__main__":
    main()
