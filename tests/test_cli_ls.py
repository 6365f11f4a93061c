"""`ls`: every artifact as a row, with counts that an independent count agrees with."""

from __future__ import annotations

import base64
import os
import re
import socket
from pathlib import Path

import pytest

from spillview.text import human_ratio
from tests.command import run
from tests.stores import SESSION, Claude, Dsh

KEYS = {
    "id",
    "harness",
    "session",
    "project",
    "path",
    "name",
    "tool",
    "call_id",
    "command",
    "label",
    "failed",
    "created",
    "modified",
    "bytes",
    "chars",
    "utf16",
    "lines",
    "tokens",
    "kind",
    "encoding",
    "boundary",
    "boundary_unit",
    "ratio",
    "boundaries",
    "link",
    "seen_bytes",
    "verdict_seen",
    "verdict",
    "read_back",
    "flags",
}

TEXTS = {
    "ascii": b"one\ntwo\nthree",
    "cjk": "日本語の出力\n二行目\n".encode() * 500,
    "emoji": "😀👩‍👩‍👧 ok\n".encode() * 200,
    "crlf": b"one\r\ntwo\r\n\r\n",
    "lone-cr": b"10%\r20%\r100%\n",
    "invalid": b"good\n\xff\xfe\x80 bad \xe3\x81\nend \xf0\x9f",
    "separators": "a\u2028b\u0085c\x0bd\x0ce\n".encode(),
    "empty": b"",
    "blank": b"\n\n\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_counts_equal_an_independent_count(tmp_path: Path, name: str) -> None:
    data = TEXTS[name]
    (tmp_path / name).write_bytes(data)
    row = run("ls", "--json", tmp_path).row
    text = data.decode("utf-8", "replace")
    assert row["bytes"] == len(data)
    assert row["chars"] == len(text)
    assert row["utf16"] == len(text.encode("utf-16-le")) // 2
    assert row["lines"] == data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    assert row["ratio"] == len(text) / 100_000
    assert (row["boundary"], row["boundary_unit"]) == (100_000, "chars")
    assert row["kind"] == "text"
    valid = "utf-8" if name != "invalid" else "utf-8-invalid"
    assert row["encoding"] == valid
    assert set(row) == KEYS


def test_utf16_is_counted_after_decoding(tmp_path: Path) -> None:
    text = "build\r\n失敗 😀\r\n"
    (tmp_path / "wide").write_bytes(text.encode("utf-16"))
    row = run("ls", "--json", tmp_path).row
    assert (row["chars"], row["utf16"], row["lines"]) == (len(text), len(text) + 1, 2)
    assert row["encoding"].startswith("utf-16")
    assert row["bytes"] == 2 + 2 * (len(text) + 1)


def test_a_linked_artifact_is_told_whole(machine: Path) -> None:
    session = Claude(machine)
    session.prompt("Build it")
    data = b"line of output\n" * 4000 + b"BUILD FAILED\n"
    made = session.spills(data, command="make -j8", failed=True)
    session.says("The build passed.")
    session.write()
    row = run("ls", "--json").row
    assert row["path"] == str(made.path)
    assert row["session"] == SESSION
    assert row["project"] == "/srv/app"
    assert (row["tool"], row["command"]) == ("Bash", "make -j8")
    assert row["call_id"] == made.call_id
    assert row["failed"] is True
    assert row["link"] == "linked"
    assert row["seen_bytes"] == sum(b - a for a, b in made.seen)
    assert row["verdict_seen"] is False
    assert row["verdict"] == "fail"
    assert row["read_back"] is False
    assert (row["boundary"], row["boundary_unit"]) == (30_000, "chars")
    assert row["ratio"] == len(data) / 30_000
    assert row["created"] < row["modified"] or row["created"].endswith("Z")


def test_every_harness_measures_in_its_own_unit(machine: Path) -> None:
    data = "日本\n".encode() * 9000
    claude = Claude(machine)
    claude.spills(data)
    claude.write()
    dsh = Dsh(machine, machine / "tmp" / "dsh-spill-abcdef")
    dsh.spills(data)
    dsh.write()
    rows = {row["harness"]: row for row in run("ls", "--json").rows}
    assert rows["claude-code"]["ratio"] == 27_000 / 30_000
    assert rows["dsh"]["boundary_unit"] == "bytes"
    assert rows["dsh"]["ratio"] == len(data) / 50_000


def test_a_boundary_of_ones_own_measures_everything(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\n" * 30)
    row = run("ls", "--json", "--boundary", "10lines", tmp_path).row
    assert row["boundaries"] == [[10, "lines"]]
    assert row["ratio"] == 3


def test_symlinks_and_special_files_are_rows_and_never_opened(tmp_path: Path) -> None:
    live = tmp_path / "elsewhere" / "live.log"
    live.parent.mkdir()
    live.write_bytes(b"x" * 1000)
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "link.output").symlink_to(live)
    os.mkfifo(folder / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket"))
        rows = {row["name"]: row for row in run("ls", "--json", folder).rows}
    link = rows["link.output"]
    assert (link["bytes"], link["target"]) == (0, str(live))
    assert link["target_bytes"] == 1000
    assert link["target_modified"] is not None
    assert "symlink" in link["flags"]
    for name in ("fifo", "socket"):
        assert rows[name]["kind"] == "special"
        assert "special" in rows[name]["flags"]
        assert rows[name]["chars"] is None


def test_names_of_any_bytes_round_trip(tmp_path: Path) -> None:
    names = [b"bad \xff\xfe.txt", b"line\nbreak", b"-dash", "エラー😀".encode()]
    for name in names:
        with open(os.fsencode(tmp_path) + b"/" + name, "wb") as out:
            out.write(b"x\n")
    got = run("ls", "--json", tmp_path)
    found = set()
    for row in got.rows:
        if "path_b64" in row:
            path = base64.b64decode(row["path_b64"])
            assert r"\xff\xfe" in row["name"]
        else:
            path = row["path"].encode()
        assert os.path.exists(path)
        found.add(os.path.basename(path))
    assert found == set(names)
    for row in got.rows:
        assert run("show", row["id"], "--raw").data == b"x\n"


def test_hostile_names_are_escaped_for_people(tmp_path: Path) -> None:
    (tmp_path / "a\x1b[?5hb\x9b31m\n[b]").write_bytes(b"\x1b[2Jx\n")
    for terminal in (False, True):
        got = run("ls", "--no-color", tmp_path, terminal=terminal)
        assert got.code == 0
        for text in (got.out, got.err):
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text.strip("\n"))
        assert "␛[?5h" in got.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_without_access_is_told_and_the_rest_is_listed(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"x\n")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0)
    got = run("ls", "--json", tmp_path)
    closed.chmod(0o700)
    assert got.code == 2
    assert [row["name"] for row in got.rows if row["link"]] == ["good"]
    assert str(closed) in got.err


def test_an_artifact_that_cannot_be_read_is_a_row_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bad", "good"):
        (tmp_path / name).write_bytes(b"x\n")
    real = os.open

    def refusing(path: str, *rest: int, **more: int) -> int:
        if str(path).endswith("bad"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *rest, **more)

    monkeypatch.setattr("spillview.content.content.os.open", refusing)
    got = run("ls", "--json", tmp_path)
    rows = {row["name"]: row for row in got.rows}
    assert got.code == 2
    assert "permission" in rows["bad"]["error"].lower()
    assert rows["bad"]["chars"] is None
    assert "unreadable" in rows["bad"]["flags"]
    assert rows["good"]["chars"] == 2


def test_newest_fifty_on_a_terminal_and_all_in_a_pipe(tmp_path: Path) -> None:
    for n in range(60):
        path = tmp_path / f"{n:02}"
        path.write_bytes(b"x\n")
        os.utime(path, (1e9 + n, 1e9 + n))
    got = run("ls", tmp_path, terminal=True, width=200)
    assert len(got.lines) == 51  # with its heading
    assert "50 of 60" in got.err
    assert " 59 " in got.lines[1]
    assert len(run("ls", "--all", tmp_path, terminal=True).lines) == 61
    assert len(run("ls", "--limit", "3", tmp_path, terminal=True).lines) == 4
    assert len(run("ls", "--json", tmp_path, terminal=True).rows) == 60
    piped = run("ls", tmp_path)
    assert len(piped.lines) == 60
    assert piped.err == ""


def test_rows_are_newest_first_or_by_the_key_asked_for(tmp_path: Path) -> None:
    for n, size in enumerate((30, 10, 20)):
        path = tmp_path / f"f{n}"
        path.write_bytes(b"x" * size)
        os.utime(path, (1e9 + n, 1e9 + n))

    def order(*options: str) -> list[str]:
        rows = run("ls", "--json", *options, tmp_path).rows
        return [row["name"] for row in rows]

    assert order() == ["f2", "f1", "f0"]
    assert order("--sort", "bytes") == ["f0", "f2", "f1"]
    assert order("--sort", "chars", "--limit", "1") == ["f0"]
    assert order("--sort", "name") == ["f0", "f1", "f2"]
    got = run("ls", "--sort", "shoesize", tmp_path)
    assert got.code == 2
    assert "ratio" in got.err


def test_no_count_reads_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x\n")
    row = run("ls", "--json", "--no-count", tmp_path).row
    assert row["bytes"] == 2
    for name in ("chars", "utf16", "lines", "tokens", "ratio", "encoding", "kind"):
        assert row[name] is None
    assert "uncounted" in row["flags"]


def test_links_stay_unknown_until_the_transcripts_are_read(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"x\n" * 40_000)
    session.write()
    assert run("ls", "--json", "--no-count").row["link"] is None
    assert run("ls", "--json").row["link"] == "linked"
    assert run("ls", "--json", "--no-count").row["link"] == "linked"


def test_huge_files_are_counted_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.catalogue.examination.HUGE", 1000)
    (tmp_path / "a").write_bytes(b"x" * 1001)
    row = run("ls", "--json", tmp_path).row
    assert (row["bytes"], row["chars"]) == (1001, None)
    assert "uncounted" in row["flags"]
    row = run("ls", "--json", "--count", tmp_path).row
    assert row["chars"] == 1001
    assert "uncounted" not in row["flags"]


def test_missing_calls_are_listed(machine: Path) -> None:
    session = Claude(machine)
    kept = session.spills(b"x\n" * 40_000)
    lost = session.spills(b"y\n" * 40_000, command="make lost", write=False)
    session.write()
    got = run("ls", "--missing", "--json")
    assert got.row["link"] == "dangling"
    assert got.row["path"] == str(lost.path)
    assert got.row["command"] == "make lost"
    assert got.row["tool"] == "Bash"
    assert got.row["session"] == SESSION
    assert str(kept.path) not in got.out
    assert "make lost" in run("ls", "--missing", terminal=True).out


def test_common_options_narrow(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"x\n" * 40_000)
    session.write()
    box = machine / "tmp" / "outbox"
    box.mkdir()
    (box / "build-000000000000.txt").write_bytes(b"x\n")
    assert len(run("ls", "--json").rows) == 2
    assert run("ls", "--json", "--harness", "outbox").row["harness"] == "outbox"
    assert run("ls", "--json", "--session", SESSION[:8]).row["session"] == SESSION
    assert run("ls", "--json", "--since", "1h", "--harness", "claude-code").rows == []
    assert run("ls", "--json", "--until", "2001-01-01").rows == []
    nobody = run("ls", "--json", "--session", "deadbeef")
    assert (nobody.code, nobody.rows) == (1, [])
    wrong = run("ls", "--harness", "claude-cod")
    assert wrong.code == 2
    assert "claude-code" in wrong.err


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_a_table_fits_its_terminal(machine: Path, width: int) -> None:
    from spillview.layout.cells import text_width

    session = Claude(machine, cwd="/srv/請求書")
    session.spills(b"x\n" * 40_000, command="grep -rn 領収書 docs 😀 " + "x" * 300)
    session.spills(b"y\n" * 10, command="echo")
    session.write()
    got = run("ls", "--no-color", terminal=True, width=width)
    assert len(got.lines) == 3
    assert max(text_width(line) for line in got.lines) <= width
    for ident in (row["id"] for row in run("ls", "--json").rows):
        assert ident[:8] in got.out


def test_the_ratio_is_banded_by_colour_on_a_terminal_alone(tmp_path: Path) -> None:
    sizes = {"below": 50, "close": 95, "over": 200}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    got = run("ls", "--boundary", "100", tmp_path, terminal=True)
    colours = {}
    for name, size in sizes.items():
        [line] = [line for line in got.lines if f" {name} " in line]
        before = line.split(human_ratio(size / 100))[0]
        colours[name] = re.findall(r"\x1b\[([\d;]*)m", before)[-1]
    assert len(set(colours.values())) == 3
    assert "\x1b" not in run("ls", "--boundary", "100", tmp_path).out


def test_an_id_printed_for_a_path_can_be_used_afterwards(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"hello\n")
    ident = run("ls", "--json", tmp_path).row["id"]
    assert run("show", ident[:6]).out == "hello\n"


def test_long_commands_are_cut_and_say_so(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"x\n" * 40_000, command="echo " + "x" * 3000)
    session.write()
    row = run("ls", "--json").row
    assert len(row["command"]) == 2000
    assert row["truncated"] is True


def test_lone_surrogates_of_a_transcript_break_no_row(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"x\n" * 40_000, command="echo \ud800 done")
    session.write()
    got = run("ls", "--json")
    assert got.code == 0
    assert "done" in got.row["command"]


def test_one_long_value_pads_no_other_row_of_a_pipe(machine: Path) -> None:
    long = "echo " + "x" * 3000
    session = Claude(machine)
    session.spills(b"one\n" * 9000, command=long)
    for number in range(3):
        session.spills(b"two\n" * 9000, command=f"make {number}")
    session.write()
    lines = run("ls").lines
    assert len(lines) == 4  # no heading: a line an artifact
    wide = [line for line in lines if long in line]
    assert len(wide) == 1
    assert all(len(line) < 300 for line in lines if line not in wide)
    assert not any(line.endswith(" ") for line in lines)
    [other] = [line for line in lines if "make 1" in line]
    assert "make 1  " in other
    assert f"{long}  " in wide[0]


def test_the_help_names_every_column(machine: Path) -> None:
    session = Claude(machine)
    session.spills(b"one\n" * 9000, command="make")
    session.write()
    heading = run("ls", "--no-color", terminal=True, width=250).lines[0].split()
    told = run("ls", "--help").out
    assert set(heading) <= set(re.findall(r"[A-Z]+", told))
    assert "HARNESS" in heading
    assert "secret-like" in told
    assert "growing" in told


def test_where_nothing_is_listed_one_sentence_says_so_and_what_to_do(
    machine: Path, tmp_path: Path
) -> None:
    for words in (["ls"], ["ls", "--json"], ["ls", "--missing"], ["sessions"]):
        got = run(*words)
        assert (got.code, got.out, got.err.count("\n")) == (0, "", 1)
        assert "on this machine (see `spillview doctor`)" in got.err
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "`spillview doctor PATH`" in run("ls", empty).err
    session = Claude(machine)
    session.spills(b"bar\n" * 9000)
    session.write()
    got = run("ls", "--only", "growing")
    assert "none of 1 artifact is “growing”" in got.err
    later = run("ls", "--since", "2d", "--until", "1d").err
    assert "leave --since and --until out for those of all time" in later
