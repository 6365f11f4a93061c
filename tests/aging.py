"""Sessions of Claude Code that ended a while ago, with files that are as old."""

from __future__ import annotations

import os
import time
from pathlib import Path

from spillview.places import own_uid

from .stores import SESSION, Claude, Made

DAY = 86_400
HOUR = 3600


def session(
    home: Path,
    ident: str = SESSION,
    *,
    age: float = 30 * DAY,
    files: int = 3,
    cwd: str = "/srv/app",
) -> tuple[Claude, list[Made]]:
    """A Claude Code session that ended `age` seconds ago, with as old artifacts."""
    told = Claude(home, session=ident, uid=max(own_uid(), 0), cwd=cwd)
    told.clock = time.time() - age - 60
    told.prompt("go")
    made = [
        told.spills(f"{ident} {n}\n".encode() * 300, name=f"b{ident[0]}000000{n}.txt")
        for n in range(files)
    ]
    told.says("done")
    told.write()
    for n, each in enumerate(made):
        aged(each.path, age + files - n)
    aged(told.transcript, age)
    return told, made


def aged(path: Path, age: float) -> None:
    """Give a file (or a link itself) its age."""
    when = time.time() - age
    os.utime(path, (when, when), follow_symlinks=False)
