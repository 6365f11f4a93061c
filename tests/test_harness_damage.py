"""Made stores that were damaged: nothing raises, nothing false is seen or linked.

What the model saw of an undamaged store bounds what it may be said to have seen of a
damaged one. Every round is drawn from a seed of its own, so that a fault comes again.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.rows import artifact_row, missing_row
from spillview.errors import SpillError
from spillview.model import Artifact
from spillview.places import Places
from tests.harness_stores import NAMES, HarnessStore, make

ROUNDS = 3
NASTY: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**63, 10**400, 1e308, float("nan"), float("inf"), -1e18),
    *("", "\n", "\0", "\ud800", "undefined", "..", "*", "9" * 5000, "x" * 300),
    *("/etc/passwd", "../../../../etc/passwd", "artifact://../../x", "/dev/zero"),
    *([], {}, [[]], ["x"], {"a": {"b": []}}, {"": None}, {"text": 5}, [None]),
    [{"type": "text", "text": None}],
)
"""Values that no harness writes where they are put."""

Place = tuple[str, str | None]
Range = tuple[int, int]


def read(home: Path, store: HarnessStore) -> dict[Place, Artifact]:
    """Everything that listing, envelopes and the missing rows are made of."""
    catalogue = Catalogue(Places.of_home(str(home)))
    query = Query(paths=tuple(map(str, store.roots))) if store.roots else None
    try:
        latest = {artifact.id: artifact for artifact in catalogue.scan(query)}
        for artifact in catalogue.complete(list(latest.values())):
            latest[artifact.id] = artifact
        for artifact in latest.values():
            json.dumps(artifact_row(artifact))
            with suppress(SpillError):
                catalogue.envelope(artifact)
        for row in catalogue.missing():
            json.dumps(missing_row(row))
        catalogue.sessions(list(latest.values()))
    finally:
        catalogue.close()
    found = {(a.found.path, a.found.row): a for a in latest.values()}
    assert len(found) == len(latest), "listed twice"
    return found


def seen_of(artifact: Artifact) -> tuple[Range, ...]:
    seen = artifact.link.seen if artifact.link is not None else None
    return seen.ranges if seen is not None else ()


def inside(ranges: tuple[Range, ...], bounds: tuple[Range, ...]) -> bool:
    # A byte that damage put beside a range may happen to be the file's next one.
    return all(any(a - 2 <= x and y <= b + 2 for a, b in bounds) for x, y in ranges)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if len(path) < 50 and isinstance(value, dict | list):
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            yield from places(value[key], (*path, key))


def worsened(value: Any, rng: random.Random) -> Any:
    """`value` with one part replaced, wrapped or left out."""
    *above, last = rng.choice(list(places(value))) or (None,)
    if last is None:
        return rng.choice(NASTY)
    within = value
    for key in above:
        within = within[key]
    draw = rng.random()
    if draw < 0.7:
        within[last] = rng.choice(NASTY)
    elif draw < 0.85:
        within[last] = [within[last]]
    else:
        del within[last]
    return value


def line_worsened(line: bytes, rng: random.Random) -> bytes:
    try:
        return json.dumps(worsened(json.loads(line), rng)).encode()
    except ValueError:
        return line


def bytes_worsened(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """A transcript that was cut, mixed up, encoded otherwise, or is another's."""
    lines = data.split(b"\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    some = other.split(b"\n")[: rng.choice((1, 9))]
    deep = b"[" * 20_000 + b"]" * 20_000
    flipped = bytearray(data)
    for _ in range(rng.choice((1, 20, 200))):
        if flipped:
            flipped[rng.randrange(len(flipped))] = rng.randrange(256)
    valued = [line_worsened(line, rng) for line in lines]
    choices: tuple[Callable[[], bytes], ...] = (
        lambda: data[: rng.randrange(len(data) + 1)],
        lambda: bytes(flipped),
        lambda: b"\n".join((*lines[:at], *lines[to : to + 9], *lines[at:])),
        lambda: b"\n".join(rng.sample(lines, len(lines))),
        lambda: b"\n".join((*lines[:at], *some, *lines[at + 1 :])),
        lambda: b"\n".join((*lines[:at], deep, *lines[at:])),
        lambda: b"\n".join(valued),
        lambda: b"\n".join((*lines[:at], valued[at], *lines[at + 1 :])),
        lambda: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
        lambda: data.decode("utf-8", "replace").encode("utf-16"),
        lambda: data.replace(b'":"', b'":"\\ud800'),
        lambda: data.replace(b"\n", b"\0\n", 3),
        lambda: gzip.compress(data, 1),
        lambda: other,
    )
    return rng.choice(choices)()


def database_worsened(path: Path, rng: random.Random) -> None:
    """A database with flipped bytes, fewer pages or columns, or odd values."""
    data = bytearray(path.read_bytes())
    kind = rng.choice(("flip", "cut", "page", "drop", "view", "value", "value"))
    if kind == "cut":
        path.write_bytes(data[: rng.randrange(len(data))])
        return
    if kind in ("flip", "page"):
        at = rng.randrange(len(data) // 512) * 512 if kind == "page" else 0
        for place in range(at, at + 512) if kind == "page" else range(40):
            place = place if kind == "page" else rng.randrange(len(data))
            data[place] = rng.randrange(256)
        path.write_bytes(data)
        return
    with closing(sqlite3.connect(path)) as base, suppress(sqlite3.Error), base:
        names = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        table = rng.choice([name for (name,) in base.execute(names)])
        columns = base.execute(f'PRAGMA table_info("{table}")').fetchall()
        column = rng.choice(columns)[1]
        if kind == "drop":
            base.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"')
        elif kind == "view":
            base.execute(f'ALTER TABLE "{table}" RENAME TO other')
            base.execute(f'CREATE VIEW "{table}" AS SELECT * FROM other')
        else:
            odd = [None, -1, 2**62, float("inf"), "", "\0", b"\xff", "[[", "../../x"]
            change = f'UPDATE OR IGNORE "{table}" SET "{column}" = ?'
            base.execute(change, (rng.choice(odd),))


def file_worsened(path: Path, rng: random.Random) -> None:
    """An artifact that became something else."""
    path.unlink()
    kind = rng.choice(("link", "fifo", "folder", "huge", "gone"))
    if kind == "link":
        path.symlink_to("/etc/passwd")
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(2 << 20)


def is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(15) == b"SQLite format 3"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
@pytest.mark.parametrize("name", NAMES)
def test_damage_hides_nothing_else_and_invents_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPILLVIEW_DEBUG", "1")
    home, kept = tmp_path / "home", tmp_path / "kept"
    home.mkdir()
    store = make(name, home)
    whole = read(home, store)
    shutil.copytree(home, kept, symlinks=True)
    bounds = {place: seen_of(artifact) for place, artifact in whole.items()}
    for spill in store.spills:
        place = (str(spill.path), spill.row)
        bounds[place] = (*bounds.get(place, ()), *(spill.seen or spill.may))
    files = sorted(p for p in home.rglob("*") if p.is_file() and not p.is_symlink())
    made = {str(spill.path) for spill in store.spills}
    bases = [path for path in files if is_database(path)]
    plain = [path for path in files if str(path) in made and path not in bases]
    logs = [path for path in files if path not in (*bases, *plain)]
    for number in range(ROUNDS):
        rng = random.Random(f"{name} {number}")
        damaged: set[str] = set()
        for group in rng.choices([g for g in (logs, logs, bases, plain) if g], k=3):
            path = rng.choice(group)
            if str(path) in damaged:
                continue
            damaged.add(str(path))
            if group is bases:
                database_worsened(path, rng)
            elif group is plain:
                file_worsened(path, rng)
            else:
                other = rng.choice([*logs, path])
                text = other.read_bytes() if other.is_file() else b""
                path.write_bytes(bytes_worsened(path.read_bytes(), text, rng))
        now = read(home, store)
        for place, artifact in whole.items():
            if os.path.realpath(place[0]) in damaged or place[0] in damaged:
                continue
            what = f"{name}, round {number}: {place}, after {sorted(damaged)}"
            found = now.get(place)
            assert found is not None, what
            assert found.counts == artifact.counts, what
            assert found.link is not None, what
            assert artifact.link is not None, what
            assert (found.link.state, artifact.link.state) != ("linked", "orphan"), what
            assert inside(seen_of(found), bounds[place]), what
        for name_of in damaged:
            path = Path(name_of)
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            path.unlink(missing_ok=True)
            shutil.copy2(kept / path.relative_to(home), path)
