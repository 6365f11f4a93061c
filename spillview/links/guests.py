"""What the transcripts of all hosts say of the artifacts of one guest.

A guest runs inside other harnesses (see `transcripts.guests`); what is read here is
kept beside the hosts' own facts.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from spillview.discovery.discovery import TranscriptFound
from spillview.errors import Unreadable
from spillview.hints import TYPE_CHECKING
from spillview.links.readings import kept_facts

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache
    from spillview.links.records import Cancelled
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import TranscriptFacts


class Guest:
    """Facts about one guest's artifacts, by the path of the transcript."""

    def __init__(
        self,
        guest: Profile,
        host_of: Callable[[str], Profile],
        cache: Cache,
        known: dict[str, TranscriptFacts] | None = None,
    ) -> None:
        """`host_of` gives a host's profile, `known` what was read before."""
        self._guest, self._host_of, self._cache = guest, host_of, cache
        self.facts = known if known is not None else {}
        self.stale: set[str] = set()
        """Transcripts that changed since they were read, or never were."""

    def take(self, logs: Iterable[TranscriptFound]) -> None:
        """Start from these transcripts, with what the cache knows of them."""
        kept: dict[str, TranscriptFacts] = {}
        for log in logs:
            facts = self.facts.get(log.path)
            exact = facts is not None and facts.key == log.key
            if not exact:
                stored = kept_facts(self._cache, *self._stored_as(log), log.key)
                exact, facts = stored or (False, facts)
            if facts is not None:
                kept[log.path] = facts
            if not exact:
                self.stale.add(log.path)
        self.facts = kept

    def read(
        self,
        logs: Iterable[TranscriptFound],
        closed: Container[str],
        cancelled: Cancelled | None,
    ) -> int:
        """Read what is new in `logs`, but for those `closed`; how many were."""
        if not self.stale:
            return 0
        from spillview.transcripts.guests import read_guest

        number = 0
        for log in logs:
            if log.path not in self.stale or log.path in closed:
                continue
            if cancelled is not None and cancelled():
                break
            host, known = self._host_of(log.harness), self.facts.get(log.path)
            try:
                facts = read_guest(log, host, self._guest, known, cancelled)
            except Unreadable:
                # Told where the host's own facts are read.
                self.stale.discard(log.path)
                continue
            if cancelled is not None and cancelled():
                break
            self.stale.discard(log.path)
            self.facts[log.path] = facts
            self._cache.store_facts(*self._stored_as(log), facts.key, facts.to_json())
            number += 1
        return number

    def each(self, logs: Iterable[TranscriptFound]) -> Iterator[TranscriptFacts]:
        """What was read of `logs`: the facts of each session in them."""
        for log in logs:
            if log.path in self.facts:
                yield from self.facts[log.path].each

    def _stored_as(self, log: TranscriptFound) -> tuple[str, str]:
        """The name under which the cache keeps it, and the rules it is read with."""
        guest, host = self._guest, self._host_of(log.harness)
        return f"{log.path}\0{guest.harness}", f"{host.rules} {guest.rules}"
