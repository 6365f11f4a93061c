"""What must go besides, so that what stays fits its caps: the oldest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from spillview.space import space_of

if TYPE_CHECKING:
    from spillview.cleanup.retention import Standing
    from spillview.model import Found

File = tuple[int, int]
"""Device and inode: a file with several names counts once."""


def total(found: Iterable[Found]) -> int:
    """Bytes of the disk that these take together."""
    return space_of(found).disk


def fit(
    standings: Sequence[Standing],
    most: int,
    stays: Callable[[Standing], bool],
    selected: dict[str, list[str]],
    why: str,
) -> int:
    """Select the oldest of what is not `selected` yet, until the rest fits `most`.

    What `stays` is passed over. Gives how many bytes are too much still.
    """
    left = [each for each in standings if each.artifact.id not in selected]
    rest = total(each.found for each in left)
    names: dict[File, int] = {}
    for each in left:
        key = (each.found.dev, each.found.ino)
        names[key] = names.get(key, 0) + 1
    for each in sorted(left, key=lambda s: (s.freshest, *s.age)):
        if rest <= most:
            break
        if stays(each) or not each.found.disk:
            continue
        selected[each.artifact.id] = [why]
        key = (each.found.dev, each.found.ino)
        names[key] -= 1
        if not names[key]:
            rest -= each.found.disk
    return max(0, rest - most)
