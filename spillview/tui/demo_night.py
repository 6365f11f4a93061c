"""The demo night, offered where no store was found."""

from __future__ import annotations

import os
import tempfile

from spillview.catalogue.catalogue import Catalogue
from spillview.demo import make_night
from spillview.places import Places


def make_demo(now: float) -> Catalogue:
    """A made night in a new folder of the temp folder, and its catalogue.

    Raises `BadInput` when it cannot be written.
    """
    home = os.path.join(tempfile.mkdtemp(prefix="spillview-demo-"), "home")
    make_night(home, now)
    return Catalogue.here(Places.of_home(home))
