"""Messages whose annotations are their fields."""

from __future__ import annotations

from typing import Any, ClassVar, dataclass_transform

from textual.message import Message


@dataclass_transform()
class Told(Message):
    """A message whose annotations are its fields, in their order, as in a dataclass.

    A dataclass writes and compiles its methods when its module is loaded: those of the
    first screen's messages took a fortieth of the start.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._fields = (*cls._fields, *vars(cls).get("__annotations__", ()))

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__()
        for name, value in zip(self._fields, values, strict=False):
            setattr(self, name, value)
        for name, value in named.items():
            setattr(self, name, value)
