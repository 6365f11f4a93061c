"""Paging what is too large for memory, or is nothing but one line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import COMMAND, run

LIMIT = 150 << 20
"""Bytes of memory that looking at a file of any size may take."""

SIZE, GAP = 512 << 20, 64 << 20
"""Bytes of the file, and between what is written in it."""


MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A small process between: a child starts with the peak of the one that made it."""


def peak(*arguments: str | Path) -> tuple[int, int]:
    """Exit code of a process of its own, and the most memory it had, in bytes."""
    words = [*COMMAND, *map(str, arguments)]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *words],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    code, kilobytes = done.stdout.split()
    return int(code), int(kilobytes) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units")
@pytest.mark.parametrize("lines", [True, False])
def test_a_file_larger_than_memory_allowed_is_listed_and_paged_in_bounded_memory(
    tmp_path: Path, lines: bool
) -> None:
    path = tmp_path / "huge"
    with path.open("wb") as out:  # sparse: it takes no room
        out.truncate(SIZE)
        for place in range(0, SIZE, GAP):
            out.seek(place)
            out.write(b"line\n" * 1000 if lines else b"word " * 1000)
    for arguments in (
        ("ls", "--json", path),
        ("show", "--json", "--unit", "byte", "--offset", str(SIZE - GAP), path),
        (
            "show",
            "--unit",
            "byte",
            "--offset",
            str(SIZE - GAP),
            "--limit",
            "4000",
            path,
        ),
        ("show", "--unit", "char", "--offset", "1000", "--limit", "4000", path),
    ):
        code, memory = peak(*arguments)
        assert code == 0, arguments
        assert memory < LIMIT, (arguments, memory)


def joined(path: Path, unit: str, limit: int) -> tuple[str, list[dict[str, Any]]]:
    """The text of all pages one after the other, and the pages."""
    pages: list[dict[str, Any]] = []
    at, offset = unit, 1 if unit == "line" else 0
    while True:
        size = limit if at == unit else 65_536
        words = ("--unit", at, "--offset", str(offset), "--limit", str(size))
        page = run("show", "--json", *words, path).row
        pages.append(page)
        if page.get("cut"):
            at, offset = page["next"]["unit"], page["next"]["offset"]
        elif page["next_offset"] is None:
            return "".join(each["text"] for each in pages), pages
        else:
            assert page["next_offset"] > offset or at != page["unit"]
            offset = page["next_offset"]


TEXTS = {
    "one line of 50 KB": b"y" * 50_000,
    "a first line larger than a page": b"x" * 1_200_000 + b"\nsecond\nthird",
    "astral characters": "😀é日本".encode() * 4000,
    "clusters": "👩\u200d👩\u200d👧 🇯🇵🇩🇪 e\u0301\n".encode() * 1500,
    "one cluster": "".join("👩\u200d" for _ in range(3000)).encode() + b"\n",
    "bad bytes": b"ok\n\xff\xfe\x80 \xe3\x81 x\n\xf0\x9f" * 300,
    "UTF-16": "失敗 😀 e\u0301\r\n".encode("utf-16") * 1,
    "no line at all": b"\n" * 3000,
    "empty": b"",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    ("unit", "limit"), [("line", 1000), ("char", 7777), ("byte", 8191)]
)
def test_pages_are_bounded_never_empty_and_joined_are_the_text(
    tmp_path: Path, name: str, unit: str, limit: int
) -> None:
    data = TEXTS[name][: 60_000 if unit != "line" else None]
    (tmp_path / "a").write_bytes(data)
    encoding = "utf-16" if name == "UTF-16" else "utf-8"
    text, pages = joined(tmp_path / "a", unit, limit)
    assert text == data.decode(encoding, "replace")
    for page in pages:
        assert page["text"] or not data
        assert len(page["text"].encode("utf-8", "replace")) <= (1 << 20) + 3 * 65_536
    raw = run("show", "--raw", tmp_path / "a")
    assert raw.data == data


def test_the_line_behind_ten_megabytes_is_shown_alone(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 10_000_000 + b"\nsecond line\n")
    got = run("show", "--offset", "2", tmp_path / "a")
    assert got.out == "second line\n"
    page = run("show", "--json", "--offset", "1", "--limit", "1", tmp_path / "a").row
    assert page["cut"] is True
    assert page["next"] == {"unit": "byte", "offset": 1 << 20}
    assert page["total"] == 2
