"""The line of keys at the bottom of a screen, drawn by one widget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import ActiveBinding, Binding
from textual.screen import Screen
from textual.strip import Strip

from spillview.frozen import Frozen
from spillview.tui.parts import Parts

WAYS = frozenset(
    {
        "app.toggle_help",
        "close_help",
        "leave",
        "back",
        "clear",
        "dismiss",
        "answer",
    }
)
"""What helps and leads back stays in sight, whatever else has no room."""

WHEEL = 8
"""Cells that the line moves by where it is wider than the screen."""


class Key(Frozen):
    """One key of the line, or the title of the group before it."""

    start: int
    """The cell it begins in."""
    display: str
    words: str
    key: str = ""
    """What a click presses; nothing for a title."""
    enabled: bool = True
    tooltip: str = ""

    @property
    def end(self) -> int:
        """The cell after it."""
        both = 1 if self.display and self.words else 0
        return self.start + cell_len(self.display) + both + cell_len(self.words)


def _is_way(active: ActiveBinding) -> bool:
    return active.binding.action.partition("(")[0] in WAYS


def _group_at(keys: list[ActiveBinding], place: int) -> Binding.Group | None:
    return keys[place].binding.group if place < len(keys) else None


class Footer(Parts):
    """The keys that work now; a click presses one.

    Textual's own footer is a widget for each key, all of them made anew whenever a key
    appears or goes: a third of the time in which a screen opens.
    """

    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[Key] | None = None
        self._fitted_to = 0
        """The width for which they were placed."""
        self._palette: ActiveBinding | None = None
        self._over: Key | None = None
        self._shift = 0

    def on_mount(self) -> None:
        """Hear when other keys work."""
        self.screen.bindings_updated_signal.subscribe(self, self._change)

    def _change(self, screen: Screen[object]) -> None:
        if screen is self.screen:
            self._keys = None
            self.refresh()

    @property
    def keys(self) -> list[Key]:
        """The keys from the left, without the palette's."""
        if self._keys is None or self._fitted_to != self.size.width:
            self._fitted_to = self.size.width
            active = self.screen.active_bindings
            shown = [each for each in active.values() if each.binding.show]
            self._palette = active.get(self.app.COMMAND_PALETTE_BINDING)
            self._keys = self._fitted(shown)
        return self._keys

    def _fitted(self, shown: list[ActiveBinding]) -> list[Key]:
        """In their order; where they do not fit, the ways out before the first cut."""
        placed = list(self._placed(shown))
        room = self._room()
        if not placed or placed[-1].end <= room:
            return placed
        ways = [each for each in shown if _is_way(each)]
        others = [each for each in shown if not _is_way(each)]
        for count in range(len(others), -1, -1):
            group = others[count - 1].binding.group if count else None
            if group is not None and group == _group_at(others, count):
                continue  # its title would go to the half of it that is in sight
            seen = list(self._placed([*others[:count], *ways]))
            if seen and seen[-1].end <= room:
                rest = self._placed(others[count:], seen[-1].end + 1)
                return [*seen, *rest]
        return placed

    def _placed(self, shown: Iterable[ActiveBinding], at: int = 0) -> Iterator[Key]:
        by_action: dict[str, ActiveBinding] = {}
        for each in shown:
            by_action.setdefault(each.binding.action, each)
        for group, members in groupby(
            by_action.values(), lambda each: each.binding.group
        ):
            alone = list(members)
            if group is None or len(alone) == 1:
                for each in alone:
                    key = self._key(at, each)
                    yield key
                    at = key.end + 1
                continue
            at += 1
            for each in alone:
                key = self._key(at, each, words="")
                yield key
                at = key.end
            title = Key(at + 1, "", group.description)
            yield title
            at = title.end + 1

    def _key(self, at: int, active: ActiveBinding, words: str | None = None) -> Key:
        _, binding, enabled, tooltip = active
        display = self.app.get_key_display(binding)
        if words is None:
            words = binding.description
        else:
            tooltip = tooltip or binding.description
        return Key(at, display, words, binding.key, enabled, tooltip)

    @property
    def palette(self) -> Key | None:
        """The palette's key, at the right edge, while there is room for it."""
        if self._palette is None or self.screen.has_class("-narrow"):
            return None
        key = self._key(0, self._palette)
        return replace(key, start=self.size.width - key.end - 1)

    # -- the mouse -------------------------------------------------------------------

    def _at(self, x: int) -> Key | None:
        palette = self.palette
        if palette is not None and x >= palette.start - 1:
            return palette if x < palette.end else None
        x += self._shift
        seen = self._whole(self._shift, self._shift + self._room())
        return next((k for k in seen if k.key and k.start <= x < k.end), None)

    def on_click(self, event: events.Click) -> None:
        """Press the key that was clicked."""
        key = self._at(event.x)
        if key is not None and key.enabled:
            self.app.simulate_key(key.key)
        elif key is not None:
            self.app.bell()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Light the key under the mouse and say what it does."""
        self._hover(self._at(event.x))

    def on_leave(self) -> None:
        """No key is under the mouse."""
        self._hover(None)

    def _hover(self, key: Key | None) -> None:
        if key != self._over:
            self._over = key
            self.tooltip = key.tooltip if key is not None and key.tooltip else None
            self.styles.pointer = "pointer" if key is not None else "default"
            self.refresh()

    def on_mouse_scroll_down(self) -> None:
        """Bring the keys further right into sight."""
        keys = self.keys
        left = (keys[-1].end if keys else 0) - self._room()
        self._shift = max(0, min(self._shift + WHEEL, left))
        self.refresh()

    def on_mouse_scroll_up(self) -> None:
        """Bring the keys further left back."""
        self._shift = max(0, self._shift - WHEEL)
        self.refresh()

    # -- drawing ---------------------------------------------------------------------

    def on_resize(self) -> None:
        """Begin with the first key again."""
        self._shift = 0

    def _room(self) -> int:
        palette = self.palette
        return self.size.width if palette is None else max(0, palette.start - 1)

    def _whole(self, start: int, end: int) -> list[Key]:
        """The keys that stand between two cells with all of their words.

        Keys of a group whose title would be cut are left out with it.
        """
        seen = [key for key in self.keys if start <= key.start and key.end <= end]
        if seen and seen[-1] != self.keys[-1]:
            while seen and not seen[-1].words:
                seen.pop()
        return seen

    def render_line(self, y: int) -> Strip:
        """The keys, and the palette's at the right edge."""
        base, width = self.rich_style, self.size.width
        segments: list[Segment] = []
        at = 0
        end = self._shift + self._room()
        for key in self._whole(self._shift, end):
            if key.start > at:
                segments.append(Segment(" " * (key.start - at), base))
            segments += self._drawn(key, base)
            at = key.end
        line = Strip(segments).extend_cell_length(end, base).crop(self._shift, end)
        palette = self.palette
        if palette is not None:
            edge = Segment("▏", base + self.get_component_rich_style("keys--edge"))
            line = Strip([*line, edge, *self._drawn(palette, base)])
        return line.adjust_cell_length(width, base)

    def _drawn(self, key: Key, base: Style) -> list[Segment]:
        if key == self._over:
            base += self.get_component_rich_style("keys--over")
        if not key.enabled:
            base += Style(dim=True)
        name, words = (self._style(part, key) for part in ("key", "words"))
        segments = [Segment(key.display, base + name)] if key.display else []
        if key.words:
            gap = " " if key.display else ""
            segments.append(Segment(gap + key.words, base + words))
        return segments

    def _style(self, part: str, key: Key) -> Style:
        full = self.get_component_rich_style(f"keys--{part}")
        if key != self._over:
            return full
        return Style(color=full.color, bold=full.bold)
