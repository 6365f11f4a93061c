"""Spills for tests: requests, what lies in a store, its sidecars."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from spillview.store import SaveTextSpill, SpillOwner, SpillRequest, SpillSource


def request(
    content: str = "one\ntwo\n",
    *,
    session: str = "sess-1",
    name: str = "bash.txt",
    tool: str = "bash",
    **more: Any,
) -> SaveTextSpill:
    """A text to be saved."""
    return SaveTextSpill(
        SpillOwner(session), SpillSource(tool, "c-1", "build", **more), name, content
    )


def stream(*, session: str = "sess-1", name: str = "wrap.txt") -> SpillRequest:
    """A spill to be written as it comes."""
    return SpillRequest(SpillOwner(session), SpillSource("wrap"), name)


def files(root: Path) -> list[Path]:
    """Everything that is no folder below a store's root, sidecars left out."""
    return sorted(p for p in below(root) if not p.name.startswith("."))


def below(root: Path) -> list[Path]:
    """Everything that is no folder below a store's root."""
    return sorted(p for p in root.rglob("*") if p.is_symlink() or not p.is_dir())


def sidecar(path: str | Path) -> dict[str, Any]:
    """What the sidecar of a spill says."""
    path = Path(path)
    note: dict[str, Any] = json.loads((path.parent / f".{path.name}.json").read_bytes())
    return note
