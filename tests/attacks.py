"""A store in which every text that a harness or a tool can choose attacks the screen.

The same store can be made harmless: then each attack is left out and only its mark
stays, so that what a program writes for both can be compared.
"""

from __future__ import annotations

import json
import os
from itertools import count, cycle
from pathlib import Path

from spillview.demo.claude import Session
from spillview.demo.night import MINUTE, Night
from spillview.demo.notice import persisted

ATTACKS = (
    "\x1b[2J",  # clear
    "\x1b]52;c;bWFyaw==\x07",  # write the clipboard
    "\x1b]0;stolen title\x07",
    "\x1b[?1049l",  # leave the alternate screen
    "\x1b[31337;7m",
    "\x1b[6n",  # ask where the cursor is
    "\x1bP+q544e\x1b\\",  # ask for a capability
    "\x1b_payload\x1b\\",
    "\x9b5;5H",  # C1: the same with one character
    "\x9d52;c;bWFyaw==\x9c",
    "\x85",
    "\x07",
    "\x08\x08",
    "\x7f",
    "\x0e",
    "\u202e",
    "\x1b",
    "\r",
    "[/]",
    "[@click=app.quit]quit[/]",
)
"""Each goes before a mark of its own, `Mk001` and so on."""


class Marked:
    """Hands out attacks, each with a mark that is used once."""

    def __init__(self, harmless: bool = False) -> None:
        self.harmless = harmless
        self._attacks = cycle(ATTACKS)
        self._numbers = count(1)

    def text(self, words: str, attacks: int = 2) -> str:
        """`words` with attacks before and inside it."""
        parts = [words[: len(words) // 2], words[len(words) // 2 :]]
        for _ in range(attacks):
            parts.insert(1, self.attack())
        return self.attack() + "".join(parts)

    def attack(self) -> str:
        """One attack and its mark."""
        sequence = next(self._attacks)
        mark = f"Mk{next(self._numbers):03d}"
        return mark if self.harmless else f"{sequence}{mark}"

    def name(self, words: str) -> str:
        """A file name; it cannot hold NUL or a slash, anything else."""
        return self.text(words).replace("/", "|").replace("\0", "")

    def body(self, lines: int) -> str:
        """An output in which every attack comes up, at its start and at its end."""
        rows = [f"line {n} of an output that fills its place" for n in range(lines)]
        for at in (*range(3, 3 + len(ATTACKS)), *range(-len(ATTACKS) - 1, -1)):
            rows[at] = f"error {self.attack()} in {self.attack()} \0 here"
        rows[-1] = self.text("FAILED: the last line")
        return "\n".join(rows) + "\n"


def make_hostile(home: Path, now: float, *, harmless: bool = False) -> Path:
    """Write the store below `home`; returns a plain folder of hostile names too."""
    night = Night(str(home), now)
    marked = Marked(harmless)
    session = Session(
        night, "p", "hostile", ago=40 * MINUTE, title=marked.text("a title", 6)
    )
    session.prompt(marked.text("do it"))
    session.says(marked.text("I will"))
    session.shell(
        marked.text("make all", 5), marked.body(1400), exit_code=2, about="build"
    )
    session.says(marked.text("All is well, going on", 4))
    session.wait(60)
    call = session.calls(marked.text("Tool", 3), query=marked.text("what"))
    data = marked.body(1900).encode()
    path = session.spill_path(f"{call.id}.txt")
    night.write(path, data, session.clock)
    session.gets(call, persisted(path, data))
    session.says(marked.text("next"))
    session.shell(marked.text("gone", 4), marked.body(1200), lost=True)
    call = session.calls(marked.text("Blob"), query="x")
    gone = f"{session.folder}/tool-results/{marked.name('undefined.txt')}"
    session.gets(call, persisted(gone, data))
    session.finish()

    folder = home / "plain"
    folder.mkdir(mode=0o700)
    for number in range(4):
        name = marked.name(f"file{number}.txt")
        (folder / name).write_bytes(marked.body(60).encode())
    os.symlink(marked.name("nowhere"), folder / marked.name("link"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / marked.name("pipe"))
    raw = b"raw\xff\x9b2J" + marked.attack().encode() + b".txt"
    Path(os.fsdecode(os.path.join(os.fsencode(folder), raw))).write_text("raw\n")
    broken = home / ".config/spillview/harnesses"
    broken.mkdir(parents=True, mode=0o700)
    text = json.dumps(marked.text("name", 3))
    (broken / "broken.toml").write_text(f"harness = {text}\n", "utf-8")
    return folder
