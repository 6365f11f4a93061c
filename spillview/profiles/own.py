"""What the user's own harness profiles found."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spillview.named import NamedTuple
from spillview.text import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spillview.catalogue.catalogue import Catalogue
    from spillview.model import Problem
    from spillview.profiles.profile import Profile


class UserProfile(NamedTuple):
    """A profile of the user's own, and what it found."""

    harness: str
    path: str
    replaces: bool
    """Whether it has the name of a built-in one, which it takes the place of."""
    artifacts: int
    logs: int
    notices: int
    matched: int
    """Notices in the result of a call that the log tells."""
    tells: bool = True
    """Whether it says where logs with results lie."""

    @property
    def lack(self) -> str | None:
        """What a part of it did not find, with the next step; None where all did."""
        if not self.artifacts and not self.notices:
            return (
                f"it matched nothing: {self}; compare the path of its [[root]],"
                " [[glob]] and [[transcript]] with where the files lie"
            )
        if not self.artifacts:
            return (
                f"it found no artifact: {self}; compare the path of its [[glob]] with"
                " where the files lie, and its [[name_rule]] with their names"
            )
        if self.tells and not self.logs:
            return (
                f"it found no log: {self}; compare the path of its [[transcript]] with"
                " where the logs lie"
            )
        if self.tells and not self.notices:
            return (
                f"no log of it holds a notice that it knows: {self}; compare"
                " [records.result] (when, each, text) and the needle and regex of each"
                " [[notice]] with a line of a log"
            )
        if self.tells and not self.matched:
            return (
                f"none of its notices belongs to a call: {self}; compare [records.call]"
                " (when, each, id, name) and the id of [records.result] with two lines"
                " of a log"
            )
        return None

    def __str__(self) -> str:
        return (
            f"{plural(self.artifacts, 'artifact')}, {plural(self.logs, 'log')} read,"
            f" {plural(self.notices, 'notice')}, {self.matched:,} of them in a call's"
            " result"
        )


def refused(harness: str, problems: Sequence[Problem]) -> str | None:
    """That the user's own profile of this name could not be used, and why."""
    for problem in problems:
        name = os.path.basename(problem.path)
        if name == f"{harness}.toml":
            why = problem.sentence.removeprefix(f"{problem.path}: ")
            return f"your {name} was refused: {why}; see `spillview doctor`"
    return None


def user_profiles(catalogue: Catalogue) -> list[UserProfile]:
    """What each of the user's own profiles found in the catalogue's last scan."""
    folder = os.path.join(catalogue.places.config_dir, "harnesses")
    return [
        _found_by(profile, catalogue)
        for profile in catalogue.profiles.values()
        if os.path.dirname(profile.source) == folder
    ]


def _found_by(profile: Profile, catalogue: Catalogue) -> UserProfile:
    from spillview.profiles.cache import built_in

    name = profile.harness
    catalogue.standing.read_all({name})
    logs, notices, matched = catalogue.standing.tally(name)
    return UserProfile(
        name,
        profile.source,
        any(each.harness == name for each in built_in(catalogue.places)),
        sum(
            number
            for (harness, _), (number, _) in catalogue.finds.stores().items()
            if harness == name
        ),
        logs,
        notices,
        matched,
        bool(profile.notices) and any(rule.results for rule in profile.transcripts),
    )
