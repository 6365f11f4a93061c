"""Envelopes that stand in a transcript: our readers find them and what they show."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from spillview.catalogue.catalogue import Catalogue
from spillview.content.content import BytesContent, open_content
from spillview.content.counts import count
from spillview.envelopes.parts import Envelope
from spillview.envelopes.text import fold_text
from spillview.model import Artifact, Mention
from spillview.places import Places
from spillview.profiles.file import built_in, check_profile
from spillview.transcripts.notices import notices_in

TEXT = (
    "".join(f"step {n}\n" for n in range(30_000))
    + "src/a.c:7: error: no such thing\n" * 3
    + "".join(f"\x1b[32mnote {n}\x1b[0m\r\n" for n in range(300))
    + "1%\r50%\r100%\nmake: *** [all] Error 2\n\n\n"
)
PROFILE = next(profile for profile in built_in() if profile.harness == "spillview")


def fold(path: Path, text: str = TEXT) -> Envelope:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, newline="")
    content = open_content(str(path))
    try:
        return fold_text(content, count(content), label="make all", path=path)
    finally:
        content.close()


def stored(home: Path, text: str = TEXT) -> tuple[Path, Envelope]:
    """An artifact of our store whose sidecar holds its envelope."""
    places = Places.of_home(str(home))
    session = "session-" + hashlib.sha256(b"night-1").hexdigest()[:12]
    path = Path(places.state_dir) / "spills" / session / "0123456789ab-make.txt"
    envelope = fold(path, text)
    sidecar = path.parent / f".{path.name}.json"
    facts = {"session": "night-1", "tool": "wrap", "envelope": {"text": envelope.text}}
    sidecar.write_text(json.dumps(facts))
    return path, envelope


def only(home: Path) -> Artifact:
    catalogue = Catalogue(Places.of_home(str(home)))
    (artifact,) = catalogue.complete(catalogue.scan())
    return artifact


def test_the_profile_of_our_own_store_fits_its_samples() -> None:
    check_profile(PROFILE)


def test_what_an_envelope_shows_is_what_the_artifact_calls_seen(tmp_path: Path) -> None:
    path, envelope = stored(tmp_path)
    artifact = only(tmp_path)
    assert artifact.found.path == str(path)
    assert artifact.link is not None
    assert artifact.link.mentions[0].notice == "spillview.text"
    assert artifact.link.seen is not None
    assert artifact.link.seen.certain
    assert artifact.link.seen.ranges == envelope.facts.seen
    assert artifact.verdict_seen is True


def test_two_envelopes_in_one_result_are_two_mentions(tmp_path: Path) -> None:
    first = fold(tmp_path / "a.txt").text
    second = fold(tmp_path / "b.txt", "x\n" * 60_000 + "done\n").text
    text = f"before\n{first}\nbetween\n{second}\nafter"
    hits = notices_in(text, "result", PROFILE.notices)
    assert [hit.path for hit in hits] == [
        str(tmp_path / "a.txt"),
        str(tmp_path / "b.txt"),
    ]
    assert [text[hit.start : hit.end] for hit in hits] == [first, second]


def test_an_envelope_quoted_by_an_envelope_is_no_mention_of_its_own(
    tmp_path: Path,
) -> None:
    quoted = fold(tmp_path / "a.txt").text
    outer = fold(tmp_path / "b.txt", quoted + "\nend\n").text
    hits = notices_in(outer, "result", PROFILE.notices)
    assert [hit.path for hit in hits] == [str(tmp_path / "b.txt")]


def test_an_envelope_that_was_cut_shows_what_is_left_of_it(tmp_path: Path) -> None:
    from spillview.envelopes.reading import seen_in

    envelope = fold(tmp_path / "a.txt")
    content = BytesContent(TEXT.encode())
    left = envelope.text[: len(envelope.text) * 2 // 3]
    seen = seen_in(left, content, count(content))
    assert not seen.certain
    assert 0 < seen.bytes < sum(b - a for a, b in envelope.facts.seen)


def test_a_line_that_is_not_the_files_is_not_called_seen(tmp_path: Path) -> None:
    from spillview.envelopes.reading import seen_in

    envelope = fold(tmp_path / "a.txt")
    content = BytesContent(TEXT.encode())
    forged = envelope.text.replace("make: *** [all] Error 2", "all is well")
    seen = seen_in(forged, content, count(content))
    assert not seen.certain
    assert not seen.covers(TEXT.index("make:"), TEXT.index("make:") + 5)


def test_utf16_is_shown_as_text_and_found_again_on_disk(tmp_path: Path) -> None:
    from spillview.envelopes.reading import seen_in

    data = TEXT.replace("step", "schrïtt").encode("utf-16")
    content = BytesContent(data)
    counts = count(content)
    assert counts.encoding == "utf-16-le"
    path = tmp_path / "wide.txt"
    path.write_bytes(data)
    envelope = fold_text(content, counts, label="make", path=path)
    assert "make: *** [all] Error 2" in envelope.text
    seen = seen_in(envelope.text, content, counts)
    assert seen.certain
    assert seen.ranges == envelope.facts.seen
    shown = b"".join(data[a:b] for a, b in seen.ranges).decode("utf-16-le")
    assert "schrïtt 0\n" in shown
    assert "make: *** [all] Error 2\n" in shown


def test_a_json_envelope_in_a_result_shows_its_whole_items(tmp_path: Path) -> None:
    from spillview.envelopes.document import fold_json
    from spillview.seen.seen import shown_by

    path = tmp_path / "index.json"
    path.write_text(json.dumps([{"n": n, "t": "é" * n} for n in range(400)]))
    content = open_content(str(path))
    counts = count(content)
    envelope = fold_json(content, counts, path=path)
    text = f"$ make index\n{envelope.text}\n$ "
    (hit,) = notices_in(text, "result", PROFILE.notices)
    assert (hit.path, hit.notice.id) == (str(path), "spillview.json")
    assert text[hit.start : hit.end] == envelope.text
    claims = {claim.unit: claim.value for claim in hit.claims}
    assert claims == {"bytes": counts.bytes, "chars": counts.chars}
    mention = Mention(
        transcript="",
        session="",
        record=1,
        offset=0,
        length=0,
        place="result",
        notice=hit.notice.id,
        path=hit.path,
    )
    seen = shown_by(text[hit.start : hit.end], mention, content, counts, PROFILE)
    content.close()
    assert seen.certain
    assert seen.ranges == envelope.facts.seen
    assert len(seen.ranges) == 8
