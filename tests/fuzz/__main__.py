"""`python -m tests.fuzz TARGET`: see the package."""

from __future__ import annotations

import argparse
import sys
import time

from tests.fuzz import guided

BYTEWISE = ("codepoints", "lines", "pages", "counts", "printable")
READERS = (
    "notices",
    "alignment",
    "shape",
    "screen",
    "journal",
    "pins",
    "settings",
    "profile",
    "transcripts",
)
TOLD = 60.0
"""Seconds between two lines that say how far it is."""


def main() -> int:
    """Run what the arguments say; prints how many inputs there were."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("target", choices=(*BYTEWISE, *READERS))
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--inputs", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--deep", action="store_true", help="all short inputs first")
    args = parser.parse_args()
    if args.target in READERS:
        if guided.has_atheris():
            guided.by_atheris(args.target, args.minutes, args.seed)
        else:
            done = guided.by_hypothesis(args.target, args.minutes)
            print(f"{done:,} inputs, none went wrong")  # noqa: T201  # its result
        return 0
    from tests.fuzz import bytewise

    print(f"{args.target}, seed {args.seed}", flush=True)  # noqa: T201  # its result
    started, done, told = time.monotonic(), 0, 0.0
    for more in bytewise.runs(args.target, args.seed, deep=args.deep):
        done += more
        spent = time.monotonic() - started
        if spent - told >= TOLD:
            told = spent
            print(f"{done:,} inputs, {spent:.0f} s so far", flush=True)  # noqa: T201
        if spent > 60 * args.minutes or done >= args.inputs:
            break
    print(f"{done:,} inputs, {spent:.0f} s, all agree")  # noqa: T201  # its result
    return 0


if __name__ == "__main__":
    sys.exit(main())
