"""The demo night, offered where no store was found."""

from __future__ import annotations

from spillview.catalogue.catalogue import Catalogue
from spillview.demo.passing import passing_night
from spillview.places import Places


def make_demo(now: float) -> Catalogue:
    """A made night that is gone when the program ends, and its catalogue.

    Raises `BadInput` when it cannot be written.
    """
    return Catalogue.here(Places.of_home(passing_night(now)))
