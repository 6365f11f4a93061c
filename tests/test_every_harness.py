"""Every harness, held to one made store each: listed, counted, linked, seen, missing.

The stores know what is true of them (`harness_stores`); nothing of the program made
them. What is called seen is compared byte for byte.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.model import Artifact, Missing
from spillview.places import Places
from tests.harness_stores import NAMES, HarnessStore, Spill, make
from tests.harness_stores.model import UNSAID

Night = tuple[HarnessStore, Catalogue, list[Artifact]]
NightOf = Callable[[str], Night]


def catalogue_of(home: Path) -> Catalogue:
    """A catalogue of the made home alone."""
    return Catalogue(Places.of_home(str(home)))


def completed(catalogue: Catalogue, query: Query | None = None) -> list[Artifact]:
    """Everything listed, counted and linked."""
    first = catalogue.scan(query)
    latest = {artifact.id: artifact for artifact in first}
    for artifact in catalogue.complete(first, huge=True):
        latest[artifact.id] = artifact
    return list(latest.values())


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> NightOf:
    """Makes each store once."""

    @lru_cache
    def night_of(name: str) -> Night:
        home = tmp_path_factory.mktemp(name)
        store = make(name, home)
        catalogue = catalogue_of(home)
        query = Query(paths=tuple(map(str, store.roots))) if store.roots else None
        return store, catalogue, completed(catalogue, query)

    return night_of


def place(path: str | Path, row: str | None) -> tuple[str, str | None]:
    """What tells one artifact from every other."""
    folder, name = os.path.split(os.fspath(path))
    return os.path.join(os.path.realpath(folder), name), row


def place_of(artifact: Artifact) -> tuple[str, str | None]:
    return place(artifact.found.path, getattr(artifact.found, "row", None))


def pairs(night: Night) -> list[tuple[Spill, Artifact]]:
    """Each spill with the artifact that stands for it."""
    store, _, artifacts = night
    by_place = {place_of(artifact): artifact for artifact in artifacts}
    return [(spill, by_place[place(spill.path, spill.row)]) for spill in store.spills]


def wrong(rows: list[tuple[str, object, object]]) -> str:
    """The rows whose two values differ, one a line."""
    return "\n".join(
        f"{what}: is {is_!r}, should be {should!r}"
        for what, is_, should in rows
        if is_ != should
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_store_lists_each_artifact_once_and_nothing_else(
    name: str, night: NightOf
) -> None:
    store, catalogue, artifacts = night(name)
    listed = Counter(map(place_of, artifacts))
    made = Counter(place(spill.path, spill.row) for spill in store.spills)
    assert listed - made == Counter(), "listed, but no artifact (or listed twice)"
    assert made - listed == Counter(), "made, but not listed"
    assert {artifact.found.harness for artifact in artifacts} <= {store.harness}
    others = {place(path, None) for path in store.others}
    assert not others & set(listed)
    assert catalogue.problems == []


@pytest.mark.parametrize("name", NAMES)
def test_counts_are_those_of_the_bytes(name: str, night: NightOf) -> None:
    rows: list[tuple[str, object, object]] = []
    for spill, artifact in pairs(night(name)):
        counts = artifact.counts
        assert counts is not None, spill.what
        rows.append((f"{spill.what}: bytes", counts.bytes, len(spill.data)))
        if counts.encoding in ("utf-8", "utf-8-invalid"):
            text = spill.data.decode("utf-8", "replace")
            rows.append((f"{spill.what}: chars", counts.chars, len(text)))
            lines = spill.data.count(b"\n") + (spill.data[-1:] not in (b"", b"\n"))
            rows.append((f"{spill.what}: lines", counts.lines, lines))
        if spill.kind is not None:
            rows.append((f"{spill.what}: kind", counts.kind, spill.kind))
        rows.append((f"{spill.what}: content", artifact.found.content, spill.content))
    assert not wrong(rows), wrong(rows)


@pytest.mark.parametrize("name", NAMES)
def test_gates_are_the_harness_own(name: str, night: NightOf) -> None:
    rows: list[tuple[str, object, object]] = []
    for spill, artifact in pairs(night(name)):
        gate = artifact.gate[0] if artifact.gate is not None else None
        main = (gate.size, gate.unit) if gate is not None else None
        if spill.boundary is not None:
            rows.append((f"{spill.what}: gate", main, spill.boundary))
        if spill.gates:
            every = sorted((b.size, b.unit) for b in artifact.boundaries)
            rows.append((f"{spill.what}: gates", every, sorted(spill.gates)))
    assert not wrong(rows), wrong(rows)


@pytest.mark.parametrize("name", NAMES)
def test_links_say_which_call_made_it(name: str, night: NightOf) -> None:
    rows: list[tuple[str, object, object]] = []
    for spill, artifact in pairs(night(name)):
        link = artifact.link
        assert link is not None, spill.what
        rows.append((f"{spill.what}: link", link.state, spill.link))
        for key, should in (
            ("session", spill.session),
            ("project", spill.project),
            ("tool", spill.tool),
            ("command", spill.command),
        ):
            if should is not None:
                rows.append((f"{spill.what}: {key}", getattr(artifact, key), should))
        envelope = artifact.envelope
        call_id = envelope.call_id if envelope is not None else artifact.found.call_id
        if spill.call_id is not None:
            rows.append((f"{spill.what}: call", call_id, spill.call_id))
        if spill.failed != UNSAID:
            rows.append((f"{spill.what}: failed", artifact.failed, spill.failed))
    assert not wrong(rows), wrong(rows)


@pytest.mark.parametrize("name", NAMES)
def test_envelopes_are_read_back_as_the_model_had_them(
    name: str, night: NightOf
) -> None:
    _, catalogue, _ = night(name)
    rows: list[tuple[str, object, object]] = []
    for spill, artifact in pairs(night(name)):
        facts = catalogue.envelope(artifact)
        text = facts.shown[0].text if facts.shown else None
        rows.append((f"{spill.what}: text", text, spill.envelope))
        if spill.agrees != UNSAID:
            rows.append((f"{spill.what}: agrees", facts.agrees, spill.agrees))
        if spill.next_text is not None:
            said = artifact.envelope.next if artifact.envelope else None
            rows.append(
                (f"{spill.what}: next", said.text if said else None, spill.next_text)
            )
    assert not wrong(rows), wrong(rows)


@pytest.mark.parametrize("name", NAMES)
def test_seen_is_what_the_model_received_to_the_byte(name: str, night: NightOf) -> None:
    rows: list[tuple[str, object, object]] = []
    for spill, artifact in pairs(night(name)):
        seen = artifact.link.seen if artifact.link is not None else None
        ranges = seen.ranges if seen is not None else ()
        if spill.link == "orphan":
            rows.append((f"{spill.what}: seen", ranges, ()))
            continue
        if spill.seen is not None:
            rows.append((f"{spill.what}: seen", ranges, spill.seen))
            verdict = spill.data.rstrip()
            start = verdict.rfind(b"\n") + 1
            received = any(a <= start and len(verdict) <= b for a, b in spill.seen)
            if seen is not None and seen.certain and verdict:
                told = artifact.verdict_seen
                rows.append((f"{spill.what}: verdict seen", told, received))
        else:
            for a, b in ranges:
                inside = any(x <= a and b <= y for x, y in spill.may)
                rows.append((f"{spill.what}: {a}-{b} seen", inside, True))
        if spill.read_back is not None:
            own = any(r.own for r in artifact.link.reads) if artifact.link else False
            rows.append((f"{spill.what}: read back", own, spill.read_back))
    assert not wrong(rows), wrong(rows)


@pytest.mark.parametrize("name", NAMES)
def test_calls_whose_result_is_not_on_disk_are_named(name: str, night: NightOf) -> None:
    store, catalogue, _ = night(name)
    missing = catalogue.missing()

    def told(row: Missing) -> tuple[str, str | None]:
        return row.state, row.mention.call_id

    made = Counter((gone.state, gone.call_id) for gone in store.gone)
    assert Counter(map(told, missing)) == made
    rows: list[tuple[str, object, object]] = []
    for gone in store.gone:
        row = next(r for r in missing if told(r) == (gone.state, gone.call_id))
        for key, is_, should in (
            ("session", row.session, gone.session),
            ("path", row.mention.path, gone.path),
            ("tool", row.mention.tool, gone.tool),
        ):
            if should is not None:
                rows.append((f"{gone.what}: {key}", is_, should))
    assert not wrong(rows), wrong(rows)


def files_below(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Every file with its size, mtime and inode."""
    return {
        os.path.join(top, name): (facts.st_size, facts.st_mtime_ns, facts.st_ino)
        for top, _, names in os.walk(folder)
        for name in names
        for facts in [os.lstat(os.path.join(top, name))]
    }


@pytest.mark.parametrize("name", NAMES)
def test_reading_leaves_every_store_as_it_was(name: str, tmp_path: Path) -> None:
    make(name, tmp_path)
    before = files_below(tmp_path)
    catalogue = catalogue_of(tmp_path)
    for artifact in completed(catalogue):
        catalogue.envelope(artifact)
    catalogue.missing()
    catalogue.close()
    assert files_below(tmp_path) == before


def test_a_home_that_holds_them_all_lists_each_artifact_once(tmp_path: Path) -> None:
    stores = []
    for name in NAMES:
        try:
            stores.append(make(name, tmp_path))
        except FileExistsError as error:
            pytest.fail(f"{name} and another store claim the same place: {error}")
    catalogue = catalogue_of(tmp_path)
    artifacts = completed(catalogue)
    listed = Counter(map(place_of, artifacts))
    made = Counter(
        place(spill.path, spill.row)
        for store in stores
        if not store.roots
        for spill in store.spills
    )
    assert listed - made == Counter()
    assert made - listed == Counter()
    harness = {place_of(a): a.found.harness for a in artifacts}
    link = {place_of(a): a.link.state if a.link else None for a in artifacts}
    rows: list[tuple[str, object, object]] = []
    for store in stores:
        for spill in store.spills if not store.roots else ():
            where = place(spill.path, spill.row)
            what = f"{store.harness}: {spill.what}"
            rows.append((what, harness[where], store.harness))
            rows.append((f"{what}: link", link[where], spill.link))
    assert not wrong(rows), wrong(rows)
    gone = Counter((row.harness, row.state) for row in catalogue.missing())
    assert gone == Counter(
        (store.harness, row.state) for store in stores for row in store.gone
    )


@pytest.mark.parametrize("name", NAMES)
def test_the_command_line_prints_a_row_for_each(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.command import run

    store = make(name, tmp_path)
    where = [str(path) for path in store.roots] or [str(tmp_path)]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "our" / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "our" / "state"))
    ran = run("ls", "--json", "--no-count", *where)
    assert ran.code == 0, ran.err
    rows: list[dict[str, Any]] = ran.rows
    assert len(rows) == len(store.spills)
    assert json.dumps(rows)
