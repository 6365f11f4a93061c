"""What the disk needs: free space, every store's total, the trash, and a plan."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from spillview.discovery.discovery import StoreFound
from spillview.errors import Cancelled, SpillError
from spillview.growth.current import least_free
from spillview.growth.disks import disks_of, until_full
from spillview.report.findings import Finding
from spillview.space import size_words
from spillview.text import human_age, human_bytes, path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue, Query

ADVISED_DAYS = 7
"""The default advice of a clean-up: what was not active for so many days."""


def storage(
    catalogue: Catalogue,
    problems: list[str],
    filling: Mapping[int, float],
    planned: Finding | None,
) -> Iterator[Finding]:
    """What there is and what a clean-up would free; nothing is removed.

    `filling` has the bytes a second that come to each device by what grows now,
    `planned` what `plan_of` gave. What cannot be found out becomes a problem.
    """
    stores = catalogue.stores
    yield from _free(catalogue, stores, filling)
    yield from _totals(stores)
    trash = _trash(catalogue, problems)
    if trash is not None:
        yield trash
    if planned is not None:
        yield planned


def _free(
    catalogue: Catalogue, stores: list[StoreFound], filling: Mapping[int, float]
) -> Iterator[Finding]:
    """Free space, once for each filesystem."""
    least = least_free(catalogue.settings)
    places = [*(store.root for store in stores), catalogue.places.home]
    for dev, disk in disks_of(places).items():
        share = f" ({disk.share:.0%})" if disk.size else ""
        text = (
            f"{human_bytes(disk.free)} of {human_bytes(disk.size)}{share} are free on"
            f" the disk of {path_text(disk.path)}"
        )
        full = until_full(disk.free, filling.get(dev))
        if full is not None:
            text += f", full in {human_age(full)} at the rate of what grows now"
        short = least is not None and disk.free < least.of(disk.size)
        if short:
            text += f": less than the {least} that should be"
        more = {
            "what": "free",
            "path": path_text(disk.path),
            "bytes": disk.free,
            "of": disk.size,
            "full_in_seconds": None if full is None else round(full, 1),
            "short": short,
        }
        yield Finding("disk", text, more=more)


def _totals(stores: list[StoreFound]) -> Iterator[Finding]:
    for store in sorted(stores, key=lambda s: (-s.bytes, s.root)):
        files = "1 artifact" if store.artifacts == 1 else f"{store.artifacts:,}"
        noun = "" if store.artifacts == 1 else " artifacts"
        text = (
            f"{store.harness} holds {size_words(store.bytes, store.disk)} in"
            f" {files}{noun} at {path_text(store.root)}"
        )
        more = {
            "what": "store",
            "harness": store.harness,
            "path": path_text(store.root),
            "bytes": store.bytes,
            "disk_bytes": store.disk,
            "artifacts": store.artifacts,
        }
        yield Finding("disk", text, more=more)


def _trash(catalogue: Catalogue, problems: list[str]) -> Finding | None:
    from spillview.cleanup.trash import Trash

    try:
        batches = Trash(catalogue.places).batches()
    except SpillError as error:
        problems.append(str(error))
        return None
    size = sum(batch.bytes for batch in batches)
    text = "the trash is empty"
    if batches:
        text = (
            f"the trash holds {human_bytes(size)}:"
            " `spillview trash --empty` frees them for good"
        )
    more = {"what": "trash", "bytes": size, "batches": len(batches)}
    return Finding("disk", text, more=more)


def plan_of(
    catalogue: Catalogue,
    query: Query,
    problems: list[str],
    cancelled: Callable[[], bool] | None = None,
) -> Finding | None:
    """What the standing policies would free; without any, what the default advice.

    Scans anew with a catalogue of its own. None where it is `cancelled`.
    """
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cleanup.cleanup import prospect
    from spillview.cleanup.policy_file import standing_policies
    from spillview.cleanup.rules import Deciding, Rules

    own = Catalogue(
        catalogue.places,
        catalogue.settings,
        cache=catalogue.cache,
        now=catalogue.now,
    )
    own.tell_reading(catalogue.standing.tell)
    ground = replace(query, since=None, until=None)
    rules: Deciding = Rules(older_than=ADVISED_DAYS * 86_400.0)
    words = ["spillview", "prune", "--older-than", f"{ADVISED_DAYS}d"]
    what = f"of what was not active for {ADVISED_DAYS} days"
    try:
        if own.settings.policies:
            rules = standing_policies(own.settings, own.places, own.profiles)
            words, what = [*words[:2], "--policy"], "by the standing policies"
        seen = prospect(own, ground, rules, cancelled)
    except Cancelled:
        return None
    except SpillError as error:
        problems.append(str(error))
        return None
    finally:
        own.forget()
    plan = seen.plan
    number = len(plan.remove)
    files = "1 artifact" if number == 1 else f"{number:,} artifacts"
    if query.harness is not None:
        words += ["--harness", query.harness]
    command = shlex.join([*words, *map(path_text, query.paths)])
    text = (
        f"a clean-up {what} would free {human_bytes(plan.frees)} of {files}:"
        f" `{command}`"
    )
    more = {
        "what": "plan",
        "remove": number,
        "remove_bytes": plan.remove_bytes,
        "bytes": plan.frees,
        "keep": len(plan.keep),
        "plan": command,
    }
    return Finding("disk", text, more=more)
