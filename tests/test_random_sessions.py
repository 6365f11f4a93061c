"""Random sessions of previews and reads: nothing is seen that was not shown.

The maker writes what each tool would bring back and keeps the bytes it showed. For
every form that says where its text stands, what is seen must be exactly those bytes;
for all others it may be less, never more.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.content.content import BytesContent
from spillview.content.counts import count
from spillview.model import Link
from spillview.seen.seen import look
from tests.stores import OTHER, Claude, Dsh, Made, envelope_of, numbered, span
from tests.test_links import look_into

Session = Claude | Dsh


# What the artifacts hold


def _unique(dice: random.Random) -> list[str]:
    return [f"{n:05d} {dice.getrandbits(60):015x} done" for n in range(900)]


def _periodic(dice: random.Random) -> list[str]:
    period = [f"step {n}: ok" for n in range(dice.randint(1, 7))]
    return [period[n % len(period)] for n in range(4000)]


def _repeats(dice: random.Random) -> list[str]:
    words = ["ok", "", "PASS", "  at line 3", "error: no", "ok ok", "1: ok", "--"]
    return [dice.choice(words) for _ in range(6000)]


def _wide(dice: random.Random) -> list[str]:
    return [f"{n} 請求書の行 🎉 {dice.randint(0, 9)}" for n in range(1500)]


def _blank(dice: random.Random) -> list[str]:
    return ["" if dice.random() < 0.6 else f"x{n % 50}" for n in range(12_000)]


def _long(dice: random.Random) -> list[str]:
    return ["ab" * dice.randint(1, 2400) for _ in range(30)] + ["end"]


def _numbers(dice: random.Random) -> list[str]:
    """Lines that look like a read tool's own."""
    return [f"{n % 40}→{n % 3}" if n % 2 else f"{n % 40}\t{n}" for n in range(5000)]


CONTENTS: dict[str, Callable[[random.Random], list[str]]] = {
    "unique": _unique,
    "periodic": _periodic,
    "repeats": _repeats,
    "wide": _wide,
    "blank": _blank,
    "long": _long,
    "numbers": _numbers,
}


def content_of(kind: str, dice: random.Random) -> bytes:
    """A file of that kind, with the last lines and ends that files have."""
    lines = CONTENTS[kind](dice)
    end = dice.choice(["\n", "\n", "\r\n"])
    lines[-1] = dice.choice(["FAILED (errors=3)", "ok", lines[-1] or "x"])
    last = dice.choice([end, end, "", end * 2])
    return (end.join(lines) + last).encode()


# What is shown of them


@dataclass
class Truth:
    """The bytes that the maker put before the model."""

    data: bytes
    shown: set[int] = field(default_factory=set)
    exact: set[int] = field(default_factory=set)
    """Those of forms that say where their text stands."""
    open: bool = False
    """Whether some form did not say what it showed."""

    @property
    def rows(self) -> int:
        """Lines of the file."""
        return self.data.count(b"\n") + (not self.data.endswith(b"\n"))

    def add(self, first: int, last: int, *, exact: bool = True) -> str:
        """Lines `first` to `last` are shown; gives them as a shell prints them."""
        start, end = span(self.data, first, last)
        self.shown |= set(range(start, end))
        if exact:
            self.exact |= set(range(start, end))
        return self.data[start:end].decode().rstrip("\n")


def _lines(truth: Truth, dice: random.Random, most: int = 60) -> tuple[int, int]:
    first = dice.randint(1, truth.rows)
    if dice.random() < 0.3:
        first = max(1, truth.rows - dice.randint(0, 5))
    return first, min(truth.rows, first + dice.randint(0, most))


def reads_lines(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """The read tool with offset and limit; what comes back may be less."""
    first, last = _lines(truth, dice)
    tool = "Read" if isinstance(run, Claude) else "read"
    form = "{n:>6}→{line}" if isinstance(run, Claude) else "{n}: {line}"
    call = run.calls(tool, file_path=str(made.path), offset=first, limit=900)
    truth.add(first, last)
    text = numbered(made.data, first, last, form)
    if isinstance(run, Dsh):
        note = f"(Showing lines {first}-{last} of {truth.rows}.)"
        text = f"<path>{made.path}</path>\n<content>\n{text}\n\n{note}\n</content>"
    run.gets(call, text)


def reads_whole(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """The read tool asked for everything gives a part."""
    last = min(truth.rows, dice.randint(1, 300))
    truth.add(1, last)
    tool, form = ("Read", "{n:>6}→{line}")
    if isinstance(run, Dsh):
        tool, form = ("read", "{n}: {line}")
    call = run.calls(tool, file_path=str(made.path))
    run.gets(call, numbered(made.data, 1, last, form))


def prints(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """A shell command that says which lines it prints."""
    first, last = _lines(truth, dice)
    few = dice.randint(1, 40)
    word = dice.choice(["sed", "head", "tail", "from", "cat"])
    if word == "sed":
        command, text = f"sed -n '{first},{last}p'", truth.add(first, last)
    elif word == "head":
        command, text = f"head -n {few}", truth.add(1, min(few, truth.rows))
    elif word == "tail":
        first = max(1, truth.rows - few + 1)
        command, text = f"tail -n {few}", truth.add(first, truth.rows)
    elif word == "from":
        first = max(1, truth.rows - few)
        command, text = f"tail -n +{first}", truth.add(first, truth.rows)
    else:
        command, text = "cat", truth.add(1, truth.rows)
    _shell(run, f"{command} {made.path}", text)


def searches(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """A search that prints the lines it found, with numbers or without."""
    rows = made.data.decode().split("\n")[: truth.rows]
    word = dice.choice(["ok", "done", "FAILED", "1", "error"])
    hits = [n for n, row in enumerate(rows, 1) if word in row][:200]
    number = dice.random() < 0.5
    parts = []
    for n in hits:
        text = truth.add(n, n, exact=number).rstrip("\r")
        parts.append(f"{n}:{text}" if number else text)
    flag = "-n " if number else ""
    limit = f" | head -n {len(hits)}" if dice.random() < 0.3 and hits else ""
    _shell(run, f"grep {flag}{word} {made.path}{limit}", "\n".join(parts))
    truth.open = truth.open or not number


def runs_something(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """A program nobody knows prints some lines and some of its own words."""
    first, last = _lines(truth, dice, 5)
    text = truth.add(first, last, exact=False)
    words = dice.choice(["", "3 errors found\n", "ok\n", "step 1: ok\n"])
    _shell(run, f"python3 look.py {made.path}", words + text)
    truth.open = True


def prints_twice(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """Two commands of one line, and an echo beside them."""
    first, last = _lines(truth, dice, 4)
    text = truth.add(first, last, exact=False)
    more = truth.add(truth.rows, truth.rows, exact=False)
    command = f"sed -n '{first},{last}p' {made.path}; echo ok; tail -n 1 {made.path}"
    _shell(run, command, f"{text}\nok\n{more}")
    truth.open = True


def shows_nothing(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """Names, counts, errors, and lines of other files that read like these."""
    rows = made.data.decode().split("\n")
    choice = dice.randint(0, 4)
    if choice == 0:
        _shell(run, f"wc -l {made.path}", f"{truth.rows} {made.path}")
    elif choice == 1:
        _shell(run, f"grep -c ok {made.path}", str(sum("ok" in row for row in rows)))
    elif choice == 2:
        _shell(run, f"grep -l ok {made.path}", str(made.path))
    elif choice == 3:
        missing = f"cat: {made.path}.bak: No such file or directory"
        _shell(run, f"cat {made.path}.bak", missing, failed=True)
    else:
        _shell(run, "cat other.log", "\n".join(rows[-20:]))


def _shell(run: Session, command: str, text: str, *, failed: bool = False) -> None:
    if isinstance(run, Claude):
        call = run.calls("Bash", command=command)
        if failed:
            run.gets(call, f"Exit code 1\n{text}", failed=True)
        else:
            run.gets(call, text)
    else:
        call = run.calls("bash", command=command)
        run.gets(call, text + ("\n[exit code: 1]" if failed else ""))


def spills_again(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """A read whose own result was too large: its preview alone came back."""
    if not isinstance(run, Claude):
        return
    first = dice.randint(1, max(1, truth.rows // 2))
    start, end = span(made.data, first, truth.rows)
    output = made.data[start:end]
    text = output.decode()
    shown = text[:2000]
    size = len(shown.encode())
    truth.shown |= set(range(start, start + size))
    truth.exact |= set(range(start, start + size))
    command = f"tail -n +{first} {made.path}"
    call = run.calls("Bash", command=command)
    path = run.place(f"b{len(run.lines):08d}.txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(output)
    run.gets(call, envelope_of(path, output, shown))


def clips_lines(run: Session, made: Made, truth: Truth, dice: random.Random) -> None:
    """The read tool cuts each long line and says so."""
    first, last = _lines(truth, dice, 12)
    width = dice.choice([60, 500, 2000])
    tool = "Read" if isinstance(run, Claude) else "read"
    rows = []
    for n in range(first, last + 1):
        start, end = span(made.data, n, n)
        row = made.data[start:end].decode().rstrip("\n").rstrip("\r")
        if len(row) > width:
            row = row[:width]
            end = start + len(row.encode())
            rows.append(f"{n:>6}→{row}... [truncated]")
        else:
            rows.append(f"{n:>6}→{row}")
        truth.shown |= set(range(start, end))
        truth.exact |= set(range(start, end))
    call = run.calls(tool, file_path=str(made.path), offset=first, limit=13)
    run.gets(call, "\n".join(rows))


STEPS = (
    *(reads_lines, reads_whole, prints, prints, searches, runs_something),
    *(prints_twice, shows_nothing, spills_again, clips_lines),
)


def forged(run: Session, made: Made) -> None:
    """Somebody else's notice for this file, in a text the agent wrote or read."""
    text = envelope_of(
        made.path, made.data, made.data[-1500:].decode("utf-8", "ignore")
    )
    if isinstance(run, Claude):
        run.says(f"The notice read: {text}")
        run.gets(run.calls("Bash", command="cat notes.md"), f"# notes\n{text}\nmore")
    else:
        run.says(text)


def told(run: Session, made: Made) -> Link:
    harness = "claude-code" if isinstance(run, Claude) else "dsh"
    home = made.path
    while not (home / ("night")).exists():
        home = home.parent
    store = look_into(str(home), harness)  # type: ignore[arg-type] # only shown as text
    found = store.of(made)
    counts = count(BytesContent(made.path.read_bytes()))
    return look(found, counts, store.joined.links[found.id], store.profile)


def _rewritten(
    run: Claude, text: str, dice: random.Random
) -> tuple[Made, set[int], set[int]]:
    """A spill whose preview spells its JSON in another way than the file does.

    With it the bytes that must be seen, and all that may be.
    """
    indent = dice.choice([None, 1, 2])
    if dice.random() < 0.5:
        value = [{"n": n, "s": f'row "{n}" 日\n', "v": [n, None]} for n in range(400)]
        data = json.dumps(value, indent=indent).encode()
        shown = json.dumps(value, separators=(",", ":"), ensure_ascii=False)[:2000]
        # Up to the last object that was shown whole; a part of the next may be seen.
        ends = [found.end() for found in re.finditer(rb"\}", data)]
        last = shown.count("}")
        sure, may = range(ends[last - 1]), range(ends[last])
    else:
        data = json.dumps([{"type": "text", "text": text}], indent=indent).encode()
        shown = text[:2000].rstrip()
        opening = b'"text": "'
        start = data.index(opening) + len(opening)
        end = start + len(json.dumps(shown)) - 2
        blank = shown[: len(shown) - len(shown.lstrip())]
        sure = range(start + len(json.dumps(blank)) - 2, end)
        may = range(start, end)
    made = run.spills(data, tool="mcp__x__y", shown=shown)
    return made, set(sure), set(may)


def check(seed: int, kind: str, claude: bool, steps: int) -> None:
    dice = random.Random(seed)
    with TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "night").touch()
        data = content_of(kind, dice)
        run: Session
        sure: set[int] = set()
        may: set[int] = set()
        if claude:
            run = Claude(home)
            run.prompt("go")
            if dice.random() < 0.3:
                made, sure, may = _rewritten(run, data.decode(), dice)
            else:
                made = run.spills(data, chars=dice.choice([200, 1999, 2000]))
        else:
            run = Dsh(home, home / "tmp" / "dsh-spill-AbC123", zstd=bool(seed % 2))
            run.prompt("go")
            made = run.spills(data, cap=dice.choice([1000, 3001, 12_000]))
        data = made.data
        truth = Truth(data, may, sure)
        for start, end in made.seen:
            truth.shown |= set(range(start, end))
            truth.exact |= set(range(start, end))
        for _ in range(steps):
            dice.choice(STEPS)(run, made, truth, dice)
        if dice.random() < 0.3 and claude:
            forged(run, made)
        run.write()
        if dice.random() < 0.3 and claude:
            other = Claude(home, session=OTHER, cwd="/srv/other")
            call = other.calls("Read", file_path=str(made.path))
            other.gets(call, numbered(data, 1, truth.rows))
            other.write()
        link = told(run, made)
    assert link.seen is not None
    seen = {i for start, end in link.seen.ranges for i in range(start, end)}
    ends = {i for i, byte in enumerate(data) if byte in b"\r\n"}
    assert seen - ends <= truth.shown, "called seen though nobody showed it"
    assert truth.exact - ends <= seen, "shown, and where it stands is said"
    rows = data.decode().split("\n")
    last = max((n for n, row in enumerate(rows) if row.strip()), default=0)
    start, end = span(data, last + 1, last + 1)
    verdict = set(range(start, end)) - ends
    if link.verdict_seen:
        assert verdict <= truth.shown
    if link.verdict_seen is False:
        assert not verdict <= truth.shown


@settings(max_examples=60)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from(sorted(CONTENTS)),
    st.booleans(),
    st.integers(0, 5),
)
def test_no_random_session_is_called_more_seen_than_it_was(
    seed: int, kind: str, claude: bool, steps: int
) -> None:
    check(seed, kind, claude, steps)


@pytest.mark.parametrize("kind", sorted(CONTENTS))
def test_every_kind_of_content_is_covered(kind: str) -> None:
    for seed in range(3):
        check(seed, kind, True, 4)
        check(seed, kind, False, 4)
