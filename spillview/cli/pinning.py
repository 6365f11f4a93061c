"""`pin` and `unpin`: artifacts and sessions that no clean-up plans for removal."""

from __future__ import annotations

import argparse
import os

from spillview.cli.commands import query_of
from spillview.cli.stopping import Stop
from spillview.errors import BadInput, SpillError
from spillview.hints import TYPE_CHECKING
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spillview.catalogue.catalogue import Catalogue, Query
    from spillview.cleanup.pins import Pin, Pins
    from spillview.cli.streams import Streams
    from spillview.model import Artifact

PIN = """\
Pins artifacts: no clean-up plans them for removal until they are unpinned. With
--session ID alone it pins a whole session, all that it has and will have. Without
either it lists the pins.

An artifact's pin goes by its path, a session's by its id: the latter holds when a store
is moved or its files are renamed. `ls` flags both as pinned."""

UNPIN = """\
Takes pins back. ARTIFACT may also be the id or the path of a pin whose file is gone;
--session ID alone takes back the pin of a whole session."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The help of `pin` and `unpin`; they have no options of their own."""
    parser.description = PIN if name == "pin" else UNPIN


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Pin or unpin what the words mean; gives the exit code."""
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cleanup.pins import Pin, Pins

    catalogue = Catalogue.here()
    try:
        pins = Pins(catalogue.places)
        if not args.words and args.session is not None:
            return _whole_session(name, pins, catalogue, args, streams)
        if not args.words:
            if name == "unpin":
                raise BadInput(
                    "name the artifacts to unpin, or a --session; `spillview pin`"
                    " lists pins"
                )
            known = pins.all()
            for pin in known.values():
                _tell(pin, args, streams, pinned=True)
            if not known:
                streams.note("nothing is pinned: `spillview pin ARTIFACT` does it")
            return 0
        query = query_of(args)
        if name == "unpin":
            known = pins.all()
            ids = [_pinned(word, known, catalogue, query) for word in args.words]
            changed = pins.remove(ids)
        else:
            found = _found(args.words, catalogue, query, streams)
            if found is None:
                return 130
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
        if name == "unpin" and pins.pinned().sessions:
            for word, ident in zip(args.words, ids, strict=True):
                _tell_session(word, ident, catalogue, query, streams)
        return 0 if changed or name == "pin" else 1
    finally:
        catalogue.close()


def _found(
    words: Sequence[str], catalogue: Catalogue, query: Query, streams: Streams
) -> list[Artifact] | None:
    """The artifacts that these words mean; None where the person stopped it."""
    found = []
    with Stop() as stop:
        for number, word in enumerate(words):
            if stop():
                streams.error(
                    f"stopped: {number:,} of {len(words):,} artifacts were looked up,"
                    " and none was pinned; the same command pins them"
                )
                return None
            streams.progress("looked up", number, len(words))
            found.append(catalogue.find(word, query))
    return found


def _whole_session(
    name: str,
    pins: Pins,
    catalogue: Catalogue,
    args: argparse.Namespace,
    streams: Streams,
) -> int:
    """Pin or unpin the session that --session names."""
    from spillview.cleanup.pins import session_pin

    if name == "pin":
        keys = {(a.found.harness, a.session) for a in catalogue.scan(query_of(args))}
    else:
        keys = {
            (pin.harness or "", pin.session)
            for pin in pins.all().values()
            if pin.session is not None
            and args.harness in (None, pin.harness)
            and pin.session.startswith(args.session)
        }
    exact = {key for key in keys if key[1] == args.session}
    keys = exact or keys
    if len(keys) > 1:
        named = ", ".join(" ".join(map(path_text, key)) for key in sorted(keys)[:3])
        raise BadInput(
            f"“{args.session}” means {len(keys)} sessions ({named}): give more of it,"
            " or --harness"
        )
    if not keys:
        what = "is found" if name == "pin" else "is pinned"
        streams.note(f"no session {args.session} {what}")
        return 1
    pin = session_pin(*keys.pop(), catalogue.now())
    changed = pins.add([pin]) if name == "pin" else pins.remove([pin.id])
    for each in changed:
        _tell(each, args, streams, pinned=name == "pin")
    if not changed:
        streams.note(f"session {args.session} is pinned already")
    return 0


def _tell_session(
    word: str, ident: str, catalogue: Catalogue, query: Query, streams: Streams
) -> None:
    """Say that an artifact stays pinned with its session, if it does."""
    try:
        artifact = catalogue.find(ident, query)
    except SpillError:
        return  # its file is gone
    session = artifact.session
    sessions = {(artifact.found.harness, session)}
    if catalogue.why_pinned("", sessions) is not None:
        streams.note(
            f"{path_text(word)} stays pinned with its session: `spillview unpin"
            f" --session {path_text(session)}` takes that back"
        )


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
        from spillview.cleanup.plan_rows import pin_row

        streams.json(pin_row(pin, pinned=pinned))
        return
    what = pin.path
    if pin.session is not None:
        what = f"all of session {pin.session} of {pin.harness}"
    streams.line(f"{pin.id}  {printable(path_text(what))}")
