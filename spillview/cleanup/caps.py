"""What must go besides, so that what stays fits its caps: the oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from spillview.space import space_of

if TYPE_CHECKING:
    from spillview.cleanup.standing import Standing
    from spillview.model import Found


def total(found: Iterable[Found]) -> int:
    """Bytes of the disk that these take together."""
    return space_of(found).disk


def fit(
    standings: Sequence[Standing],
    most: int,
    stays: Callable[[Standing], bool],
    selected: dict[str, Sequence[str]],
    why: str,
) -> int:
    """Select the oldest of what is not `selected` yet, until the rest fits `most`.

    What `stays` is passed over. Gives how many bytes are too much still.
    """
    left = [n for n, e in enumerate(standings) if e.artifact.id not in selected]
    rest = total(standings[n].found for n in left)
    if rest <= most:
        return 0
    names: dict[int, int] = {}
    """How many names are left of each file, by the hash of device and inode."""
    for n in left:
        key = _file(standings[n].found)
        names[key] = names.get(key, 0) + 1

    def oldest(n: int) -> tuple[object, ...]:
        each = standings[n]
        return each.freshest, *each.age

    for n in sorted(left, key=oldest):
        if rest <= most:
            break
        each = standings[n]
        if stays(each) or not each.found.disk:
            continue
        selected[each.artifact.id] = (why,)
        key = _file(each.found)
        names[key] -= 1
        if not names[key]:
            rest -= each.found.disk
    return max(0, rest - most)


def _file(found: Found) -> int:
    """What a file is known by: one with several names counts once."""
    return hash((found.dev, found.ino))
