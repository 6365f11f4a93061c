"""What was looked through for credentials, and what was found: kept in the cache.

A look costs more than all the counting, so it is made apart from it: where somebody
asks for it, and while nobody waits. Until then nothing is claimed of an artifact.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence

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


def unlooked(cache: Cache, artifacts: Sequence[Artifact]) -> array[int]:
    """Which of these hold text and were not looked through as they are: indices."""
    from spillview.catalogue.listing import BATCH as MADE
    from spillview.catalogue.listing import Listing

    left = array("i")
    for start in range(0, len(artifacts), MADE):
        batch = range(start, min(start + MADE, len(artifacts)))
        if isinstance(artifacts, Listing):
            found = list(artifacts.pick(batch).found())
        else:
            found = [artifacts[index].found for index in batch]
        known = cache.looked_for_secrets(found)
        fresh = [
            index
            for index, item in zip(batch, found, strict=True)
            if item.id not in known
        ]
        if isinstance(artifacts, Listing):  # no others are made
            made = list(artifacts.pick(fresh))
        else:
            made = [artifacts[index] for index in fresh]
        left.extend(i for i, a in zip(fresh, made, strict=True) if _is_text(a))
    return left


def _is_text(artifact: Artifact) -> bool:
    counts = artifact.counts
    return (
        artifact.found.type == "file"
        and artifact.found.size > 0
        and artifact.error is None
        and (counts is None or counts.kind != "image")
    )


class Looked(NamedTuple):
    """What came of a look."""

    holding: int
    """In so many a credential was found."""
    left: int
    """So many are still to be looked through."""


def look_through(
    cache: Cache,
    artifacts: Sequence[Artifact],
    *,
    huge: bool = False,
    seconds: float | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Looked:
    """Look through those not looked through yet, and keep what is in them.

    Ends after so many `seconds`, if given. Left are also what grows, what cannot be
    read, and files over 1 GiB unless `huge`.
    """
    todo = unlooked(cache, artifacts)
    until = None if seconds is None else time.monotonic() + seconds
    holding = looked = 0
    pending: list[tuple[Found, int, bytes]] = []

    def stop() -> bool:
        over = until is not None and time.monotonic() >= until
        return over or (cancelled is not None and cancelled())

    def write() -> None:
        cache.store_secrets(pending)
        pending.clear()

    for done, index in enumerate(todo):
        if stop():
            break
        artifact = artifacts[index]
        late = artifact.found.size > HUGE and not huge
        if late or "growing" in artifact.flags:
            continue
        try:
            secrets = look_at(artifact, cancelled=stop)
        except (Unreadable, Cancelled):
            continue
        if secrets is None:
            continue
        looked += 1
        holding += bool(secrets.items)
        pending.append((artifact.found, len(secrets.items), pack(secrets)))
        if len(pending) >= BATCH:
            write()
        if progress is not None:
            progress(done + 1, len(todo))
    write()
    return Looked(holding, len(todo) - looked)


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
