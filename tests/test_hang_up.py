"""What becomes of a program whose terminal goes away."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

pytest.importorskip("fcntl", reason="a pty needs a POSIX system")

from tests.stores import Claude, log_of
from tests.terminal import Terminal


@pytest.mark.parametrize("hangup", ["trap '' HUP;", ""])
def test_the_browser_never_outlives_its_terminal(tmp_path: Path, hangup: str) -> None:
    session = Claude(tmp_path)
    session.spills(log_of(1500))
    session.write()
    script = f'{hangup} exec "$0" -m spillview'
    env = {**os.environ, "HOME": str(tmp_path), "TERM": "xterm-256color"}
    with Terminal(["sh", "-c", script, sys.executable], env=env) as terminal:
        terminal.until("artifact")
        assert terminal.hangs_up() in (129, -signal.SIGHUP)
