"""What a clean-up selects for removal, and which rules decide about an artifact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spillview.model import Artifact


@dataclass(frozen=True, slots=True)
class Rules:
    """What is selected for removal; each given rule selects, and they unite."""

    older_than: float | None = None
    """Seconds since the session was last active (and the file last changed)."""
    keep_last: int | None = None
    """Selects what is older than the newest so many of its session; keeps those."""
    max_total: int | None = None
    """Bytes that everything may have together; the oldest beyond that are selected."""
    max_file: int | None = None
    """Bytes that one file may have."""
    max_session: int | None = None
    """Bytes that one session may have; its oldest beyond that are selected."""
    orphans: bool = False
    """Selects what no record points at."""
    whole: bool = False
    """Selects everything there is (a session that was named)."""

    @property
    def any(self) -> bool:
        """Whether anything can be selected at all."""
        return bool(
            self.older_than is not None
            or self.keep_last is not None
            or self.max_total is not None
            or self.max_file is not None
            or self.max_session is not None
            or self.orphans
            or self.whole
        )

    def rulings(self, artifacts: Sequence[Artifact]) -> list[Ruling]:
        """These rules: they decide about all artifacts together."""
        return [Ruling(self)] * len(artifacts)


@dataclass(frozen=True, slots=True)
class Ruling:
    """What decides about an artifact where nothing protects it."""

    rules: Rules = Rules()
    policy: str | None = None
    """What the standing policy is called; None where none decides."""
    keeps: str | None = None
    """Why it stays whatever the rules say, if it does."""
    disputed: bool = False
    """Whether that is because policies fit of which none is more specific."""


class Deciding(Protocol):
    """The rules of a plan: of one clean-up, or of standing policies."""

    def rulings(self, artifacts: Sequence[Artifact]) -> list[Ruling]:
        """What decides about each; one object where they decide together."""
