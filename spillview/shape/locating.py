"""Where in the text a path's first value is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from spillview.content.content import Content
from spillview.errors import Cancelled
from spillview.model import Range
from spillview.shape.outline import Outline, Trail
from spillview.shape.trace import places
from spillview.shape.tree import Node, Origin


def first_places(
    outline: Outline,
    content: Content,
    trails: Iterable[Trail] | None = None,
    *,
    cancelled: Callable[[], bool] | None = None,
) -> dict[Trail, Range]:
    """The byte ranges of the first values at these paths (None: at every path).

    `content` is what was outlined. A range begins with the value's key, if it has one.
    It ends after the value; where that is not known (a container larger than a part of
    the text, a broken one) it is as short as its beginning. Reads one part of the text
    for each group of paths that came up together.

    Raises `Cancelled`, and what reading raises.
    """
    tree = outline.tree
    if tree is None:
        return {}
    wanted = None if trails is None else set(trails)
    groups: dict[Origin, list[Node]] = {}
    for node in tree.root.walk():
        if node.count and (wanted is None or node.trail in wanted):
            groups.setdefault(node.origin, []).append(node)
    found: dict[Trail, Range] = {}
    for origin, nodes in groups.items():
        if cancelled is not None and cancelled():
            raise Cancelled("The search for places was stopped.")
        if origin.exact:
            for node in nodes:
                found[node.trail] = (origin.start, origin.start + 1)
        else:
            _search(outline, content, origin, nodes, found)
    return found


def path_at(outline: Outline, content: Content, offset: int) -> Trail | None:
    """The path of the innermost value around byte `offset`, its key included.

    Between values it is the container's; of values nested too deep to be listed it is
    the deepest one that is. None before the first value. Reads one part of the text.
    """
    tree = outline.tree
    if tree is None or not tree.parts:
        return None
    place = bisect_right(tree.parts, offset, key=_start) - 1
    if place < 0:
        return None
    part = tree.parts[place]
    around = tree.root if part.node is None else part.node.current()
    if part.exact or offset >= part.end:
        return around.trail
    best: Node = around
    size = part.end - part.start + 1
    data = content.pread(part.start, part.end - part.start)
    for found in places(data, part.inside, part.node, tree, part.start):
        start = found.start if found.key is None else found.key[0]
        end = found.end if found.end >= 0 else part.end
        node = found.node
        if node is None or node is tree.deeper:
            continue
        if start <= offset < end and end - start < size:
            best, size = node, end - start
        if start > offset and found.depth == 0:
            break
    return best.trail


def _start(part: Origin) -> int:
    return part.start


def _search(
    outline: Outline,
    content: Content,
    origin: Origin,
    nodes: list[Node],
    found: dict[Trail, Range],
) -> None:
    """Look through one part of the text for the first values of `nodes`."""
    tree = outline.tree
    assert tree is not None
    if origin.start == origin.end:  # the root, before anything was read
        found[()] = (outline.begin, outline.begin + 1)
        return
    data = content.pread(origin.start, origin.end - origin.start)
    missing = {id(node): node for node in nodes}
    for place in places(data, origin.inside, origin.node, tree, origin.start):
        node = missing.pop(id(place.node), None)
        if node is not None:
            start = place.start if place.key is None else place.key[0]
            end = place.end if place.end >= 0 else place.start + 1
            found[node.trail] = (start, end)
            if not missing:
                return
