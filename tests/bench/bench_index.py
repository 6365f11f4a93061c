"""The search index: what it costs to make, and what searches gain by it.

`python -m tests.bench index`. 20,000 artifacts of 2 GB in 400 sessions: logs, code,
JSON, hashes and Japanese. ripgrep searches the folder as it likes, with as many
threads; `find` looks at every file, which a search that misses no change must do too.
Read the ratios, not the times.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.listing import Listing
from spillview.index.building import Outcome, update
from spillview.index.wanted import wanted
from spillview.places import Places
from spillview.search.grep import counts, search
from spillview.search.ripgrep import find_ripgrep
from tests.bench.large import peak_mebibytes
from tests.bench.table import Row, Scale, Target, medians, seconds
from tests.bench.terminal import environment

FILES = 20_000
LINES = 400_000
"""Different lines that the files are made of, and many of each file's own."""

SYLLABLES = "kato remi conv erta loin pers tner usol blei nger prog raph unde exal"
RARE = {
    "rare word": "zygomorphic",
    "rare word, case ignored": "(?i)ZYGOMORPHIC",
    "rare Japanese word": "稀有漢字検索",
    "hex id": "deadbeefcafe0123",
    "regex with a literal": r"FileNotFoundError: \w+/[0-9a-f]{16}",
    "what is nowhere": "nowhere to be found",
}
COMMON = "exit code"
"""On the last line of every file."""

RG = find_ripgrep().path


def lines(chance: random.Random) -> list[bytes]:
    """Lines of many kinds."""
    pick, number = chance.choice, chance.randint
    parts = SYLLABLES.replace(" ", "")
    pairs = [parts[at : at + 2] for at in range(0, len(parts), 2)]
    words = ["".join(chance.choices(pairs, k=number(1, 7))) for _ in range(40_000)]
    kanji = [chr(chance.randrange(0x4E00, 0x4E00 + 6000)) for _ in range(1800)]
    kana = [chr(code) for code in range(0x3042, 0x3094)]

    def log() -> str:
        clock = f"{number(0, 23):02}:{number(0, 59):02}:{number(0, 59):02}"
        level = pick(["INFO", "DEBUG", "WARN"])
        text = " ".join(chance.choices(words, k=number(3, 12)))
        return f"2026-11-{number(1, 30):02} {clock} {level} {pick(words)}: {text}"

    def code() -> str:
        name = f"{pick(words)}_{pick(words)}(self, {pick(words)})"
        return f"src/{pick(words)}/{pick(words)}.py:{number(1, 2000)}:    def {name}:"

    def item() -> str:
        ident, size = chance.getrandbits(64), number(0, 10**6)
        return f'{{"id": "{ident:016x}", "name": "{pick(words)}", "size": {size}}}'

    def digest() -> str:
        return f"{chance.getrandbits(160):040x} {pick(words)}/{pick(words)}"

    def japanese() -> str:
        return "".join(pick(pick([kanji, kana])) for _ in range(number(15, 40)))

    kinds = chance.choices(
        [log, code, item, digest, japanese], [4, 2, 2, 1, 1], k=LINES
    )
    return [f"{kind()}\n".encode() for kind in kinds]


def make(folder: str, files: int) -> str:
    """The store of so many files, made when it is not there; its folder."""
    base = os.path.join(folder, f"index-{files}")
    if os.path.exists(os.path.join(base, "made")):
        return base
    shutil.rmtree(base, ignore_errors=True)
    chance = random.Random(7)
    pool = lines(chance)
    for number in range(files):
        below = os.path.join(base, "store", f"session-{number // 50:03}")
        os.makedirs(below, exist_ok=True)
        size = min(3_000_000, int(chance.lognormvariate(11.2, 0.8)))
        parts: list[bytes] = []
        have = 0
        while have < size:
            at = chance.randrange(LINES - 40)
            parts += pool[at : at + 40]
            parts.append(b"request %032x done\n" % chance.getrandbits(128))
            have += 40 * 75
        if number % 2000 == 77:
            parts.insert(len(parts) // 2, b"a zygomorphic flower, deadbeefcafe0123\n")
            parts.append(b"FileNotFoundError: src/0123456789abcdef\n")
            parts.append("これは稀有漢字検索です\n".encode())
        parts.append(b"exit code 0\n")
        with open(os.path.join(below, f"toolu_{number:06}.txt"), "wb") as file:
            file.writelines(parts)
    with open(os.path.join(base, "made"), "wb"):
        return base


class Store:
    """The files, their artifacts, and an index of them made anew."""

    def __init__(self, scale: Scale) -> None:
        self.files = scale.of(FILES, 50)
        self.base = make(scale.folder, self.files)
        self.folder = os.path.join(self.base, "store")
        self.home = os.path.join(self.base, "home")
        shutil.rmtree(self.home, ignore_errors=True)
        os.makedirs(self.home)
        places = Places.of_home(self.home)
        catalogue = Catalogue(places)
        self.artifacts = catalogue.scan(Query(paths=(self.folder,)))
        self.index = places.index_dir
        time.sleep(0.1)
        self.read_all()

    def read_all(self) -> None:
        """Every file once, so that all are in the page cache."""
        for artifact in self.artifacts:
            with open(artifact.found.path, "rb") as file:
                while file.read(1 << 20):
                    pass

    def build(self) -> tuple[Outcome, float]:
        """Make the index, and the seconds of processor that took."""
        begun = time.process_time()
        outcome = update(self.index, wanted(self.artifacts))
        return outcome, time.process_time() - begun


def ripgrep(folder: str, *arguments: str) -> Callable[[], object]:
    """ripgrep over the folder."""
    command = [RG, "--no-config", "-a", "--no-ignore", "--hidden", *arguments, folder]
    return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=False)


def find(folder: str) -> Callable[[], object]:
    """Size and time of every file."""
    command = ["find", folder, "-printf", "%s %T@ %C@ %p\n"]
    return lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def stats(folder: str) -> Callable[[], object]:
    """Every file's entry, as Python asks for it: no search asks for less."""

    def look() -> None:
        for inner in os.scandir(folder):
            with os.scandir(inner.path) as entries:
                for entry in entries:
                    entry.stat(follow_symlinks=False)

    return look


def searching(
    artifacts: Listing, pattern: str, index: str | None, *, looked: bool = False
) -> Callable[[], object]:
    """Every message of the library."""
    return lambda: sum(
        1 for _ in search(artifacts, pattern, index=index, looked=looked)
    )


def counting(
    artifacts: Listing, pattern: str, index: str | None
) -> Callable[[], object]:
    """Lines that match in each artifact."""
    return lambda: sum(1 for _ in counts(artifacts, pattern, index=index))


def command(store: Store, *words: str) -> Callable[[], object]:
    """`spillview grep` as a whole: started, the store listed, printed."""
    argv = [sys.executable, "-m", "spillview", "grep", *words, store.folder]
    own = environment(store.home)
    return lambda: subprocess.run(argv, stdout=subprocess.DEVNULL, env=own, check=False)


def rows(scale: Scale) -> Iterator[Row]:
    """The index's speed and size, then what searches take with it."""
    took: dict[str, list[float]] = {}
    for step in scale.steps():
        store = Store(step)
        outcome, processor = store.build()
        took.setdefault("making", []).append(processor)
        works: dict[str, Callable[[], object]] = {
            "find": find(store.folder),
            "stats": stats(store.folder),
        }
        for name, pattern in RARE.items():
            works[f"rg {name}"] = ripgrep(store.folder, "--json", "-e", pattern)
            works[name] = searching(store.artifacts, pattern, store.index)
        rare, index = RARE["rare word"], store.index
        works["listed"] = searching(store.artifacts, rare, index, looked=True)
        for name in works:
            took.setdefault(name, [])
        works["rg -c"] = ripgrep(store.folder, "-c", COMMON)
        works["common -c"] = counting(store.artifacts, COMMON, store.index)
        works["rg common"] = ripgrep(store.folder, "--json", COMMON)
        works["common"] = searching(store.artifacts, COMMON, store.index)
        works["rg -l"] = ripgrep(store.folder, "-l", RARE["rare word"])
        works["command"] = command(store, "-l", RARE["rare word"])
        for name, median in medians(works, scale.runs).items():
            took.setdefault(name, []).append(median)
    text = outcome.text / 1e9
    size = f"{store.files:,} artifacts, {text:.1f} GB"
    yield Row(
        f"search index of {size}",
        Target(at_least=150, unit="MB/s a core"),
        found=outcome.read / took["making"][-1] / 1e6,
        growth=tuple(took["making"]),
        megabytes=peak_mebibytes(),
        note="processor time",
    )
    yield Row(
        "its size",
        Target(ratio=0.2),
        "the text",
        ratio=outcome.size / outcome.text,
    )
    yield Row(
        "an update where nothing is new",
        Target(),
        seconds=seconds(lambda: update(store.index, wanted(store.artifacts))),
    )
    for name in (*RARE, "listed"):
        peer = took["rg rare word" if name == "listed" else f"rg {name}"][-1]
        looks = [took[look][-1] / peer for look in ("find", "stats")]
        what = (
            "rare word, just listed by the same command" if name == "listed" else name
        )
        yield Row(
            f"search {size}: {what}",
            Target(ratio=round(max(0.06, looks[0]), 3)),
            "`rg --json` over the folder",
            took[name][-1] / peer,
            took[name][-1],
            tuple(took[name]),
            note=f"`find` takes {looks[0]:.2f} ×, `stat` in Python {looks[1]:.2f}",
        )
    for name, rival, words in (
        ("common -c", "rg -c", "counted"),
        ("common", "rg common", "all messages"),
    ):
        yield Row(
            f"search {size}: a word in every file, {words}",
            Target(ratio=1.15),
            "`rg -c`" if words == "counted" else "`rg --json`",
            took[name][-1] / took[rival][-1],
            took[name][-1],
            tuple(took[name]),
        )
    yield Row(
        f"`spillview grep -l` of {size}: rare word",
        Target(),
        "`rg -l`",
        took["command"][-1] / took["rg -l"][-1],
        took["command"][-1],
        tuple(took["command"]),
        note="the whole command, which lists the store anew",
    )
