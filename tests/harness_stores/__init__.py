"""Made stores, a module for each harness; each gives `make(home) -> HarnessStore`.

They are written from what is known of each harness (its layout, notices, units and
quirks), and never from the package under test: nothing here imports it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from tests.harness_stores.model import Gone, HarnessStore, Spill

__all__ = ["NAMES", "Gone", "HarnessStore", "Spill", "make"]

NAMES = [
    path.stem
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "model")
]
"""The made stores there are."""


def make(name: str, home: Path) -> HarnessStore:
    """Make that store below `home`, a home folder whose temp folder is `home/tmp`.

    The user id is 1000 where a path holds one.
    """
    store: HarnessStore = import_module(f"tests.harness_stores.{name}").make(home)
    return store
