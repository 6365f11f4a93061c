"""Made stores, a module for each harness; each gives `make(home) -> HarnessStore`.

They are written from what is known of each harness (its layout, notices, units and
quirks), and never from the package under test: nothing here imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from tests.harness_stores.model import Gone, HarnessStore, Spill

__all__ = ["MAKERS", "Gone", "HarnessStore", "Spill"]

MAKERS: dict[str, Callable[[Path], HarnessStore]] = {
    path.stem: import_module(f"tests.harness_stores.{path.stem}").make
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.stem not in ("__init__", "model")
}
"""By module name. `home` becomes a home folder with the harness's store in it; its
temp folder is `home/tmp`, user id 1000 where a path holds one."""
