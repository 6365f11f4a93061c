"""An edit of a profile takes effect at once: what is kept holds for its text alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.places import Places
from tests.command import Row, run
from tests.test_adding_a_harness import DATA, Run, add, profile_text

COMMANDS = (
    ("ls", "--json"),
    ("ls", "--json", "--missing"),
    ("sessions", "--json"),
    ("review", "--json", "--since", "2026-11-01", "--until", "2026-11-29"),
)
PREVIEW = '{ form = "head", size = 2000, opens = ["\\n"] }'

EDITS = {
    "place": (PREVIEW, '{ form = "head", place = "before" }'),
    "form": ('form = "head"', 'form = "tail"'),
    "none": (f"preview = {PREVIEW}\n", ""),
    "opens": ('opens = ["\\n"]', 'opens = ["Here:\\n"]'),
    "words": ("claims =", "words = ['^Exit [^\\n]{1,20}$']\nclaims ="),
    "claims": ('{ size = "bytes" }', '{ size = "chars" }'),
    "partial": ("claims =", "partial = true\nclaims ="),
    "cut": ("claims =", "cut = true\nclaims ="),
    "replaces": ("claims =", "replaces = true\nclaims ="),
    "reused": ("claims =", "reused = true\nclaims ="),
    "frames": ("schema = 1", "schema = 1\nframes = ['\\AExit [^\\n]{1,20}\\n']"),
    "name rule": ('means = "the call\'s id"', 'means = "none"\nskip = true'),
    "boundary": ("size = 20000", "size = 300000"),
    "retention": ("days = 7", "days = 700"),
    "project": ('project = "cwd"', 'project = "dir"'),
    "time": ('time = "at"', 'time = "on"'),
    "prompt": ('when = { type = "user" }', 'when = { type = "person" }'),
    "said": ('when = { type = "agent" }\ntext', 'when = { type = "bot" }\ntext'),
    "call": ('name = "tool"', 'name = "id"'),
    "arguments": ('arguments = "input"', 'arguments = "in"'),
    "error": ('error = "status"', 'error = "state"'),
    "text": ('text = "output[].text"', 'text = "output[].html"'),
    "glob": ("<session>/out/<name>", "<session>/in/<name>"),
    "transcript": (
        'path = "{acme}/runs/<session>.jsonl"',
        'path = "{acme}/x/<session>"',
    ),
    "name": ('name = "Acme"', 'name = "Acme II"'),
}
"""What is edited, as the text before and after."""

QUIET = {"none", "opens", "reused"}
"""Of these nothing is to be seen: what no rule accounts for is located all the same."""


def night(machine: Path) -> None:
    """A result that shows more than its rule says, one that is gone, and a third."""
    session = Run(machine, "r1")
    session.add(type="user", text="Build it")
    path, text = session.spills("c1")
    session.lines.pop()
    shown = DATA[:1500].decode()
    output = [{"text": f"Exit 2\n{shown}{text}"}]
    session.add(type="tool", id="c1", output=output, status="error")
    session.add(type="agent", text="It passed.", calls=[])
    session.calls("c2", "bash", command=f"tail -n 1 {path}")
    session.returns("c2", "BUILD FAILED\n")
    session.spills("c3", kept=False)
    session.spills("plan")


def everything() -> list[list[Row]]:
    """What the commands print, but for how full the disk is."""
    rows = [run(*words).rows for words in COMMANDS]
    return [[row for row in some if row.get("section") != "disk"] for some in rows]


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_tells_what_a_fresh_cache_tells(
    machine: Path, monkeypatch: pytest.MonkeyPatch, edit: str
) -> None:
    before, after = EDITS[edit]
    text = profile_text()
    assert before in text
    night(machine)
    add(machine, text)
    everything()
    first = everything()
    add(machine, text.replace(before, after))
    kept = everything()
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine / "fresh"))
    fresh = everything()
    assert kept == fresh
    assert (first == kept) is (edit in QUIET)


def test_a_catalogue_that_is_open_takes_an_edit_at_its_next_look(machine: Path) -> None:
    night(machine)
    add(machine, profile_text())
    catalogue = Catalogue.here()
    try:
        list(catalogue.complete(catalogue.scan()))
        assert not catalogue.refresh()
        add(machine, profile_text().replace("size = 20000", "size = 300000"))
        assert catalogue.refresh()
        artifacts = list(catalogue.complete(catalogue.scan()))
        assert {a.boundaries[0].size for a in artifacts} == {300_000}
        assert not catalogue.refresh()
        (Path(Places.here().config_dir) / "harnesses" / "acme.toml").unlink()
        assert catalogue.refresh()
        assert not catalogue.scan()
    finally:
        catalogue.close()
