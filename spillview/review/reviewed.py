"""What a person has looked at: artifacts, whole sessions, calls without a file.

Each is known by 16 hex digits: an artifact by its id, the others by a mark of the same
shape that follows from their session (and record) alone, so that marks and notes hold
whatever becomes of the cache.
"""

from __future__ import annotations

from collections.abc import Mapping

from spillview.digests import sha256
from spillview.model import Artifact, Missing


def session_mark(harness: str, session: str) -> str:
    """The mark by which a session is known."""
    return _mark("session", harness, session)


def call_mark(call: Missing) -> str:
    """The mark by which a call without a file is known."""
    said = call.mention
    where = said.call_id or f"{said.record}/{said.block}"
    return _mark("call", call.harness, call.session, where, said.path or "")


def _mark(*parts: str) -> str:
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    return sha256(data).hexdigest()[:16]


def is_reviewed(artifact: Artifact, now: float) -> bool:
    """Whether it was looked at as it is now.

    What changed after it was marked comes back; a change that lies in the future is
    a wrong clock's and does not.
    """
    marked = artifact.reviewed
    return marked is not None and holds(marked, artifact.changed, now)


def holds(marked: float, changed: float, now: float) -> bool:
    """Whether a mark of that time is of what last changed at another."""
    return not marked < changed <= now


def is_call_reviewed(call: Missing, marks: Mapping[str, float]) -> bool:
    """Whether the call, or its session after it, was looked at."""
    if call_mark(call) in marks:
        return True
    marked = marks.get(session_mark(call.harness, call.session))
    if marked is None:
        return False
    return call.mention.time is None or call.mention.time <= marked
