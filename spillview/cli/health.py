"""`doctor`: what was found, and what is not as it should be."""

from __future__ import annotations

import argparse
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from spillview.cli.commands import query_of, tell_reading
from spillview.cli.health_text import (
    Check,
    Told,
    write_json,
    write_problems,
    write_stores,
)
from spillview.exposure.permissions import world_readable
from spillview.hints import TYPE_CHECKING
from spillview.model import Problem
from spillview.own_files import barred, unwritable
from spillview.text import human_count, plural

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.catalogue.listing import Listing
    from spillview.cli.streams import Streams

DOCTOR = """\
Every store found with its boundaries and its own retention, and whatever needs a look:
folders that cannot be read, who else can read or plant artifacts, transcript records
that were skipped, ripgrep, the cache, the state, the hook.

--fix-modes takes the rights of others away: 0600 for your artifacts, 0700 for the
folders of their stores. It shows each change and asks; owners stay, links are not
followed, and the commands that give the rights back are printed."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The one option of `doctor`."""
    parser.description = DOCTOR
    options = parser.add_argument_group("options")
    options.add_argument(
        "--all", action="store_true", help="each problem, not one line for each kind"
    )
    options.add_argument(
        "--fix-modes", action="store_true", help="take the rights of others away"
    )
    options.add_argument("--yes", action="store_true", help="do so without asking")


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print stores, checks and problems; exit code 2 if a part could not be read."""
    from spillview.catalogue.catalogue import Catalogue

    catalogue = Catalogue.here()
    try:
        tell_reading(catalogue, streams)
        query = query_of(args, args.words)
        artifacts = catalogue.scan(query)
        if args.fix_modes:
            from spillview.cli.fixing import fix

            return fix(catalogue, artifacts, args, streams)
        stores = _stores(artifacts)
        told = [*map(Told, catalogue.problems)]
        told += _problems(catalogue, artifacts, stores)
        credentials, check = _credentials(catalogue, artifacts, streams)
        told += credentials
        checks = [*_checks(catalogue), *_policies(catalogue, query), check]
        if args.json:
            write_json(catalogue, checks, told, streams)
        else:
            write_stores(catalogue, checks, streams)
            write_problems(told, streams, every=args.all)
        unread = any(of.errors for of in stores.values())
        return 2 if catalogue.problems or unread else 0
    finally:
        catalogue.close()


def _checks(catalogue: Catalogue) -> Iterator[Check]:
    from spillview.config import unknown_harnesses
    from spillview.errors import SpillError
    from spillview.search.ripgrep import find_ripgrep

    try:
        program = find_ripgrep()
        yield Check("ripgrep", f"{program.version} at {program.path}")
    except SpillError as error:
        yield Check("ripgrep", "not usable", str(error))
    cache = catalogue.cache
    folder = catalogue.places.cache_dir
    yield Check("cache", folder, cache.problem or barred(folder))
    state = catalogue.state
    if state is not None:
        state.last_review()  # opens it, so that a fault shows
        folder = catalogue.places.state_dir
        faults = [problem.sentence for problem in state.problems]
        if (closed := _state_barred(folder)) is not None and not faults:
            faults = [f"marks, pins and clean-ups cannot be kept: {closed}"]
        yield Check("state", folder, "; ".join(faults) or None)
    wrong = unknown_harnesses(catalogue.settings, catalogue.places, catalogue.profiles)
    yield Check("config", catalogue.places.config_dir, "; ".join(wrong) or None)
    from spillview.hook.standing import standing

    try:
        cwd = os.getcwd()
    except OSError:  # it was removed
        cwd = catalogue.places.home
    hook = standing(catalogue.places, cwd)
    yield Check("hook", str(hook), "; ".join(hook.problems) or None)


def _state_barred(folder: str) -> str | None:
    """What keeps our own things from being written, in the folder or in its trash."""
    trash = os.path.join(folder, "trash")
    inner = trash if os.path.isdir(trash) else folder
    closed = barred(folder)
    if closed is None and not os.access(inner, os.W_OK | os.X_OK) and inner == trash:
        closed = unwritable(trash)
    return closed


def _policies(catalogue: Catalogue, query: Query) -> Iterator[Check]:
    """How many standing policies there are, and which of them fit nothing."""
    from spillview.cleanup.policies import Policies, idle_words

    rules = Policies(catalogue.settings.policies)
    if rules.policies:
        # Read by now: the transcripts tell the projects.
        idle = rules.idle(catalogue.scan(query))
        words = f"; {idle_words(idle)}" if idle else ""
        yield Check("policies", f"{len(rules.policies):,} set{words}")


@dataclass(slots=True)
class OfStore:
    """What the entries of one store's artifacts tell."""

    number: int = 0
    errors: list[tuple[str, str]] = field(default_factory=list)
    """Paths that cannot be looked at, and why."""
    owners: Counter[int] = field(default_factory=Counter)
    open: int = 0
    """How many any user can read."""


def _stores(artifacts: Listing) -> dict[tuple[str, str], OfStore]:
    """What entries tell, by harness and root."""
    stores: dict[tuple[str, str], OfStore] = {}
    for found in artifacts.found():
        key = (found.harness, found.root)
        store = stores.get(key)
        if store is None:
            store = stores[key] = OfStore()
        store.number += 1
        store.owners[found.uid] += 1
        if found.error:
            store.errors.append((found.path, found.error))
        if found.type == "file" and world_readable(found.path, found.mode):
            store.open += 1
    return stores


def _problems(
    catalogue: Catalogue,
    artifacts: Listing,
    stores: Mapping[tuple[str, str], OfStore],
) -> Iterator[Told]:
    """What can be read, but should be known; the most common kind comes last."""
    for (harness, _), of in stores.items():
        for path, error in of.errors:
            problem = Problem(path, error, harness)
            yield Told(problem, "{} artifacts could not be read")
    catalogue.skipped_records()  # reads what was not read yet
    for problem in catalogue.broken_records():
        yield Told(problem, "{} transcripts have broken records, which were skipped")
    yield from _profile_problems(catalogue)
    yield from _unaccounted(catalogue, artifacts)
    own = catalogue.places.uid
    for (harness, root), of in stores.items():
        foreign = sorted(of.owners.keys() - {own})
        if foreign and own >= 0:
            number = of.number - of.owners[own]
            sentence = (
                f"{plural(number, 'artifact')} of another user"
                f" (uid {', '.join(map(str, foreign))})"
            )
            kind = "{} artifacts of another user"
            yield Told(Problem(root, sentence, harness), kind, number)
    advice = (
        "can be read by every user of this machine: `spillview doctor --fix-modes`"
        " takes that right away"
    )
    for (harness, root), of in stores.items():
        if of.open:
            sentence = (
                f"{human_count(of.open)} of {plural(of.number, 'artifact')} {advice}"
            )
            kind = f"{{}} artifacts {advice}"
            yield Told(Problem(root, sentence, harness), kind, of.open)

    from spillview.exposure.exposure import exposures

    entries = artifacts.found()
    for fact in exposures(catalogue.stores, entries, catalogue.profiles, own):
        place = Problem(fact.path, fact.sentence, fact.harness)
        yield Told(place, fact.many, fact.number or 1, fact)


LOOKING = 3.0
"""Seconds that are spent on looking for credentials where nobody looked before, and on
reading results again."""


def _credentials(
    catalogue: Catalogue, artifacts: Listing, streams: Streams
) -> tuple[list[Told], Check]:
    """What looks like credentials, and how far was looked for them."""
    from spillview.secrets.kept import look_through
    from spillview.secrets.telling import holders, told

    left = look_through(
        catalogue.cache,
        artifacts,
        seconds=LOOKING,
        progress=lambda done, total: streams.progress("looked through", done, total),
    ).left
    catalogue.learn_secrets()
    fact = told(list(holders(catalogue, artifacts)))
    files = sum(found.type == "file" for found in artifacts.found())
    text = f"looked for in {plural(files, 'artifact')}"
    if left:
        text = (
            f"looked for in {human_count(files - left)} of"
            f" {plural(files, 'artifact')}; `spillview grep --secrets` looks through"
            " the others"
        )
    problems = []
    if fact is not None:
        place = Problem(fact.path, fact.sentence, fact.harness)
        problems.append(Told(place, fact.many, fact.number, fact))
    return problems, Check("credentials", text)


def _profile_problems(catalogue: Catalogue) -> Iterator[Told]:
    """The user's own profiles of which a part found nothing."""
    for fact in catalogue.user_profiles():
        if fact.lack is not None:
            yield Told(Problem(fact.path, fact.lack, fact.harness))


def _unaccounted(catalogue: Catalogue, artifacts: Listing) -> Iterator[Told]:
    """Profiles whose results hold text that none of their rules accounts for."""
    from spillview.profiles.unaccounted import tallies

    for fact in tallies(catalogue, artifacts, seconds=LOOKING):
        yield Told(Problem(fact.source, fact.sentence, fact.harness))
