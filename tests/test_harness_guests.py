"""What runs inside other harnesses is linked whoever its host is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.model import Artifact, Missing
from spillview.places import Places
from tests.harness_stores.kaish import capped
from tests.harness_stores.pi import Talk, transcript_of
from tests.harness_stores.rtk import Recall
from tests.printed import FAILED, NIGHT, output
from tests.stores import Claude, Dsh

SESSION = "0199aaaa-1111-7111-8111-aaaaaaaaaaa1"
Tell = Callable[[Path, list[tuple[str, str]]], None]


def by_claude(home: Path, results: list[tuple[str, str]]) -> None:
    talk = Claude(home, session=SESSION)
    for command, text in results:
        talk.gets(talk.calls("Bash", command=command), text)
    talk.write()


def by_pi(home: Path, results: list[tuple[str, str]]) -> None:
    talk = Talk(transcript_of(home, SESSION), SESSION)
    for command, text in results:
        talk.gets(talk.calls("bash", command=command), text)
    talk.write()


def by_dsh(home: Path, results: list[tuple[str, str]]) -> None:
    talk = Dsh(home, home / "spills", session=SESSION)
    talk.prompt("Go on")
    for command, text in results:
        talk.gets(talk.calls("bash", command=command), text)
    talk.write()


def known(home: Path) -> tuple[dict[str, Artifact], list[Missing]]:
    catalogue = Catalogue(Places.of_home(str(home)))
    found = {a.found.name: a for a in catalogue.complete(catalogue.scan())}
    return found, catalogue.missing()


@pytest.mark.parametrize("tell", [by_claude, by_pi, by_dsh])
def test_a_guest_is_linked_in_every_host(tmp_path: Path, tell: Tell) -> None:
    recall = Recall(tmp_path / ".local/share/rtk/recall.db")
    row = output("row", 60_000, verdict=FAILED)
    key = recall.keep(row, "cargo test")
    lost = recall.keep(b"gone\n" * 200, "go test", write=False)
    recall.db.close()
    spill = tmp_path / "tmp/kaish/spill" / f"spill-{NIGHT}.5-77-0.txt"
    spill.parent.mkdir(parents=True)
    data = output("kaish", 60_000, verdict=FAILED)
    spill.write_bytes(data)
    os.utime(spill, (NIGHT, NIGHT))
    summary = b"\n".join(row.split(b"\n")[:30]).decode()
    tell(
        tmp_path,
        [
            ("cargo test", f"{summary}\n[full output: rtk recall {key}]"),
            ("go test", f"FAIL\n[full output: rtk recall {lost}]"),
            ("kaish -c make", capped(data, spill)),
            ("ls", "nothing of interest"),
        ],
    )
    found, missing = known(tmp_path)
    assert set(found) == {key, spill.name}
    for name, command in ((key, "cargo test"), (spill.name, "kaish -c make")):
        artifact = found[name]
        assert artifact.link is not None
        assert artifact.link.state == "linked", name
        assert (artifact.session, artifact.command) == (SESSION, command)
        assert artifact.link.seen is not None
        assert artifact.link.seen.bytes > 900
    assert found[spill.name].verdict_seen is True
    assert [(m.harness, m.state, m.mention.ident) for m in missing] == [
        ("rtk", "dangling", lost)
    ]


def test_hosts_are_not_read_again_where_no_guest_left_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_claude(tmp_path, [("cargo test", "[full output: rtk recall 0123456789ab]")])
    monkeypatch.setattr(
        "spillview.transcripts.guests.read_guest",
        lambda *_: pytest.fail("nothing was left to link"),
    )
    found, missing = known(tmp_path)
    assert not found
    assert not missing


@pytest.mark.parametrize("tell", [by_claude, by_pi])
def test_a_quoted_hint_is_no_link(tmp_path: Path, tell: Tell) -> None:
    recall = Recall(tmp_path / ".local/share/rtk/recall.db")
    key = recall.keep(output("row", 20_000), "make")
    recall.db.close()
    hint = f"[full output: rtk recall {key}]"
    tell(
        tmp_path,
        [
            ("cat -n notes.md", f"     1\tsee {hint}\n     2\tlater"),
            ("rg recall", f"notes.md:12:see {hint}"),
            ("tail -1 log.jsonl", f'{{"type":"user","text":"{hint}"}}'),
        ],
    )
    found, _ = known(tmp_path)
    link = found[key].link
    assert link is not None
    assert link.state == "orphan"


def test_a_transcript_that_grows_is_read_on(tmp_path: Path) -> None:
    recall = Recall(tmp_path / ".local/share/rtk/recall.db")
    keys = [recall.keep(output(word, 20_000), word) for word in ("one", "two")]
    recall.db.close()
    results = [(key, f"x\n[full output: rtk recall {key}]") for key in keys]
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    for count in (1, 2):
        by_claude(tmp_path, results[:count])
        rows = list(catalogue.complete(catalogue.scan()))
        latest = {a.found.row: a.link.state for a in rows if a.link is not None}
        wanted = ["linked"] * count + ["orphan"] * (2 - count)
        assert [latest[key] for key in keys] == wanted
