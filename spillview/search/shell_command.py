"""A search as a command for a shell, which finds the same lines in the same files."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from spillview.frozen import Frozen
from spillview.model import Artifact
from spillview.text import printable

LONGEST = 100_000
"""Chars of a command; shells and systems refuse much longer ones."""

ALWAYS = ("--no-config", "--text", "--no-ignore", "--hidden", "-n")
"""What makes `rg` search as it is done here, whatever its user's defaults are."""


class ShellCommand(Frozen):
    """The command, and the artifacts of which it cannot tell."""

    text: str | None
    """None where no artifact is left that it could search."""
    left_out: int = 0
    """Rows of databases, texts inside of other files, UTF-16, and names that no shell
    could be given; or what made it too long."""


def shell_command(
    arguments: Sequence[str], artifacts: Iterable[Artifact]
) -> ShellCommand:
    """`rg` with these arguments over these artifacts' files."""
    words = ["rg", *ALWAYS, *map(shlex.quote, arguments), "--"]
    left_out, length = 0, sum(len(word) + 1 for word in words)
    first = len(words)
    for artifact in artifacts:
        path = shlex.quote(artifact.found.path)
        if not is_searched(artifact) or length + len(path) + 1 > LONGEST:
            left_out += 1
            continue
        length += len(path) + 1
        words.append(path)
    return ShellCommand(" ".join(words) if len(words) > first else None, left_out)


def is_searched(artifact: Artifact) -> bool:
    """Whether a program that is given the artifact's path reads the artifact."""
    found, counts = artifact.found, artifact.counts
    if found.type != "file" or found.row is not None or found.stored is not None:
        return False
    wide = counts is not None and counts.encoding.startswith("utf-16")
    return not wide and printable(found.path) == found.path
