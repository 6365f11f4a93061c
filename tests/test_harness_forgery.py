"""Notices that only stand in what a tool printed: none is the harness's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.links.addresses import Addresses
from spillview.links.resolving import Resolving
from spillview.model import Mention
from spillview.places import Places
from spillview.profiles.profile import Notice, Profile, load_profiles
from spillview.transcripts.calls import Marks
from spillview.transcripts.genuine import Ground
from spillview.transcripts.notices import Block, Hit, notices_in
from tests.harness_stores import make

PROFILES, _ = load_profiles(Places.of_home("/nowhere"))

INLINE = ("rtk.", "openclaw.web", "cursor.", "claude.")
"""Notices that may stand within a line or member, and those of the own reader."""


def lines(text: str, before: Callable[[int], str]) -> str:
    rows = enumerate(text.split("\n"), 1)
    return "\n".join(before(number) + row for number, row in rows)


FORMS: dict[str, Callable[[str], str]] = {
    "fence": lambda text: f"It prints:\n```\n{text}\n```\n",
    "document": lambda text: f"# Notes\n\nIt prints:\n\n{text}\n\n## More\n\nNo.\n",
    "quotation": lambda text: lines(text, lambda _: "> "),
    "patch": lambda text: "@@ -1 +1,9 @@\n" + lines(text, lambda _: "+"),
    "comment": lambda text: lines(text, lambda _: "// "),
    "search": lambda text: lines(text, lambda n: f"docs/notes.md:{n}:"),
    "search without numbers": lambda text: lines(text, lambda _: "docs/notes.md:"),
    "numbered lines": lambda text: lines(text, lambda n: f"{n:6}\t"),
    "transcript": lambda text: json.dumps({"type": "user", "content": text}),
    "transcript over lines": lambda text: json.dumps({"content": text}, indent=2),
}


def samples() -> Iterator[tuple[Profile, Notice, str]]:
    for profile in PROFILES.values():
        for notice in profile.notices:
            around = notice.preview.form != "none" and notice.preview.place == "around"
            if notice.cut or around or notice.id.startswith(INLINE):
                continue
            if "result" in notice.places:
                for sample in notice.samples:
                    yield profile, notice, sample.text


def own(profile: Profile, text: str) -> list[Hit]:
    """The notices in a shell's result that are taken for the harness's own."""
    ground = Ground(profile, {"S"})
    block = Block("result", text, "call_1")
    return [
        hit
        for hit in notices_in(text, "result", profile.notices)
        if not hit.notice.cut
        and ground.genuine(hit, block, tool="shell", field=hit.path)
    ]


CASES = [
    pytest.param(profile, text, id=f"{notice.id}-{number}")
    for number, (profile, notice, text) in enumerate(samples())
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("profile", "text"), CASES)
def test_a_quoted_notice_is_not_the_harness_own(
    profile: Profile, text: str, form: str
) -> None:
    assert [hit.notice.id for hit in own(profile, FORMS[form](text))] == []


@pytest.mark.parametrize(("profile", "text"), CASES)
def test_a_notice_that_is_the_whole_result_is(profile: Profile, text: str) -> None:
    assert own(profile, text)


def test_a_last_line_with_a_number_before_a_notice_is_no_quotation() -> None:
    text = (
        "src/a.py:12: found\n  13: found\n\n"
        "[Showing lines 1-2 of 9. Read artifact://3 for full output]"
    )
    assert own(PROFILES["oh-my-pi"], text)


@pytest.mark.parametrize(
    "name",
    [
        "../../../../../../../../etc/passwd",
        "/etc/passwd",
        "..",
        "../other/3",
        "3/../../4",
        "3\0",
        "*",
        "<session>",
    ],
)
def test_an_id_that_climbs_names_nothing(name: str, tmp_path: Path) -> None:
    tried = 0
    for store in ("oh_my_pi", "roo_code", "vscode_copilot", "rtk", "deepagents"):
        make(store, tmp_path)
    catalogue = Catalogue(Places.of_home(str(tmp_path)))
    found = [artifact.found for artifact in catalogue.scan()]
    catalogue.close()
    for harness in {item.harness for item in found}:
        profile = catalogue.profile(harness)
        mine = [item for item in found if item.harness == harness]
        rules = Resolving(mine, profile, Addresses(mine, Marks.of(profile)))
        for notice in profile.notices:
            for session in {item.session for item in mine} if not notice.cut else ():
                tried += 1
                mention = Mention(
                    "/t", session, 1, 0, 1, "result", notice.id, None, ident=name
                )
                assert list(rules.candidates(mention)) == [], notice.id
                mention = replace(mention, ident=None, call_id=name)
                assert list(rules.candidates(mention)) == [], notice.id
    assert tried > 20
