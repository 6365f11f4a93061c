"""One transcript of any form, read through the events that its reader gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from spillview.errors import Unreadable
from spillview.transcripts import jsonl, logfile
from spillview.transcripts.conversation import Conversation
from spillview.transcripts.facts import TranscriptFacts
from spillview.transcripts.values import is_rows

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.profiles.profile import Profile

Cancelled = Callable[[], bool]


def read(
    found: TranscriptFound,
    profile: Profile,
    module: object,
    previous: TranscriptFacts | None,
    cancelled: Cancelled | None = None,
) -> TranscriptFacts:
    """The facts of one transcript, going on from `previous` where it still holds.

    `module` is the reader's. Raises `Unreadable` when the file cannot be read.
    """
    if is_rows(found.form, module):
        from spillview.transcripts import tables

        return tables.read(found, profile, module, previous, cancelled)
    forms = {"jsonl": _read_lines, "json": _read_document, "json-dir": _read_folder}
    reader = forms.get(found.form)
    if reader is None:
        raise Unreadable(f"Transcripts of the form {found.form} cannot be read.")
    return reader(found, profile, module, previous, cancelled)


def _read_lines(
    found: TranscriptFound,
    profile: Profile,
    module: object,
    previous: TranscriptFacts | None,
    cancelled: Cancelled | None,
) -> TranscriptFacts:
    with logfile.reading(found, previous) as (content, draft):
        talk = Conversation(found, profile, module, draft)
        scanner = jsonl.Scanner(
            jsonl.pieces(content.pread, draft.size_read, content.size, cancelled),
            talk.needles,
            talk.wanted,
            offset=draft.size_read,
            number=draft.lines,
            exact=content.size <= jsonl.EXACT,
            joint=logfile.joint(draft, content),
        )
        for record in scanner:
            talk.take(record)
        logfile.passed(draft, scanner)
        draft.size_read = scanner.consumed
        talk.close()
    return draft.facts()


def _read_document(
    found: TranscriptFound,
    profile: Profile,
    module: object,
    previous: TranscriptFacts | None,
    cancelled: Cancelled | None,
) -> TranscriptFacts:
    from spillview.transcripts import documents

    # A document is written anew each time; there is nothing to go on from.
    with logfile.reading(found, None) as (content, draft):
        talk = Conversation(found, profile, module, draft)
        outline = documents.outline(content, arrays_of(module), cancelled)
        talk.take(jsonl.Record(0, 0, 0, 0, documents.first_record(content, outline)))
        for record in documents.records(content, outline):
            if cancelled is not None and cancelled():
                break
            draft.lines += 1
            talk.count(record)
        draft.unfinished = not outline.complete
        draft.size_read = draft.text_read = content.size
        talk.close()
    return draft.facts()


def _read_folder(
    found: TranscriptFound,
    profile: Profile,
    module: object,
    previous: TranscriptFacts | None,
    cancelled: Cancelled | None,
) -> TranscriptFacts:
    from spillview.transcripts import folders

    names = folders.names_in(found.path)
    draft = folders.resume(found, names, previous)
    talk = Conversation(found, profile, module, draft)
    for record in folders.records(found.path, names, draft.size_read, cancelled):
        draft.lines += 1
        draft.size_read += 1
        talk.count(record)
    talk.close()
    folders.finish(draft, found, names)
    return draft.facts()


def arrays_of(module: object) -> tuple[str, ...]:
    """The arrays of a document whose elements are records, as a reader names them."""
    return cast("tuple[str, ...]", getattr(module, "RECORDS", ("[]",)))
