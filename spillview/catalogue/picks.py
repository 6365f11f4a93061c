"""Kinds of artifacts and calls that a reviewer may want to see alone."""

from __future__ import annotations

from collections.abc import Callable

from spillview.catalogue.triage import errors_unseen, failed_unseen, read_back
from spillview.frozen import Frozen
from spillview.model import Artifact, Missing


class Pick(Frozen):
    """One kind: its name, the words for it, and what belongs to it."""

    name: str
    words: str
    admits: Callable[[Artifact], bool]
    missing: str | None = None
    """The state of the calls that belong to it; None where no call does."""

    def admits_call(self, call: Missing) -> bool:
        """Whether a call without a file belongs to it."""
        return call.state == self.missing and call.removal is None


def _is_partial(artifact: Artifact) -> bool:
    return "partial" in artifact.flags or bool(artifact.link and artifact.link.partial)


def _is_orphan(artifact: Artifact) -> bool:
    return artifact.link is not None and artifact.link.state == "orphan"


def _is_unread(artifact: Artifact) -> bool:
    link = artifact.link
    return link is not None and link.state == "linked" and not read_back(artifact)


def _none(artifact: Artifact) -> bool:
    return False


PICKS = {
    pick.name: pick
    for pick in (
        Pick("failed", "failed, verdict never seen", failed_unseen),
        Pick("errors", "errors only in the unseen part", errors_unseen),
        Pick("unread", "never read back", _is_unread),
        Pick("orphan", "no record points at them", _is_orphan),
        Pick("partial", "the spill itself is partial", _is_partial),
        Pick(
            "secret-like",
            "hold what looks like a credential",
            lambda a: "secret-like" in a.flags,
        ),
        Pick("chain", "a read of them spilled again", lambda a: bool(_chain(a))),
        Pick("growing", "growing now", lambda a: "growing" in a.flags),
        Pick("dangling", "missing calls whose artifact is gone", _none, "dangling"),
        Pick("cut", "missing calls, cut with nothing saved", _none, "cut"),
    )
}
"""Every kind by its name, in the order that a key goes through them."""


def _chain(artifact: Artifact) -> tuple[str, ...]:
    return artifact.link.chain if artifact.link is not None else ()
