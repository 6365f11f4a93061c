"""`pin` and `unpin`: artifacts that no clean-up plans for removal."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from spillview.cli.commands import query_of
from spillview.errors import BadInput
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue import Catalogue, Query
    from spillview.cli.streams import Streams
    from spillview.pins import Pin

PIN = """\
Pins artifacts: no clean-up plans them for removal until they are unpinned. Without
ARTIFACT it lists the pins."""

UNPIN = """\
Takes pins back. ARTIFACT may also be the id or the path of a pin whose file is gone."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The help of `pin` and `unpin`; they have no options of their own."""
    parser.description = PIN if name == "pin" else UNPIN


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Pin or unpin what the words mean; gives the exit code."""
    from spillview.catalogue import Catalogue
    from spillview.pins import Pin, Pins

    catalogue = Catalogue.here()
    try:
        pins = Pins(catalogue.places)
        if not args.words:
            if name == "unpin":
                raise BadInput(
                    "name the artifacts to unpin; `spillview pin` lists pins"
                )
            for pin in pins.all().values():
                _tell(pin, args, streams, pinned=True)
            return 0
        query = query_of(args)
        if name == "unpin":
            known = pins.all()
            ids = [_pinned(word, known, catalogue, query) for word in args.words]
            changed = pins.remove(ids)
        else:
            found = [catalogue.find(word, query) for word in args.words]
            now = catalogue.now()
            changed = pins.add(Pin(a.id, a.found.address, now) for a in found)
            ids = [artifact.id for artifact in found]
        for pin in changed:
            _tell(pin, args, streams, pinned=name == "pin")
        done = {pin.id for pin in changed}
        for word, ident in zip(args.words, ids, strict=True):
            if ident not in done:
                already = "is pinned already" if name == "pin" else "was not pinned"
                streams.note(f"{path_text(word)} {already}")
        return 0 if changed or name == "pin" else 1
    finally:
        catalogue.close()


def _pinned(
    word: str, known: dict[str, Pin], catalogue: Catalogue, query: Query
) -> str:
    """The id that a word means: of a pin first, for its file may be gone."""
    hits = [ident for ident in known if len(word) >= 4 and ident.startswith(word)]
    hits = hits or [p.id for p in known.values() if p.path == os.path.abspath(word)]
    return hits[0] if len(hits) == 1 else catalogue.find(word, query).id


def _tell(
    pin: Pin, args: argparse.Namespace, streams: Streams, *, pinned: bool
) -> None:
    if args.json:
        from spillview.plan_rows import pin_row

        streams.json(pin_row(pin, pinned=pinned))
    else:
        streams.line(f"{pin.id}  {printable(path_text(pin.path))}")
