"""What looking at an artifact's envelope found, in the form the cache keeps."""

from __future__ import annotations

from spillview.digests import sha256
from spillview.frozen import replace, values_of
from spillview.hints import TYPE_CHECKING, Any
from spillview.json_text import loads
from spillview.model import Conclusion, Found, Line, Link, Seen, Signals

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile

RULES = 6
"""Raised whenever alignment or verdict rules change, so that old results expire."""


def token(found: Found, link: Link, profile: Profile) -> str:
    """What a stored look holds for: this content, these records, these rules.

    A guest's records are read by the profiles of its hosts.
    """
    said = [profile.rules, *(host.rules for host in profile.hosts)]
    records = [(m.transcript, m.record, m.offset, m.length) for m in link.mentions]
    reads = [(read.transcript, read.record) for read in link.reads]
    facts = repr((RULES, said, found.key, link.state, records, reads))
    return sha256(facts.encode("utf-8", "backslashreplace")).hexdigest()


def pack(link: Link) -> bytes:
    """The parts of a link that needed the artifact's content, as JSON."""
    import orjson

    seen = link.seen
    packed = orjson.dumps(
        {
            "state": link.state,
            "seen": None if seen is None else [seen.ranges, seen.certain],
            "verdict_seen": link.verdict_seen,
            "verdict": link.verdict,
            "conclusion": link.conclusion,
            "signals": link.signals,
            "note": link.note,
            "partial": link.partial,
            "intact": link.intact,
            "reads": [read.ranges for read in link.reads],
        },
        default=values_of,
    )
    return bytes(memoryview(packed))  # orjson's own keeps kilobytes for a few bytes


def restore(link: Link, data: bytes) -> Link | None:
    """`link` with the stored parts put back; None when they do not fit it."""
    try:
        stored: dict[str, Any] = loads(data)
        reads = tuple(
            replace(read, ranges=_ranges(ranges))
            for read, ranges in zip(link.reads, stored["reads"], strict=True)
        )
        seen = stored["seen"]
        return replace(
            link,
            reads=reads,
            seen=None if seen is None else Seen(_ranges(seen[0]) or (), bool(seen[1])),
            verdict_seen=stored["verdict_seen"],
            verdict=stored["verdict"],
            conclusion=_conclusion(stored["conclusion"]),
            signals=None if stored["signals"] is None else Signals(**stored["signals"]),
            note=stored["note"],
            partial=bool(stored["partial"]),
            intact=stored["intact"],
        )
    except (ValueError, KeyError, TypeError, IndexError):
        return None


def _conclusion(value: dict[str, Any] | None) -> Conclusion | None:
    if value is None:
        return None
    return Conclusion(**value | {"line": Line(**value["line"])})


def _ranges(value: list[list[int]] | None) -> tuple[tuple[int, int], ...] | None:
    return None if value is None else tuple((start, end) for start, end in value)
