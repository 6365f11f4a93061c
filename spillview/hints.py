"""What `typing` gives, for the modules that the start of a command loads.

Type checkers see `typing` itself. Running, nobody asks a hint for more than the words
of a `Literal`, and `typing` would take as long to load as two dozen of our modules.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import IO as IO
    from typing import Any as Any
    from typing import AnyStr as AnyStr
    from typing import BinaryIO as BinaryIO
    from typing import ClassVar as ClassVar
    from typing import Generic as Generic
    from typing import Literal as Literal
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TypeVar as TypeVar
    from typing import cast as cast
    from typing import dataclass_transform as dataclass_transform
    from typing import get_args as get_args
    from typing import overload as overload
else:
    IO = Any = AnyStr = BinaryIO = ClassVar = NoReturn = Protocol = object

    class Literal:
        """Its words, as a tuple."""

        def __class_getitem__(cls, words):
            return words if isinstance(words, tuple) else (words,)

    class Generic:
        """A base that adds nothing."""

        def __class_getitem__(cls, names):
            return object

    def TypeVar(name, *kinds, bound=None):
        """A name that stands for a type."""
        return object

    def cast(kind, value):
        """The value."""
        return value

    def dataclass_transform(**_):
        """A decorator that changes nothing."""
        return overload

    def get_args(literal):
        """The words of a `Literal`."""
        return literal

    def overload(function):
        """The function."""
        return function
