"""A harness that is described by a data file alone, as CONTRIBUTING.md shows it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.rows import missing_row
from spillview.places import Places
from spillview.tui.queue.rows import missing_sentence
from tests.command import Row, run

PROJECT = Path(__file__).parent.parent
HEAD = 2000
START = datetime(2026, 11, 20, 8, tzinfo=UTC)
DATA = b"".join(b"%06d ok\n" % n for n in range(12_000)) + b"BUILD FAILED\n"


def profile_text() -> str:
    """The profile in CONTRIBUTING.md."""
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^   ```toml\n(.*?)^   ```$", text, re.DOTALL | re.MULTILINE)
    return "".join(line[3:] or "\n" for line in block.splitlines(keepends=True))


def add(machine: Path, text: str) -> Path:
    """Put a profile where the person would."""
    [config] = [
        row for row in run("doctor", "--json").rows if row.get("check") == ("config")
    ]
    path = Path(config["text"]) / "harnesses" / "acme.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


class Run:
    """One run of the agent, as it would write it."""

    def __init__(self, machine: Path, session: str) -> None:
        self.log = machine / ".acme" / "runs" / f"{session}.jsonl"
        self.folder = machine / ".acme" / "runs" / session / "out"
        self.log.parent.mkdir(parents=True, exist_ok=True)
        self.lines: list[dict[str, Any]] = []
        self.second = 0

    def add(self, **record: Any) -> None:
        self.second += 5
        at = (START + timedelta(seconds=self.second)).isoformat()
        self.lines.append({**record, "at": at, "cwd": "/srv/app"})
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        self.log.write_text(text, encoding="utf-8")

    def calls(self, call_id: str, tool: str, **given: str) -> None:
        call = {"id": call_id, "tool": tool, "input": given}
        self.add(type="agent", text="", calls=[call])

    def returns(self, call_id: str, text: str, status: str = "ok") -> None:
        self.add(type="tool", id=call_id, output=[{"text": text}], status=status)

    def spills(self, call_id: str, *, kept: bool = True) -> tuple[Path, str]:
        path = self.folder / f"{call_id}.txt"
        if kept:
            self.folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(DATA)
        text = f"(Long output: {len(DATA)} bytes, kept in {path})\n"
        text += DATA[:HEAD].decode()
        self.calls(call_id, "bash", command=f"make {call_id}")
        self.returns(call_id, text, "error")
        return path, text


@pytest.fixture
def acme(machine: Path) -> Path:
    add(machine, profile_text())
    return machine


def one(path: Path) -> Row:
    [row] = [r for r in run("ls", "--json").rows if r["path"] == str(path)]
    return row


def test_a_profile_that_is_refused_is_told_where_it_is_asked_for(machine: Path) -> None:
    text = profile_text()
    assert 'reader = "fields"' in text
    add(machine, text.replace('reader = "fields"', 'reader = "feilds"'))
    ran = run("ls", "--harness", "acme")
    assert ran.code == 2
    assert "your acme.toml was refused: transcript 1: reader: 'feilds' is no" in ran.err
    assert "did you mean 'fields'?; see `spillview doctor`" in ran.err


def test_it_lists_links_and_tells_what_was_seen(acme: Path) -> None:
    session = Run(acme, "r1")
    session.add(type="user", text="Build it")
    path, envelope = session.spills("c1")
    session.add(type="agent", text="It passed.", calls=[])
    row = one(path)
    assert (row["harness"], row["session"]) == ("acme", "r1")
    assert (row["tool"], row["call_id"], row["command"]) == ("bash", "c1", "make c1")
    assert (row["link"], row["failed"], row["project"]) == ("linked", True, "/srv/app")
    assert row["boundaries"] == [[20_000, "chars"]]
    assert row["ratio"] == pytest.approx(len(DATA) / 20_000, abs=0.01)
    assert (row["seen_bytes"], row["verdict_seen"]) == (HEAD, False)
    told = run("envelope", path, "--json").row
    assert told["text"] == envelope
    assert (told["transcript"], told["record"]) == (str(session.log), 3)
    assert told["seen"] == [[0, HEAD]]
    assert (told["claimed"], told["agrees"]) == ({"bytes": len(DATA)}, True)
    assert told["next"]["text"] == "It passed."
    [title] = [r["title"] for r in run("sessions", "--json").rows]
    assert title == "Build it"


def test_a_later_read_shows_more(acme: Path) -> None:
    session = Run(acme, "r1")
    path, _ = session.spills("c1")
    session.calls("c2", "bash", command=f"tail -n 2 {path}")
    last = DATA[-len(b"011999 ok\nBUILD FAILED\n") :]
    session.returns("c2", last.decode())
    row = one(path)
    assert (row["seen_bytes"], row["verdict_seen"]) == (HEAD + len(last), True)
    assert row["read_back"] is True


def test_an_orphan_and_a_result_that_is_gone_are_told_apart(acme: Path) -> None:
    session = Run(acme, "r1")
    gone, _ = session.spills("c1", kept=False)
    session.folder.mkdir(parents=True)
    orphan = session.folder / "c9.txt"
    orphan.write_bytes(DATA)
    assert one(orphan)["link"] == "orphan"
    [missing] = run("ls", "--missing", "--json").rows
    assert (missing["link"], missing["path"]) == ("dangling", str(gone))
    assert (missing["call_id"], missing["command"]) == ("c1", "make c1")


def test_a_quoted_notice_links_nothing(acme: Path) -> None:
    session = Run(acme, "r1")
    path, text = session.spills("c1")
    other = Run(acme, "r2")
    other.calls("c1", "bash", command="cat notes.md")
    other.returns("c1", text)
    told = run("envelope", path, "--json").row
    assert (told["transcript"], len(told["envelopes"])) == (str(session.log), 0)
    assert run("ls", "--missing", "--json").rows == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('text = "output[].text"', 'text = "output[0].text"', "is no path"),
        ('id = "id"\n', 'ident = "id"\n', "is missing"),
        ("[records]", "[record]", "is not a key"),
        ("each = ", "eachs = ", "did you mean"),
        ("kept in (?P<path>[^\\n]{1,4096}?)", "kept in (?P<path>(?:.+)+)", "regex"),
        ("(?P<size>\\d{1,15})", "(?P<size>[a-z]{1,15})", "does not match its sample"),
    ],
)
def test_a_mistake_is_named_and_the_rest_goes_on(
    machine: Path, old: str, new: str, said: str
) -> None:
    text = profile_text()
    assert old in text
    path = add(machine, text.replace(old, new, 1))
    got = run("doctor", "--json")
    problems = [row["problem"] for row in got.rows if row["problem"]]
    assert any(str(path) in problem and said in problem for problem in problems)
    assert run("ls").code in (0, 2)


def test_records_that_are_nothing_of_the_kind_are_passed_over(acme: Path) -> None:
    session = Run(acme, "r1")
    session.add(type="tool", id=["c1"], output={"text": 3})
    session.add(type="agent", text=5, calls={"id": "c"})
    session.add(type="agent", calls=[3, {"id": 4}, {"id": "c5", "tool": None}])
    path, _ = session.spills("c1")
    assert one(path)["link"] == "linked"


def test_a_file_that_the_harness_removed_itself_is_no_fault(acme: Path) -> None:
    Run(acme, "old").spills("c1", kept=False)
    fresh = Run(acme, "new")
    fresh.second = 6 * 86_400
    fresh.spills("c2", kept=False)
    now = datetime(2026, 11, 28, tzinfo=UTC).timestamp()
    catalogue = Catalogue(Places.here(), now=lambda: now)
    catalogue.scan()
    new, old = catalogue.missing()
    catalogue.close()
    assert (new.state, new.swept) == ("dangling", None)
    assert old.state == "dangling"
    assert old.swept == "Acme removes such files itself after 7 days."
    row = missing_row(old)
    assert (row["link"], row["swept"], row["note"]) == ("dangling", True, old.swept)
    assert missing_row(new)["swept"] is False
    assert missing_sentence(old).startswith("Acme removes such files itself")
    assert "gone" in missing_sentence(new)


def test_doctor_says_that_it_was_never_compared_with_real_data(acme: Path) -> None:
    Run(acme, "r1").spills("c1")
    [row] = [r for r in run("doctor", "--json").rows if r["harness"] == "acme"]
    assert (row["confidence"], row["verified"]) == ("single report", False)
    assert "single report; not verified on real data" in run("doctor").out
    add(acme, "verified = true\n" + profile_text())
    [row] = [r for r in run("doctor", "--json").rows if r["harness"] == "acme"]
    assert row["verified"] is True
    assert "not verified" not in run("doctor").out


def test_ls_tells_in_one_sentence_what_the_harness_removed(acme: Path) -> None:
    session = Run(acme, "r1")
    session.second = -86_400 * 365
    for number in range(3):
        session.spills(f"c{number}", kept=False)
    got = run("ls", "--missing")
    assert got.out.count("dangling") == 3
    assert "3 as expected: Acme removes such files itself after 7 days." in got.err


def test_a_record_may_say_that_the_file_holds_less(machine: Path) -> None:
    add(machine, profile_text() + 'partial = "capped"\n')
    session = Run(machine, "r1")
    path, text = session.spills("c1")
    session.lines.pop()
    session.add(type="tool", id="c1", output=[{"text": text}], capped=True)
    assert "partial" in one(path)["flags"]
    assert one(path)["verdict_seen"] is False


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<session>/out/<name>", "<session>/in/<name>", "it found no artifact"),
        ("runs/<session>.jsonl", "logs/<session>.jsonl", "it found no log"),
        ('when = { type = "tool" }', 'when = { type = "tol" }', "holds a notice"),
        ("Long output: ", "Lang output: ", "holds a notice"),
        ('each = "calls[]"', 'each = "call[]"', "belongs to a call"),
        ('path = "~/.acme"', 'path = "~/.acne"', "it matched nothing"),
    ],
)
def test_a_part_that_finds_nothing_is_named_with_a_next_step(
    machine: Path, old: str, new: str, said: str
) -> None:
    text = profile_text()
    assert old in text
    path = add(machine, text.replace(old, new))
    Run(machine, "r1").spills("c1")
    rows = [r for r in run("doctor", "--json").rows if r["root"] == str(path)]
    [problem] = [row["problem"] for row in rows if said in row["problem"]]
    assert "; compare " in problem
    assert f"problem: {path}: " in run("doctor").out


def test_a_profile_of_which_every_part_finds_something_is_no_problem(
    acme: Path,
) -> None:
    Run(acme, "r1").spills("c1")
    rows = run("doctor", "--json").rows
    assert not [row for row in rows if row["problem"] and "compare" in row["problem"]]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("needle = ", "nedle = ", "is 'nedle' meant to be 'needle'?"),
        ("regex = '^", "regx = '^", "is 'regx' meant to be 'regex'?"),
        ("size = 20000", "sice = 20000", "is 'sice' meant to be 'size'?"),
    ],
)
def test_a_mistyped_key_is_named_where_the_right_one_is_missing(
    machine: Path, old: str, new: str, said: str
) -> None:
    text = profile_text()
    assert old in text
    add(machine, text.replace(old, new))
    problems = [row["problem"] for row in run("doctor", "--json").rows]
    assert any(said in (problem or "") for problem in problems)
