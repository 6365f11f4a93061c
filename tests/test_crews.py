"""Other processes find out of very many artifacts what this one would."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.catalogue.cache import Cache
from spillview.catalogue.catalogue import Catalogue
from spillview.crews import LEAST, Crew, Hands, crew, quiet_crew
from spillview.demo import make_night
from spillview.model import Artifact
from spillview.places import Places
from spillview.processes import pool, processors
from tests.harness_stores import make

NOW = 1_772_694_000.0
STORES = ("codex", "opencode", "hermes_agent", "gemini_cli")


class Away(Executor):
    """Does at once what another process would be sent, sent as it would be."""

    def __init__(self, spoil: Callable[[int], None] = lambda number: None) -> None:
        self.spoil = spoil
        self.asked = 0
        self.items = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.asked += 1
        self.items += len(args[0]) if args else 0
        future: Future[Any] = Future()
        try:
            self.spoil(self.asked)
            work, given = pickle.loads(pickle.dumps((fn, args), -1))
            future.set_result(pickle.loads(pickle.dumps(work(*given), -1)))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        pass


def away(
    batch: int = 5, spoil: Callable[[int], None] = lambda number: None
) -> tuple[Away, Crew]:
    """An executor, and the crew that it is."""
    executor = Away(spoil)
    return executor, Crew(lambda: executor, 2, batch, least=0)


ODD = {
    "empty": b"",
    "invalid": b"a \xff\xfe line\n\xe3\x81\n" * 900,
    "nul": b"\0\0\0\nFAILED\n\0",
    "wide": "ｗｉｄｅ\n".encode("utf-16") * 400,
    "cut": b'{"a": [1, 2, {"b": "' + b"x" * 5000,
    "lines": b'{"a": 1}\n{"b": [2]}\n' * 300,
    "escapes": b"\x1b]0;title\x07\x1b[2J\n" * 500 + b"\x1b[0m\n",
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 9,
    "packed": b"\x1f\x8b\x08" + bytes(range(256)) * 5,
    "date": b"2026-03-05 02:00:00 it failed\n" * 300,
    "astral": "🦊 ok\n".encode() * 999 + b"\xf0\x9f",
    "blank": b"said\n" + b"\n \t\r\n" * 3000,
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A night, stores of other harnesses, and files of every odd kind."""
    home = tmp_path_factory.mktemp("crew") / "home"
    make_night(str(home), NOW)
    (home / "tmp").mkdir(exist_ok=True)
    for name in STORES:
        make(name, home)
    results = next(home.glob(".claude/projects/*/*/tool-results"))
    for name, data in ODD.items():
        (results / f"toolu_01Odd{name}.txt").write_bytes(data)
    (results / "toolu_01Oddlink.txt").symlink_to("nowhere")
    os.mkfifo(results / "toolu_01Oddpipe.txt")
    return home


def catalogue_of(home: Path, cache: Cache | None = None) -> Catalogue:
    return Catalogue(Places.of_home(str(home)), cache=cache, now=lambda: NOW)


def told(artifacts: Iterator[Artifact]) -> list[str]:
    """Everything that is known of each, in their order."""
    return [f"{a!r} {a.counts.form if a.counts else None}" for a in artifacts]


def kept(path: Path) -> list[list[tuple[Any, ...]]]:
    """What a cache has of contents."""
    with sqlite3.connect(path) as db:
        tables = ("counts", "looks")
        return [
            db.execute(f"select * from {t} order by path").fetchall() for t in tables
        ]


@pytest.mark.parametrize("batch", [1, 20])
def test_a_crew_finds_and_keeps_what_one_process_does(
    home: Path, tmp_path: Path, batch: int
) -> None:
    executor, helpers = away(batch)
    found, caches = [], []
    for name, crew_of in (("alone", None), ("together", helpers)):
        path = tmp_path / name / "cache.sqlite3"
        cache = Cache(str(path))
        catalogue = catalogue_of(home, cache)
        found.append(told(catalogue.complete(catalogue.scan(), crew=crew_of)))
        # Once more, where all is known, and with what only asking for it counts.
        again = catalogue_of(home, cache)
        listing = again.scan()
        found[-1] += told(again.complete(listing, huge=True, crew=crew_of))
        cache.close()
        caches.append(kept(path))
    assert found[0] == found[1]
    assert caches[0] == caches[1]
    assert executor.items > len(ODD) + 20


def spoil_files(home: Path) -> None:
    """What other programs may do between a look at the entries and the reading."""
    night = sorted(home.glob(".claude/projects/*/*/tool-results/*.txt"))
    plain = [path for path in night if path.is_file() and not path.is_symlink()]
    assert len(plain) > 12
    plain[0].unlink()
    plain[1].write_bytes(plain[1].read_bytes()[:10])
    with plain[2].open("ab") as file:
        file.write(b"one line more\n")
    other = plain[3].with_name("other")
    other.write_bytes(b"another file\n")
    other.replace(plain[3])
    plain[4].unlink()
    plain[4].symlink_to("/etc/passwd")
    plain[5].unlink()
    os.mkfifo(plain[5])
    plain[6].unlink()
    plain[6].mkdir()
    log = max(home.glob(".claude/projects/*/*.jsonl"), key=lambda p: p.stat().st_size)
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])


def test_files_that_change_or_go_are_told_alike(tmp_path: Path) -> None:
    home = tmp_path / "home"
    make_night(str(home), NOW)
    _, helpers = away()
    alone, together = catalogue_of(home), catalogue_of(home)
    listings = alone.scan(), together.scan()
    # Transcripts are read first, so that records point at what is no more.
    listings = alone.settled(listings[0]), together.settled(listings[1])
    spoil_files(home)
    expected = told(alone.complete(listings[0]))
    assert told(together.complete(listings[1], crew=helpers)) == expected
    assert any("no longer there" in each for each in expected)


@pytest.mark.parametrize("number", [2, 5])
@pytest.mark.parametrize(
    "error", [BrokenProcessPool("killed"), KeyError("what is no fault of theirs")]
)
def test_all_is_done_here_when_the_others_fail(
    home: Path, number: int, error: Exception
) -> None:
    def spoil(asked: int) -> None:
        if asked >= number:
            raise error

    executor, helpers = away(3, spoil)
    alone, together = catalogue_of(home), catalogue_of(home)
    expected = told(alone.complete(alone.scan()))
    assert told(together.complete(together.scan(), crew=helpers)) == expected
    assert executor.asked >= number


def test_all_is_done_here_where_there_are_no_processes(home: Path) -> None:
    def none() -> Executor:
        raise NotImplementedError("no semaphores on this system")

    alone, together = catalogue_of(home), catalogue_of(home)
    expected = told(alone.complete(alone.scan()))
    helpers = Crew(none, 2, least=0, patient=True)
    assert told(together.complete(together.scan(), crew=helpers)) == expected


def test_few_artifacts_start_no_process(home: Path) -> None:
    def never() -> Executor:
        raise AssertionError("too few for that")

    catalogue = catalogue_of(home)
    assert list(catalogue.complete(catalogue.scan(), crew=Crew(never, 2)))
    assert quiet_crew(10, 1 << 20) is None
    if processors() > 1:
        assert quiet_crew(10_000, 1 << 20) is not None
        assert quiet_crew(1, LEAST) is not None
        assert crew() is not None


@pytest.fixture
def started() -> Iterator[list[Executor]]:
    """The pools of a test, which end with it."""
    pools: list[Executor] = []
    yield pools
    for each in pools:
        each.shutdown(wait=True, cancel_futures=True)


def processes(started: list[Executor]) -> Crew:
    """Real processes, waited for."""

    def begin() -> Executor:
        started.append(pool(2))
        return started[-1]

    return Crew(begin, 2, batch=4, least=0, patient=True)


def test_a_process_that_is_killed_loses_nothing(
    home: Path, started: list[Executor]
) -> None:
    alone, together = catalogue_of(home), catalogue_of(home)
    expected = told(alone.complete(alone.scan()))
    found, killed = [], 0
    for artifact in together.complete(together.scan(), crew=processes(started)):
        found.append(artifact)
        children = multiprocessing.active_children()
        if len(found) == 9 and children:
            assert children[0].pid is not None
            os.kill(children[0].pid, signal.SIGKILL)
            killed += 1
    assert told(iter(found)) == expected
    assert killed


def test_no_process_stays_when_the_work_is_given_up(
    home: Path, started: list[Executor]
) -> None:
    catalogue = catalogue_of(home)
    met = 0

    def stop() -> bool:
        return met > 6

    for _ in catalogue.complete(
        catalogue.scan(), crew=processes(started), cancelled=stop
    ):
        met += 1
    assert met == 7
    deadline = time.monotonic() + 30
    while multiprocessing.active_children() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not multiprocessing.active_children()


SCRIPT = """
import multiprocessing, sys, time
from spillview.catalogue.catalogue import Catalogue
from spillview.crews import Crew
from spillview.places import Places
from spillview.processes import pool

if __name__ == "__main__":
    catalogue = Catalogue(Places.of_home(sys.argv[1]))
    helpers = Crew(lambda: pool(2), 2, batch=2, least=0, patient=True)
    for _ in catalogue.complete(catalogue.scan(), crew=helpers):
        print(*(each.pid for each in multiprocessing.active_children()), flush=True)
        time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_processes_end_with_the_one_they_help(
    home: Path, tmp_path: Path, number: signal.Signals
) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    parent = subprocess.Popen(
        [sys.executable, str(script), str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        start_new_session=True,
    )
    assert parent.stdout is not None
    helpers = list(map(int, parent.stdout.readline().split()))
    assert len(helpers) == 2
    if number == signal.SIGINT:  # the terminal sends it to all of them
        os.killpg(parent.pid, number)
    else:
        os.kill(parent.pid, number)
    _, errors = parent.communicate(timeout=60)
    deadline = time.monotonic() + 30
    while any(map(is_there, helpers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_there, helpers))
    assert errors.count("Traceback") == (number == signal.SIGINT)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def squared(jobs: list[int]) -> list[int]:
    return [job * job for job in jobs]


def nothing() -> None:
    pass


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.integers(-5, 30)),
    st.integers(1, 9),
    st.integers(0, 40),
    st.integers(1, 12),
)
def test_results_are_in_their_places(
    items: list[int], batch: int, least: int, fails: int
) -> None:
    def spoil(asked: int) -> None:
        if asked >= fails:
            raise BrokenProcessPool

    executor = Away(spoil)
    for crew_of in (None, Crew(lambda: executor, 2, batch, least << 18)):
        hands: Hands[int, int, int] = Hands(
            lambda item: item * item,
            lambda item: item if item > 0 else None,
            squared,
            weight=abs,
            ready=nothing,
            crew=crew_of,
        )
        half = len(items) // 2
        for part in (items[:half], items[half:]):
            assert list(hands.over(part)) == [(item, item**2) for item in part]
        hands.close()
