"""spillview: what a tool really printed, and what the model never saw of it."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `typing`, which takes long to load
if TYPE_CHECKING:
    from typing import Any

    from spillview.catalogue.catalogue import Catalogue
    from spillview.envelopes.document import json_envelope
    from spillview.envelopes.table import table_envelope
    from spillview.envelopes.text import text_envelope
    from spillview.store import (
        LocalSpillStore,
        SaveTextSpill,
        SpillEnvelope,
        SpillFacts,
        SpillFailed,
        SpillOwner,
        SpillRef,
        SpillRequest,
        SpillSource,
        SpillStore,
        SpillWriter,
    )
    from spillview.store.policy import Decision, SpillPolicy

__version__ = "0.1.0"

__all__ = [
    "Catalogue",
    "Decision",
    "LocalSpillStore",
    "SaveTextSpill",
    "SpillEnvelope",
    "SpillFacts",
    "SpillFailed",
    "SpillOwner",
    "SpillPolicy",
    "SpillRef",
    "SpillRequest",
    "SpillSource",
    "SpillStore",
    "SpillWriter",
    "__version__",
    "json_envelope",
    "table_envelope",
    "text_envelope",
]

_ROOMS = dict.fromkeys(__all__, "spillview.store") | {
    "Catalogue": "spillview.catalogue.catalogue",
    "Decision": "spillview.store.policy",
    "SpillPolicy": "spillview.store.policy",
    "json_envelope": "spillview.envelopes.document",
    "table_envelope": "spillview.envelopes.table",
    "text_envelope": "spillview.envelopes.text",
}
"""Where each name of the library lives; loaded when it is first asked for."""


def __getattr__(name: str) -> Any:
    room = _ROOMS.get(name)
    if room is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(room), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
