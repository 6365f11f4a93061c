"""What was wrapped by hand: its envelope is known, and no model that read it."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.layout.folding import Fold
from spillview.model import Artifact, Session
from spillview.places import Places
from spillview.tui.artifact.lines import Place, header_lines, next_lines
from spillview.tui.pager import paint
from spillview.tui.pager.document import open_document
from spillview.tui.queue import columns
from spillview.tui.queue.detail import detail_lines
from spillview.tui.queue.rows import session_runs
from spillview.tui.queue.sessions import runs_of
from spillview.tui.runs import Runs
from tests.command import run
from tests.stores import SESSION
from tests.test_own_envelopes import told_by_claude
from tests.wrapping import anywhere, wrapped

__all__ = ["anywhere"]

CLAIM = re.compile(r"\bmodel\b|\bagent\b|in this session|\blive\b|session ends", re.I)
"""Words that tell of somebody who read it."""

pytestmark = pytest.mark.usefixtures("machine")


def wrap(*options: str) -> str:
    """Wrap something large; the envelope."""
    data = b"".join(b"%d\n" % n for n in range(40_000)) + b"ERROR: boom\n"
    return wrapped("--label", "night", *options, data=data).out.rstrip("\n")


def found() -> tuple[Artifact, Session]:
    catalogue = Catalogue(Places.here())
    whole = {a.id: a for a in catalogue.complete(catalogue.scan())}
    [artifact] = whole.values()
    [session] = catalogue.sessions([artifact])
    return artifact, session


def text(lines: list[Runs]) -> str:
    return "\n".join("".join(words for words, _ in runs) for runs in lines)


def screens(artifact: Artifact, session: Session) -> str:
    """Everything that the terminal program tells of it."""
    now = time.time()
    chosen = columns.choose(200, False)
    [run] = runs_of([session])
    parts = [
        text(header_lines(artifact, None, Place(0, 1), 200, now)),
        text(next_lines(artifact, 200, 4)),
        text(detail_lines(artifact, 200, 9, now)),
        text(detail_lines(run, 200, 9, now)),
        text([session_runs(run, chosen, False)]),
    ]
    document = open_document(artifact.found, root=artifact.found.root, encoding="utf-8")
    try:
        document.tell(artifact)
        parts.append(paint.fold_words(Fold(20_000, 100_000), document, 200))
    finally:
        document.close()
    return "\n".join(parts)


def test_no_model_is_claimed_where_only_the_envelope_is_known() -> None:
    wrap()
    artifact, session = found()
    assert artifact.modelless
    shown = screens(artifact, session)
    assert "the envelope showed" in shown
    assert "no transcript holds its envelope: who read it is not known" in shown
    assert "recent" in shown
    assert "not in the envelope" in shown
    assert CLAIM.search(shown) is None, CLAIM.search(shown)
    told = run("envelope", artifact.id).out
    assert "next      not known: no transcript holds this envelope\n" in told
    assert CLAIM.search(told) is None
    listed = run("sessions", terminal=True, width=200).out
    assert "recent" in listed
    assert CLAIM.search(listed.partition("\n")[2]) is None


def test_json_keeps_its_fields(machine: Path) -> None:
    wrap()
    row = run("ls", "--json").row
    assert row["link"] == "linked"
    assert row["seen_bytes"] > 0
    assert row["verdict_seen"] is True
    assert run("sessions", "--json").row["live"] is True
    told = run("envelope", row["id"], "--json").row
    assert told["next"] is None
    assert told["coverage"] > 0


def test_a_transcript_that_holds_the_envelope_tells_of_its_model(machine: Path) -> None:
    told_by_claude(machine, wrap("--session", SESSION))
    artifact, session = found()
    assert not artifact.modelless
    shown = screens(artifact, session)
    assert "model saw" in shown
    assert "the model never saw" in shown
    assert "The build is fine." in shown
    assert "the envelope showed" not in shown


def test_another_session_that_was_given_the_envelope_is_not_its_own(
    machine: Path,
) -> None:
    told_by_claude(machine, wrap())
    artifact, session = found()
    assert artifact.modelless
    assert "nothing more was said" not in screens(artifact, session)


def test_the_outline_of_a_json_output_claims_no_model() -> None:
    rows = json.dumps([{"n": n, "text": "x" * 40} for n in range(3_000)])
    wrapped("--as", "json", data=rows.encode())
    [row] = run("ls", "--json").rows
    out = run("shape", row["id"]).out
    assert "the envelope showed 8 of 3,000 items" in out
    assert CLAIM.search(out) is None
    assert CLAIM.search(run("shape", row["id"], "--table").out) is None


def test_what_agrees_is_told_once() -> None:
    wrap()
    row = run("ls", "--json").row
    out = run("envelope", row["id"]).out
    digest = run("envelope", row["id"], "--json").row["claimed"]["sha256"]
    assert out.count(digest) == 1
    assert f"sha256 {digest}, as measured\n" in out
    assert "they agree" not in out
