"""Whose spills they are where nobody says so."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from hashlib import sha256

VARIABLES = (
    "SPILLVIEW_SESSION",
    "CLAUDE_CODE_SESSION_ID",
    "CLAUDE_SESSION_ID",
    "CODEX_THREAD_ID",
    "OPENCODE_SESSION_ID",
)
"""What harnesses tell the commands they run about their session; ours first."""

LONGEST = 200
"""Chars of an id that are taken from the environment."""


def session_id(env: Mapping[str, str], cwd: str, now: float) -> str:
    """The session of a run: the harness's own id, else a day's work in one folder.

    Parent processes say nothing: a harness starts a shell of its own for each call.
    So what was run in one folder on one (local) day belongs together, such as
    `2026-11-30-app-3f2a9c`.
    """
    for name in VARIABLES:
        given = env.get(name, "").strip()
        if given and len(given) <= LONGEST and given.isprintable():
            return given
    folder = "".join(
        char if char.isalnum() or char in "-_." else "-"
        for char in os.path.basename(cwd)[:40]
    )
    digest = sha256(os.fsencode(cwd)).hexdigest()[:6]
    day = time.strftime("%Y-%m-%d", time.localtime(now))
    return f"{day}-{folder or 'root'}-{digest}"
