"""Our own store: its sidecars tell of the call, its envelope and its claims."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact
from spillview.places import Places

TEXT = "".join(f"step {n}\n" for n in range(9000)) + "FAILED: 3 of 9000\n"


def spill(home: Path, *, text: str = TEXT, **changes: Any) -> Path:
    """One artifact with its sidecar, as the store lays them out."""
    places = Places.of_home(str(home))
    session = "session-" + hashlib.sha256(b"night-1").hexdigest()[:12]
    folder = Path(places.state_dir) / "spills" / session
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "0123456789ab-bash.txt"
    path.write_text(text, newline="")
    head, tail = text[:300], text[-200:]
    omitted = len(text) - 500
    envelope = (
        f"{head}{tail}\n\n(Omitted {omitted} bytes. Full formatted result stored at:"
        f" {path}. Use read with offset/limit.)"
    )
    facts = {
        "session": "night-1",
        "tool": "bash",
        "call_id": "c-1",
        "label": "build",
        "command": "make all",
        "created": "2026-03-05T02:00:00Z",
        "exit_code": 2,
        "bytes": len(text),
        "chars": len(text),
        "lines": text.count("\n"),
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
        "envelope": {"text": envelope},
    }
    sidecar = folder / f".{path.name}.json"
    sidecar.write_text(json.dumps({**facts, **changes}))
    return path


def only(home: Path) -> tuple[Artifact, Catalogue]:
    catalogue = Catalogue(Places.of_home(str(home)))
    whole = {a.id: a for a in catalogue.complete(catalogue.scan())}
    (artifact,) = whole.values()
    return artifact, catalogue


def test_a_sidecar_links_its_artifact_to_call_session_and_envelope(
    tmp_path: Path,
) -> None:
    path = spill(tmp_path)
    artifact, catalogue = only(tmp_path)
    assert artifact.found.harness == "spillview"
    assert artifact.found.path == str(path)
    assert artifact.link is not None
    assert artifact.link.state == "linked"
    assert artifact.session == "night-1"
    assert (artifact.tool, artifact.command) == ("bash", "make all")
    assert artifact.failed is True
    assert artifact.link.seen is not None
    assert artifact.link.seen.ranges == ((0, 300), (len(TEXT) - 200, len(TEXT)))
    assert artifact.verdict_seen is True
    assert catalogue.problems == []
    facts = catalogue.envelope(artifact)
    assert facts.agrees is True
    assert facts.measured["sha256"] == hashlib.sha256(TEXT.encode()).hexdigest()


def test_a_sidecar_whose_digest_is_not_the_contents_disagrees(tmp_path: Path) -> None:
    spill(tmp_path, sha256="0" * 64)
    artifact, catalogue = only(tmp_path)
    assert catalogue.envelope(artifact).agrees is False


def test_without_an_envelope_nothing_is_called_seen_or_unseen(tmp_path: Path) -> None:
    spill(tmp_path, envelope=None)
    artifact, _ = only(tmp_path)
    assert artifact.link is not None
    assert artifact.link.state == "linked"
    assert artifact.verdict_seen is None


@pytest.mark.parametrize("text", ["", "[]", "{", '{"session": 7}', "null", "\0" * 40])
def test_a_broken_sidecar_is_a_problem_and_the_artifact_stays(
    tmp_path: Path, text: str
) -> None:
    path = spill(tmp_path)
    sidecar = path.parent / f".{path.name}.json"
    sidecar.write_text(text)
    artifact, catalogue = only(tmp_path)
    assert artifact.counts is not None
    assert artifact.counts.chars == len(TEXT)
    (problem,) = catalogue.problems
    assert problem.path == str(sidecar)


def test_a_sidecar_that_is_a_fifo_is_never_waited_for(tmp_path: Path) -> None:
    path = spill(tmp_path)
    sidecar = path.parent / f".{path.name}.json"
    sidecar.unlink()
    os.mkfifo(sidecar)
    artifact, _ = only(tmp_path)
    assert artifact.counts is not None
