"""What stands in the queue's place when there is nothing to show, and what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.picks import PICKS
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.tui.queue.arrangement import Arrangement, View

_CAPTURE = re.compile(r"<[^<>]*>")
"""A part of a root's pattern that varies."""

Keys = Callable[[str], str]
"""Gives the key of a name of `[keys]`."""

MOST = 12
"""So many folders are named; the rest are counted."""


def words(
    keys: Keys,
    catalogue: Catalogue,
    scope: Query,
    view: View,
    shown: Arrangement,
    window: str,
    failure: str | None,
) -> Content:
    """What is said where no row is shown; `failure` is why nothing could be read."""
    if failure is not None:
        return failed(keys, failure)
    if view.filter.strip():
        return no_match(keys, view.filter)
    if view.only is not None:
        return nothing_selected(keys, PICKS[view.only].words)
    if shown.missing:
        return only_missing(keys, shown.missing, window)
    if shown.beyond:
        return nothing_new(keys, window, shown.beyond)
    return no_stores(keys, looked_at(catalogue, scope), catalogue.places.home)


def looked_at(catalogue: Catalogue, query: Query) -> list[str]:
    """The paths that were given, else where the harnesses would keep their stores."""
    if query.paths:
        return list(query.paths)
    from spillview.discovery.roots import templates

    places = catalogue.places
    folders: dict[str, None] = {}
    for profile in catalogue.profiles.values():
        for root in profile.roots:
            for base, below in templates(root, places):
                folder = os.path.join(base, _CAPTURE.sub("*", below).strip("/"))
                if not places.confined or folder.startswith(places.home + os.sep):
                    folders[folder.rstrip("/")] = None
    return list(folders)


def no_stores(keys: Keys, folders: Sequence[str], home: str) -> Content:
    """Nothing was found at all."""
    lines = [
        "No spilled tool outputs were found.",
        "",
        f"{keys('home.demo'):13}  makes a small demo night to look around in",
        "spillview DIR  browses any folder of tool outputs",
    ]
    if folders:
        shown = [_short(folder, home) for folder in folders[:MOST]]
        lines += ["", "Looked in", *(f"  {folder}" for folder in shown)]
        if len(folders) > MOST:
            lines.append(f"  and {len(folders) - MOST:,} more")
    return Content("\n".join(lines))


def _short(folder: str, home: str) -> str:
    if folder == home or folder.startswith(home.rstrip("/") + "/"):
        folder = "~" + folder[len(home.rstrip("/")) :]
    return printable(path_text(folder))


def nothing_new(keys: Keys, window: str, beyond: int) -> Content:
    """The window leaves everything out."""
    noun = "artifact is" if beyond == 1 else "artifacts are"
    key = keys("home.all_time")
    lines = [
        f"Nothing left to review {window}.",
        "",
        f"{key}  shows all time: {beyond:,} {noun} older, or reviewed",
    ]
    return Content("\n".join(lines))


def only_missing(keys: Keys, calls: int, window: str) -> Content:
    """No artifact, but calls that were cut or whose artifacts are gone."""
    them = "1 missing call" if calls == 1 else f"{calls:,} missing calls"
    lines = [
        f"No artifact {window}, but {them}: cut with nothing saved, or dangling,",
        "the artifact gone.",
        "",
        f"{keys('home.missing')}  shows them",
    ]
    return Content("\n".join(lines))


def no_match(keys: Keys, query: str) -> Content:
    """The filter leaves everything out."""
    clear = f"{keys('home.clear')}  clears the filter"
    lines = [f"Nothing matches “{printable(query)}”.", "", clear]
    return Content("\n".join(lines))


def nothing_selected(keys: Keys, words: str) -> Content:
    """The selection leaves everything out."""
    lines = [
        f"There are none of this kind: {words}.",
        "",
        f"{keys('home.which')}  goes on to the next kind",
        f"{keys('home.clear')}  shows everything",
    ]
    return Content("\n".join(lines))


def failed(keys: Keys, sentence: str) -> Content:
    """The stores could not be read."""
    reload, leave = keys("home.reload"), keys("home.quit")
    lines = [printable(sentence), "", f"{reload}  tries again", f"{leave}  quits"]
    return Content("\n".join(lines))
