"""Outlines put together from stretches of the text equal those of one pass."""

from __future__ import annotations

import json
import os
import pickle
import random
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import open_content
from spillview.errors import Cancelled
from spillview.model import Range
from spillview.shape import stretches, teams
from spillview.shape.outline import Outline, outline
from spillview.shape.teams import Team, processes
from tests.shapes import DOCUMENTS, STYLES


class Inline(Executor):
    """Works at once, in this process, on what another one would be sent."""

    def __init__(self, spoil: Callable[[int], None] = lambda _: None) -> None:
        self.spoil = spoil
        self.taken = 0
        self.given = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            self.spoil(self.given)
            self.given += 1
            work = pickle.loads(pickle.dumps((fn, args, kwargs)))
            found = pickle.loads(pickle.dumps(work[0](*work[1], **work[2])))
        except Exception as error:
            future.set_exception(error)
        else:
            self.taken += found is not None
            future.set_result(found)
        return future


def everything(found: Outline) -> tuple[object, ...]:
    """The outline and what later questions are answered from."""
    tree = found.tree
    assert tree is not None

    def place(origin: Any) -> tuple[object, ...]:
        node = origin.node
        return (
            *(origin.start, origin.end, origin.inside, origin.exact),
            None if node is None else node.current().trail,
        )

    nodes = [(node.trail, place(node.origin)) for node in tree.root.walk()]
    deeper = tree.deeper.count, tree.size, tree.crowded
    return found, nodes, list(map(place, tree.parts)), deeper


def compared(
    path: Path,
    data: bytes,
    *,
    lines: bool = False,
    batch: int = 64,
    whole: int = 256,
    stretch: int = 100,
    seen: list[Range] | None = None,
    most_keys: int = 1000,
) -> Inline:
    """Compare both ways; gives the executor."""
    path.write_bytes(data)
    executor = Inline()
    team = Team(lambda: executor, stretch=stretch, least=1)
    with open_content(str(path)) as content:
        options: dict[str, Any] = {"lines": lines, "batch": batch, "whole": whole}
        options |= {"seen": seen, "most_keys": most_keys}
        alone = outline(content, **options)
        together = outline(content, **options, team=team)
    assert everything(together) == everything(alone)
    return executor


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of any size, whatever the number of paths."""
    monkeypatch.setattr(teams, "PER_PATH", 0)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each text is written anew."""
    return tmp_path_factory.mktemp("stretches") / "text"


SIZES = st.fixed_dictionaries(
    {
        "batch": st.integers(16, 300),
        "whole": st.integers(300, 600),
        "stretch": st.integers(1, 900),
        "most_keys": st.sampled_from([3, 6, 1000]),
    }
)
RANGES = st.none() | st.lists(
    st.tuples(st.integers(0, 3000), st.integers(0, 400)).map(
        lambda pair: (pair[0], sum(pair))
    ),
    max_size=4,
)


@settings(max_examples=100, deadline=None)
@given(
    records=st.lists(DOCUMENTS, min_size=1, max_size=6),
    times=st.integers(1, 40),
    style=STYLES,
    sizes=SIZES,
    seen=RANGES,
    around=st.sampled_from([("", ""), ('{"a":', "}"), ('[[1,{"b":', ',"c":2}]]')]),
)
def test_an_array_in_stretches_equals_one_pass(
    path: Path,
    records: list[Any],
    times: int,
    style: dict[str, Any],
    sizes: dict[str, Any],
    seen: list[Range] | None,
    around: tuple[str, str],
) -> None:
    text = around[0] + json.dumps(records * times, **style) + around[1]
    compared(path, text.encode("utf-8", "surrogatepass"), seen=seen, **sizes)


LINES = DOCUMENTS.map(json.dumps) | st.sampled_from(
    ["", "  ", "{bad", "[1,", "NaN", '{"a":1} {"b":2}', '{"a":', "\x00", '"\\ud800"']
)


@settings(max_examples=100, deadline=None)
@given(
    lines=st.lists(LINES, min_size=1, max_size=8),
    times=st.integers(1, 40),
    end=st.sampled_from(["\n", "\r\n"]),
    sizes=SIZES,
    seen=RANGES,
)
def test_lines_in_stretches_equal_one_pass(
    path: Path,
    lines: list[str],
    times: int,
    end: str,
    sizes: dict[str, Any],
    seen: list[Range] | None,
) -> None:
    data = (end.join(lines * times) + end).encode("utf-8", "surrogatepass")
    compared(path, data, lines=True, seen=seen, **sizes)


HOSTILE: dict[str, Callable[[random.Random, int], str]] = {
    "new keys": lambda _, n: f'{{"id":{n},"k{n // 40}":{n},"m":{{"x{n % 30}":1}}}}',
    "maps": lambda some, n: json.dumps({f"k{some.random()}": n for _ in range(20)}),
    "other keys": lambda some, n: json.dumps(
        dict.fromkeys(some.sample("abcdefgh", some.randrange(8)), n)
    ),
    "duplicates": lambda _, n: f'{{"a":1,"a":{n},"b":[{{"c":1,"c":2}}]}}',
    "constants": lambda _, n: f'{{"v":{"NaN" if n % 50 == 7 else n}}}',
    "large numbers": lambda _, n: f'{{"v":{n}{"0" * (n % 30)},"w":1e{n}}}',
    "giants": lambda _, n: json.dumps({"s": "x" * (5000 if n % 60 == 50 else n % 9)}),
    "deep": lambda _, n: "[" * (n % 130) + str(n) + "]" * (n % 130),
    "deceiving": lambda _, n: (
        f'{{"id":{n},"t":"}},{{\\"id\\":","u":[{{"id":1}},{{}}]}}'
    ),
    "long keys": lambda _, n: json.dumps({f"{'k' * 1200}{n % 3}": n}),
    "empty": lambda _, n: ['""', "null", "{}", "[]", '{"a":""}', '{"a":null}'][n % 6],
    "late": lambda _, n: '{"a":""}' if n < 300 else f'{{"a":"x{n}","b":{n}}}',
    "broken": lambda _, n: '{"a":}' if n == 333 else f'{{"a":{n}}}',
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("shape", ["array", "lines", "inside"])
def test_hostile_texts_in_stretches_equal_one_pass(
    path: Path, name: str, shape: str
) -> None:
    some = random.Random(name)
    items = [HOSTILE[name](some, number) for number in range(500)]
    text = "\n".join(items) + "\n" if shape == "lines" else f"[{','.join(items)}]"
    if shape == "inside":
        text = f'{{"before":[1,2],"items":{text},"after":{{"x":1}}}}'
    for batch, most_keys in ((700, 1000), (1500, 16)):
        executor = compared(
            path,
            text.encode(),
            lines=shape == "lines",
            batch=batch,
            whole=3 * batch,
            stretch=3 * batch,
            seen=[(100, 4000), (9000, 9500)],
            most_keys=most_keys,
        )
        if shape == "lines" and name in ("new keys", "duplicates", "late", "broken"):
            assert executor.given > 2


def test_bytes_that_are_no_utf8_are_found_at_the_first_of_them(path: Path) -> None:
    item = b'{"a":"x"}'
    data = b"[" + b",".join([item] * 90 + [b'{"a":"\xff"}'] + [item] * 90) + b"]"
    assert compared(path, data).taken
    lines = data[1:-1].replace(b",", b"\n")
    assert compared(path, lines, lines=True).taken


def test_the_stretches_are_really_taken_elsewhere(path: Path) -> None:
    item = json.dumps({"id": 1, "tags": ["a"], "user": {"name": "x"}})
    assert compared(path, f"[{','.join([item] * 300)}]".encode()).taken > 50
    assert compared(path, (item + "\n").encode() * 300, lines=True).taken > 50


def lines_of(path: Path, count: int = 400) -> None:
    path.write_text("".join(f'{{"id":{number},"s":"x"}}\n' for number in range(count)))


@pytest.fixture
def team() -> Callable[[Executor], Team]:
    """Makes a team of an executor."""
    return lambda executor: Team(lambda: executor, stretch=200, least=1)


def test_it_goes_on_alone_when_the_others_cannot(
    path: Path, team: Callable[[Executor], Team]
) -> None:
    def at(number: int) -> Callable[[int], None]:
        def spoil(given: int) -> None:
            if given == number:
                raise RuntimeError("killed")

        return spoil

    def unable() -> Executor:
        raise OSError("no more processes")

    lines_of(path)
    with open_content(str(path)) as content:
        wanted = everything(outline(content, lines=True, batch=64))
        for number in (0, 1, 7):
            helped = team(Inline(at(number)))
            found = outline(content, lines=True, batch=64, team=helped)
            assert everything(found) == wanted
        found = outline(content, lines=True, batch=64, team=Team(unable, least=1))
        assert everything(found) == wanted


def test_a_file_that_was_replaced_is_not_read_elsewhere(
    path: Path, team: Callable[[Executor], Team]
) -> None:
    lines_of(path)
    executor = Inline()
    with open_content(str(path)) as content:
        wanted = everything(outline(content, lines=True, batch=64))
        os.remove(path)
        lines_of(path, 900)
        found = outline(content, lines=True, batch=64, team=team(executor))
    assert everything(found) == wanted
    assert executor.given > 2
    assert not executor.taken


def test_it_stops_at_once_while_others_work(path: Path) -> None:
    class Never(Inline):
        down = False

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if fn is not stretches.take:
                return super().submit(fn, *args, **kwargs)
            self.given = -1
            return Future()

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            assert not wait
            assert cancel_futures
            self.down = True

    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 20

    lines_of(path)
    never = Never()
    with open_content(str(path)) as content, pytest.raises(Cancelled):
        outline(
            content,
            lines=True,
            batch=64,
            cancelled=cancelled,
            team=Team(lambda: never, stretch=200, least=1),
        )
    assert never.down
    assert never.given == -1


def test_it_tells_how_far_it_is_in_the_order_of_the_text(
    path: Path, team: Callable[[Executor], Team]
) -> None:
    lines_of(path)
    told: list[int] = []
    with open_content(str(path)) as content:
        outline(
            content,
            lines=True,
            batch=64,
            progress=lambda done, _: told.append(done),
            team=team(Inline()),
        )
        assert told == sorted(told)
        assert told[-1] == content.size
        assert len(told) > 20


def test_a_text_that_is_small_starts_no_process(path: Path) -> None:
    def never() -> Executor:
        raise AssertionError("it was started")

    lines_of(path)
    with open_content(str(path)) as content:
        assert outline(content, lines=True, team=Team(never)).items == 400


def test_real_processes_find_the_same_and_end(path: Path) -> None:
    known = processes()
    if known is None:
        pytest.skip("one processor only")
    make = known.executor
    lines_of(path, 20_000)

    class Started(Inline):
        """A pool that is waited for, or the text might end before it has begun."""

        def __init__(self) -> None:
            super().__init__()
            self.pool = make()

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.given += 1
            future = self.pool.submit(fn, *args, **kwargs)
            if fn is teams.ready:
                future.result()
            return future

        def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
            self.pool.shutdown(wait=True, cancel_futures=cancel_futures)

    pool = Started()
    team = Team(lambda: pool, stretch=100_000, least=1)
    with open_content(str(path)) as content:
        wanted = outline(content, lines=True, batch=10_000)
        found = outline(content, lines=True, batch=10_000, team=team)
    assert everything(found) == everything(wanted)
    assert pool.given > 4


def test_a_stretch_is_a_plain_function_of_what_it_is_given(path: Path) -> None:
    path.write_text("".join(f'{{"{key}":1}}\n' for key in "abcdef" * 20))
    with open_content(str(path)) as content:
        stretch = stretches.Stretch(
            str(path), content.key, 8, 72, None, -1, None, (), 10, 100, 32, 64, None
        )
    taken = stretches.take(stretch)
    assert taken is not None
    assert (taken.end, taken.count) == (72, 8)
    assert stretches.take(replace(stretch, key=(0, 0, 0, 0))) is None
