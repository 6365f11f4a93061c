"""Links that are kept, packed or not, are the links that were given."""

from __future__ import annotations

import random

import pytest

from spillview.links import near
from spillview.links.near import Near
from spillview.links.sheets import Group
from spillview.model import Link, Mention

SESSIONS = 30
EACH = 20


def _link(session: int, number: int) -> Link:
    mention = Mention(
        f"/log/{session}.jsonl",
        f"session-{session}",
        number,
        number * 100,
        100,
        "result",
        "claude.persisted",
        f"/spills/{session}/{number}",
        command=f"make target-{number} \udcff",
    )
    return Link("linked", (mention,))


LINKS = {
    ("claude-code", f"session-{session}"): {
        f"{session:08x}{number:08x}": _link(session, number) for number in range(EACH)
    }
    for session in range(SESSIONS)
}


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Near:
    """All links, those of two sessions unpacked."""
    monkeypatch.setattr(near, "OPEN", 2 * EACH)
    links = Near()
    for group, each in LINKS.items():
        links.keep(group, each)
    return links


def _of(kept: Near, group: Group, ident: str) -> Link | None:
    known = kept.of(group)
    assert known is not None
    return known(ident)


@pytest.mark.parametrize("order", ["in turn", "one after the other", "any"])
def test_links_come_back_in_whatever_order_they_are_asked_for(
    kept: Near, order: str
) -> None:
    wanted = [(group, ident) for group, each in LINKS.items() for ident in each]
    if order == "in turn":
        wanted.sort(key=lambda pair: pair[1][8:])
    elif order == "any":
        random.Random(3).shuffle(wanted)
    for group, ident in wanted:
        assert _of(kept, group, ident) == LINKS[group][ident]
    assert _of(kept, wanted[0][0], "of no artifact") is None


def test_what_was_dropped_is_known_no_more(kept: Near) -> None:
    first, *_, last = LINKS
    for group in (first, last):
        kept.drop(group)
        assert kept.of(group) is None
    assert kept.of(("dsh", "another")) is None


def test_what_no_memory_is_left_for_is_forgotten_the_longest_kept_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(near, "OPEN", EACH)
    monkeypatch.setattr(near, "PACKED", 3_000)
    links = Near()
    for group, each in LINKS.items():
        links.keep(group, each)
    first, *_, last = LINKS
    assert links.of(first) is None
    assert links.of(last) is not None
