"""That there is nothing to print, and what to do: one sentence on stderr."""

from __future__ import annotations

import time

from spillview.hints import TYPE_CHECKING
from spillview.text import path_text, plural, when

if TYPE_CHECKING:
    from spillview.catalogue.query import Query


def none_found(
    what: str, query: Query, *, elsewhere: bool = False, total: int = 0, kind: str = ""
) -> str:
    """That no `what` was found: here, or where and of when it was asked for.

    Args:
        elsewhere: Whether words of a command said where, besides the query's paths.
        total: How many there are that are not of the `kind` asked for.
        kind: The kind, as `--only` takes it.
    """
    there = elsewhere or bool(query.paths) or query.harness is not None
    if kind and total:
        return (
            f"none of {plural(total, what)}{' there' if there else ''} is “{kind}”;"
            " leave --only out to list them"
        )
    times = (("since", query.since), ("until", query.until))
    said = [f"{w} {when(t, time.time())}" for w, t in times if t is not None]
    if said:
        options = " and ".join(f"--{w}" for w, t in times if t is not None)
        place = " there" if there else ""
        return (
            f"no {what}s {' '.join(said)} were found{place};"
            f" leave {options} out for those of all time"
        )
    if query.paths:
        doctor = "`spillview doctor PATH` tells what is taken for a store there"
        return f"no {what}s were found there; {doctor}"
    if there:
        of = f" of {path_text(query.harness)}" if query.harness is not None else ""
        place = " there" if elsewhere else ""
        return f"no {what}s{of} were found{place} (see `spillview doctor`)"
    return (
        f"no {what}s were found on this machine (see `spillview doctor`);"
        " `spillview demo` shows a made night"
    )
