"""Links of very many artifacts, packed until one of them is asked for."""

from __future__ import annotations

from _thread import RLock
from collections import OrderedDict
from collections.abc import Callable, Mapping

from spillview.compression import zstd
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.links.sheets import Group
    from spillview.model import Link

OPEN = 8_000
"""So many links are kept as they are: those of the sessions asked for last."""

PACKED = 16 << 20
"""Bytes of packed links that are kept."""


class Near:
    """Links of whole sessions that were joined once, as many as memory allows.

    A list goes from session to session in any order: by size, very many of them in
    turn. So the links of those that were not asked for last are packed, to a tenth of
    their size and less, and unpacked one by one.
    """

    def __init__(self) -> None:
        self._open: OrderedDict[Group, Mapping[str, Link]] = OrderedDict()
        self._links = 0
        self._packed: OrderedDict[Group, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = RLock()
        """A screen may ask for links while others are read."""
        self._asked: Group | None = None
        """The packed session that was asked for last."""

    def of(self, group: Group) -> Callable[[str], Link | None] | None:
        """What gives the links of a session by artifact id; None if it is not kept."""
        with self._lock:
            links = self._open.get(group)
            if links is not None:
                self._open.move_to_end(group)
                return links.get
            packed = self._packed.get(group)
        if packed is None:
            return None
        from pickle import loads

        each: dict[str, bytes] = loads(zstd().decompress(packed))
        if group == self._asked:  # a list is in the midst of it
            links = {ident: loads(link) for ident, link in each.items()}
            self.keep(group, links)
            return links.get
        self._asked = group

        def unpacked(ident: str) -> Link | None:
            link: Link | None = loads(each[ident]) if ident in each else None
            return link

        return unpacked

    def keep(self, group: Group, links: Mapping[str, Link]) -> None:
        """Take the links of a session."""
        with self._lock:
            self.drop(group)
            self._open[group] = links
            self._links += len(links)
            while self._links > OPEN and len(self._open) > 1:
                self._pack(*self._open.popitem(last=False))

    def _pack(self, group: Group, links: Mapping[str, Link]) -> None:
        from pickle import dumps

        self._links -= len(links)
        each = {ident: dumps(link, -1) for ident, link in links.items()}
        packed = zstd().compress(dumps(each, -1), 1)
        self._packed[group] = packed
        self._bytes += len(packed)
        while self._bytes > PACKED and len(self._packed) > 1:
            self._bytes -= len(self._packed.popitem(last=False)[1])

    def drop(self, group: Group) -> None:
        """Forget a session's links."""
        with self._lock:
            self._links -= len(self._open.pop(group, ()))
            self._bytes -= len(self._packed.pop(group, b""))
