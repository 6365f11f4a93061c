"""The program: `python -m spillview`, and what `spillview` starts."""

from __future__ import annotations

import gc
import os
import sys

from spillview.cli import main

YOUNG = 50_000
"""So many new objects before a look for cycles among them, in place of 700."""


def program() -> int:
    """Run the command line as this process's only work; gives its exit code.

    A command makes very many objects and hardly a cycle, so looking for cycles every
    700 objects, and once more through everything at the end, finds nothing: it took
    a seventh of the time of `ls`. Where nobody waits for the end of the process, it
    ends here.
    """
    gc.set_threshold(YOUNG)
    try:
        code = main()
    finally:
        gc.freeze()  # the memory goes back with the process
    if _is_all():
        os._exit(code)
    return code


def _is_all() -> bool:
    """Whether everything is written and nothing is left to do at the exit.

    Taking every module and object apart takes as long as making a tenth of them.
    """
    if "atexit" in sys.modules or sys.getprofile() or sys.gettrace():
        return False
    threading = sys.modules.get("threading")
    if threading is not None and threading.active_count() > 1:
        return False
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        return False  # the interpreter says so, in its own way
    return True


if __name__ == "__main__":
    sys.exit(program())
