"""An update of the index in a process of its own, of the lowest claims.

The folder is the argument; the files come on stdin, as root and path with a NUL behind
each. It ends early when the process that started it has ended.
"""

from __future__ import annotations

import os
import sys

from spillview.errors import SpillError
from spillview.index.building import update
from spillview.index.wanted import Wanted


def main() -> int:
    """Update; exit code 0 when that was done, 2 when it could not be."""
    folder, least = sys.argv[1], int(sys.argv[2])
    if hasattr(os, "nice"):
        os.nice(10)
    parent = os.getppid()
    names = sys.stdin.buffer.read().split(b"\0")[:-1]
    roots, paths = map(os.fsdecode, names[::2]), map(os.fsdecode, names[1::2])
    files = [Wanted(*pair) for pair in zip(roots, paths, strict=False)]
    try:
        update(folder, files, least=least, cancelled=lambda: os.getppid() != parent)
    except (SpillError, OSError):
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
