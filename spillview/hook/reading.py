"""Reading a file that others may have made anything of."""

from __future__ import annotations

import errno
import os
import stat


def read_regular(path: str, most: int) -> bytes:
    """The first `most` bytes of a regular file; never waits for anybody.

    Raises OSError, for a pipe or a device too.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    with open(path, "rb", opener=lambda name, _: os.open(name, flags)) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", path)
        return file.read(most)
