"""Facts that are derived from other facts."""

from __future__ import annotations

import pytest

from spillview.model import Artifact, Counts, Found, Session


def artifact(kind: str, chars: int | None) -> Artifact:
    found = Found("0" * 16, "folder", "/a", "a", "s", "/", type=kind)  # type: ignore[arg-type] # a parameter
    if chars is None:
        return Artifact(found)
    return Artifact(found, Counts(chars, chars, chars, 1, "utf-8", "text"))


def session(*artifacts: Artifact) -> Session:
    return Session("folder", "s", None, None, None, None, False, artifacts)


@pytest.mark.parametrize("kind", ["symlink", "special"])
def test_what_has_no_content_leaves_a_sessions_chars_known(kind: str) -> None:
    assert session(artifact("file", 40), artifact(kind, None)).chars == 40


@pytest.mark.parametrize("kind", ["file", "unreadable"])
def test_what_is_not_counted_leaves_a_sessions_chars_unknown(kind: str) -> None:
    assert session(artifact("file", 40), artifact(kind, None)).chars is None
