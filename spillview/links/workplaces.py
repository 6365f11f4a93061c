"""Sessions that ran in a folder, where a store's layout alone does not tell.

Where a store has a folder for each project, directory entries tell which sessions ran
in a folder, though their artifacts may lie elsewhere. Of all others the transcripts
tell it, which are read (or known from the cache) for it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from spillview.catalogue.finds import Finds
from spillview.discovery.discovery import Discovery, discover
from spillview.hints import TYPE_CHECKING
from spillview.links.addresses import real_path
from spillview.model import Found

if TYPE_CHECKING:
    from spillview.config import Settings
    from spillview.links.records import Records
    from spillview.places import Places
    from spillview.profiles.profile import Profile


def with_sessions(
    seen: Discovery,
    places: Places,
    profiles: Mapping[str, Profile],
    settings: Settings | None,
    harness: str | None,
    records: Records,
) -> Discovery:
    """What was found below PATHs, with the sessions that ran in these folders.

    A folder in which one ran means its sessions, and not the files in it.
    """
    silent = {name for name, profile in profiles.items() if _is_silent(profile)}
    guests = {name for name, profile in profiles.items() if profile.guest}
    folders = {os.path.realpath(path): path for path in (*seen.plain, *seen.projects)}
    usual = discover(places, profiles, settings, (), harness)
    known = {log.path for log in seen.transcripts}
    logs = [
        log
        for log in usual.transcripts
        if log.path in known or not _names_folders(profiles[log.harness])
    ]
    asked = {log.harness for log in logs} & silent | guests
    logs = [log for log in logs if log.harness in asked]
    if not logs:
        return seen
    found = [item for item in usual.found if item.harness in asked]
    records.take(logs, found)
    records.read_all()
    places_of = {
        key: real_path(facts.project)
        for key, facts in records.sessions.items()
        if facts.project is not None
    }
    here = {key for key, place in places_of.items() if place in folders}
    if not here:
        return seen
    ran = {folders[places_of[key]] for key in here}
    for log in logs:
        if any((log.harness, name) in here for name in records.sessions_in(log)):
            seen.transcripts += [log] if log.path not in known else []
    kept = [item for item in seen.found if item.root not in ran]
    mine = [item for item in found if _session_of(item, records) in here]
    merged = {item.id: item for item in (*kept, *mine)}
    roots = {(item.harness, item.root) for item in mine}
    stores = [store for store in seen.stores if store.root not in ran]
    stores += [s for s in usual.stores if (s.harness, s.root) in roots]
    seen.found = Finds(merged.values())
    seen.stores = stores
    seen.projects += [path for path in seen.plain if path in ran]
    seen.plain = [path for path in seen.plain if path not in ran]
    return seen


def _names_folders(profile: Profile) -> bool:
    """Whether its transcripts lie in folders that name their project."""
    return bool(profile.projects) and any(
        "<project" in rule.path for rule in profile.transcripts
    )


def _is_silent(profile: Profile) -> bool:
    """Whether some of its artifacts lie where no folder names their project."""
    return bool(profile.transcripts) and (
        not profile.projects
        or any("<project" not in glob.path for glob in profile.globs)
    )


def _session_of(item: Found, records: Records) -> tuple[str, str]:
    """The artifact's harness and true session."""
    link = records.links.get(item.id)
    if link is not None and link.envelope is not None:
        return item.harness, link.envelope.session
    return item.harness, item.session
