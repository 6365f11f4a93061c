"""Garbage collection is off while anybody is inside, and then as it was."""

from __future__ import annotations

import gc
import random
import threading
import time
from collections.abc import Iterator

import pytest

from spillview.collection import uncollected


@pytest.fixture(autouse=True)
def on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_is_off_inside_and_on_behind_an_error_too() -> None:
    with uncollected:
        assert not gc.isenabled()
        with uncollected:
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="inside"), uncollected:
        raise ValueError("inside")
    assert gc.isenabled()


def test_what_was_off_stays_off() -> None:
    gc.disable()
    with uncollected:
        pass
    assert not gc.isenabled()


def test_it_is_on_again_once_all_threads_have_left() -> None:
    stayed: list[bool] = []

    def enter(seed: int) -> None:
        dice = random.Random(seed)
        for _ in range(50):
            with uncollected:
                time.sleep(dice.random() / 5000)
                stayed.append(not gc.isenabled())

    threads = [threading.Thread(target=enter, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stayed == [True] * 400
    assert gc.isenabled()
