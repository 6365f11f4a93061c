"""Named tuples behave as those of `typing` they stand for."""

from __future__ import annotations

import copy
import pickle
import typing
from collections.abc import Callable
from typing import Any

import pytest

from spillview.named import NamedTuple


class Point(NamedTuple):
    """A place."""

    x: int
    y: int = 0
    """Down."""
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y


class Twin(typing.NamedTuple):
    x: int
    y: int = 0
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y


class Bare(NamedTuple):
    pass


class Wide(Point):
    """A named tuple with more to it, and no field more."""

    @property
    def twice(self) -> int:
        return 2 * self.x


MADE: list[tuple[tuple[object, ...], dict[str, object]]] = [
    ((1,), {}),
    ((1, 2), {}),
    ((1, 2, ("a",)), {}),
    ((), {"x": 1}),
    ((1,), {"names": ("b",)}),
    ((), {}),
    ((1,), {"x": 2}),
    ((1, 2, (), 4), {}),
    ((1,), {"q": 2}),
]


@pytest.mark.parametrize(("values", "named"), MADE)
def test_it_is_made_from_the_same_arguments(
    values: tuple[object, ...], named: dict[str, object]
) -> None:
    class Fresh(NamedTuple):
        x: int
        y: int = 0
        names: tuple[str, ...] = ()

    results: list[object] = []
    for kind in (Twin, Fresh, Fresh):  # its first tuple and a later one
        try:
            made = kind(*values, **named)  # type: ignore[arg-type]  # wrong ones too
            results.append((*made, made.x, made.y, made.names))
        except TypeError as error:
            results.append(str(error).replace("Fresh", "Twin"))
    assert results[1:] == [results[0]] * 2


WAYS: list[Callable[[Any], object]] = [
    repr,
    hash,
    len,
    tuple,
    lambda made: made.sum,
    lambda made: made._asdict(),
    lambda made: made._fields,
    lambda made: type(made)._field_defaults,
    lambda made: made._replace(y=5),
    lambda made: made._replace(nope=5),
    lambda made: made._make([1, 2, 3]),
    lambda made: made._make([1, 2]),
    lambda made: made == (1, 2, ()),
    lambda made: made < (1, 3),
    lambda made: (*made, 1),
    lambda made: made[1:],
    lambda made: vars(made),
    lambda made: setattr(made, "x", 2),
    lambda made: setattr(made, "more", 2),
    lambda made: delattr(made, "x"),
    lambda made: made.__getnewargs__(),
    lambda made: type(made).__match_args__,
]


def said(way: Callable[[Any], object], made: object) -> str:
    """What came of it, without the name of the class."""
    try:
        return repr(way(made)).replace("Twin", "Point")
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__


@pytest.mark.parametrize("way", WAYS)
def test_it_answers_as_one_of_typing(way: Callable[[Any], object]) -> None:
    assert said(way, Point(1, 2)) == said(way, Twin(1, 2))


def test_it_fits_a_pattern_and_has_its_words() -> None:
    match Point(1, 2, ("a",)):
        case Point(1, y, names):
            assert (y, names) == (2, ("a",))
        case _:
            pytest.fail("its fields match in their order")
    assert Point.__doc__ == "A place."
    assert Bare() == ()


def test_it_can_be_copied_and_pickled() -> None:
    point = Point(1, 2, ("a",))
    for made in (copy.copy(point), copy.deepcopy(point)):
        assert made == point
        assert type(made) is Point
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        made = pickle.loads(pickle.dumps(point, protocol))
        assert made == point
        assert type(made) is Point


def test_what_is_derived_of_it_is_of_its_own_kind() -> None:
    wide = Wide(2, names=("a",))
    assert (wide.twice, wide.names, type(wide)) == (4, ("a",), Wide)
    assert type(wide._replace(y=1)) is Wide
    assert type(Point(1)) is Point
