"""What a conversation's events mean for artifacts, whatever harness wrote it."""

from __future__ import annotations

import json
import os
import random
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview import transcripts
from spillview.discovery.entries import TranscriptFound
from spillview.model import Mention
from spillview.profiles.file import parse_profile
from spillview.profiles.profile import Profile
from spillview.transcripts import documents, event_log, record_text
from spillview.transcripts.events import (
    About,
    Called,
    Event,
    Prompted,
    Returned,
    Said,
)
from spillview.transcripts.facts import TranscriptFacts

PROFILE = r"""
harness = "trial"
[[root]]
id = "trial"
path = "~/.trial"
[[root]]
id = "flat"
path = "{tmp}"
[[glob]]
path = "{trial}/<session>/results/<name>"
[[glob]]
path = "{flat}/<name:trial-[0-9a-f]{8}\\.log>"
named = true
[[name_rule]]
regex = '^trial-[0-9a-f]{8}\.log$'
[[name_rule]]
regex = '^(?P<call_id>c\d+)\.txt$'
[[notice]]
id = "trial.saved"
needle = "Saved to: "
regex = '^Saved to: (?P<path>[^\n]{1,4096})$'
preview = { form = "head" }
places = ["result", "prompt"]
[[notice.sample]]
text = "Saved to: /x"
expect = { path = "/x" }
[[notice]]
id = "trial.tail"
needle = "[Whole: "
regex = '\[Whole: (?P<path>[^\]\n]{1,4096})\]'
preview = { form = "tail", place = "before" }
[[notice.sample]]
text = "[Whole: /x]"
expect = { path = "/x" }
[[notice]]
id = "trial.number"
needle = "Artifact #"
regex = '^Artifact #(?P<id>\d{1,9})'
resolve = { by = "id", path = "{trial}/<session>/results/<id>.*" }
[[notice.sample]]
text = "Artifact #3"
expect = { id = "3" }
[[notice]]
id = "trial.cut"
needle = "chars dropped"
regex = '(?P<n>\d{1,9}) chars dropped'
cut = true
resolve = { by = "none" }
[[notice.sample]]
text = "7 chars dropped"
expect = { n = "7" }
[[transcript]]
path = "{trial}/<session>.jsonl"
reader = "trial"
[[transcript]]
path = "{trial}/<session>.json"
reader = "trial"
form = "json"
[[transcript]]
path = "{trial}/<session>/events"
reader = "trial"
form = "json-dir"
"""
FORMS = {"jsonl": ".jsonl", "json": ".json", "json-dir": "/events"}
HOME = "/home/u/.trial"


def events(record: dict[str, Any], state: dict[str, Any]) -> list[Event]:
    """The words of a record: its key is the event, its value the event's fields."""
    found: list[Event] = []
    for item in record.get("do", []):
        kind, fields = item
        if kind == "break":
            raise KeyError("no such thing")
        if "texts" in fields:
            fields = {**fields, "texts": tuple(fields["texts"])}
        made = {
            "about": About,
            "said": Said,
            "called": Called,
            "prompted": Prompted,
            "returned": Returned,
        }
        found.append(made[kind](**fields))
        state["seen"] = state.get("seen", 0) + 1
    return found


@pytest.fixture
def profile(monkeypatch: pytest.MonkeyPatch) -> Profile:
    """A harness whose reader is this module's."""
    module = types.ModuleType("trial_reader")
    module.events = events  # type: ignore[attr-defined]
    module.RECORDS = ("log[]",)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "trial_reader", module)
    monkeypatch.setitem(transcripts.READERS, "trial", "trial_reader")
    return parse_profile(PROFILE, "trial.toml")


class Log:
    """A transcript in one of the forms."""

    def __init__(self, folder: Path, form: str = "jsonl", session: str = "s1") -> None:
        self.form, self.session = form, session
        self.path = Path(f"{folder}/.trial/{session}{FORMS[form]}")
        self.records: list[dict[str, Any]] = []

    def add(self, *items: tuple[str, dict[str, Any]]) -> int:
        self.records.append({"do": [list(item) for item in items]})
        return len(self.records)

    def result(self, call_id: str, *texts: str, **more: Any) -> int:
        return self.add(("returned", {"call_id": call_id, "texts": texts, **more}))

    def call(self, call_id: str, tool: str = "bash", **arguments: Any) -> int:
        given = {"id": call_id, "tool": tool, "arguments": arguments}
        return self.add(("called", given))

    def write(self, count: int | None = None) -> None:
        rows = self.records[:count]
        if self.form == "json-dir":
            self.path.mkdir(parents=True, exist_ok=True)
            for number, row in enumerate(rows):
                path = self.path / f"event-{number:05}.json"
                if not path.exists():
                    path.write_text(json.dumps(row))
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.form == "json":
            self.path.write_text(json.dumps({"v": 1, "log": rows, "id": "x"}))
        else:
            self.path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def found(self) -> TranscriptFound:
        facts = os.stat(self.path)
        return TranscriptFound(
            "trial",
            "trial",
            str(self.path),
            self.session,
            None,
            None,
            None,
            0 if self.form == "json-dir" else facts.st_size,
            facts.st_mtime_ns,
            facts.st_dev,
            facts.st_ino,
            str(self.path.parent),
            self.session,
            self.form,
        )

    def read(
        self, profile: Profile, previous: TranscriptFacts | None = None
    ) -> TranscriptFacts:
        return transcripts.read_transcript(self.found(), profile, previous)


def saved(session: str = "s1", name: str = "c1.txt") -> str:
    return f"Saved to: {HOME}/{session}/results/{name}\nhead of it"


@pytest.mark.parametrize("form", FORMS)
def test_an_envelope_is_found_and_read_again_in_every_form(
    tmp_path: Path, profile: Profile, form: str
) -> None:
    log = Log(tmp_path, form)
    log.add(("about", {"project": "/srv/app", "time": 100.0, "version": "1.2"}))
    log.add(("prompted", {"text": "Build it\nplease"}))
    log.call("c1", command="make")
    number = log.result("c1", "first block", saved(), failed=True, time=120.0)
    log.add(("said", {"text": "It failed."}))
    log.call("c2", command="make again")
    log.write()
    facts = log.read(profile)
    [mention] = facts.mentions
    assert mention.path == f"{HOME}/s1/results/c1.txt"
    assert (mention.tool, mention.command, mention.failed) == ("bash", "make", True)
    assert (mention.record, mention.block, mention.version) == (number, 1, "1.2")
    assert (facts.project, facts.title) == ("/srv/app", "Build it please")
    assert (facts.records, facts.skipped) == (6, 0)
    assert mention.next is not None
    told = (mention.next.text, mention.next.command, mention.next.record)
    assert told == ("It failed.", "make again", 5)
    assert record_text(mention, profile) == saved()


QUOTES: list[Callable[[], tuple[str, str]]] = [
    lambda: ("bash", "  65→" + saved()),
    lambda: ("bash", "65:" + saved()),
    lambda: ("bash", "notes/a.md:65:" + saved()),
    lambda: ("bash", '{"type": "tool", "text": "[Whole: ' + HOME + "/s1/results/c1]"),
    lambda: ("bash", "x" * 3000 + "\n" + saved() + "\n" + "y" * 3000),
    lambda: ("bash", saved("s2")),
    lambda: ("bash", "Saved to: /etc/passwd\nroot"),
    lambda: ("bash", "Saved to: /srv/else/trial-123.log\n"),
    lambda: ("read_file", "some text\n" + saved()),
    lambda: ("Read", "a\n[Whole: " + HOME + "/s1/results/c1.txt]\n" + "b" * 3000),
]


@pytest.mark.parametrize("quote", QUOTES)
def test_a_quoted_notice_is_none(
    tmp_path: Path, profile: Profile, quote: Callable[[], tuple[str, str]]
) -> None:
    tool, text = quote()
    log = Log(tmp_path)
    log.call("c9", tool, path="notes.md")
    log.result("c9", text)
    log.write()
    assert log.read(profile).mentions == ()


@pytest.mark.parametrize(
    "path",
    [
        f"{HOME}/s1/results/c1.txt",
        "D:\\old\\.trial\\s1\\results\\c1.txt",
        "/tmp/trial-0123abcd.log",
        "/private/var/T/trial-0123abcd.log",
        "/chosen/by/me/c9.txt",
        "undefined",
    ],
)
def test_a_notice_counts_where_its_path_can_be_this_sessions(
    tmp_path: Path, profile: Profile, path: str
) -> None:
    log = Log(tmp_path)
    log.call("c9", "bash", command="make")
    log.result("c9", f"Saved to: {path}\nhead")
    log.write()
    assert [m.path for m in log.read(profile).mentions] == [path]


def test_the_field_of_a_record_proves_a_notice_and_stands_for_one(
    tmp_path: Path, profile: Profile
) -> None:
    log = Log(tmp_path)
    log.result("c1", "Saved to: /any/where.bin\nhead", path="/any/where.bin")
    log.result("c2", "no notice at all", path="/any/other.bin", partial=True)
    log.result("c3", path="/any/third.bin")
    log.result("c4", "nothing here", ident="7")
    log.write()
    first, second, third, fourth = log.read(profile).mentions
    assert (first.notice, first.path) == ("trial.saved", "/any/where.bin")
    assert (second.notice, second.path) == ("trial.pointer", "/any/other.bin")
    assert second.partial
    assert record_text(second, profile) == "no notice at all"
    assert (third.path, record_text(third, profile)) == ("/any/third.bin", "")
    assert (fourth.path, fourth.ident) == (None, "7")


def test_a_mark_of_the_cut_beside_a_saved_result_is_no_loss(
    tmp_path: Path, profile: Profile
) -> None:
    log = Log(tmp_path)
    log.result("c1", saved() + "\n... 900 chars dropped")
    log.result("c2", "900 chars dropped\nrest")
    log.write()
    assert [m.notice for m in log.read(profile).mentions] == [
        "trial.saved",
        "trial.cut",
    ]


def test_a_record_that_is_written_again_is_one_envelope_and_one_read(
    tmp_path: Path, profile: Profile
) -> None:
    log = Log(tmp_path)
    for _ in range(3):
        log.add(
            ("called", {"id": "c1", "tool": "bash", "arguments": {"command": "make"}}),
            ("returned", {"call_id": "c1", "texts": [saved()]}),
        )
    for _ in range(2):
        log.call("c2", command=f"cat {HOME}/s1/results/c1.txt")
        log.result("c2", "head of it")
    log.write()
    facts = log.read(profile)
    [mention] = facts.mentions
    assert mention.next is not None
    assert mention.next.command == f"cat {HOME}/s1/results/c1.txt"
    assert [touch.call_id for touch in facts.touches] == ["c2"]


def test_a_later_read_of_a_flat_artifact_is_a_touch(
    tmp_path: Path, profile: Profile
) -> None:
    log = Log(tmp_path)
    log.call("c1", command="make")
    log.result("c1", "tail\n[Whole: /tmp/trial-0123abcd.log]")
    log.call("c2", command="tail -5 /tmp/trial-0123abcd.log | head")
    log.result("c2", "more of it")
    log.call("c3", "write_file", path="/tmp/trial-0123abcd.log")
    log.result("c3", "written")
    log.write()
    [touch] = log.read(profile).touches
    assert touch.names == ("/tmp/trial-0123abcd.log",)
    assert record_text(touch, profile) == "more of it"


@pytest.mark.parametrize("form", FORMS)
def test_a_record_that_its_reader_cannot_bear_is_skipped_and_counted(
    tmp_path: Path, profile: Profile, form: str
) -> None:
    log = Log(tmp_path, form)
    log.add(("break", {}))
    log.result("c1", saved())
    log.write()
    facts = log.read(profile)
    assert (facts.records, facts.skipped, len(facts.mentions)) == (1, 1, 1)


def some_records(seed: int, log: Log) -> None:
    """A conversation with everything in it."""
    choose = random.Random(seed)
    ids = [f"c{n}" for n in range(1, 7)]
    for _ in range(choose.randint(1, 25)):
        one = choose.choice(ids)
        kind = choose.randrange(9)
        if kind == 0:
            log.add(("about", {"session": choose.choice("ab"), "record_id": one}))
        elif kind == 1:
            log.add(("prompted", {"text": choose.choice(["Do", saved()])}))
        elif kind == 2:
            log.add(("said", {"text": "Well.", "message": choose.choice([None, one])}))
        elif kind in (3, 4):
            log.call(one, command=choose.choice(["make", f"cat {one}.txt"]))
        elif kind == 5:
            log.result(one, saved(name=f"{one}.txt"), time=float(choose.randrange(9)))
        elif kind == 6:
            log.result(one, "plain", failed=choose.choice([None, True, False]))
        elif kind == 7:
            log.result(one, "x", ident=one, agent=choose.choice([None, "helper"]))
        else:
            log.add(("break", {}))


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 30), cuts=st.lists(st.integers(0, 25), max_size=4))
def test_reading_on_gives_what_reading_at_once_does(
    tmp_path_factory: pytest.TempPathFactory, form: str, seed: int, cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("log")
    profile = parse_profile(PROFILE, "trial.toml")
    module = types.SimpleNamespace(events=events, RECORDS=("log[]",))
    log = Log(folder, form)
    some_records(seed, log)
    facts: TranscriptFacts | None = None
    for count in [*sorted(cuts), len(log.records)]:
        log.write(count)
        facts = event_log.read(log.found(), profile, module, facts)
        facts = TranscriptFacts.from_json(facts.to_json())
        assert facts is not None
    whole = event_log.read(log.found(), profile, module, None)
    assert facts == TranscriptFacts.from_json(whole.to_json())


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_reading_on_after_any_byte_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("log")
    profile = parse_profile(PROFILE, "trial.toml")
    module = types.SimpleNamespace(events=events)
    log = Log(folder)
    some_records(data.draw(st.integers(0, 1 << 30)), log)
    log.write()
    text = log.path.read_bytes()
    cut = data.draw(st.integers(0, len(text)))
    log.path.write_bytes(text[:cut])
    first = event_log.read(log.found(), profile, module, None)
    with open(log.path, "ab") as file:
        file.write(text[cut:])
    second = event_log.read(log.found(), profile, module, first)
    assert second == event_log.read(log.found(), profile, module, None)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text('a"\\\n[{]},:é', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text('k"\\[', max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text("xyz", min_size=1, max_size=2), JSON, max_size=3)


@settings(max_examples=100, deadline=None)
@given(
    before=OBJECTS,
    after=OBJECTS,
    elements=st.lists(OBJECTS, max_size=6),
    indent=st.sampled_from([None, 1]),
    window=st.integers(3, 80),
    deep=st.booleans(),
)
def test_the_elements_of_a_document_are_found_at_any_window(
    tmp_path_factory: pytest.TempPathFactory,
    before: dict[str, Any],
    after: dict[str, Any],
    elements: list[dict[str, Any]],
    indent: int | None,
    window: int,
    deep: bool,
) -> None:
    from spillview.content.content import open_content

    inner: dict[str, Any] = {"log": elements}
    document = {**before, **({"in": inner} if deep else inner), **after}
    path = tmp_path_factory.mktemp("document") / "d.json"
    path.write_text(json.dumps(document, indent=indent))
    content = open_content(str(path))
    whole, documents.WINDOW = documents.WINDOW, window
    try:
        outline = documents.outline(content, ("in.log[]" if deep else "log[]",))
        rows = list(documents.records(content, outline))
        top = documents.first_record(content, outline)
    finally:
        documents.WINDOW = whole
        content.close()
    assert outline.complete
    assert [row.value for row in rows if row is not None] == elements
    rest = {key: value for key, value in document.items() if key not in ("log", "in")}
    assert {k: v for k, v in top[""].items() if k != "in"} == rest


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=60) | st.text('[{]},:"\\a1 ', max_size=60))
def test_what_is_no_document_breaks_nothing(
    tmp_path_factory: pytest.TempPathFactory, data: bytes | str
) -> None:
    folder = tmp_path_factory.mktemp("document")
    log = Log(folder, "json")
    log.path.parent.mkdir(parents=True)
    raw = data.encode() if isinstance(data, str) else data
    log.path.write_bytes(b'{"log": [' + raw)
    profile = parse_profile(PROFILE, "trial.toml")
    module = types.SimpleNamespace(events=lambda record, state: [], RECORDS=("log[]",))
    event_log.read(log.found(), profile, module, None)


def test_facts_of_many_sessions_in_one_file_are_kept_whole(
    tmp_path: Path, profile: Profile
) -> None:
    log = Log(tmp_path)
    log.call("c2", command="cat c1.txt")
    log.result("c1", saved())
    log.write()
    part = log.read(profile)
    odd = replace(part, session="\ud800")
    for parts in ((part, replace(part, session="s2")), (part, odd)):
        facts = replace(part, mentions=(), mention_ids=(), parts=parts)
        again = TranscriptFacts.from_json(facts.to_json())
        assert again is not None
        assert again.each == tuple(
            replace(each, mentions=_of(each, each.mentions)) for each in parts
        )


def _of(facts: TranscriptFacts, mentions: tuple[Mention, ...]) -> tuple[Mention, ...]:
    return tuple(replace(mention, session=facts.session) for mention in mentions)
