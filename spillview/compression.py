"""The compression of what is kept in great numbers."""

from __future__ import annotations

import sys

from spillview.hints import Any


def zstd() -> Any:
    """The module of that name, which newer Pythons have themselves."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd
