"""Text of a result that no preview rule accounts for is located, or left open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.picks import PICKS
from spillview.catalogue.triage import Rank, rank
from spillview.demo import make_night
from spillview.places import Places
from spillview.seen.beside import unaccounted
from spillview.transcripts.envelopes import result
from tests.command import Row, run
from tests.harness_stores import NAMES, make
from tests.stores import make_claude, make_dsh
from tests.test_adding_a_harness import DATA, Run, add, profile_text

SHOWN = 1500
SIZE = len(DATA)
VERDICT = b"BUILD FAILED"
PREVIEW = 'preview = { form = "head", size = 2000, opens = ["\\n"] }'


def profile(preview: str) -> str:
    """The profile of CONTRIBUTING.md with another preview rule."""
    text = profile_text()
    assert PREVIEW in text
    return text.replace(PREVIEW, preview)


def spill(machine: Path, *texts: str, data: bytes = DATA) -> Path:
    """A call whose result is these texts, `@` in one standing for the notice."""
    session = Run(machine, "r1")
    path = session.folder / "c1.txt"
    session.folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    notice = f"(Long output: {len(data)} bytes, kept in {path})"
    session.add(type="user", text="Build it")
    session.calls("c1", "bash", command="make c1")
    output = [{"text": text.replace("@", notice)} for text in texts]
    session.add(type="tool", id="c1", output=output, status="error")
    session.add(type="agent", text="On I go.", calls=[])
    return path


def told(path: Path) -> tuple[Any, Row, list[str]]:
    """The bytes seen, the row of `ls`, and the report's sections of it."""
    [row] = [r for r in run("ls", "--json").rows if r["path"] == str(path)]
    seen = run("envelope", path, "--json").row["seen"]
    review = run("review", str(path), "--json").rows
    return seen, row, [r["section"] for r in review if r.get("artifact") == row["id"]]


HEAD, TAIL = DATA[:SHOWN].decode(), DATA[-SHOWN:].decode()
MIDDLE = DATA[40_000:41_500].decode()


@pytest.mark.parametrize(
    ("texts", "seen", "verdict"),
    [
        ((f"{TAIL}@",), [[SIZE - SHOWN, SIZE]], True),
        ((f"{HEAD}\n@",), [[0, SHOWN]], False),
        ((f"{HEAD}\n@\n{TAIL[:-1]}",), [[0, SHOWN], [SIZE - SHOWN, SIZE - 1]], True),
        ((f"@\n{MIDDLE}",), [[40_000, 41_500]], False),
        (("@", TAIL), [[SIZE - SHOWN, SIZE]], True),
        (("@\nBUILD FAILED",), [[SIZE - 13, SIZE - 1]], True),
        (("Exit code 2\n@",), [], False),
    ],
    ids=["tail before", "head before", "both", "middle", "beside", "verdict", "code"],
)
@pytest.mark.parametrize("form", ["head", "none"])
def test_what_stands_elsewhere_than_its_rule_says_is_located(
    machine: Path,
    texts: tuple[str, ...],
    seen: list[list[int]],
    verdict: bool,
    form: str,
) -> None:
    if form == "head" and texts[0].startswith("@\n"):
        pytest.skip("the rule itself accounts for what follows")
    add(machine, profile(f'preview = {{ form = "{form}", size = 1500 }}'))
    path = spill(machine, *texts)
    found, row, sections = told(path)
    assert found == seen
    assert row["seen_bytes"] == sum(b - a for a, b in seen)
    assert row["verdict_seen"] is verdict
    assert ("failed_unseen" in sections) is not verdict


@pytest.mark.parametrize(
    "text",
    [
        "2 steps did not go well.\n@",
        "@\nThe end of it was bad",
        "| " + TAIL.replace("\n", "\n| ") + "\n@",
        TAIL.replace(" ", "&nbsp;") + "@",
    ],
    ids=["before", "behind", "barred", "escaped"],
)
def test_what_cannot_be_located_leaves_everything_open(
    machine: Path, text: str
) -> None:
    add(machine, profile('preview = { form = "none" }'))
    path = spill(machine, text)
    seen, row, sections = told(path)
    assert seen is None
    assert (row["seen_bytes"], row["verdict_seen"]) == (None, None)
    assert "no rule of the profile" in row["note"]
    assert sections == ["failed"]
    shown = run("envelope", path).out
    assert "never seen" not in shown
    assert "not known whether seen" in shown
    assert "unseen" not in shown
    assert "could not be located" in shown
    review = run("review", str(path)).out
    assert "never seen" not in review
    [session] = run("sessions", "--json").rows
    assert session["verdict_unseen"] == 0
    hits = run("grep", "--json", "BUILD FAILED", str(path)).rows
    [match] = [row["data"] for row in hits if row["type"] == "match"]
    assert match["seen"] is None
    assert run("grep", "--unseen", "BUILD FAILED", str(path)).code == 1
    catalogue = Catalogue(Places.here())
    [artifact] = catalogue.complete(catalogue.scan())
    catalogue.close()
    assert rank(artifact) is Rank.FAILED
    assert not PICKS["failed"].admits(artifact)
    assert not PICKS["errors"].admits(artifact)


def test_a_part_that_is_located_is_seen_and_the_rest_is_open(machine: Path) -> None:
    add(machine, profile('preview = { form = "head", size = 1500 }'))
    path = spill(machine, f"It ended like this:\n@\n{HEAD}")
    seen, row, sections = told(path)
    assert seen == [[0, SHOWN]]
    assert (row["seen_bytes"], row["verdict_seen"]) == (SHOWN, None)
    assert sections == ["failed"]
    shown = run("envelope", path).out
    assert "at least 1,500 of" in shown
    assert "unseen" not in shown
    assert "unknown bytes 1,500 to" in shown


def test_words_that_the_profile_names_are_the_harness_own(machine: Path) -> None:
    rule = 'preview = { form = "head", size = 1500 }'
    words = "words = ['^It ended like this:$']\n"
    add(machine, profile(rule).replace("claims = {", f"{words}claims = {{"))
    path = spill(machine, f"It ended like this:\n@\n{HEAD}")
    seen, row, _ = told(path)
    assert (seen, row["verdict_seen"]) == ([[0, SHOWN]], False)


def test_words_that_read_like_the_verdict_are_not_only_words(machine: Path) -> None:
    words = "words = ['^BUILD [^\\n]{1,80}$']\n"
    text = profile('preview = { form = "none" }')
    add(machine, text.replace("claims = {", f"{words}claims = {{"))
    _, row, _ = told(spill(machine, "BUILD FAILED\n@"))
    assert row["verdict_seen"] is True


def test_bad_words_are_named(machine: Path) -> None:
    text = profile_text().replace("claims = {", "words = ['(a+)+']\nclaims = {")
    add(machine, text)
    problems = [r["problem"] for r in run("doctor", "--json").rows if r["problem"]]
    assert any("'acme.kept': words 1: " in problem for problem in problems)


def test_other_results_of_the_record_say_nothing_of_it(machine: Path) -> None:
    add(machine, profile('preview = { form = "head", size = 1500 }'))
    path = spill(machine, f"@\n{HEAD}")
    log = machine / ".acme" / "runs" / "r1.jsonl"
    with log.open("a", encoding="utf-8") as file:
        other = {"type": "tool", "id": "c9", "output": [{"text": "so it goes"}]}
        file.write(json.dumps(other) + "\n")
    seen, row, _ = told(path)
    assert (seen, row["verdict_seen"]) == ([[0, SHOWN]], False)


def test_doctor_tells_how_many_results_and_what_to_do(machine: Path) -> None:
    path = add(machine, profile('preview = { form = "none" }'))
    for number, text in enumerate(("@", "All is lost.\n@", f"{HEAD}@")):
        session = Run(machine, f"r{number}")
        file, _ = session.spills("c1")
        session.lines.pop()
        notice = f"(Long output: {SIZE} bytes, kept in {file})"
        output = [{"text": text.replace("@", notice)}]
        session.add(type="tool", id="c1", output=output, status="error")
    rows = [r for r in run("doctor", "--json").rows if r["root"] == str(path)]
    [problem] = [row["problem"] for row in rows]
    assert problem.startswith("2 of 3 results hold text that no rule of the profile")
    assert "[notice.preview]" in problem
    assert "words" in problem
    assert "problem: " + str(path) + ": 2 of 3 results" in run("doctor").out


def test_doctor_says_nothing_where_every_text_is_accounted_for(machine: Path) -> None:
    add(machine, profile_text())
    Run(machine, "r1").spills("c1")
    assert "accounts for" not in run("doctor").out


def left_over(home: Path, *roots: Path) -> tuple[int, list[tuple[str, str]]]:
    """How many results point at artifacts, and their texts no rule accounts for."""
    catalogue = Catalogue(Places.of_home(str(home)))
    found = catalogue.scan(Query(paths=tuple(map(str, roots))) if roots else None)
    artifacts = list(catalogue.complete(found))
    number, texts = 0, []
    for artifact in artifacts:
        profile = catalogue.profile(artifact.found.harness)
        last = artifact.counts.verdict if artifact.counts is not None else None
        line = last.text if last is not None else ""
        for mention in artifact.link.mentions if artifact.link is not None else ():
            _, blocks = result(mention, profile)
            number += 1
            for text in unaccounted(blocks, mention, profile, line):
                texts.append((mention.notice, text))
    catalogue.close()
    return number, texts


@pytest.mark.parametrize("name", NAMES)
def test_built_in_profiles_account_for_all_that_their_harness_writes(
    name: str, tmp_path: Path
) -> None:
    store = make(name, tmp_path)
    _, texts = left_over(tmp_path, *store.roots)
    assert texts == []


def test_the_demo_night_leaves_nothing_over(tmp_path: Path) -> None:
    make_night(str(tmp_path), 1_795_000_000.0)
    number, texts = left_over(tmp_path)
    assert number > 20
    assert texts == []


def test_the_made_stores_of_the_first_two_leave_nothing_over(tmp_path: Path) -> None:
    make_claude(tmp_path)
    make_dsh(tmp_path, tmp_path / "tmp")
    number, texts = left_over(tmp_path)
    assert number > 8
    assert texts == []
