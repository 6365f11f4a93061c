"""Runs a reader's target, led by coverage: by atheris, else by hypothesis."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import Any

CORPUS = Path(os.environ.get("SPILLVIEW_FUZZ", "/tmp/svbench/fuzz"))
"""Where inputs that reached something new are kept between runs."""


def by_atheris(name: str, minutes: float, seed: int) -> None:
    """Fuzz until the time is over; atheris ends the process and says how many."""
    atheris: Any = importlib.import_module("atheris")  # installed by hand
    with atheris.instrument_imports(include=["spillview"]):
        from tests.fuzz.readers import READERS, seeds
    corpus = CORPUS / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds(name)):
        (corpus / f"seed-{number}").write_bytes(data)
    options = [
        f"-max_total_time={int(60 * minutes)}",
        f"-seed={seed}",
        "-max_len=8192",
        "-timeout=20",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
        "-verbosity=1",
    ]
    atheris.Setup([sys.argv[0], str(corpus), *options], READERS[name])
    atheris.Fuzz()


def by_hypothesis(name: str, minutes: float, most: int | None = None) -> int:
    """Draw inputs until the time is over, or `most` of them; gives how many."""
    from hypothesis import HealthCheck, Phase, given, target
    from hypothesis import settings as house
    from hypothesis import strategies as st

    from tests.fuzz.readers import READERS, seeds

    done = 0
    until = time.monotonic() + 60 * minutes
    begun = seeds(name)
    pieces = st.sampled_from(begun) | st.binary(max_size=64)

    @house(
        max_examples=most or 10_000,
        deadline=None,
        database=None,
        derandomize=most is not None,
        phases=[Phase.generate, Phase.target, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(
        st.lists(pieces, max_size=4).map(b"".join),
        st.lists(st.tuples(st.integers(0, 4096), st.binary(max_size=4)), max_size=6),
    )
    def once(data: bytes, edits: list[tuple[int, bytes]]) -> None:
        nonlocal done
        for place, piece in edits:
            at = place % (len(data) + 1)
            data = data[:at] + piece + data[at + 1 :]
        READERS[name](data)
        target(float(len(data)))
        done += 1

    while True:
        once()
        if most is not None or time.monotonic() > until:
            return done


def has_atheris() -> bool:
    """Whether the fuzzer is installed."""
    return importlib.util.find_spec("atheris") is not None
