"""The folders that a platform gives to the programs of one user.

Apart from `places`, for what must start quickly: nothing here is slow to load.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `typing`, which is not loaded for it
if TYPE_CHECKING:
    from collections.abc import Mapping

_XDG = {
    "config": ("XDG_CONFIG_HOME", ".config"),
    "cache": ("XDG_CACHE_HOME", ".cache"),
    "state": ("XDG_STATE_HOME", ".local/state"),
    "data": ("XDG_DATA_HOME", ".local/share"),
}
_MACOS = {
    "config": "Library/Application Support",
    "cache": "Library/Caches",
    "state": "Library/Application Support",
    "data": "Library/Application Support",
}
_WINDOWS = {
    "config": ("APPDATA", "AppData/Roaming"),
    "cache": ("LOCALAPPDATA", "AppData/Local"),
    "state": ("LOCALAPPDATA", "AppData/Local"),
    "data": ("LOCALAPPDATA", "AppData/Local"),
}


def base_folder(kind: str, *, env: Mapping[str, str], home: str, platform: str) -> str:
    """The platform's `config`, `cache`, `state` or `data` folder of a user."""
    variable, below_home = _XDG[kind]
    chosen = env.get(variable, "")
    if os.path.isabs(chosen):  # a relative one must be ignored
        return chosen
    if platform == "darwin":
        return os.path.join(home, _MACOS[kind])
    if platform == "win32":
        variable, below_home = _WINDOWS[kind]
        chosen = env.get(variable, "")
        if chosen:
            return chosen
    return os.path.join(home, *below_home.split("/"))


def own_folder(kind: str) -> str:
    """spillview's own `config` or `cache` folder of the user who runs this."""
    home = os.path.abspath(os.environ.get("HOME") or os.path.expanduser("~"))
    base = base_folder(kind, env=os.environ, home=home, platform=sys.platform)
    return os.path.join(base, "spillview")
