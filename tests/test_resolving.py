"""Artifacts by ids, handles and call ids, and who made one of a flat store."""

from __future__ import annotations

from typing import Any

import pytest

from spillview.links.links import Joined, join
from spillview.model import Claim, Found, Mention
from spillview.profiles.file import parse_profile
from spillview.profiles.profile import Profile
from spillview.transcripts.facts import Touch, TranscriptFacts

PROFILE = r"""
harness = "trial"
[[root]]
id = "trial"
path = "~/.trial"
[[root]]
id = "flat"
path = "~/.trial/spills"
[[glob]]
path = "{trial}/runs/<session>/out/<name>"
[[glob]]
path = "{flat}/<name>"
[[name_rule]]
regex = '^(?P<call_id>c\d+)\.txt$'
"""
NOTICE = r"""
[[notice]]
id = "trial.told"
needle = "told"
regex = 'told (?P<id>\w{1,9}) (?P<call_id>\w{1,9}) (?P<path>\S{1,99})'
KEYS
[[notice.sample]]
text = "told 1 c1 /v/c1"
expect = { id = "1" }
"""
HOME = "/home/u/.trial"
FLAT = f"{HOME}/spills"


def profile_of(keys: str) -> Profile:
    return parse_profile(PROFILE + NOTICE.replace("KEYS", keys), "trial.toml")


def in_session(name: str, session: str = "s1", home: str = HOME) -> Found:
    path = f"{home}/runs/{session}/out/{name}"
    return Found(f"{session}:{home}:{name}", "trial", path, name, session, home)


def flat(name: str, mtime: float = 100.0, size: int = 10, **more: Any) -> Found:
    path = f"{FLAT}/{name}"
    stem = name.partition(".")[0]
    return Found(
        name,
        "trial",
        path,
        name,
        FLAT,
        FLAT,
        size=size,
        mtime_ns=int(mtime * 1e9),
        call_id=stem if stem.startswith("c") else None,
        **more,
    )


def mention(session: str = "s1", **more: Any) -> Mention:
    values: dict[str, Any] = {
        "transcript": f"{HOME}/runs/{session}.jsonl",
        "session": session,
        "record": 1,
        "offset": 0,
        "length": 9,
        "place": "result",
        "notice": "trial.told",
        "path": None,
        "call_id": "c1",
    }
    return Mention(**(values | more))


def joined(
    keys: str, found: list[Found], *mentions: Mention, touches: tuple[Touch, ...] = ()
) -> Joined:
    facts = [
        TranscriptFacts(
            f"{HOME}/runs/{session}.jsonl",
            "trial",
            session,
            mentions=(mine := tuple(m for m in mentions if m.session == session)),
            mention_ids=(None,) * len(mine),
            touches=tuple(t for t in touches if t.session == session),
        )
        for session in dict.fromkeys(
            [m.session for m in mentions] + [t.session for t in touches]
        )
    ]
    return join(found, facts, profile_of(keys))


def linked(result: Joined) -> dict[str, list[str]]:
    """The sessions whose records each artifact is linked with."""
    return {
        item: [m.session for m in link.mentions]
        for item, link in result.links.items()
        if link.state == "linked"
    }


ID = 'resolve = { by = "id", path = "{trial}/runs/<session>/out/<id>.*" }'


def test_an_id_means_the_file_of_its_own_session() -> None:
    found = [in_session("7.bash.log"), in_session("7.bash.log", "s2")]
    result = joined(ID, found, mention(ident="7"))
    assert linked(result) == {found[0].id: ["s1"]}
    assert result.missing == []


def test_an_id_without_its_file_is_dangling() -> None:
    result = joined(ID, [in_session("7.bash.log", "s2")], mention(ident="7"))
    assert linked(result) == {}
    assert [m.state for m in result.missing] == ["dangling"]


def test_of_two_copies_of_a_store_the_one_beside_the_transcript_is_meant() -> None:
    found = [in_session("7.bash.log"), in_session("7.bash.log", home="/copy/.trial")]
    assert linked(joined(ID, found, mention(ident="7"))) == {found[0].id: ["s1"]}


@pytest.mark.parametrize("ident", ["../s2/out/7", "*", "<id>", "{a,b}", "..", "\0"])
def test_a_hostile_id_means_nothing(ident: str) -> None:
    found = [in_session("7.bash.log"), in_session("7.bash.log", "s2")]
    assert linked(joined(ID, found, mention(ident=ident))) == {}


VIRTUAL = 'resolve = { by = "virtual", path = "{flat}/<id>" }'


def test_a_virtual_path_means_the_file_of_its_last_name() -> None:
    found = [flat("c1"), flat("c2")]
    result = joined(VIRTUAL, found, mention(path="/large_results/c1"))
    assert linked(result) == {"c1": ["s1"]}


CALL = 'resolve = { by = "call_id" }'


def test_a_call_id_means_the_file_of_that_name() -> None:
    assert linked(joined(CALL, [flat("c1.txt")], mention())) == {"c1.txt": ["s1"]}


def test_calls_counted_alike_in_two_sessions_are_never_linked_with_one_file() -> None:
    early, late = mention(time=50.0), mention("s2", time=95.0)
    result = joined(CALL, [flat("c1.txt", 100)], early, late)
    assert linked(result) == {"c1.txt": ["s2"]}
    assert [(m.session, m.state) for m in result.missing] == [("s1", "dangling")]
    result = joined(CALL, [flat("c1.txt", 60)], early, late)
    assert linked(result) == {"c1.txt": ["s1"]}
    assert [m.session for m in result.missing] == ["s2"]


def test_where_nothing_tells_whose_it_is_it_is_nobodys() -> None:
    result = joined(CALL, [flat("c1.txt")], mention(), mention("s2"))
    assert linked(result) == {}


def test_the_size_tells_whose_it_is() -> None:
    claims = [(Claim("bytes", size),) for size in (10, 99)]
    one = mention(time=50.0, claims=claims[0])
    other = mention("s2", time=95.0, claims=claims[1])
    result = joined(CALL, [flat("c1.txt", 100, size=10)], one, other)
    assert linked(result) == {"c1.txt": ["s1"]}


PATH = ""
RANDOM = "ab12cd34.log"


def test_a_session_that_quotes_a_path_did_not_make_the_file() -> None:
    path = f"{FLAT}/{RANDOM}"
    made, quoted = mention(path=path, time=90.0), mention("s2", path=path, time=300.0)
    for order in ((made, quoted), (quoted, made)):
        result = joined(PATH, [flat(RANDOM, 100)], *order)
        assert linked(result) == {RANDOM: ["s1"]}
        assert [read.own for read in result.links[RANDOM].reads] == [False]
        assert result.missing == []


def test_a_flat_store_that_was_moved_is_found_by_its_name_alone() -> None:
    path = f"/old/place/spills/{RANDOM}"
    result = joined(PATH, [flat(RANDOM)], mention(path=path))
    assert linked(result) == {RANDOM: ["s1"]}


def test_reads_of_the_session_that_made_it_are_its_own() -> None:
    path = f"{FLAT}/{RANDOM}"

    def read(session: str) -> Touch:
        log = f"{HOME}/runs/{session}.jsonl"
        names = (path,)
        return Touch(log, session, 3, 9, 9, "bash", "c9", "cat", names=names)

    result = joined(
        PATH,
        [flat(RANDOM)],
        mention(path=path, time=90.0),
        touches=(read("s1"), read("s2")),
    )
    own = {r.session: r.own for r in result.links[RANDOM].reads}
    assert own == {"s1": True, "s2": False}


SLOT = "reused = true"


def test_a_slot_is_its_last_writers_and_the_others_are_gone() -> None:
    path = f"{FLAT}/output-3"
    calls = [
        mention(path=path, call_id=f"c{n}", time=n * 10.0, record=n) for n in (1, 5, 8)
    ]
    result = joined(SLOT, [flat("output-3", 60)], *calls)
    assert [m.call_id for m in result.links["output-3"].mentions] == ["c5"]
    assert [m.mention.call_id for m in result.missing] == ["c1", "c8"]


def test_a_row_is_known_by_its_key_or_the_only_one_that_begins_so() -> None:
    keys = 'resolve = { by = "row" }'
    rows = [flat(f"{key}.db", row=key) for key in ("abcdef0123", "abcdee9999", "abc")]
    for ident, want in (
        ("abcdef0123", {"abcdef0123.db"}),
        ("abcdef", {"abcdef0123.db"}),
        ("abcde", set[str]()),
        ("abc", {"abc.db"}),
    ):
        assert set(linked(joined(keys, rows, mention(ident=ident)))) == want
