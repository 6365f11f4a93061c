"""What was looked through for credentials, and what was found: kept in the cache.

A look costs more than all the counting, so it is made apart from it: where somebody
asks for it, and while nobody waits. Until then nothing is claimed of an artifact.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from spillview.errors import Cancelled, Unreadable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.named import NamedTuple
from spillview.secrets.looking import Secret, Secrets, look
from spillview.secrets.masking import seen_states
from spillview.secrets.rules import RULES

if TYPE_CHECKING:
    from spillview.catalogue.cache import Cache, Key
    from spillview.content.content import Content
    from spillview.model import Artifact, Found

HUGE = 1 << 30
"""Files over 1 GiB are looked through only when asked, as they are counted."""

BATCH = 64
"""So many results are written at once."""

FLAG = "secret-like"

_WORDS = {rule.name: rule.words for rule in RULES}


def pack(secrets: Secrets) -> bytes:
    """The places alone: nothing of a credential itself is kept."""
    import orjson

    rows = [[s.rule, s.line, s.start, s.end] for s in secrets.items]
    return orjson.dumps([rows, secrets.complete])


def unpack(data: bytes) -> Secrets | None:
    """What was packed; None where it is damaged."""
    import orjson

    try:
        rows, complete = orjson.loads(data)
        items = tuple(
            Secret(str(rule), _WORDS.get(rule, rule), int(line), int(start), int(end))
            for rule, line, start, end in rows
        )
        return Secrets(items, bool(complete))
    except (ValueError, TypeError):
        return None


class Holding(NamedTuple):
    """An artifact that was found to hold credentials."""

    key: Key
    group: tuple[str, str]
    """Its harness and its session, as its layout gives it."""
    data: bytes


class Known:
    """The artifacts that are known to hold credentials: those few, by address."""

    def __init__(self, holding: Mapping[bytes, Holding]) -> None:
        self._holding = holding
        self._groups = {each.group for each in holding.values()}

    def is_in(self, group: tuple[str, str]) -> bool:
        """Whether an artifact of a session, as its layout gives it, holds any."""
        return (group[0], _plain(group[1])) in self._groups

    def of(self, found: Found) -> Secrets | None:
        """What is in it; None where nothing was found, or nobody looked yet."""
        import os

        from spillview.catalogue.cache import as_stored

        holding = self._holding.get(os.fsencode(found.address))
        if holding is None or holding.key != as_stored(found.key):
            return None
        return unpack(holding.data)

    def mark(self, group: tuple[str, str]) -> list[tuple[bytes, Key]]:
        """What changes when another artifact of a session is found to hold any."""
        return sorted(
            (address, holding.key)
            for address, holding in self._holding.items()
            if holding.group == (group[0], _plain(group[1]))
        )


def _plain(session: str) -> str:
    return session.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def with_secrets(artifact: Artifact, secrets: Secrets | None) -> Artifact:
    """The artifact with what was found in it, and the flag for it."""
    if secrets is None or not secrets.items:
        return artifact
    flags = artifact.flags if FLAG in artifact.flags else (*artifact.flags, FLAG)
    return replace(artifact, secrets=secrets, flags=flags)


def unlooked(cache: Cache, artifacts: Iterable[Artifact]) -> list[Artifact]:
    """Those of these that hold text and were not looked through as they are now."""
    able = [a for a in artifacts if _is_text(a)]
    known = cache.looked_for_secrets([a.found for a in able])
    return [a for a in able if a.id not in known]


def _is_text(artifact: Artifact) -> bool:
    counts = artifact.counts
    return (
        artifact.found.type == "file"
        and artifact.found.size > 0
        and artifact.error is None
        and (counts is None or counts.kind != "image")
    )


def look_through(
    cache: Cache,
    artifacts: Sequence[Artifact],
    *,
    huge: bool = False,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[dict[str, Secrets], list[Artifact]]:
    """What is in those not looked through yet, by id; and those still not.

    Ends after so many `seconds`, if given. Left are also what grows, what cannot be
    read, and files over 1 GiB unless `huge`.
    """
    todo = unlooked(cache, artifacts)
    until = None if seconds is None else time.monotonic() + seconds
    results: dict[str, Secrets] = {}
    left: list[Artifact] = []
    pending: list[tuple[Found, int, bytes]] = []

    def stop() -> bool:
        over = until is not None and time.monotonic() >= until
        return over or (cancelled is not None and cancelled())

    def write() -> None:
        cache.store_secrets(pending)
        pending.clear()

    for done, artifact in enumerate(todo):
        found = artifact.found
        late = found.size > HUGE and not huge
        if late or "growing" in artifact.flags or stop():
            left.append(artifact)
            continue
        try:
            secrets = look_at(artifact, cancelled=stop)
        except (Unreadable, Cancelled):
            secrets = None
        if secrets is None:
            left.append(artifact)
            continue
        results[artifact.id] = secrets
        pending.append((found, len(secrets.items), pack(secrets)))
        if len(pending) >= BATCH:
            write()
        if progress is not None:
            progress(done + 1, len(todo))
    write()
    return results, left


def look_at(
    artifact: Artifact, *, cancelled: Callable[[], bool] | None = None
) -> Secrets | None:
    """What is in one artifact; None where it changes meanwhile.

    Raises `Cancelled`, and what opening and reading raise.
    """
    from spillview.content.content import text_content
    from spillview.content.kinds import HEAD, utf16_of
    from spillview.content.transcoding import searched
    from spillview.stored.stored import open_artifact

    with open_artifact(artifact.found, root=artifact.found.root) as file:
        if file.key != artifact.found.key:
            return None
        wide = utf16_of(file.pread(0, HEAD))
        encoding = wide[0] if wide is not None else "utf-8"
        text: Content = text_content(file, encoding)
        try:
            disk = searched(file, encoding).disk if text is not file else None
            secrets = look(text, cancelled=cancelled, disk=disk)
        finally:
            if text is not file:
                text.close()
        return secrets if file.changed() is None else None


SEEN_WORDS = {
    "seen": "the model saw it",
    "in part": "the model saw a part of it",
    "unseen": "never seen",
    "unknown": "not known whether seen",
}
"""Each state of `states` in words."""


def states(artifact: Artifact, secrets: Secrets) -> Iterator[tuple[Secret, str]]:
    """Each credential and whether the model received it: `seen`, `unseen`, `in part`,
    `unknown`."""
    seen = artifact.link.seen if artifact.link is not None else None
    if seen is None:
        yield from ((secret, "unknown") for secret in secrets.items)
        return
    places = [(secret.start, secret.end) for secret in secrets.items]
    rest = "unseen" if seen.certain else "unknown"
    words = {True: "seen", None: "in part", False: rest}
    for secret, state in zip(
        secrets.items, seen_states(places, seen.ranges), strict=True
    ):
        yield secret, words[state]
