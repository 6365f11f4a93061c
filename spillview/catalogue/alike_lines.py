"""Lines of artifacts of which nothing but their entries is known: most are alike.

They differ in a few fields, so all that one pattern takes in one folder are written
by one form, without an artifact or a row for each.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from math import floor

from spillview.catalogue.rows import artifact_row
from spillview.digests import sha256
from spillview.hints import TYPE_CHECKING
from spillview.text import iso

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.discovery.entries import Common
    from spillview.links.sheets import Group

MOST = 8192
"""Lines of so many files are written at once."""

_PLAIN = re.compile(r"[\w.,@ +=-]+", re.ASCII)
_VARYING = ("id", "path", "name", "call_id", "modified", "bytes")
_BARE = ("call_id", "modified", "bytes")
"""Of those, what need not be a text."""

_SAID = {"session", "tool", "label", "stream", "content", "digest"}


class Alike:
    """Writes lines of whole sessions of one catalogue, nothing of which is known."""

    def __init__(self, catalogue: Catalogue, made: Callable[[int], bytes]) -> None:
        """`made` gives the line of the artifact at a place, however unlike it is."""
        self.catalogue = catalogue
        self.finds = catalogue.finds
        self.made = made

    def has(self, group: Group) -> bool:
        """Whether only the entries of one folder say anything of a session."""
        places = self.catalogue.standing.places(group)
        if not isinstance(places, range) or len(places) > MOST:
            return False
        if self.catalogue.standing.is_open(group):
            return False
        common = self.finds.folder_of(places)
        return (
            common is not None
            and common.last.anything == ""
            and not common.profile.session_in_names
            and not self.catalogue.has_notes
        )

    def lines(self, places: Sequence[int]) -> Iterator[bytes]:
        """The lines of files in one folder of which only the entries are known."""
        finds = self.finds
        common = finds.folder_of(places)
        assert common is not None
        forms: dict[tuple[int, int], tuple[str, ...] | None] = {}
        moments: dict[int, str] = {}
        start = sha256(os.fsencode(os.path.join(common.real, "")))
        for place in places:
            name, mode = finds.name(place), finds.mode(place)
            read = common.profile.read_name(name)
            kind = (id(read[0]) if read else 0, mode)
            if kind not in forms:
                forms[kind] = self._form(common, place)
            form = forms[kind]
            if form is None or _PLAIN.fullmatch(name) is None:
                yield self.made(place)
                continue
            ident = start.copy()
            ident.update(name.encode())
            call = read[1].get("call_id") if read else None
            second = floor(finds.mtimes[place] / 1e9)
            if second not in moments:
                moments[second] = _json(iso(second))
            first, a, b, c, d, e, last = form
            yield (
                f"{first}{ident.hexdigest()[:16]}{a}{name}{b}{name}{c}{_json(call)}{d}"
                f"{moments[second]}{e}{finds.sizes[place]}{last}"
            ).encode()

    def _form(self, common: Common, place: int) -> tuple[str, ...] | None:
        """The parts between the varying fields of a line; None if more varies."""
        read = common.profile.read_name(self.finds.name(place))
        if read is not None and (
            _SAID & set(read[0].pattern.groupindex) or "<" in (read[0].tool or "")
        ):
            return None
        import orjson

        row = artifact_row(self.catalogue.artifact_at(place))
        if "path_b64" in row:
            return None
        for name in _VARYING:
            row[name] = f"\1{name}\1"
        row["path"] = common.below + row["path"]
        rest = orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE).decode()
        parts: list[str] = []
        for name in _VARYING:
            mark = f"\\u0001{name}\\u0001"
            if name in _BARE:
                mark = f'"{mark}"'
            part, found, rest = rest.partition(mark)
            if not found:
                return None
            parts.append(part)
        return (*parts, rest)


def _json(text: str | None) -> str:
    return "null" if text is None else f'"{text}"'
