"""Profiles against what was collected of each harness before they were written.

`harness_facts.json` holds it: notices as samples with what they say, places of files,
gates and whether a harness removes its own files. What a profile says otherwise on
purpose is listed here with its reason.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from spillview.places import Places
from spillview.profiles.profile import load_profiles
from spillview.transcripts.notices import notices_in
from tests.harness_stores import NAMES, make

FACTS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "harness_facts.json").read_text("utf-8")
)
PROFILES, _ = load_profiles(Places.of_home("/nowhere"))

OTHER_NOTICES = {
    "tokopt.archived": "The sample was cut before the bracket that ends the notice."
}
OTHER_GATES = {
    ("claude-code", 10_000, "chars"): "Of hooks: one report against the changelog.",
    ("claude-code", 32_000, "chars"): "Of TaskOutput: it spills nothing of its own.",
    ("vscode-copilot", 8192, "chars"): "Counted in UTF-16 units.",
    ("cline", 48_000, "chars"): "Counted in UTF-16 units.",
    ("droid", 40_000, "chars"): "Counted in UTF-16 units.",
    ("deepagents", 20_000, "tokens"): "Compared as 80,000 chars.",
}
OTHER_PLACES = {
    "{vscode_user}/workspaceStorage/*/GitHub.copilot-chat/chat-session-resources/*/*/"
    "schema.json": "a sidecar",
    "{cursor}/projects/*/terminals/*.txt": "logs of terminals, no artifacts",
    "{omp}/sessions/*/*/*.md": "a subagent's answer, which its parent has whole",
    "{omp}/blobs/*": "images",
    "{deepagents}/conversation_history/*.md": "the history itself",
    "{tokopt}/tool-archive/*/manifest.jsonl": "an index",
}
"""Files that are there and are no artifacts."""


@pytest.mark.parametrize(
    ("harness", "fact"),
    [
        pytest.param(harness, fact, id=fact["id"])
        for harness, facts in FACTS.items()
        for fact in facts["notices"]
        if fact["id"] not in OTHER_NOTICES
    ],
)
def test_every_collected_notice_is_found_and_says_the_same(
    harness: str, fact: dict[str, Any]
) -> None:
    said = [
        {*hit.groups.values(), *([hit.path] if hit.path else [])}
        for place in ("result", "prompt", "attachment")
        for hit in notices_in(fact["text"], place, PROFILES[harness].notices)
    ]
    wanted = set(fact["says"].values())
    assert any(wanted <= groups for groups in said), (wanted, said)


@pytest.mark.parametrize("harness", FACTS)
def test_every_collected_gate_is_one_of_the_profile(harness: str) -> None:
    gates = {(gate.size, gate.unit) for gate in PROFILES[harness].boundaries}
    for size, unit in FACTS[harness]["sizes"]:
        known = (size, unit) in gates
        assert known != ((harness, size, unit) in OTHER_GATES), (size, unit)


@pytest.mark.parametrize("harness", FACTS)
def test_who_removes_the_files_is_as_collected(harness: str) -> None:
    retention = PROFILES[harness].retention
    assert retention is not None
    assert retention.automatic == FACTS[harness]["cleaned"]


def test_every_collected_place_has_a_made_artifact(tmp_path: Path) -> None:
    paths = []
    for name in NAMES:
        home = tmp_path / name
        home.mkdir()
        paths += [str(spill.path) for spill in make(name, home).spills]
    lacking = []
    for harness, facts in FACTS.items():
        if harness == "claude-code":
            continue  # its stores are made in tests.stores
        for pattern in facts["globs"]:
            rest = re.sub(r"^(?:\{\w+\}|<\w+>)/", "", pattern)
            regex = re.escape(rest).replace(r"\[0\-7\]", "[0-7]")
            regex = regex.replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
            regex = re.sub(
                r"\\\{([\w\\,-]+)\\\}",
                lambda found: f"(?:{found[1].replace(',', '|')})",
                regex,
            )
            found = any(re.search(f"(?:^|/){regex}$", path) for path in paths)
            if not found and pattern not in OTHER_PLACES:
                lacking.append(pattern)
    assert lacking == []
