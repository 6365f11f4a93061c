"""Our own envelopes inside other harnesses' transcripts: linked, and seen exactly."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from spillview import (
    LocalSpillStore,
    SaveTextSpill,
    SpillOwner,
    SpillSource,
    json_envelope,
    text_envelope,
)
from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact
from spillview.places import Places
from tests.stores import SESSION, Claude, Dsh

OUTPUT = "".join(f"[{n:05d}] step {n * 7919 % 9973} ok\n" for n in range(9000))
TEXT = OUTPUT + "FAILED (errors=3)\n"


def saved(places: Places, session: str = "wrapped-1") -> tuple[Path, str]:
    """A spill of our own store, and the envelope a command printed of it."""
    store = LocalSpillStore(str(Path(places.state_dir) / "spills"))
    ref = store.save_text(
        SaveTextSpill(
            owner=SpillOwner(session_id=session),
            source=SpillSource(tool_name="wrap", call_id="w-1", label="make"),
            suggested_name="make.txt",
            content=TEXT,
        )
    )
    path = Path(ref.locator)
    return path, text_envelope(TEXT, label="make", path=str(path))


def told_by_claude(home: Path, envelope: str) -> None:
    session = Claude(home)
    session.prompt("Build it")
    call = session.calls("Bash", command="spillview wrap -- make")
    session.gets(call, envelope)
    session.says("The build is fine.")
    session.write()


def told_by_dsh(home: Path, envelope: str) -> None:
    session = Dsh(home, home / "tmp" / "dsh-spill-AbC123")
    session.prompt("Build it")
    call = session.calls("bash", command="spillview wrap -- make")
    session.gets(call, envelope)
    session.says("The build is fine.")
    session.write()


def only(catalogue: Catalogue) -> Artifact:
    [artifact] = list(catalogue.complete(catalogue.scan()))[-1:]
    return artifact


def shown_lines(envelope: str) -> set[bytes]:
    """Lines of the output that stand whole in the envelope, by a plain search."""
    rows = set(envelope.encode().splitlines())
    words = [row.split(b"  ", 1)[-1] for row in rows]
    every = TEXT.encode().splitlines()
    return {line for line in every if any(row.endswith(line) for row in words)}


@pytest.mark.parametrize(
    ("tell", "session"), [(told_by_claude, SESSION), (told_by_dsh, "sess-1")]
)
@pytest.mark.parametrize("sidecar", [True, False])
def test_an_envelope_of_ours_links_from_the_transcript_it_stands_in(
    tmp_path: Path, tell: Callable[[Path, str], None], session: str, sidecar: bool
) -> None:
    places = Places.of_home(str(tmp_path))
    path, envelope = saved(places, session)
    if not sidecar:
        for other in path.parent.glob(".*"):
            other.unlink()
    tell(tmp_path, envelope)
    artifact = only(Catalogue(places))
    assert artifact.found.path == str(path)
    assert artifact.session == session
    link = artifact.link
    assert link is not None
    assert link.state == "linked"
    assert link.seen is not None
    data = TEXT.encode()
    received = b"".join(data[start:end] for start, end in link.seen.ranges)
    assert set(received.splitlines()) == shown_lines(envelope)
    assert artifact.verdict_seen is True


def test_what_the_agent_said_of_our_envelope_is_known_from_its_host(
    tmp_path: Path,
) -> None:
    places = Places.of_home(str(tmp_path))
    path, envelope = saved(places)
    for other in path.parent.glob(".*"):
        other.unlink()
    told_by_claude(tmp_path, envelope)
    said = only(Catalogue(places)).envelope
    assert said is not None
    assert said.next is not None
    assert said.next.text == "The build is fine."


def test_another_session_that_received_our_envelope_is_a_reader(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    _, envelope = saved(places, "of-another-program")
    told_by_claude(tmp_path, envelope)
    link = only(Catalogue(places)).link
    assert link is not None
    assert link.state == "linked"
    [read] = link.reads
    assert (read.session, read.own) == (SESSION, False)
    assert read.ranges
    data = TEXT.encode()
    received = b"".join(data[start:end] for start, end in read.ranges)
    assert set(received.splitlines()) == shown_lines(envelope)


def test_an_envelope_quoted_of_another_store_links_nothing(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    path, envelope = saved(places)
    for other in path.parent.glob(".*"):
        other.unlink()
    digest = hashlib.sha256(b"quoted").hexdigest()[:12]
    foreign = str(path.parent.parent / f"session-{digest}" / path.name)
    told_by_claude(tmp_path, envelope.replace(str(path), foreign))
    artifact = only(Catalogue(places))
    assert artifact.link is not None
    assert artifact.link.state == "orphan"


def test_an_envelope_that_was_changed_shows_only_what_is_true(tmp_path: Path) -> None:
    places = Places.of_home(str(tmp_path))
    path, envelope = saved(places)
    dice = random.Random(3)
    rows = envelope.split("\n")
    at = dice.choice([n for n, row in enumerate(rows) if " step " in row])
    rows[at] = rows[at].replace("step", "leap")
    told_by_claude(tmp_path, "\n".join(rows))
    artifact = only(Catalogue(places))
    seen = artifact.link.seen if artifact.link is not None else None
    assert seen is not None
    data = path.read_bytes()
    assert not any(b"leap" in data[a:b] for a, b in seen.ranges)
    for start, end in seen.ranges:
        assert data[start:end].decode().strip() in TEXT


HALVES = "\ud83d\ude00 and \ud800 alone\n"


@pytest.mark.parametrize("kind", ["text", "json", "json value"])
def test_an_envelope_tells_the_sizes_of_the_file_that_the_store_has_made(
    kind: str, tmp_path: Path
) -> None:
    whole = json.dumps([HALVES] * 50, ensure_ascii=False, separators=(",", ":"))
    text = HALVES * 50 if kind == "text" else whole
    ref = LocalSpillStore(tmp_path).save_text(
        SaveTextSpill(SpillOwner("s-1"), SpillSource("Bash"), "x.txt", text)
    )
    data = Path(ref.locator).read_bytes()
    if kind == "text":
        envelope = text_envelope(text, label="halves", path=ref.locator)
        assert f"{len(data.decode()):,} chars, {len(data):,} bytes" in envelope
    else:
        value = [HALVES] * 50 if kind == "json value" else text
        facts = json.loads(json_envelope(value, path=ref.locator))
        assert facts["bytes"] == ref.bytes == len(data)
        assert facts["total_chars"] == len(data.decode())
        envelope = facts["samples"][0]["value"]
    assert "\U0001f600 and \N{REPLACEMENT CHARACTER} alone" in envelope
