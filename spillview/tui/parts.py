"""Styles of the parts of a widget that draws its own lines, found when one is drawn."""

from __future__ import annotations

from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.widget import Widget


class Parts(Widget):
    """A widget whose component classes need no list and cost nothing until drawn.

    Textual applies the stylesheet to each of `COMPONENT_CLASSES` whenever it applies it
    to the widget, which is several times while a screen opens; here to those alone that
    are asked for, once until the widget's own styles change.
    """

    def get_component_styles(self, *names: str) -> RenderStyles:
        """The styles of one or more component classes, laid over each other."""
        for name in names:
            if name not in self._component_styles:
                part = DOMNode(classes=name)
                part._attach(self)
                self.app.stylesheet.apply(part)
                self._component_styles[name] = part.styles
        return super().get_component_styles(*names)

    def notify_style_update(self) -> None:
        """Colours changed."""
        super().notify_style_update()
        self._component_styles.clear()
