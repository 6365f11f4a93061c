"""How many results hold text that no rule of their profile accounts for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from spillview.errors import Unreadable
from spillview.text import human_count, plural, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.model import Artifact, Mention
    from spillview.profiles.profile import Profile

SHOWN = 60
"""Chars of such a text that are quoted."""


@dataclass(frozen=True, slots=True)
class Unaccounted:
    """What was found of one profile."""

    harness: str
    source: str
    """The profile's file."""
    own: bool
    """Whether the user wrote it."""
    number: int
    """Results that hold such a text."""
    looked: int
    """Results that were read again."""
    results: int
    sample: str
    """The beginning of the first such text."""

    @property
    def sentence(self) -> str:
        """How many there are, and what to do."""
        of = plural(self.results, "result")
        if self.looked < self.results:
            of = f"the {human_count(self.looked)} looked at of {of}"
        hold = "holds" if self.number == 1 else "hold"
        advice = (
            "say in its [notice.preview] where that stands (form, place), or name it in"
            " the notice's words if the harness itself says it"
        )
        if not self.own:
            name = f"harnesses/{self.harness}.toml"
            advice = f"in a copy of this file as {name} in your config folder, {advice}"
        return (
            f"{human_count(self.number)} of {of} {hold} text that no rule of the"
            f" profile accounts for, such as {self.sample!r}; where that is not in the"
            f" file, what the model saw is not known: {advice}"
        )


def tallies(
    catalogue: Catalogue, artifacts: Sequence[Artifact], *, seconds: float
) -> list[Unaccounted]:
    """One for each profile with such results, from the artifacts of the last scan.

    Each result is read again, newest first, for so many seconds in all: a share for
    each harness.
    """
    mentions: dict[str, list[Mention]] = {}
    for artifact in artifacts:
        for mention in artifact.link.mentions if artifact.link is not None else ():
            if mention.place == "result":
                mentions.setdefault(artifact.found.harness, []).append(mention)
    folder = os.path.join(catalogue.places.config_dir, "harnesses")
    found = []
    for harness, some in mentions.items():
        profile = catalogue.profile(harness)
        own = os.path.dirname(profile.source) == folder
        fact = _tally(profile, some, own, monotonic() + seconds / len(mentions))
        if fact.number:
            found.append(fact)
    return found


def _tally(
    profile: Profile, mentions: Sequence[Mention], own: bool, until: float
) -> Unaccounted:
    from spillview.seen.beside import unaccounted
    from spillview.transcripts.envelopes import result

    number = looked = 0
    sample = ""
    for mention in mentions:
        try:
            _, blocks = result(mention, profile)
        except Unreadable:
            continue
        looked += 1
        texts = unaccounted(blocks, mention, profile)
        number += bool(texts)
        if texts and not sample:
            sample = printable(" ".join(texts[0].split()))[:SHOWN]
        if monotonic() > until:
            break
    return Unaccounted(
        profile.harness, profile.source, own, number, looked, len(mentions), sample
    )
