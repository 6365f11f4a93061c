"""Lines of `ls --json` that were kept, or made alike, are those of the artifacts."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from spillview.catalogue.assembly import Assembly
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.kept_lines import dump
from spillview.catalogue.row_lines import row_lines
from spillview.places import Places
from spillview.review.state import State
from tests.command import run
from tests.harness_stores import NAMES, make
from tests.stores import Claude, log_of

ODD = [
    "a.txt",
    "toolu_01Ab.json",
    "toolu_02.txt",
    "b12345678.txt",
    'quo"te.txt',
    "back\\slash.txt",
    "new\nline.txt",
    "日本.txt",
    "hook-x-stdout.txt",
    "mcp-srv-1600000000000.txt",
    "mcp-srv-blob-16-ab.png",
    os.fsdecode(b"by\xffte.txt"),
    "page-1.png",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_harness_has_the_lines_of_its_artifacts(
    name: str, tmp_path: Path
) -> None:
    store = make(name, tmp_path)
    query = Query(paths=tuple(map(str, store.roots))) if store.roots else None
    for cached in (False, True):
        places = Places.of_home(str(tmp_path))
        catalogue = Catalogue.here(places) if cached else Catalogue(places)
        listing = catalogue.scan(query)
        expected = [dump(artifact) for artifact in listing]
        got = row_lines(catalogue, listing, iter, complete=False)
        assert b"".join(lines for lines, _ in got) == b"".join(expected)
        assert expected
        catalogue.close()


def test_files_that_are_alike_have_each_its_own_line(tmp_path: Path) -> None:
    session = Claude(tmp_path)
    for number, name in enumerate(ODD):
        path = session.place(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * number)
        os.utime(path, (number * 1e6, number * 1e6))
        path.chmod(0o644 if number % 2 else 0o600)
    os.utime(session.place("a.txt"), (-1e15, -1e15))  # no year of ours
    session.write()
    catalogue = Catalogue.here(Places.of_home(str(tmp_path)))
    listing = catalogue.scan()
    expected = [dump(artifact) for artifact in listing]
    lines = row_lines(catalogue, listing, iter, complete=False)
    assert b"".join(each for each, _ in lines) == b"".join(expected)
    assert len({json.loads(line)["id"] for line in expected}) == len(ODD)


@pytest.fixture
def kept(machine: Path) -> Path:
    """A machine with three sessions, all lines of which are kept."""
    for number in range(3):
        name = f"{number:08x}-2222-4333-8444-555555555555"
        session = Claude(machine, session=name)
        for count in range(3):
            session.spills(log_of(1500 + count), name=f"b{number}{count:07d}.txt")
        session.write()
    run("ls", "--json")
    return machine


def fresh(machine: Path) -> bytes:
    """What is printed without any cache."""
    aside = machine / "aside"
    shutil.move(machine / ".cache", aside)
    try:
        return run("ls", "--json").data
    finally:
        shutil.rmtree(machine / ".cache")
        shutil.move(aside, machine / ".cache")


def test_kept_lines_are_printed_without_any_artifact(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = fresh(kept)

    def refuse(*_: object) -> None:
        raise AssertionError("an artifact was made")

    monkeypatch.setattr(Assembly, "make", refuse)
    assert run("ls", "--json").data == expected
    assert run("ls", "--json", "--no-count").data == expected
    assert len(expected.splitlines()) == 9


def _grow(kept: Path) -> None:
    path = next(kept.glob(".claude/projects/*/*/tool-results/b00*"))
    path.write_bytes(path.read_bytes() + b"one more line\n")


def _rewrite(kept: Path) -> None:
    path = next(kept.glob(".claude/projects/*/*/tool-results/b10*"))
    path.write_bytes(
        path.read_bytes().replace(b"FAILED (errors=3)", b"12 tests passed!!")
    )


def _close_to_others(kept: Path) -> None:
    for path in kept.glob(".claude/projects/*/*/tool-results/b2*"):
        path.chmod(0o600)


def _set_boundary(kept: Path) -> None:
    config = kept / ".config" / "spillview" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('[boundaries.claude-code]\n"*" = "1000 bytes"\n')


def _answer(kept: Path) -> None:
    session = Claude(kept, session="00000000-2222-4333-8444-555555555555")
    session.lines = (kept / session.transcript).read_bytes().splitlines()
    path = session.place("b00000001.txt")
    call = session.calls("Bash", "toolu_later", command=f"tail -3 {path}")
    session.gets(call, "FAILED (errors=3)")
    session.write()


def _remove(kept: Path) -> None:
    next(kept.glob(".claude/projects/*/*/tool-results/b2*")).unlink()


def _review(kept: Path) -> None:
    state = State(Places.here())
    state.mark_reviewed([run("ls", "--json").rows[4]["id"]], time.time() + 1)
    state.close()


@pytest.mark.parametrize(
    "change",
    [
        _grow,
        _rewrite,
        _close_to_others,
        _set_boundary,
        _answer,
        _remove,
        _review,
    ],
)
def test_kept_lines_hold_for_what_they_were_made_of_alone(
    kept: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spillview.exposure.permissions._passable", lambda folder: True)
    before = run("ls", "--json").data
    change(kept)
    expected = fresh(kept)
    assert run("ls", "--json").data == expected != before
    assert run("ls", "--json").data == expected


def test_a_session_that_another_one_reads_has_its_lines_made_anew(kept: Path) -> None:
    other = Claude(kept, session="99999999-2222-4333-8444-555555555555")
    path = next(kept.glob(".claude/projects/*/*/tool-results/b1*"))
    call = other.calls("Bash", command=f"tail -3 {path}")
    other.gets(call, "FAILED (errors=3)")
    other.write()
    assert run("ls", "--json").data == fresh(kept)
    [ident] = [r["id"] for r in run("ls", "--json").rows if r["path"] == str(path)]
    reads = run("envelope", "--json", ident).row["reads"]
    assert [read["session"] for read in reads] == [other.session]


def test_a_boundary_asked_for_is_in_every_line(kept: Path) -> None:
    rows = run("ls", "--json", "--boundary", "100bytes").rows
    assert {row["boundary"] for row in rows} == {100}
    assert {row["boundary"] for row in run("ls", "--json").rows} == {30_000}


def test_an_environment_variable_that_sets_a_boundary_is_heeded(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASH_MAX_OUTPUT_LENGTH", "12345")
    rows = run("ls", "--json").rows
    assert rows == [json.loads(line) for line in fresh(kept).splitlines()]


def test_a_file_that_another_process_writes_is_growing_in_its_line(kept: Path) -> None:
    import subprocess
    import sys

    path = next(kept.glob(".claude/projects/*/*/tool-results/b00*"))
    program = "import sys; f = open(sys.argv[1], 'ab'); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program, path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        flags = {row["path"]: row["flags"] for row in run("ls", "--json").rows}
        writer.communicate(b"\n")
    assert [name for name, said in flags.items() if "growing" in said] == [str(path)]
    assert "growing" not in run("ls", "--json").out


def test_damaged_lines_are_made_anew(kept: Path) -> None:
    import sqlite3

    expected = run("ls", "--json").data
    database = sqlite3.connect(kept / ".cache/spillview/catalogue.sqlite3")
    with database:
        database.execute("update lines set data = substr(data, 1, length(data) - 3)")
    database.close()
    assert run("ls", "--json").data == expected
