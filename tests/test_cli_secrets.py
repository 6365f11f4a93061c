"""No command prints a credential to a person unless it is asked to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import run
from tests.credentials import Maker, quiet_lines
from tests.stores import Claude

TOKEN = Maker(21).tokens()["github-classic"]
WORD = Maker(22).tokens()["npm"]
STARS = "*" * len(TOKEN)


def lines_of(count: int) -> list[str]:
    return list(quiet_lines(7, count))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A log with a token on its second and its last line, and a private key."""
    path = tmp_path / "out" / "log.txt"
    path.parent.mkdir()
    key = Maker(23).pem()
    text = [f"one\nuse {TOKEN} now", key, *lines_of(40), f"FAILED with {TOKEN}"]
    path.write_text("\n".join(text) + "\n")
    return path


def test_show_masks_unless_it_is_raw(log: Path) -> None:
    whole = log.read_text()
    shown = run("show", log).out
    assert shown == run("show", log, "--unit", "byte").out
    assert TOKEN not in shown
    assert f"use {STARS} now" in shown
    assert len(shown) == len(whole)
    assert run("show", log, "--raw").out == whole
    assert run("show", log, "--json").row["text"] == whole


@pytest.mark.parametrize("unit", ["char", "byte"])
def test_no_page_shows_a_part_of_one(log: Path, unit: str) -> None:
    at = log.read_text().index(TOKEN)
    for start in range(at - 3, at + len(TOKEN)):
        options = ("--unit", unit, "--offset", str(start), "--limit", "6")
        page = run("show", log, *options, "-q").out
        expected = run("show", log).out[start : start + 6]
        assert page == expected


def test_a_page_within_a_private_key_shows_nothing_of_it(log: Path) -> None:
    lines = log.read_text().splitlines()
    first = next(n for n, line in enumerate(lines) if "BEGIN" in line) + 5
    page = run("show", log, "--offset", str(first), "--limit", "3", "-q").out
    assert set(page) == {"*", "\n"}


def test_redacted_text_names_each_credential(log: Path) -> None:
    told = run("show", log, "--redact").out
    assert "use [REDACTED:github-token#1] now" in told
    assert "FAILED with [REDACTED:github-token#1]" in told
    assert "[REDACTED:private-key#2]" in told
    assert TOKEN not in told
    assert run("show", log, "--redact", "--raw").code == 2
    plain = log.parent / "plain.txt"
    data = b"plain text\r\n\xff\xc3 and more of it\n" * 9
    plain.write_bytes(data)
    assert run("show", plain, "--redact").data == data


def test_grep_masks_each_line_by_its_place_in_the_file(log: Path) -> None:
    key = log.read_text().splitlines()[6]
    shown = run("grep", "-F", key[:30], log)
    assert shown.code == 0
    assert key[:30] not in shown.out
    assert "*" * 64 in shown.out
    assert TOKEN not in run("grep", "use", log).out
    assert TOKEN not in run("grep", "-o", "ghp_\\w+", log).out
    assert TOKEN in run("grep", "use", log, "--raw").out
    messages = run("grep", "--json", "use", log).rows
    assert any(TOKEN in json.dumps(message) for message in messages)


def test_grep_masks_an_excerpt_of_a_long_line(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text("x " * 100_000 + f"needle {TOKEN} " + "y " * 100_000)
    shown = run("grep", "needle", path).out
    assert TOKEN[:12] not in shown
    assert STARS in shown


@pytest.fixture
def night(machine: Path) -> str:
    """A failed call with a token in its command, one cut in two by the preview's end,
    one in the verdict, and one in what the agent said; the artifact's path."""
    store = Claude(machine)
    store.prompt("go")
    text = ("\n".join(lines_of(90)) + "\n")[: 2000 - 20] + " "
    text += TOKEN + "\n" + "\n".join(lines_of(900)) + f"\nFAILED key {TOKEN}\n"
    command = f"curl -H 'Authorization: Bearer {WORD}' https://ci.internal"
    made = store.spills(text.encode(), command=command, failed=True)
    assert TOKEN[:19] in made.envelope
    assert TOKEN not in made.envelope
    store.says(f"I used {WORD} and all is well.")
    store.write()
    return str(made.path)


@pytest.mark.parametrize("terminal", [True, False])
def test_nothing_of_a_night_is_shown(night: str, terminal: bool) -> None:
    for words in (
        ("ls",), ("review",), ("review", "--html", "-"), ("envelope", night),
        ("show", night), ("grep", "FAILED"), ("sessions",),
    ):  # fmt: skip
        told = run(*words, terminal=terminal, width=200)
        assert told.code in (0, 1), words
        for secret in (TOKEN, WORD):
            assert secret[:14] not in told.out, words


def test_all_of_a_night_is_in_the_rows_for_programs(night: str) -> None:
    assert WORD in run("ls", "--json").out
    row = run("envelope", night, "--json").row
    assert TOKEN[:19] in row["text"]
    assert WORD in row["next"]["text"]
    assert TOKEN in row["verdict"]["text"]
    assert TOKEN in run("envelope", night, "--raw").out
    assert TOKEN in run("review", "--since", "100w", "--json").out


def test_compare_and_shape_mask_what_they_quote(tmp_path: Path) -> None:
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("same\nold\n")
    two.write_text(f"same\nnew {TOKEN}\n")
    assert STARS in run("compare", one, two).out
    assert TOKEN in run("compare", one, two, "--raw").out
    records = tmp_path / "records.json"
    records.write_text(json.dumps([{"id": 1, "db_password": "hunter2-longer"}]))
    for options in ((), ("--table",), ("--sample",)):
        told = run("shape", records, *options)
        assert "hunter2" not in told.out, options
        assert "hunter2" in run("shape", records, "--raw", *options).out


def test_where_credentials_are_and_whether_they_were_seen(night: str) -> None:
    ran = run("grep", "--secrets")
    assert ran.code == 0
    assert TOKEN[:6] not in ran.out + ran.err
    envelope = run("envelope", night).out
    assert "the model saw a part of it" in envelope
    first, last = ran.lines
    lines = Path(night).read_text().split("\n")
    number = next(n for n, line in enumerate(lines, 1) if TOKEN in line)
    told = f"{night}:{number}:GitHub token:the model saw a part of it"
    assert first == told
    assert last.endswith(":GitHub token:never seen")
    assert "1 artifact: 2 × GitHub token (1 in part, 1 never seen)" in ran.err
    [again] = run("grep", "--secrets", "--unseen").lines
    assert again == last
    rows = run("grep", "--secrets", "--json").rows
    data = Path(night).read_bytes()
    for row in rows[:-1]:
        start, end = row["data"]["byte_range"]
        assert data[start:end].decode() == TOKEN
    assert [row["data"]["seen"] for row in rows[:-1]] == [None, False]
    assert rows[-1]["data"]["secrets"] == 2
    assert run("grep", "--secrets", "-v").code == 2


def test_the_flag_is_there_once_somebody_looked(night: str) -> None:
    def row() -> dict[str, object]:
        [row] = [r for r in run("ls", "--json").rows if r["path"] == night]
        return row

    assert "secret-like" not in row()["flags"]  # type: ignore[operator] # a list
    assert "not looked for in 1 artifact" in run("ls", "--only", "secret-like").err
    row()  # its line is kept now
    run("grep", "--secrets")
    for _ in range(3):
        assert "secret-like" in row()["flags"]  # type: ignore[operator] # a list
        assert row()["secrets"] == 2
    ran = run("ls", "--only", "secret-like")
    assert (len(ran.lines), ran.err) == (1, "")
    Path(night).write_text("nothing any more\n")
    assert "secret-like" not in row()["flags"]  # type: ignore[operator] # a list
    assert run("grep", "--secrets").code == 1


def test_a_utf16_artifact_is_looked_through_by_its_text(tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    path.write_bytes(f"日本語 {TOKEN}\n".encode("utf-16"))
    [row, _] = run("grep", "--secrets", "--json", path).rows
    start, end = row["data"]["byte_range"]
    assert path.read_bytes()[start:end].decode("utf-16-le") == TOKEN
    assert TOKEN[:8] not in run("show", path).out
    assert TOKEN[:8] not in run("grep", "日本語", path).out


def test_doctor_tells_of_credentials_and_who_received_them(night: str) -> None:
    ran = run("doctor")
    assert TOKEN[:6] not in ran.out
    assert "1 artifact holds what looks like credentials: 2 × GitHub token" in ran.out
    assert "the model saw 0 of 2, and a part of 1" in ran.out
    assert "credentials: looked for in 1 artifact" in ran.out
    [row] = [
        r for r in run("doctor", "--json").rows if r.get("exposure") == "secret-like"
    ]
    assert (row["number"], row["secrets"], row["seen"]) == (1, 2, 0)
    assert row["root"] == night


def test_doctor_says_where_it_did_not_look(
    night: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spillview.cli import health

    monkeypatch.setattr(health, "LOOKING", -1.0)
    out = run("doctor").out
    assert "credentials: looked for in 0 of 1 artifact; `spillview grep" in out
    assert "holds what looks like" not in out


def test_the_report_tells_of_credentials_and_who_received_them(night: str) -> None:
    told = run("review", "--since", "100w").out
    assert "it holds 2 × GitHub token (line" in told
    assert "the model saw 0 of 2, and a part of 1" in told
    page = run("review", "--since", "100w", "--html", "-").out
    assert "GitHub token" in page
    assert TOKEN[:8] not in page
    rows = run("review", "--since", "100w", "--json").rows
    assert rows[-1]["secrets_not_looked_for"] == 0
    [row] = [r for r in rows[:-1] if r["section"] == "exposed" and r["artifact"]]
    assert "GitHub token" in row["text"]


def test_the_report_tells_who_else_reaches_a_store(night: str) -> None:
    folder = Path(night).parent
    folder.chmod(0o777)
    rows = run("review", "--since", "100w", "--json").rows
    [row] = [r for r in rows[:-1] if r.get("exposure") == "open-folder"]
    assert str(folder) in row["text"]
    assert "can plant" in run("review", "--since", "100w").out


def test_a_prompt_for_the_agent_gives_it_no_credential(night: str) -> None:
    told = run("envelope", "--prompt", night).out
    assert "error" in told.lower() or "fail" in told.lower()
    assert TOKEN[:8] not in told
    assert WORD[:8] not in told


def test_it_is_said_that_none_was_found_and_where_was_looked(
    machine: Path, tmp_path: Path
) -> None:
    got = run("grep", "--secrets")
    assert (got.code, got.out) == (1, "")
    assert "no artifacts were found on this machine" in got.err
    quiet = tmp_path / "quiet"
    quiet.mkdir()
    for name in "ab":
        (quiet / name).write_text("nothing of it\n")
    got = run("grep", "--secrets", quiet)
    assert got.err.endswith("no credential was found in 2 artifacts\n")
    got = run("grep", "--secrets", "--seen", quiet / "a")
    assert (got.code, got.out) == (1, "")
    assert "no credential that a model received was found in 1 artifact\n" in got.err
