"""Frozen slotted classes of facts, whose modules load in a fraction of the time.

A dataclass writes and compiles six methods when its module is loaded, whether or not
anything is made of it: with those that `spillview ls` loads, a third of its time. Here
one method is compiled, with the first object, and the others are shared. For type
checkers, and for `dataclasses.replace`, `fields` and `asdict`, it is a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType

from spillview.hints import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import replace as replace
else:

    def replace(made, /, **changes):
        """`made` with these fields changed; `dataclasses.replace` without its load."""
        if not isinstance(type(made), _Freezing):
            return type(made)(**values_of(made) | changes)
        kind, *values = made._values(made)
        for name, value in changes.items():
            at = kind._places.get(name)
            if at is None:
                raise TypeError(f"{kind.__name__} has no field {name!r}")
            values[at] = value
        return kind(*values)


@dataclass_transform(frozen_default=True)
class _Freezing(type):
    """Makes fields of a class's annotations."""

    _names: tuple[str, ...]
    _defaults: dict[str, Any]

    def __new__(
        mcs,
        name: str,
        bases: tuple[_Freezing, ...],
        space: dict[str, Any],
        uncompared: Iterable[str] = (),
    ) -> _Freezing:
        own = tuple(space.get("__annotations__", ()))
        names = (*(each for base in bases for each in base._names), *own)
        defaults = {each: space.pop(each) for each in own if each in space}
        for base in bases:
            defaults = base._defaults | defaults
        compared = [each for each in names if each not in uncompared]
        space |= {
            "__slots__": own,
            "__match_args__": names,
            "_names": names,
            "_places": {each: at for at, each in enumerate(names)},
            "_defaults": defaults,
            "_compared": attrgetter("__class__", *compared),
            "_values": attrgetter("__class__", *names),
            "__init__": space.get("__init__", _first_init),
        }
        return super().__new__(mcs, name, bases, space)


def _first_init(self: Frozen, *values: Any, **named: Any) -> None:
    """Make `__init__` when an object is first made, and call it."""
    kind = type(self)
    made = _init_of(kind)
    kind.__init__ = made  # type: ignore[method-assign]  # that is what it is for
    made(self, *values, **named)


def _init_of(kind: _Freezing) -> Callable[..., None]:
    """A function that takes the fields of `kind` and sets each."""
    names = kind._names
    setters = {f"set{at}": getattr(kind, n).__set__ for at, n in enumerate(names)}
    space = {"__builtins__": {}, **setters}
    code = _init_code(len(names)).replace(co_varnames=("self", *names))
    made = FunctionType(code, space, "__init__", defaults_of(names, kind._defaults))
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    return made


@cache
def _init_code(number: int) -> CodeType:
    """An `__init__` for so many fields, whose names do not matter to the compiler."""
    heads = ", ".join(["self", *(f"f{at}" for at in range(number))])
    lines = [f" set{at}(self, f{at})" for at in range(number)]
    return code_of(f"def __init__({heads}):\n" + "\n".join(lines or [" pass"]))


def code_of(text: str) -> CodeType:
    """The code of the one function that `text` defines."""
    space: dict[str, FunctionType] = {}
    exec(text, space)
    return next(each for each in space.values() if type(each) is FunctionType).__code__


def defaults_of(
    names: Sequence[str], known: Mapping[str, Any]
) -> tuple[Any, ...] | None:
    """The defaults of the last of these fields, as a function has them.

    Raises TypeError where a field without a default comes behind one that has it.
    """
    first = len(names) - len(known)
    late = [name for name in names[first:] if name not in known]
    if late:
        raise TypeError(f"non-default field {late[0]!r} follows a default one")
    return tuple(known[name] for name in names[first:]) or None


def values_of(made: Any) -> dict[str, Any]:
    """The fields of `made` by name, not looked into; `orjson` takes it as `default`."""
    return {name: getattr(made, name) for name in made.__match_args__}


class _DataclassFields:
    """What the functions of `dataclasses` look for, made when they look."""

    def __get__(self, made: object, kind: _Freezing) -> dict[str, Any]:
        return _dataclass_fields(kind._names)


@cache
def _dataclass_fields(names: tuple[str, ...]) -> dict[str, Any]:
    from dataclasses import fields, make_dataclass

    return {
        field.name: field
        for field in fields(
            make_dataclass("_", names, init=False, repr=False, eq=False)
        )
    }


class Frozen(metaclass=_Freezing):
    """A class of facts: its annotations are its fields, in their order.

    As with a frozen slotted dataclass, what a class body assigns to a field is its
    default, and two objects are equal when their class and fields are. The fields
    named by `uncompared` count for neither that nor the hash. All objects share a
    default, so it must not be one that is changed.
    """

    __dataclass_fields__ = _DataclassFields()
    if TYPE_CHECKING:
        _names: ClassVar[tuple[str, ...]]
        _compared: ClassVar[attrgetter[tuple[Any, ...]]]
        _values: ClassVar[attrgetter[tuple[Any, ...]]]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return bool(self._compared(self) == self._compared(other))

    def __hash__(self) -> int:
        return hash(self._compared(self))

    def __repr__(self) -> str:
        values = [f"{name}={getattr(self, name)!r}" for name in self._names]
        return f"{type(self).__qualname__}({', '.join(values)})"

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        kind, *values = self._values(self)
        return kind, tuple(values)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        self._refuse("assign to", name)

    def __delattr__(self, name: str) -> NoReturn:
        self._refuse("delete", name)

    def _refuse(self, verb: str, name: str) -> NoReturn:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {verb} field {name!r}")
