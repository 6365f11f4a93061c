"""What a made store's builder knows of what it made: the oracle of the tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

Range = tuple[int, int]
UNSAID = "unsaid"


@dataclass(frozen=True, kw_only=True)
class Spill:
    """One artifact that must be listed exactly once."""

    path: Path
    """Its file; for a row, the database."""
    data: bytes
    """Its content (of a row: the text, decompressed)."""
    what: str
    """A word for test ids: which layout, wording or trap this one is."""
    row: str | None = None
    """The row's key in a database."""
    link: str = "linked"
    """`linked` or `orphan`."""
    session: str | None = None
    """The true session id; None: not checked."""
    project: str | None = None
    tool: str | None = None
    call_id: str | None = None
    command: str | None = None
    """None in these three: not checked."""
    failed: bool | str | None = UNSAID
    """True, False or None as the harness records it; UNSAID: not checked."""
    envelope: str | None = None
    """The envelope's exact text; None on an orphan."""
    seen: tuple[Range, ...] | None = None
    """The byte ranges of `data` the model received through the envelope and its later
    reads, exactly; None: only that nothing outside `may` is called seen."""
    may: tuple[Range, ...] = ()
    boundary: tuple[int, str] | None = None
    """Size and unit of its main gate."""
    gates: tuple[tuple[int, str], ...] = ()
    """All gates, in any order; empty: not checked."""
    agrees: bool | str | None = UNSAID
    """Whether the notice's claims are true of the file; None when it claims nothing."""
    content: str = "spill"
    kind: str | None = None
    next_text: str | None = None
    """What the agent said next."""
    read_back: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Gone:
    """One call whose full result is not on disk."""

    what: str
    state: str
    """`dangling` or `cut`."""
    session: str | None = None
    path: str | None = None
    """As the notice gives it."""
    call_id: str | None = None
    tool: str | None = None


@dataclass(kw_only=True)
class HarnessStore:
    """What `make` returns."""

    harness: str
    spills: list[Spill] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    others: list[Path] = field(default_factory=list)
    """Files in or beside the store that are no artifacts and must not be listed."""
    env: dict[str, str] = field(default_factory=dict)
    """Variables that must be set for it (most need none)."""
    roots: list[Path] = field(default_factory=list)
    """Folders to be given as PATHs as well, where no profile can know them."""
