"""One way in which others reach what is in a store, and how it is said."""

from __future__ import annotations

from typing import Literal

from spillview.frozen import Frozen
from spillview.text import plural

Kind = Literal[
    "group-readable",
    "acl",
    "foreign-folder",
    "open-folder",
    "group-folder",
    "fixed-name",
    "guessable-name",
    "leads-out",
    "hard-link",
    "secret-like",
]


class Exposure(Frozen):
    """One way in which others reach what is in a store."""

    kind: Kind
    harness: str
    path: str
    """Where it shows: the folder, or the first of the artifacts."""
    means: str
    """What it is and what it means, as a phrase that can follow a number."""
    advice: str
    """What to do, as a phrase."""
    number: int = 0
    """Artifacts that it is of; 0 where it is of a folder."""

    more: dict[str, int] | None = None
    """Other numbers of it, by their names in JSON."""

    @property
    def sentence(self) -> str:
        """All of it in words."""
        if not self.number:
            return f"{self.means}: {self.advice}"
        means = self.means
        if self.number == 1:
            verb, _, rest = means.partition(" ")
            means = f"{_ALONE.get(verb, verb)} {rest}"
        return f"{plural(self.number, 'artifact')} {means}: {self.advice}"

    @property
    def many(self) -> str:
        """The sentence for several places together, with `{}` for the number."""
        means = _FOLDERS.get(self.kind)
        noun = "artifacts" if means is None else "folders"
        return f"{{}} {noun} {means or self.means}: {self.advice}"


_ALONE = {"have": "has", "are": "is", "lie": "lies", "hold": "holds", "link": "links"}
_FOLDERS: dict[Kind, str] = {
    "foreign-folder": "belong to others, who can remove and swap what is in them",
    "open-folder": "are open to every user, who can plant, remove and swap files there",
    "group-folder": "are open to a group, which can plant, remove and swap files there",
    "fixed-name": "have names that every user can make before the harness does, for all"
    " know them: it then fails, or writes where they read",
}

OWN_TEMP = "give the harness a temp folder of its own (TMPDIR)"
"""What to do about a folder that all users share, as a phrase."""
