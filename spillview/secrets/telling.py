"""Credentials in words: how many artifacts, of which kinds, and who received them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from spillview.exposure.facts import Exposure
from spillview.hints import TYPE_CHECKING
from spillview.secrets.kept import states
from spillview.text import human_count, path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.model import Artifact

NAMED = 3
"""So many places are named one by one."""


def holders(catalogue: Catalogue, artifacts: Iterable[Artifact]) -> Iterator[Artifact]:
    """Those that are known to hold credentials, with what their model saw."""
    from spillview.catalogue.listing import Listing

    known = catalogue.holding
    if known is None:
        return
    if isinstance(artifacts, Listing):  # no others are made
        places = range(len(artifacts))
        artifacts = artifacts.pick(i for i in places if known.is_in(artifacts.group(i)))
    for artifact in artifacts:
        if catalogue.with_secrets(artifact).secrets is not None:
            yield catalogue.with_secrets(catalogue.complete_one(artifact))


def seen_words(artifacts: Sequence[Artifact]) -> str:
    """`the model saw 2 of 5`, as far as it is known."""
    counted = tally(artifacts)
    total = sum(counted.values())
    if counted["unknown"] == total:
        return "it is not known whether a model saw them"
    saw = f"the model saw {human_count(counted['seen'])} of {human_count(total)}"
    if total == 1 and not counted["in part"]:
        saw = "the model saw it" if counted["seen"] else "the model never saw it"
    if counted["in part"]:
        saw += f", and a part of {human_count(counted['in part'])}"
    if counted["unknown"]:
        saw += f"; of {human_count(counted['unknown'])} it is not known"
    return saw


def seen_briefly(artifact: Artifact) -> str:
    """`2 seen`, `1 in part`, `none seen`, `not known whether seen`."""
    counted = tally([artifact])
    if counted["unknown"] and not counted["seen"] + counted["in part"]:
        return "not known whether seen"
    parts = [f"{counted[s]:,} {s}" for s in ("seen", "in part") if counted[s]]
    return ", ".join(parts) or "none seen"


def tally(artifacts: Iterable[Artifact]) -> Counter[str]:
    """How many credentials were seen, unseen, seen in part, or it is unknown."""
    return Counter(
        state
        for artifact in artifacts
        if artifact.secrets is not None
        for _, state in states(artifact, artifact.secrets)
    )


def kinds(artifact: Artifact) -> str:
    """`AWS access key (line 812), 2 × password (line 9)`; the kinds of one artifact."""
    items = artifact.secrets.items if artifact.secrets is not None else ()
    first: dict[str, int] = {}
    counted = Counter(secret.words for secret in items)
    for secret in items:
        first.setdefault(secret.words, secret.line)
    named = [
        f"{f'{human_count(counted[words])} × ' if counted[words] > 1 else ''}{words}"
        f" (line {human_count(line)})"
        for words, line in first.items()
    ]
    more = len(named) - NAMED
    rest = f" and {human_count(more)} more kinds" if more > 0 else ""
    least = "" if artifact.secrets is None or artifact.secrets.complete else ", or more"
    return ", ".join(named[:NAMED]) + rest + least


def told(artifacts: Sequence[Artifact]) -> Exposure | None:
    """All of them as one fact; None where there is none."""
    if not artifacts:
        return None
    places = "; ".join(
        f"{kinds(artifact)} of {path_text(artifact.found.place)}"
        for artifact in artifacts[:NAMED]
    )
    more = len(artifacts) - NAMED
    rest = f"; and {human_count(more)} more artifacts" if more > 0 else ""
    hold = "hold what looks like credentials"
    if len(artifacts) == 1 and artifacts[0].secrets is not None:
        one = len(artifacts[0].secrets.items) == 1
        hold = f"hold what looks like {'a credential' if one else 'credentials'}"
    counted = tally(artifacts)
    return Exposure(
        "secret-like",
        artifacts[0].found.harness,
        artifacts[0].found.path,
        f"{hold}: {places}{rest}; {seen_words(artifacts)}",
        "change what was seen or can be read by others (spillview grep --secrets)",
        len(artifacts),
        {
            "secrets": sum(counted.values()),
            "seen": counted["seen"],
            "seen_in_part": counted["in part"],
            "unseen": counted["unseen"],
            "unknown": counted["unknown"],
        },
    )
