"""What the words of a command line mean: one artifact, or a ground of many."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from spillview.catalogue.query import MIN_PREFIX, Query
from spillview.discovery.discovery import artifact_id
from spillview.errors import BadInput, Unreadable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue

ID = re.compile(r"[0-9a-f]{4,16}")

LISTED = 8
"""So many candidates are named when a reference is not unique."""


def find(catalogue: Catalogue, reference: str, query: Query) -> Artifact:
    """The one artifact `reference` means: a path, an id prefix or a bare file name."""
    if os.sep in reference or os.path.lexists(reference):
        hits = _by_path(catalogue, reference, query)
    else:
        everything = catalogue.scan(query)
        hits = []
        if ID.fullmatch(reference):
            hits = everything.with_prefix(reference)
            if all(a.id != reference for a in hits):
                hits += _printed(catalogue, reference, hits, query)
        if not hits:
            hits = everything.named(reference)
        if not hits and len(reference) < MIN_PREFIX:
            raise BadInput(
                f"“{printable(reference)}” is too short for an id: give at least"
                f" {MIN_PREFIX} characters, a path or a file name."
            )
    if not hits:
        raise BadInput(
            f"No artifact answers to “{path_text(reference)}”."
            " `spillview ls --all` lists their ids."
        )
    if len(hits) > 1:
        names = ", ".join(f"{a.id} ({path_text(a.found.name)})" for a in hits[:LISTED])
        more = f" and {len(hits) - LISTED} more" if len(hits) > LISTED else ""
        raise BadInput(
            f"“{path_text(reference)}” means {len(hits)} artifacts: {names}{more}."
            " Give a longer id or the path."
        )
    for whole in catalogue.complete(hits):
        hits = [whole]
    return hits[0]


def _by_path(catalogue: Catalogue, path: str, query: Query) -> list[Artifact]:
    try:
        os.lstat(path)
    except PermissionError:
        raise Unreadable(f"{path_text(path)}: no access: permission denied") from None
    except (OSError, ValueError):
        raise BadInput(f"{path_text(path)}: no such file or folder.") from None
    if os.path.isdir(path):
        kind = "a link to a folder" if os.path.islink(path) else "a folder"
        raise BadInput(
            f"{path_text(path)} is {kind}; name one artifact,"
            f" or list it with `spillview ls`."
        )
    wanted = artifact_id(path)
    query = replace(query, paths=(path,), since=None, until=None)
    hits: Sequence[Artifact] = catalogue.scan(query)
    if len(hits) == 1 and hits[0].id == wanted and hits[0].found.harness != "folder":
        # Together with what lies beside it: a read of it may have been spilled again.
        around = replace(query, paths=(os.path.dirname(os.path.abspath(path)),))
        hits = catalogue.scan(around)
        if all(a.id != wanted for a in hits):
            hits = catalogue.scan(query)
    return [a for a in hits if a.id == wanted] or list(hits)


def _printed(
    catalogue: Catalogue, prefix: str, known: Sequence[Artifact], query: Query
) -> list[Artifact]:
    """Artifacts outside the default stores whose id was printed before."""
    if catalogue.state is None:
        return []
    ids = {a.id for a in known}
    paths = [
        path
        for path in catalogue.state.path_of(prefix)
        if artifact_id(path) not in ids and os.path.lexists(path.partition("\0")[0])
    ]
    if not paths:
        return []
    wanted = {artifact_id(path) for path in paths}
    paths = [path.partition("\0")[0] for path in paths]
    # One scan of both, so that what is found stays known to the catalogue.
    both = (*query.paths, *(a.found.path for a in known), *paths)
    hits = catalogue.scan(replace(query, paths=both, since=None, until=None))
    return [a for a in hits if a.id in wanted]


def where(
    catalogue: Catalogue, words: Sequence[str], query: Query
) -> Sequence[Artifact]:
    """The artifacts that the words mean together, newest first, each once."""
    paths = tuple(w for w in words if _is_path(catalogue, w))
    names = [w for w in words if w not in paths]
    if not names:
        return catalogue.scan(replace(query, paths=(*query.paths, *paths)))
    everything = catalogue.scan(query)
    chosen: dict[str, Artifact] = {}
    printed: list[str] = []
    for word in names:
        hits: Sequence[Artifact] = everything.called(word)
        hits = hits or Query(session=word).among(everything)
        if not hits and ID.fullmatch(word):
            hits = everything.with_prefix(word)
            printed += _printed_before(catalogue, word) if not hits else ()
        if not hits and not paths and not printed and word not in catalogue.profiles:
            raise BadInput(
                f"“{printable(word)}” is no artifact, session, harness or path here."
                " `spillview sessions` and `spillview ls` list what there is."
            )
        chosen.update((a.id, a) for a in hits)
    if paths or printed:
        # The last scan is what the catalogue completes: name every path in one.
        addresses = [*(a.found.address for a in chosen.values()), *printed]
        all_paths = (*(each.partition("\0")[0] for each in addresses), *paths)
        named = catalogue.scan(replace(query, paths=all_paths))
        # Of a database that is not itself named, only the rows that are.
        rows = {artifact_id(each) for each in addresses}
        given = {os.path.abspath(path) for path in paths}
        return [
            a
            for a in named
            if a.found.row is None or a.id in rows or _within(a.found.path, given)
        ]
    return catalogue.narrow(chosen.values(), query)


def _is_path(catalogue: Catalogue, word: str) -> bool:
    if word in catalogue.profiles:
        return False
    return os.sep in word or os.path.lexists(word)


def _within(path: str, given: set[str]) -> bool:
    """Whether `path` is one of those given, or below one."""
    return any(path == each or path.startswith(each + os.sep) for each in given)


def _printed_before(catalogue: Catalogue, prefix: str) -> list[str]:
    """The addresses of artifacts whose id was printed before, and which are there."""
    if catalogue.state is None:
        return []
    known = catalogue.state.path_of(prefix)
    return [each for each in known if os.path.lexists(each.partition("\0")[0])]
