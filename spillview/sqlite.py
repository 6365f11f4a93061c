"""SQLite for the modules that the start of a command loads.

It is `sqlite3` without what that adds for dates, which takes longer to load than
SQLite itself and is used for nothing here.
"""

from __future__ import annotations

from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
else:
    try:
        import _sqlite3 as sqlite3
    except ImportError:  # another implementation of Python
        import sqlite3

__all__ = ["sqlite3"]
