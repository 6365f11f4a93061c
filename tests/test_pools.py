"""Processes that are talked to by one thread answer, fail and end as they should."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, wait

import pytest

from spillview.pools import Pool


@pytest.fixture
def pool() -> Iterator[Pool]:
    made = Pool(2)
    yield made
    made.shutdown(wait=True, cancel_futures=True)


def repeated(data: bytes, times: int) -> bytes:
    return data * times


class Odd(Exception):
    """One that cannot be put together again."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__("odd")


def failing(how: str) -> None:
    if how == "odd":
        raise Odd(1, 2)
    raise KeyError(how)


def ending() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_each_work_has_its_own_answer(pool: Pool) -> None:
    asked = [pool.submit(repeated, b"%d" % number, times=3) for number in range(40)]
    assert [each.result() for each in asked] == [
        b"%d" % number * 3 for number in range(40)
    ]
    assert all(each.done() for each in asked)


def test_large_works_and_large_answers_wait_for_each_other_in_no_circle(
    pool: Pool,
) -> None:
    data = os.urandom(3 << 20)
    asked = [pool.submit(repeated, data, 2) for _ in range(6)]
    assert all(each.result() == data * 2 for each in asked)


def test_an_error_is_raised_by_who_asked(pool: Pool) -> None:
    with pytest.raises(KeyError, match="this"):
        pool.submit(failing, "this").result()
    with pytest.raises(RuntimeError, match="odd"):
        pool.submit(failing, "odd").result()
    assert pool.submit(repeated, b"still ", 2).result() == b"still still "


def test_what_a_killed_process_was_at_fails_and_the_other_goes_on(pool: Pool) -> None:
    assert pool.submit(repeated, b"a", 1).result() == b"a"
    with pytest.raises(BrokenExecutor):
        pool.submit(ending).result()
    assert pool.submit(repeated, b"b", 2).result() == b"bb"
    with pytest.raises(BrokenExecutor):
        pool.submit(ending).result()
    with pytest.raises(BrokenExecutor):
        pool.submit(repeated, b"c", 1).result()


def test_an_answer_that_takes_time_can_be_waited_for_in_parts(pool: Pool) -> None:
    asked = pool.submit(time.sleep, 0.3)
    assert not asked.done()
    with pytest.raises(TimeoutError):
        asked.result(timeout=0.01)
    assert asked.result() is None
    assert wait([asked], timeout=0).done == {asked}


def test_what_nobody_waits_for_any_more_is_cancelled(pool: Pool) -> None:
    asked = [pool.submit(time.sleep, 0.2) for _ in range(4)]
    pool.shutdown(wait=True)
    assert all(each.cancelled() for each in asked)
    with pytest.raises(BrokenExecutor):
        pool.submit(repeated, b"d", 1)
