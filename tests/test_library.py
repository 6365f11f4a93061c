"""The library's names: all there, visible to type checkers, loaded when asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import assert_type

import pytest

import spillview

CONTRACT = [
    "SaveTextSpill",
    "SpillOwner",
    "SpillSource",
    "SpillRef",
    "SpillStore",
    "LocalSpillStore",
    "SpillPolicy",
    "text_envelope",
    "json_envelope",
    "table_envelope",
]


def test_every_name_of_the_contract_is_there() -> None:
    for name in CONTRACT:
        assert name in spillview.__all__
        assert callable(getattr(spillview, name))


def test_every_name_listed_can_be_had_and_is_shown() -> None:
    for name in spillview.__all__:
        assert getattr(spillview, name) is not None
        assert name in dir(spillview)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        spillview.nothing  # noqa: B018  # asking is the test


def test_importing_the_package_loads_nothing_else_of_it() -> None:
    program = (
        "import sys; before = set(sys.modules)\n"
        "import spillview\n"
        "new = {m for m in set(sys.modules) - before if m != 'spillview'}\n"
        "print(sorted(new - {'__future__', 'typing'}))\n"
        "from spillview import *\n"
        "print(SpillPolicy(7).max_inline)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    loaded, cap = done.stdout.splitlines()
    assert cap == "7"
    assert "spillview" not in loaded


def test_a_policy_gives_type_checkers_what_it_was_given() -> None:
    policy = spillview.SpillPolicy()
    text = policy.apply("a", store=None, tool="x", call_id=None, session_id=None)
    assert_type(text, str)
    parts = policy.apply([1], store=None, tool="x", call_id=None, session_id=None)
    assert_type(parts, list[int])
