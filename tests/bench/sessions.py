"""A home folder with one recorded session, whose artifacts are given files."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

SESSION = "0f0f0f0f-2222-4333-8444-555555555555"


@contextmanager
def home_in(folder: str, name: str) -> Iterator[str]:
    """The path of a home folder of this process, which is removed afterwards."""
    home = os.path.join(folder, f"home-{name}-{os.getpid()}")
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def make_session(home: str, files: Mapping[str, str], *, more: int = 0) -> str:
    """A Claude Code session in which each command of `files` spilled its file.

    Files are hard links to the given paths where the file system allows it. The
    transcript gets `more` further records. Returns its path.
    """
    shutil.rmtree(home, ignore_errors=True)
    project = os.path.join(home, ".claude/projects/-srv-app")
    folder = os.path.join(project, SESSION, "tool-results")
    os.makedirs(folder)
    transcript = os.path.join(project, f"{SESSION}.jsonl")
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    common = {"sessionId": SESSION, "cwd": "/srv/app", "timestamp": stamp}
    with open(transcript, "w", encoding="utf-8") as log:

        def write(kind: str, number: int, content: object) -> None:
            message = {"role": kind, "content": content}
            record = {"type": kind, "uuid": f"{kind[0]}-{number}", "message": message}
            log.write(json.dumps(common | record) + "\n")

        for number, (command, path) in enumerate(files.items()):
            call = f"toolu_01Ab{number:014}Cd"
            artifact = os.path.join(folder, f"{call}.txt")
            _link(path, artifact)
            with open(path, "rb") as file:
                preview = file.read(2000).decode("utf-8", "replace")
            notice = (
                "<persisted-output>\nOutput too large. Full output saved to:"
                f" {artifact}\n\nPreview (first 2KB):\n{preview}\n...\n"
                "</persisted-output>"
            )
            use = {"type": "tool_use", "id": call, "name": "Bash"}
            write("assistant", number, [use | {"input": {"command": command}}])
            result = {"type": "tool_result", "tool_use_id": call, "content": notice}
            write("user", number, [result])
        said = [{"type": "text", "text": "Going on with the next part. " * 200}]
        for number in range(more):
            write("assistant", len(files) + number, said)
    return transcript


def _link(path: str, new: str) -> None:
    with suppress(OSError):
        os.link(path, new)
        return
    shutil.copyfile(path, new)
