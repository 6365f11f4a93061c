"""The program: `python -m spillview`, and what `spillview` starts."""

from __future__ import annotations

import gc
import sys

from spillview.cli import main

YOUNG = 50_000
"""So many new objects before a look for cycles among them, in place of 700."""


def program() -> int:
    """Run the command line as this process's only work; gives its exit code.

    A command makes very many objects and hardly a cycle, so looking for cycles every
    700 objects, and once more through everything at the end, finds nothing: it took
    a seventh of the time of `ls`.
    """
    gc.set_threshold(YOUNG)
    try:
        return main()
    finally:
        gc.freeze()  # the memory goes back with the process


if __name__ == "__main__":
    sys.exit(program())
