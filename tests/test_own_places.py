"""Homes, temp and XDG folders that are not what they should be: work goes on, or a
plain sentence says why not, and nothing is written where nobody meant it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import faults
from .command import run

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX files")

VARIABLES = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
KINDS = ("relative", "missing", "file", "link to nowhere", "theirs", "open", "nul")
COMMANDS = (
    ("ls", "--json", "STORE"),
    ("show", "--raw", "FILE"),
    ("grep", "--json", "output", "STORE"),
    ("index", "STORE"),
    ("pin", "FILE"),
    ("review", "--json", "STORE"),
    ("prune", "STORE", "--session", "session-000000000001", "--apply", "--yes"),
    ("undo",),
    ("trash",),
    ("watch", "STORE"),
    ("wrap", "--boundary", "100", "--", "seq", "1", "900"),
    ("doctor", "--json"),
)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two sessions."""
    (tmp_path / "data").mkdir()
    return faults.make(tmp_path / "home", tmp_path / "data").root


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, which stays empty."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    assert list(folder.iterdir()) == []


def value_of(kind: str, top: Path, nobody: int) -> str:
    """What the variable holds."""
    place = top / "place"
    if kind == "relative":
        return "place/of/mine"
    if kind == "file":
        place.write_text("mine")
    elif kind == "link to nowhere":
        place.symlink_to(top / "nowhere")
    elif kind == "theirs":
        place.mkdir()
        for name in ("spillview", ".cache", ".local", ".config"):
            (place / name).mkdir()
            os.chown(place / name, nobody, nobody)
        os.chown(place, nobody, nobody)
    elif kind == "open":
        place.mkdir()
        place.chmod(0o777)
    elif kind == "nul":
        return str(place) + "\x01\n\x1b[2J"
    return str(place)


@pytest.mark.parametrize(
    ("variable", "kind"),
    [
        (variable, kind)
        for variable in VARIABLES
        for kind in KINDS
        if (variable, kind) != ("HOME", "relative")  # the real one is taken instead
    ],
)
def test_wherever_a_variable_leads_commands_work_or_say_why_not(
    store: Path,
    work: Path,
    tmp_path: Path,
    nobody: int,
    variable: str,
    kind: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv(variable, value_of(kind, tmp_path, nobody))
    before = faults.snapshot(store)
    file = next(path for path in sorted(before) if path.endswith("bash.txt"))
    umask = os.umask(0)
    try:
        at = VARIABLES.index(variable) + 3 * KINDS.index(kind)
        chosen = (COMMANDS[2:] * 2)[at % 10 :][:4]
        for words in (*COMMANDS[:2], *chosen, ("undo",)):
            put = {"STORE": str(store), "FILE": file}
            ran = run(*(put.get(word, word) for word in words))
            assert ran.code in (0, 1, 2), (words, ran)
            assert "Traceback" not in ran.err, words
            assert "went wrong inside" not in ran.err, (words, ran.err)
            assert "\x1b" not in ran.err
            assert ran.code == 0 or ran.err, words
            if words[0] == "ls":
                assert len(ran.rows) == 6, ran.err
            if words[0] == "show":
                assert ran.data == before[file][0], ran.err
            if words[0] == "grep":
                assert len(ran.rows) > 4, ran.err
    finally:
        os.umask(umask)
    assert {p: d[0] for p, d in faults.snapshot(store).items()} == {
        p: d[0] for p, d in before.items()
    }
    place = tmp_path / "place"
    if kind == "theirs":
        everything = [p for p in place.rglob("*") if p.lstat().st_uid != nobody]
        inside = [p for p in everything if p.name == "spillview"]
        assert [p for p in everything if not inside] == []
    if kind == "file":
        assert place.read_text() == "mine"
    ours = [p for p in tmp_path.rglob("spillview") if p.is_dir() and not p.is_symlink()]
    for folder in ours:
        if folder.stat().st_uid == os.getuid():
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder
            for path in folder.rglob("*"):
                if not path.is_symlink() and "files" not in path.parts:
                    assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path
