"""A made night in the temp folder: for a look, and gone when the program ends."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

from spillview.demo import make_night


def passing_night(now: float) -> str:
    """The home folder of a night made now; it is removed when the program ends.

    A program that is killed leaves it, in a folder that `mkdtemp` made and whose
    marker says that it may be deleted. Raises what `make_night` raises, and OSError.
    """
    folder = tempfile.mkdtemp(prefix="spillview-demo-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    home = os.path.join(folder, "home")
    make_night(home, now)
    return home
