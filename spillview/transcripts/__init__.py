"""Transcripts of agent runs: which records carry an envelope, and what came of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module

from spillview.errors import SpillError, Unreadable
from spillview.hints import TYPE_CHECKING, Any
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.discovery.discovery import TranscriptFound
    from spillview.model import Mention, Read
    from spillview.profiles.profile import Profile
    from spillview.transcripts.facts import Touch, TranscriptFacts

Cancelled = Callable[[], bool]

READERS: dict[str, str] = {
    "cline": "spillview.transcripts.cline",
    "pi": "spillview.transcripts.pi",
    "workbuddy": "spillview.transcripts.workbuddy",
    "claude": "spillview.transcripts.claude",
    "claude-code": "spillview.transcripts.claude",
    "dsh": "spillview.transcripts.dsh",
    "goose": "spillview.transcripts.goose",
    "hermes": "spillview.transcripts.hermes",
    "opencode": "spillview.transcripts.opencode",
    "copilot-cli": "spillview.transcripts.copilot_cli",
    "cursor": "spillview.transcripts.cursor",
    "deepagents": "spillview.transcripts.deepagents",
    "droid": "spillview.transcripts.droid",
    "openhands": "spillview.transcripts.openhands",
    "vscode-copilot": "spillview.transcripts.vscode_copilot",
    "codex": "spillview.transcripts.codex",
    "gemini": "spillview.transcripts.gemini",
    "letta": "spillview.transcripts.letta",
    "qwen": "spillview.transcripts.qwen",
    "fields": "spillview.transcripts.fields",
    "sidecar": "spillview.transcripts.sidecar",
}
"""Reader names that profiles use, and the module of each. It gives `events`, and the
rest is done by `conversation`; or it gives `read`, `record_at` and `blocks` itself.
`reader_for(profile)` gives a reader that follows the profile."""


def read_transcript(
    found: TranscriptFound,
    profile: Profile,
    previous: TranscriptFacts | None = None,
    cancelled: Cancelled | None = None,
    *,
    host: Profile | None = None,
) -> TranscriptFacts:
    """What the transcript says, going on from `previous` where it still holds.

    `host` is the profile of the harness that wrote it, where `profile` is a guest's.

    Bounded memory. When `cancelled` turns true the facts up to there are given; they
    can be gone on from. Raises `Unreadable` when the file cannot be read.
    """
    name = READERS.get(found.reader)
    if name is None:
        raise Unreadable(f"No reader is known for {found.reader} transcripts.")
    try:
        module = reader_of(found.reader, host or profile)
        if hasattr(module, "read"):
            facts: TranscriptFacts = module.read(found, profile, previous, cancelled)
        else:
            from spillview.transcripts import event_log

            facts = event_log.read(found, profile, module, previous, cancelled)
    except SpillError:
        raise
    except Exception as error:  # a record that its reader is not ready for
        # The other transcripts are read all the same.
        if os.environ.get("SPILLVIEW_DEBUG"):
            raise
        where = printable(path_text(found.path))
        raise Unreadable(
            f"{where} holds something that cannot be read ({type(error).__name__});"
            " with SPILLVIEW_DEBUG=1 it shows where, which helps to report it."
        ) from error
    return facts


def reader_of(name: str, profile: Profile) -> Any:
    """The reader of that name: its module, or what it makes of the profile."""
    module = import_module(READERS[name])
    if hasattr(module, "reader_for"):
        return module.reader_for(profile)
    return module


def record_text(place: Mention | Touch | Read, profile: Profile) -> str:
    """The exact text of an envelope, or of a later call's result, read again.

    Raises `ArtifactGone` when the transcript no longer holds that record, and
    `Unreadable` when it cannot be read.
    """
    from spillview.transcripts import envelopes

    return envelopes.text(place, profile)
