"""What one transcript says while it is being read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spillview.frozen import values_of
from spillview.model import Mention
from spillview.transcripts.facts import Touch, TranscriptFacts, Waiting


@dataclass(slots=True)
class Draft:
    """Facts while they are gathered; `facts` freezes them.

    Its fields are those of `TranscriptFacts`, with a list for each tuple.
    """

    transcript: str
    harness: str
    session: str
    parent_session: str | None = None
    agent: str | None = None
    project: str | None = None
    title: str | None = None
    title_rank: int = 0
    version: str | None = None
    started: float | None = None
    last_active: float | None = None
    records: int = 0
    skipped: int = 0
    unfinished: bool = False
    lines: int = 0
    dev: int = 0
    ino: int = 0
    size: int = 0
    mtime_ns: int = 0
    size_read: int = 0
    text_read: int = 0
    tail: str = ""
    mentions: list[Mention] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    mention_ids: list[str | None] = field(default_factory=list)
    first_ids: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    pending: list[Touch] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)
    parts: list[TranscriptFacts] = field(default_factory=list)

    @classmethod
    def of(cls, facts: TranscriptFacts) -> Draft:
        """A draft that goes on where `facts` end."""
        values = values_of(facts)
        for name, value in values.items():
            if isinstance(value, tuple):
                values[name] = list(value)
        values["extra"] = dict(facts.extra)
        return cls(**values)

    def facts(self) -> TranscriptFacts:
        """The facts as they stand."""
        values = values_of(self)
        for name, value in values.items():
            if isinstance(value, list):
                values[name] = tuple(value)
        return TranscriptFacts(**values)

    def saw(self, time: float | None) -> None:
        """Widen the session's time to hold `time`."""
        if time is not None:
            if self.started is None or time < self.started:
                self.started = time
            if self.last_active is None or time > self.last_active:
                self.last_active = time

    def entitle(self, title: str | None, rank: int) -> None:
        """Take `title` unless a better one is known; the last of one rank stays.

        Of prompts (rank 1) the first one is the title.
        """
        if title and (rank > self.title_rank or rank == self.title_rank > 1):
            self.title, self.title_rank = title, rank
