"""Programs outside: what they are given, and how each is told where to begin."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from spillview.content.content import BytesContent, open_content
from spillview.errors import SpillError
from spillview.tui.artifact.outside import arguments, feed, file_of


@pytest.mark.parametrize(
    ("kind", "env", "line", "expected"),
    [
        ("editor", {"EDITOR": "vim"}, 42, ["vim", "+42", "/x"]),
        (
            "editor",
            {"EDITOR": "/usr/bin/nvim -R"},
            7,
            ["/usr/bin/nvim", "-R", "+7", "/x"],
        ),
        (
            "editor",
            {"VISUAL": "code --wait", "EDITOR": "vi"},
            7,
            ["code", "--wait", "/x"],
        ),
        ("editor", {"EDITOR": "vim"}, None, ["vim", "/x"]),
        ("pager", {"PAGER": "less -S"}, 42, ["less", "-S", "+42g", "/x"]),
        ("pager", {"PAGER": "most"}, 42, ["most", "/x"]),
    ],
)
def test_a_program_is_told_the_line_in_its_own_way(
    kind: str, env: dict[str, str], line: int | None, expected: list[str]
) -> None:
    assert arguments(kind, "/x", line, env) == expected


def test_a_program_that_cannot_be_read_or_found_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(SpillError, match="cannot be read"):
        arguments("editor", "/x", None, {"EDITOR": "vim 'unclosed"})
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SpillError, match=r"set \$PAGER"):
        arguments("pager", "/x", None, {})


@pytest.mark.parametrize("part", [(0, 3 << 20), (5, 12), (7, 7)])
def test_a_command_gets_exactly_the_bytes_of_the_part(
    tmp_path: Path, part: tuple[int, int]
) -> None:
    data = os.urandom(3 << 20)
    target = tmp_path / "out"
    script = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    command = f"{sys.executable} -c '{script}' > {target}"
    assert feed(BytesContent(data), part, command) == 0
    assert target.read_bytes() == data[part[0] : part[1]]


def test_a_command_that_does_not_read_ends_all_the_same() -> None:
    assert feed(BytesContent(b"x" * (8 << 20)), (0, 8 << 20), "exit 3") == 3


def test_a_text_without_a_file_is_given_as_one_for_as_long_as_it_takes(
    tmp_path: Path,
) -> None:
    with file_of(BytesContent(b"the envelope")) as path:
        assert Path(path).read_bytes() == b"the envelope"
    assert not Path(path).exists()
    real = tmp_path / "real"
    real.write_bytes(b"x")
    with open_content(str(real)) as content, file_of(content) as path:
        assert path == str(real)
    assert real.exists()
