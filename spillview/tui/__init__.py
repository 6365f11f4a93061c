"""The terminal interface: one file per screen or widget.

Importing this package does not load Textual; the modules in it do.
"""

from __future__ import annotations

from pathlib import Path


def stylesheet(name: str) -> Path:
    """The absolute path of a stylesheet, in a wheel as well as in a checkout.

    A wheel carries `styles/` inside the package; a checkout has it beside it.
    """
    here = Path(__file__).resolve()
    inside = here.parents[1] / "styles"
    folder = inside if inside.is_dir() else here.parents[2] / "styles"
    return folder / name
