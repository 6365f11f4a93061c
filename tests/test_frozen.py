"""Frozen classes behave as the frozen slotted dataclasses they stand for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any

import pytest

from spillview.frozen import Frozen, replace


class Point(Frozen):
    """A place."""

    x: int
    y: int = 0
    """Down."""
    names: tuple[str, ...] = ()

    @property
    def sum(self) -> int:
        return self.x + self.y


class Deep(Point):
    z: float = 0.5


class Noted(Frozen, uncompared=("note",)):
    x: int
    note: str | None = None


class Bare(Frozen):
    pass


@dataclasses.dataclass(frozen=True, slots=True)
class Twin:
    x: int
    y: int = 0
    names: tuple[str, ...] = ()


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
def test_it_is_made_from_the_same_arguments_as_a_dataclass(
    values: tuple[object, ...], named: dict[str, object]
) -> None:
    class Fresh(Frozen):
        x: int
        y: int = 0
        names: tuple[str, ...] = ()

    results: list[object] = []
    for kind in (Twin, Fresh, Fresh):  # its first object and a later one
        try:
            made = kind(*values, **named)  # type: ignore[arg-type]  # wrong ones too
            results.append((made.x, made.y, made.names))
        except TypeError as error:
            results.append(str(error).replace(Fresh.__qualname__, "Twin"))
    assert results[1:] == [results[0]] * 2


def test_it_is_equal_by_class_and_fields_and_so_is_its_hash() -> None:
    assert Point(1, 2) == Point(1, y=2)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Point(1, 2) != Point(1, 3)
    assert Point(1, 2) != Twin(1, 2)
    assert Point(1) != Deep(1)
    assert {Point(1): "here"}[Point(1, 0, ())] == "here"
    assert Bare() == Bare() != Point(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1, names=[]))  # type: ignore[arg-type]  # what no hash has


def test_an_uncompared_field_counts_for_neither() -> None:
    assert Noted(1, "a") == Noted(1, "b")
    assert hash(Noted(1, "a")) == hash(Noted(1, "b"))
    assert Noted(1, "a") != Noted(2, "a")


def test_it_reads_as_a_dataclass() -> None:
    text = repr(Point(1, names=("a",)))
    assert text == repr(Twin(1, names=("a",))).replace("Twin", "Point")
    assert Point.__doc__ == "A place."
    match Deep(1, 2, ("a",), 0.25):
        case Point(1, y, names):
            assert (y, names) == (2, ("a",))
        case _:
            pytest.fail("its fields match in their order")


def test_a_subclass_has_the_fields_of_its_base_first() -> None:
    assert repr(Deep(1)) == "Deep(x=1, y=0, names=(), z=0.5)"
    assert Deep(1, 2).sum == 3
    assert (Point(1).y, Deep(1, 2, (), 3.0).z) == (0, 3.0)


def test_nothing_of_it_can_be_changed_or_added() -> None:
    point: Any = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="assign to field 'x'"):
        point.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="delete field 'x'"):
        del point.x
    with pytest.raises(AttributeError):
        point.more = 2
    assert not hasattr(point, "__dict__")
    assert point == Point(1)


def test_both_ways_to_replace_give_the_same() -> None:
    ways: list[Any] = [replace, dataclasses.replace]
    for way in ways:
        assert way(Deep(1, 2), y=3, z=1.0) == Deep(1, 3, (), 1.0)
        assert way(Twin(1), y=2) == Twin(1, 2)
        with pytest.raises(TypeError, match="nope"):
            way(Deep(1), nope=3)


def test_the_functions_of_dataclasses_take_it() -> None:
    assert all(dataclasses.is_dataclass(each) for each in (Point, Point(1)))
    assert [field.name for field in dataclasses.fields(Deep)] == [
        "x",
        "y",
        "names",
        "z",
    ]
    assert dataclasses.asdict(Point(1, 2)) == dataclasses.asdict(Twin(1, 2))


def test_it_can_be_copied_and_pickled() -> None:
    deep = Deep(1, 2, ("a",), 3.0)
    assert copy.copy(deep) == copy.deepcopy(deep) == deep
    assert pickle.loads(pickle.dumps(deep)) == deep


def test_its_module_loads_no_dataclasses() -> None:
    program = (
        "from __future__ import annotations\n"
        "import sys\n"
        "from spillview.frozen import Frozen, replace\n"
        "class A(Frozen):\n"
        "    x: int\n"
        "assert replace(A(1), x=2) == A(2)\n"
        "print([m for m in ('dataclasses', 'inspect') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True)
    assert (done.stdout.strip(), done.stderr) == (b"[]", b"")
