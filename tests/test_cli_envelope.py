"""`envelope`: what the model saw of an artifact, and what it decided on that."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests.command import run
from tests.harness_stores import make
from tests.stores import Claude, Dsh, Made

KEYS = {
    "id",
    "link",
    "transcript",
    "record",
    "text",
    "claimed",
    "measured",
    "agrees",
    "seen",
    "seen_bytes",
    "seen_lines",
    "coverage",
    "verdict",
    "reads",
    "next",
    "envelopes",
    "survival",
}


def failed_build(home: Path) -> tuple[Claude, Made]:
    session = Claude(home)
    session.prompt("Build it")
    data = b"compiling\n" * 5000 + b"BUILD FAILED\n"
    made = session.spills(data, command="make -j8")
    session.says("The build passed, I publish it.")
    session.calls("Bash", command="make publish")
    session.write()
    return session, made


def test_the_whole_envelope_is_told(machine: Path) -> None:
    session, made = failed_build(machine)
    row = run("envelope", made.path, "--json").row
    assert set(row) >= KEYS
    assert row["link"] == "linked"
    assert row["transcript"] == str(session.transcript)
    assert row["record"] == made.record
    assert row["text"] == made.envelope
    assert row["seen"] == [list(each) for each in made.seen]
    seen = sum(b - a for a, b in made.seen)
    assert row["seen_bytes"] == seen
    assert row["seen_lines"] == made.data[:seen].count(b"\n")
    assert row["coverage"] == seen / len(made.data)
    assert abs(row["claimed"]["bytes"] - len(made.data)) < 100
    assert row["measured"]["bytes"] == len(made.data)
    assert row["agrees"] is True
    verdict = row["verdict"]
    assert (verdict["line"], verdict["text"]) == (5001, "BUILD FAILED")
    assert (verdict["class"], verdict["seen"]) == ("fail", False)
    assert row["next"]["text"] == "The build passed, I publish it."
    assert (row["next"]["tool"], row["next"]["command"]) == ("Bash", "make publish")
    survival = row["survival"]
    assert (survival["boundary"], survival["unit"]) == (30_000, "chars")
    assert (survival["lines_kept"], survival["lines"]) == (3000, 5001)
    assert survival["verdict_kept"] is False
    assert row["reads"] == []
    assert row["envelopes"] == []


def test_head_and_tail_leave_a_gap_of_exact_size(machine: Path) -> None:
    dsh = Dsh(machine, machine / "tmp" / "dsh-spill-abcdef")
    data = b"".join(b"row %06d\n" % n for n in range(12_000))
    made = dsh.spills(data)
    dsh.write()
    row = run("envelope", made.path, "--json").row
    assert row["seen"] == [list(each) for each in made.seen]
    assert row["verdict"]["seen"] is True
    gap = made.seen[1][0] - made.seen[0][1]
    human = run("envelope", made.path).out
    assert f"{gap:,} bytes" in human
    assert f"bytes {made.seen[0][1]:,} to {made.seen[1][0]:,}" in human


def test_an_orphan_has_no_text_and_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x\nall good\n")
    got = run("envelope", path, "--json")
    assert got.code == 0
    for name in ("text", "transcript", "record", "seen", "coverage", "next", "agrees"):
        assert got.row[name] is None
    assert got.row["link"] == "orphan"
    assert got.row["verdict"]["text"] == "all good"
    assert got.row["verdict"]["seen"] is None
    human = run("envelope", path)
    assert human.code == 0
    assert "not known" in human.out


def test_an_outbox_digest_is_claimed_and_measured(machine: Path) -> None:
    box = machine / "tmp" / "outbox"
    box.mkdir()
    data = b"label build\nx\n"
    digest = hashlib.sha256(data).hexdigest()[:12]
    good, bad = box / f"build-{digest}.txt", box / "build-0123456789ab.txt"
    for path in (good, bad):
        path.write_bytes(data)
    row = run("envelope", good, "--json").row
    assert row["claimed"]["sha256"] == row["measured"]["sha256"] == digest
    assert row["agrees"] is True
    assert run("envelope", bad, "--json").row["agrees"] is False


def test_a_later_read_by_the_agent_counts_as_seen(machine: Path) -> None:
    session = Claude(machine)
    data = b"".join(b"row %06d\n" % n for n in range(8000)) + b"done: FAILED\n"
    made = session.spills(data)
    call = session.calls("Read", file_path=str(made.path), offset=7991, limit=20)
    lines = data.decode().split("\n")[7990:8001]
    numbered = "\n".join(f"{7991 + n:>6}→{line}" for n, line in enumerate(lines))
    session.gets(call, numbered)
    session.says("It failed.")
    session.write()
    row = run("envelope", made.path, "--json").row
    assert row["verdict"]["seen"] is True
    assert len(row["seen"]) == 2
    [read] = row["reads"]
    assert (read["tool"], read["own"]) == ("Read", True)
    assert read["ranges"][0][0] == data.index(b"row 007990")
    assert run("ls", "--json").row["read_back"] is True


def test_people_are_told_the_verdict_and_the_decision(machine: Path) -> None:
    _, made = failed_build(machine)
    got = run("envelope", made.path, terminal=True, width=80)
    assert got.code == 0
    text = got.out
    assert "Output too large" in text
    assert "never seen" in text
    assert "BUILD FAILED" in text
    assert "The build passed, I publish it." in text
    assert "make publish" in text
    assert "they agree" in text
    assert "would keep 3,000 of 5,001 lines" in text


def test_hostile_envelopes_reach_no_terminal(machine: Path) -> None:
    session = Claude(machine, cwd="/srv/\x1b]0;title\x07")
    data = b"\x1b[2J\x9b\x00\x07 evil\n" * 4000
    made = session.spills(data, command="cat \x1b[31m", shown="\x1b[2J evil\n")
    session.says("\x1b]52;c;AAAA\x07 [/] done")
    session.write()
    got = run("envelope", made.path, "--no-color", terminal=True)
    assert got.code == 0
    assert "\x1b" not in got.out
    assert "\x07" not in got.out
    assert "\x9b" not in got.out


def test_a_transcript_that_went_away_leaves_an_orphan(machine: Path) -> None:
    session, made = failed_build(machine)
    assert run("envelope", made.path, "--json").row["link"] == "linked"
    session.transcript.unlink()
    got = run("envelope", made.path, "--json")
    assert got.row["link"] == "orphan"
    assert got.row["text"] is None


def test_a_missing_artifact_is_a_sentence(machine: Path) -> None:
    got = run("envelope", machine / "gone.txt")
    assert (got.code, got.out) == (2, "")
    assert got.err.count("\n") == 1


def test_an_envelope_is_told_where_its_artifact_cannot_be_read(machine: Path) -> None:
    _, made = failed_build(machine)
    live = made.path.with_name("live.log")
    made.path.rename(live)
    made.path.symlink_to(live)
    got = run("envelope", made.path, "--json")
    assert got.row["text"] == made.envelope
    assert got.row["seen"] is None
    assert "link" in got.row["error"]
    assert got.row["next"]["command"] == "make publish"
    human = run("envelope", made.path)
    assert "Output too large" in human.out


def test_an_unknown_link_is_called_so_everywhere(machine: Path, tmp_path: Path) -> None:
    make("cursor", tmp_path)
    known = {row["id"]: row["link"] for row in run("ls", "--json", tmp_path).rows}
    [unknown, *_] = [each for each, link in known.items() if link is None]
    assert run("envelope", unknown, "--json").row["link"] is None
    text = run("envelope", unknown).out
    assert "link is unknown" in text
    assert "orphan" not in text


def test_what_is_recorded_and_what_a_cut_would_keep_are_no_facts_of_the_output(
    machine: Path,
) -> None:
    session = Claude(machine)
    data = b"".join(b"%06d ok\n" % n for n in range(12_000)) + b"2 failed in 1.2s\n"
    made = session.spills(data, command="pytest | tee log")
    session.write()
    text = run("envelope", made.path).out
    assert "no exit code recorded" in text
    assert "succeeded" not in text
    assert "the verdict would be lost" in text
    assert "it keeps" not in text
