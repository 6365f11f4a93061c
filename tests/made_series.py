"""Made series of a command's sizes whose day of crossing its maker knows."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass

DAY = 86_400.0
START = 20_700.0
"""The day since the epoch on which every series begins: a Friday (UTC)."""


@dataclass(frozen=True)
class Made:
    """Runs until `today`, and when the size without noise passes the boundary."""

    kind: str
    runs: list[tuple[float, float]]
    """Day since the epoch and size."""
    boundary: int
    today: float
    crosses: float | None
    """The day; None where it never does."""


def made(
    kind: str,
    seed: int,
    *,
    size: Callable[[float, random.Random], float],
    crosses: float | None,
    days: int = 40,
    noise: float = 0.0,
    outliers: float = 0.0,
    boundary: int = 30_000,
    per_day: int = 3,
) -> Made:
    """Runs at random hours; `size` tells the true size at a day from the start."""
    dice = random.Random(seed)
    runs = []
    for day in range(days):
        for _ in range(dice.randint(1, per_day)):
            at = day + dice.uniform(0.3, 0.9)
            value = size(at, dice) + dice.gauss(0, noise)
            if dice.random() < outliers:
                value *= dice.choice((0.05, 0.1, 3.0))
            runs.append((START + at, max(0.0, round(value))))
    runs.sort()
    return Made(
        kind,
        runs,
        boundary,
        START + days,
        START + crosses if crosses is not None else None,
    )


def linear(seed: int, *, noise: float = 0.0, outliers: float = 0.0) -> Made:
    """A steady growth that crosses 10 to 60 days after the last run."""
    dice = random.Random(seed)
    days, crosses = 40, 40 + dice.uniform(10, 60)
    begin = dice.uniform(8_000, 18_000)
    rate = (30_000 - begin) / crosses
    name = "outliers" if outliers else "noise" if noise else "linear"
    return made(
        name,
        seed,
        size=lambda at, _: begin + rate * at,
        crosses=crosses,
        days=days,
        noise=noise * begin,
        outliers=outliers,
    )


def stepped(seed: int) -> Made:
    """Growth with one jump in it, which is not growth."""
    dice = random.Random(seed)
    when, jump = dice.uniform(10, 30), dice.uniform(2_500, 5_000)
    crosses = 40 + dice.uniform(10, 50)
    begin = dice.uniform(8_000, 14_000)
    rate = (30_000 - begin - jump) / crosses
    return made(
        "step in growth",
        seed,
        size=lambda at, _: begin + rate * at + (jump if at > when else 0),
        crosses=crosses,
        noise=60,
    )


def step_alone(seed: int) -> Made:
    """A jump, then flat: it never crosses."""
    dice = random.Random(seed)
    when = dice.uniform(8, 32)
    jump = dice.choice((-1, 1)) * dice.uniform(2_000, 8_000)
    return made(
        "step alone",
        seed,
        size=lambda at, _: 15_000 + (jump if at > when else 0),
        crosses=None,
        noise=dice.choice((0, 100, 300)),
    )


def weekends(seed: int) -> Made:
    """Growth, with less printed at weekends."""
    dice = random.Random(seed)
    crosses = 42 + dice.uniform(10, 50)
    begin, less = dice.uniform(10_000, 16_000), dice.uniform(0.2, 0.5)
    rate = (30_000 - begin) / crosses

    def size(at: float, _: random.Random) -> float:
        weekend = (math.floor(START + at) + 3) % 7 >= 5
        return (begin + rate * at) * (1 - less if weekend else 1)

    return made("weekends", seed, size=size, crosses=crosses, days=42, noise=150)


def flat(seed: int) -> Made:
    """Nothing but noise."""
    dice = random.Random(seed)
    return made(
        "noise alone",
        seed,
        size=lambda at, _: 20_000.0,
        crosses=None,
        noise=dice.uniform(0, 4_000),
        outliers=dice.choice((0, 0.1)),
    )


def flat_weekends(seed: int) -> Made:
    """No growth, but quiet weekends."""
    return made(
        "quiet weekends",
        seed,
        size=lambda at, _: (
            12_000 if (math.floor(START + at) + 3) % 7 >= 5 else 24_000.0
        ),
        crosses=None,
        noise=300,
        days=random.Random(seed).randint(5, 40),
    )


def resets(seed: int) -> Made:
    """Growth from nothing again every ten days, never to the boundary."""
    dice = random.Random(seed)
    every, top = dice.uniform(8, 11), dice.uniform(12_000, 22_000)
    return made(
        "resets",
        seed,
        size=lambda at, _: 2_000 + top * ((at % every) / every),
        crosses=None,
        noise=150,
        days=44,
    )


def one_reset(seed: int) -> Made:
    """Growth that began anew once and goes on at its rate."""
    dice = random.Random(seed)
    when, rate = dice.uniform(12, 20), dice.uniform(450, 700)
    crosses = when + (30_000 - 3_000) / rate
    return made(
        "one reset",
        seed,
        size=lambda at, _: 3_000 + rate * (at if at < when else at - when),
        crosses=crosses,
        noise=100,
    )


def faster(seed: int) -> Made:
    """Growth that doubled its rate at half time: the recent rate is right."""
    dice = random.Random(seed)
    rate = dice.uniform(120, 200)
    begin = 9_000.0
    at_turn = begin + 20 * rate
    crosses = 20 + (30_000 - at_turn) / (2 * rate)
    return made(
        "faster lately",
        seed,
        size=lambda at, _: begin + rate * at + max(0.0, at - 20) * rate,
        crosses=crosses,
        noise=100,
    )


def speeding(seed: int) -> Made:
    """Growth by the same share each day, as long as it lasts."""
    dice = random.Random(seed)
    crosses = 40 + dice.uniform(10, 40)
    begin = dice.uniform(5_000, 12_000)
    rate = math.log(30_000 / begin) / crosses
    return made(
        "speeding up",
        seed,
        size=lambda at, _: begin * math.exp(rate * at),
        crosses=crosses,
        noise=100,
    )


def ended(seed: int) -> Made:
    """Growth that ended at half time."""
    dice = random.Random(seed)
    rate = dice.uniform(200, 500)
    return made(
        "growth that ended",
        seed,
        size=lambda at, _: 9_000 + rate * min(at, 20),
        crosses=None,
        noise=100,
    )


def shrinking(seed: int) -> Made:
    """Less and less."""
    return made(
        "shrinking",
        seed,
        size=lambda at, _: 25_000 - 300 * at,
        crosses=None,
        noise=200,
    )


KINDS: dict[str, Callable[[int], Made]] = {
    "linear": linear,
    "noise of 2 %": lambda seed: linear(seed, noise=0.02),
    "noise of 10 %": lambda seed: linear(seed, noise=0.10),
    "outliers, one in ten": lambda seed: linear(seed, noise=0.02, outliers=0.1),
    "step in growth": stepped,
    "weekends": weekends,
    "one reset": one_reset,
    "faster lately": faster,
    "speeding up": speeding,
    "noise alone": flat,
    "quiet weekends": flat_weekends,
    "step alone": step_alone,
    "resets": resets,
    "growth that ended": ended,
    "shrinking": shrinking,
}
