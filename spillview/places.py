"""Where this user's files lie: home, temp, config, cache and state folders."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress

from spillview.folders import base_folder
from spillview.frozen import Frozen

_DARWIN_USER_TEMP_DIR = 65537
"""The number macOS gives the per-user temp folder in `confstr`."""


def own_uid() -> int:
    """The user's id; -1 on platforms without one."""
    getuid = getattr(os, "getuid", None)
    return int(getuid()) if getuid is not None else -1


DEMO_MARKER = ".spillview-demo"
"""The file that says a home folder is a night that `demo` made."""


class Places(Frozen):
    """One user's folders and environment; nothing here touches the disk."""

    home: str
    tmp: str
    """The first temp folder; `tmps` has all of them."""
    env: Mapping[str, str]
    uid: int
    platform: str
    """As `sys.platform` writes it: `linux`, `darwin`, `win32`."""
    confined: bool = False
    """True when only what lies below `home` counts (a copied or made home)."""

    @classmethod
    def here(cls) -> Places:
        """The places of the user who runs this process, from the environment."""
        env = dict(os.environ)
        home = env.get("HOME", "")
        if not os.path.isabs(home):  # as with XDG variables, it is none then
            home = _known_home()
        return cls(
            home=os.path.abspath(home),
            tmp=os.path.abspath(_temp_folder(env, sys.platform)),
            env=env,
            uid=own_uid(),
            platform=sys.platform,
        )

    @classmethod
    def of_home(cls, folder: str) -> Places:
        """`folder` taken as somebody's home; its temp folder is `folder/tmp`.

        The environment of this process says nothing about that home and is ignored.
        """
        home = os.path.abspath(folder)
        return cls(
            home=home,
            tmp=os.path.join(home, "tmp"),
            env={},
            uid=own_uid(),
            platform=sys.platform,
            confined=True,
        )

    @property
    def tmps(self) -> tuple[str, ...]:
        """Every temp folder in which harnesses of this user may have written."""
        folders = [self.tmp]
        if not self.confined and self.platform != "win32":
            if self.platform == "darwin":
                folders += _darwin_temp()
            folders.append("/tmp")
        return tuple(dict.fromkeys(folders))

    def base(self, kind: str) -> str:
        """The platform's `config`, `cache`, `state` or `data` folder of this user."""
        return base_folder(kind, env=self.env, home=self.home, platform=self.platform)

    @property
    def config_dir(self) -> str:
        """What the user writes for spillview: `config.toml`, `harnesses/`."""
        return os.path.join(self.base("config"), "spillview")

    @property
    def cache_dir(self) -> str:
        """What can be rebuilt at any time."""
        return os.path.join(self.base("cache"), "spillview")

    @property
    def index_dir(self) -> str:
        """The search index, a folder of its own in the cache."""
        return os.path.join(self.cache_dir, "index")

    @property
    def state_dir(self) -> str:
        """What must last: printed ids, marks, our own spills."""
        folder = os.path.join(self.base("state"), "spillview")
        # macOS and Windows have no state folder of their own.
        return os.path.join(folder, "state") if self.platform != "linux" else folder


def private_dir(path: str) -> str:
    """Make the folder `path` (and its parents), readable by its owner alone.

    Called by whatever is about to write there, never to look. Raises OSError, for a
    folder of another user too.
    """
    if not os.path.isdir(path):
        _make(path)
    if stat.S_IMODE(checked_own(path).st_mode) != 0o700:
        os.chmod(path, 0o700)
    return path


def checked_own(path: str) -> os.stat_result:
    """The facts of a folder; raises PermissionError where it is another user's."""
    facts = os.stat(path)
    if own_uid() >= 0 and facts.st_uid != own_uid():
        raise PermissionError(errno.EPERM, "it belongs to another user", path)
    return facts


def _known_home() -> str:
    """The home folder that the system has for this user."""
    try:
        import pwd

        return pwd.getpwuid(own_uid()).pw_dir
    except (ImportError, KeyError, OverflowError):
        return os.path.expanduser("~")


def _make(path: str) -> None:
    """Make a folder and those above it, each on the disk before what is put into it."""
    above = os.path.dirname(path)
    if above and not os.path.isdir(above):
        _make(above)
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return
    with suppress(OSError):
        folder = os.open(above or os.curdir, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _temp_folder(env: Mapping[str, str], platform: str) -> str:
    """The temp folder by the environment; nothing is created to try it."""
    names = ("TEMP", "TMP") if platform == "win32" else ("TMPDIR", "TEMP", "TMP")
    for name in names:
        if env.get(name):
            return env[name]
    if platform == "win32":
        local = env.get("LOCALAPPDATA") or os.path.expanduser(r"~\AppData\Local")
        return os.path.join(local, "Temp")
    darwin = _darwin_temp() if platform == "darwin" else []
    return darwin[0] if darwin else "/tmp"


def _darwin_temp() -> list[str]:
    confstr = getattr(os, "confstr", None)
    try:
        found = confstr(_DARWIN_USER_TEMP_DIR) if confstr is not None else None
    except (OSError, ValueError):
        found = None
    return [found.rstrip("/")] if found else []
