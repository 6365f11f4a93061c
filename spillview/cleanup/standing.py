"""How one artifact stands when a clean-up is planned: its ages, what protects it."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.model import Artifact, Found


@dataclass(frozen=True, slots=True)
class Standing:
    """What the plan must know of one artifact."""

    artifact: Artifact
    active: float | None = None
    """When records say its session was last active; None when none says."""
    named: float | None = None
    """The time that its own name carries, if it carries one that can be."""
    pinned: str | None = None
    """Why it is pinned (`it is pinned`, `its session is pinned`), if it is."""
    live: str | None = None
    """Why a live session needs it (`its session was active 5m ago`), if one does."""
    foreign: str | None = None
    """Why it is no artifact by its harness's exact shape, if it is none."""
    orphan: bool | None = None
    """Whether no record points at it; None when that is not known for sure."""
    called: float | None = None
    """The call's time, else the file's; None: as the artifact has it."""

    @property
    def found(self) -> Found:
        """Its directory entry."""
        return self.artifact.found

    @property
    def changed(self) -> float:
        """When the file was last changed, in seconds since the epoch."""
        return self.found.mtime_ns / 1e9

    @property
    def freshest(self) -> float:
        """The latest time that anything tells of it."""
        return max(time for _, time in self.times)

    @property
    def times(self) -> list[tuple[str, float]]:
        """What tells how old it is, and the time each tells."""
        told = [
            ("its session was last active", self.active),
            ("the file changed", self.changed),
            ("its name says", self.named),
        ]
        return [(words, time) for words, time in told if time is not None]

    @property
    def age(self) -> tuple[float, float, str]:
        """What orders a session's artifacts, the oldest first: the call's time, then
        the file's."""
        created = self.artifact.created if self.called is None else self.called
        return (created, self.changed, self.found.path)

    @property
    def session(self) -> tuple[str, str]:
        """Its harness and session."""
        return (self.found.harness, self.artifact.session or self.found.session)

    @property
    def protected(self) -> bool:
        """Whether no rule may take it."""
        return any((self.pinned, self.live, self.foreign))
