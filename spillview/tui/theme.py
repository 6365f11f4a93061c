"""The program's own themes; any other Textual theme works as well.

Colours carry meaning only, and each one of text stands out from its background by 4.5
to 1 or more (7 to 1 in `contrast`).
"""

from __future__ import annotations

from textual.app import App
from textual.theme import BUILTIN_THEMES, Theme

NIGHT = Theme(
    name="night",
    primary="#9cc4e4",
    secondary="#5f7d99",
    accent="#9cc4e4",
    warning="#d9a657",
    error="#e5706b",
    success="#7fb38a",
    foreground="#cdd3da",
    background="#11151a",
    surface="#11151a",
    panel="#1a2027",
    dark=True,
    variables={
        "text-error": "#ee7872",
        "text-warning": "#dfb167",
        "text-success": "#86ba92",
        "footer-background": "#161b21",
        "footer-key-foreground": "#9cc4e4",
        "footer-description-foreground": "#8a949e",
        "scrollbar": "#2b343d",
        "scrollbar-hover": "#3a4550",
        "scrollbar-active": "#4a5763",
        "scrollbar-background": "#11151a",
        "scrollbar-background-hover": "#11151a",
        "scrollbar-background-active": "#11151a",
    },
)

DAY = Theme(
    name="day",
    primary="#1f5f8f",
    secondary="#5b7186",
    accent="#1f5f8f",
    warning="#8a5a00",
    error="#b3261e",
    success="#2f6b3c",
    foreground="#1c2127",
    background="#f6f7f8",
    surface="#f6f7f8",
    panel="#e8ebee",
    dark=False,
    variables={
        "text-error": "#a9231b",
        "text-warning": "#6e4800",
        "text-success": "#2a6136",
        "footer-background": "#e3e7ea",
        "footer-key-foreground": "#1f5f8f",
        "footer-description-foreground": "#4b555f",
        "scrollbar": "#c3cad1",
        "scrollbar-hover": "#aab3bc",
        "scrollbar-active": "#8f9aa5",
        "scrollbar-background": "#f6f7f8",
        "scrollbar-background-hover": "#f6f7f8",
        "scrollbar-background-active": "#f6f7f8",
        "aside": "#4a545e",
        "faint": "#6b7580",
    },
)

CONTRAST = Theme(
    name="contrast",
    primary="#6fd3ff",
    secondary="#ffffff",
    accent="#6fd3ff",
    warning="#ffd400",
    error="#ff8a80",
    success="#7dff9b",
    foreground="#ffffff",
    background="#000000",
    surface="#000000",
    panel="#1c1c1c",
    dark=True,
    variables={
        "text-error": "#ff8a80",
        "text-warning": "#ffd400",
        "text-success": "#7dff9b",
        "footer-background": "#1c1c1c",
        "footer-key-foreground": "#6fd3ff",
        "footer-description-foreground": "#ffffff",
        "scrollbar": "#ffffff",
        "scrollbar-background": "#1c1c1c",
        "aside": "#d0d0d0",
        "faint": "#b0b0b0",
        "row-cursor": "#002238",
    },
)

ANSI = Theme(
    name="ansi",
    ansi=True,
    primary="ansi_blue",
    secondary="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        **BUILTIN_THEMES["ansi-dark"].variables,
        # The terminal's own colours, dark or light: only their exchange is sure to be
        # readable on both.
        "row-cursor": "ansi_default",
        "row-cursor-style": "reverse",
        "aside": "ansi_default",
        "aside-style": "dim",
        "faint": "ansi_bright_black",
        "footer-key-foreground": "ansi_blue",
    },
)
"""The sixteen colours of the terminal, whatever they are set to."""

THEME_WORDS = {
    NIGHT.name: "Dark colours",
    DAY.name: "Light colours",
    CONTRAST.name: "Dark colours with a contrast of 7 to 1",
    ANSI.name: "The sixteen colours of the terminal",
}
"""What each is, in words."""

THEMES = {theme.name: theme for theme in (NIGHT, DAY, CONTRAST, ANSI)}


class Themed(App[None]):
    """An application with these themes, whose stylesheets may use their tokens."""

    def __init__(self, first: str | None = None) -> None:
        """`first`: the theme it begins with; None: what fits the terminal."""
        super().__init__()
        for theme in THEMES.values():
            self.register_theme(theme)
        if first is None:
            few = self.console.color_system == "standard"
            first = ANSI.name if few else NIGHT.name
        # Assigned, it would have all that was parsed until then parsed once more.
        self.set_reactive(App.theme, first)
        self._refresh_truecolor_filter(self.ansi_theme)  # made for Textual's own theme
        self.stylesheet.set_variables(self.get_css_variables())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What our stylesheets use beside Textual's tokens, if a theme has it not."""
        theme = self.current_theme
        foreground = theme.foreground or "#808080"
        return {
            "row-cursor": f"{theme.primary} 17%",
            "row-cursor-style": "none",
            "aside": f"{foreground} 64%",
            "aside-style": "none",
            "faint": f"{foreground} 40%",
        }
