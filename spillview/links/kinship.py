"""Which sessions carry another one's history on: forks, resumed runs, subagents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spillview.digests import sha256
from spillview.transcripts.facts import TranscriptFacts


def hashed(session: str) -> str:
    """What dsh's layout calls a session: one way, so every known id is tried."""
    digest = sha256(session.encode("utf-8", "surrogatepass")).hexdigest()
    return f"session-{digest[:12]}"


class Kinship:
    """Sessions and those that go on from them."""

    def __init__(self, facts: Sequence[TranscriptFacts]) -> None:
        self._after: dict[str, set[str]] = {}
        self._reached: dict[str, frozenset[str]] = {}
        sharing: dict[str, set[str]] = {}
        for each in facts:
            for parent in each.parents:
                self._after.setdefault(parent, set()).add(each.session)
            if each.agent is None:
                for record_id in each.first_ids:
                    sharing.setdefault(record_id, set()).add(each.session)
        for sessions in sharing.values():
            self.alike(sessions)

    def alike(self, sessions: Iterable[str]) -> None:
        """Take sessions that hold a copy of one record for forks of each other."""
        together = set(sessions)
        if len(together) > 1:
            self._reached.clear()
            for one in together:
                self._after.setdefault(one, set()).update(together - {one})

    def follows(self, session: str, origin: str) -> bool:
        """Whether `session` is `origin` or carries its history on."""
        if session == origin:
            return True
        return origin in self._after and session in self._followers(origin)

    def related(self, one: str, other: str) -> bool:
        """Whether the two share a history: one goes on from the other, or both from
        a third."""
        if self.follows(one, other) or self.follows(other, one):
            return True
        pair = {one, other}
        return any(pair <= self._followers(origin) for origin in self._after)

    def _followers(self, origin: str) -> frozenset[str]:
        known = self._reached.get(origin)
        if known is None:
            reached, todo = set[str](), [origin]
            while todo:
                for other in self._after.get(todo.pop(), ()):
                    if other not in reached:
                        reached.add(other)
                        todo.append(other)
            known = self._reached[origin] = frozenset(reached)
        return known
