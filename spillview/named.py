"""Named tuples whose classes are made in a tenth of the time.

That of `typing` compiles a function for each class and a type for each field, whether
or not anything is made of it. Here the function comes with the first tuple.
"""

from __future__ import annotations

from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    from functools import cache
    from operator import itemgetter
    from types import FunctionType

    from spillview.frozen import code_of, defaults_of

    try:  # as `collections` does
        from _collections import _tuplegetter

        def _item(at):
            return _tuplegetter(at, None)

    except ImportError:

        def _item(at):
            return property(itemgetter(at))

    class _Naming(type):
        """Makes items of a class's annotations."""

        def __new__(mcs, name, bases, space):
            above = any(hasattr(base, "_fields") for base in bases)
            if bases != (tuple,) and not above:
                names = tuple(space.get("__annotations__", ()))
                space["_field_defaults"] = {n: space[n] for n in names if n in space}
                space |= {each: _item(at) for at, each in enumerate(names)}
                space |= {"_fields": names, "__match_args__": names}
                space["__new__"] = _first_new
            space.setdefault("__slots__", ())
            return super().__new__(mcs, name, bases, space)

    def _first_new(kind, *values, **named):
        """Make `__new__` when a tuple is first made, and call it."""
        owner = next(each for each in kind.__mro__ if "_fields" in vars(each))
        owner.__new__ = staticmethod(_new_of(owner))
        return owner.__new__(kind, *values, **named)

    def _new_of(kind):
        """A function that makes a tuple of the fields of `kind`."""
        names = kind._fields
        code = _new_code(len(names)).replace(co_varnames=("_cls", *names))
        space = {"__builtins__": {}, "new": tuple.__new__}
        defaults = defaults_of(names, kind._field_defaults)
        made = FunctionType(code, space, "__new__", defaults)
        made.__qualname__ = f"{kind.__name__}.__new__"
        return made

    @cache
    def _new_code(number):
        """A `__new__` for so many fields, whose names do not matter to the compiler."""
        names = "".join(f"f{at}, " for at in range(number))
        return code_of(f"def __new__(cls, {names}): return new(cls, ({names}))")

    class NamedTuple(tuple, metaclass=_Naming):
        """A tuple whose items have the names of its class's annotations.

        What a class body assigns to one is its default, as with `typing.NamedTuple`.
        """

        @classmethod
        def _make(cls, values):
            made = tuple.__new__(cls, values)
            if len(made) != len(cls._fields):
                raise TypeError(
                    f"Expected {len(cls._fields)} arguments, got {len(made)}"
                )
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            pairs = zip(self._fields, self, strict=True)
            values = ", ".join(f"{name}={value!r}" for name, value in pairs)
            return f"{type(self).__name__}({values})"

        def __getnewargs__(self):
            return tuple(self)
