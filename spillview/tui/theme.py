"""The program's own dark theme; any other Textual theme works as well."""

from __future__ import annotations

from textual.theme import Theme

NIGHT = Theme(
    name="spillview",
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
