"""What can be copied of an artifact, a session, or a call without a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact, Missing, Session
from spillview.secrets.masking import concealed_bytes
from spillview.secrets.showing import edge_pieces
from spillview.seen.envelope import EnvelopeFacts
from spillview.text import path_text
from spillview.tui.copying import Copyable, NothingToCopy

MASKED = "credentials as stars"


def copies_of(
    catalogue: Catalogue,
    row: Artifact | Missing | Session | None,
    *,
    facts: EnvelopeFacts | None = None,
    show: str = "",
    bare: bool = False,
) -> Iterator[Copyable]:
    """What can be copied of a row of any list.

    `facts` are those of its envelope where they are known already, `show` the options
    of `spillview show` for the place that is looked at; `bare`: credentials are shown.
    """
    if isinstance(row, Artifact):
        yield from _of_artifact(catalogue, row, facts, show, bare)
    elif isinstance(row, Missing):
        if row.mention.call_id is not None:
            yield Copyable("i", "the call's id", path_text(row.mention.call_id))
        if row.mention.path is not None:
            yield Copyable("p", "the path", path_text(row.mention.path), "it is gone")
    elif row is not None:
        yield Copyable("i", "the session's id", path_text(row.id))
        if row.project is not None:
            yield Copyable("p", "the project's path", path_text(row.project))


def _of_artifact(
    catalogue: Catalogue,
    artifact: Artifact,
    facts: EnvelopeFacts | None,
    show: str,
    bare: bool,
) -> Iterator[Copyable]:
    found = artifact.found
    ident = (artifact.id, found.address)
    yield Copyable("i", "the id", artifact.id, ident=ident)
    note = ""
    if found.row is not None:
        note = f"a database, this is its row {path_text(found.row)}"
    yield Copyable("p", "the path", path_text(found.path), note)
    if found.type == "file":
        options = f" {show}" if show else ""
        command = f"spillview show {artifact.id}{options}"
        yield Copyable("s", "the command that shows this", command, ident=ident)
    if artifact.link is None or artifact.envelope is not None:
        make = partial(_envelope, catalogue, artifact, facts)
        if not bare:
            masked = partial(make, masked=True)
            yield Copyable("e", "the envelope", masked, MASKED)
        yield Copyable(
            "e" if bare else "E", "the envelope as the model received it", make
        )


def _envelope(
    catalogue: Catalogue,
    artifact: Artifact,
    facts: EnvelopeFacts | None,
    *,
    masked: bool = False,
) -> str:
    """The exact text that the model received. Raises `NothingToCopy` and `SpillError`.

    `masked`: with its credentials as stars.
    """
    if facts is None:
        for known in catalogue.complete([artifact]):
            artifact = known
        facts = catalogue.envelope(artifact)
    shown = facts.shown if facts is not None else ()
    if not shown:
        raise NothingToCopy("No envelope of it is known.")
    text = shown[0].text
    if text is None:
        raise NothingToCopy(shown[0].why)
    if not masked:
        return text
    data = text.encode("utf-8", "surrogatepass")
    hidden = concealed_bytes(data, edge_pieces(artifact))
    return hidden.decode("utf-8", "surrogatepass")
