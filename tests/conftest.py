"""A machine of its own for every test: no test sees the stores of whoever runs it."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from spillview import sqlite
from spillview.discovery import roots, stores
from spillview.discovery.roots import RootFound
from spillview.places import Places
from spillview.profiles.profile import Profile

# Who runs the tests in the background has these ignored, and so would what they run.
for _signal in (signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])):
    if signal.getsignal(_signal) is signal.SIG_IGN:
        signal.signal(
            _signal,
            signal.default_int_handler if _signal is signal.SIGINT else signal.SIG_DFL,
        )

# Read when Textual and Rich are imported, so these must go before any test module.
for _name in [n for n in os.environ if n.startswith("TEXTUAL")]:
    del os.environ[_name]
for _name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
    os.environ.pop(_name, None)
os.environ["TERM"] = "xterm-256color"
os.environ["COLORTERM"] = "truecolor"

settings.register_profile(
    "house",
    deadline=None,  # the machine may be busy; no test judges time
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

HARNESS_VARIABLES = (
    "BASH_MAX_OUTPUT_LENGTH",
    "CLAUDE_CODE_PROJECT_DIR_NAME",
    "CLAUDE_CODE_TMPDIR",
    "CLAUDE_CONFIG_DIR",
    "DSH_HOME",
    "MAX_MCP_OUTPUT_TOKENS",
    "OPENCLAUDE_CONFIG_DIR",
    "OUTBOX_DIR",
    "TASK_MAX_OUTPUT_LENGTH",
)
"""What a harness's own environment could say about where its stores lie."""


@pytest.fixture
def nobody() -> int:
    """The id of a user without rights, for root to become; skips where it cannot."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    for needed in (roots.__file__, sys.prefix):
        for folder in Path(needed).resolve().parents:
            if not folder.stat().st_mode & stat.S_IXOTH:
                pytest.skip(f"{folder} is closed to other users, and so is spillview")
    return 65534


@pytest.fixture(autouse=True)
def databases(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close every database that the test opened; from 3.13 on a left one warns."""
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def kept(*arguments: Any, **more: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **more)
        opened.append(connection)
        return connection

    for module in (sqlite3, sqlite.sqlite3):
        monkeypatch.setattr(module, "connect", kept)
    yield
    for connection in opened:
        with contextlib.suppress(sqlite3.ProgrammingError):  # another thread's own
            connection.close()


@pytest.fixture(autouse=True)
def machine(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """An empty home with temp and XDG folders of its own, as the environment."""
    home = tmp_path_factory.mktemp("machine")
    (home / "tmp").mkdir()
    for name in HARNESS_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, folder in (
        ("HOME", "."),
        ("USERPROFILE", "."),
        ("TMPDIR", "tmp"),
        ("TEMP", "tmp"),
        ("TMP", "tmp"),
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_RUNTIME_DIR", "run"),
    ):
        monkeypatch.setenv(name, str((home / folder).resolve()))
    # Some stores have fixed places (`/tmp`, `/var/run`), which no variable moves.
    ours = tmp_path_factory.getbasetemp()

    def fenced(
        profile: Profile,
        places: Places,
        tell: Callable[[str, OSError], None],
        listed: dict[str, list[str]],
    ) -> list[RootFound]:
        found = roots.find_roots(profile, places, tell, listed)
        if places.confined:
            return found
        return [root for root in found if Path(root.path).is_relative_to(ours)]

    monkeypatch.setattr(stores, "find_roots", fenced)
    return home
