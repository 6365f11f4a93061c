"""The queue's filter on each key, against fzf over the same lines.

`python -m tests.bench fuzzy`, or this module alone for every kind of key. Labels are
made like the queue's: command, tool, file name, session. fzf starts and reads them
each time. Queries are typed letter by letter, then looked for whole; the row that was
meant is to be among the first ten.
"""

from __future__ import annotations

import random
import shutil
import statistics
import string
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from spillview.fuzzy import Index
from tests.bench.table import Row, Scale, Target, duration, percentile, seconds


def listed(text: str, between: str | None = None) -> list[str]:
    """The words of a text."""
    return text.split(between)


PROGRAMS = listed(
    "cargo npm pytest make go docker kubectl grep rg git python node terraform bazel"
    " gradle mvn ruff mypy eslint tsc vitest jest psql curl jq find sed helm"
)
VERBS = listed(
    "build test run lint check deploy release fetch install status diff log rollout"
    " apply migrate bench coverage typecheck audit doctor format publish"
)
NOUNS = listed(
    "account action address agent alert archive asset audit author badge balance"
    " basket batch billing board bridge browser bucket buffer cache calendar campaign"
    " catalog channel charge checkout client cluster column comment commit config"
    " contract counter coupon credit currency customer dashboard database delivery"
    " device digest discount document domain editor email engine error event export"
    " feature filter folder forecast gateway graph header history image import index"
    " inventory invoice job journal keyboard label language layout ledger library"
    " license limit link listing location logger login manager mapping market member"
    " memory message metric mirror model module monitor network notice number object"
    " order outbox owner package parser partner password payment permission picture"
    " pipeline planner player policy portal price printer process product profile"
    " project promotion provider query queue quota rating reader receipt record refund"
    " region register report request reserve resource response review route runner"
    " sample schedule schema screen script search section segment sensor server"
    " service session setting shipment signal snapshot source stock storage store"
    " stream subscription summary supplier support survey switch symbol table tariff"
    " template tenant thread ticket timeline token tracker transfer trigger upload"
    " vendor version viewer voucher wallet warehouse webhook widget window worker"
)
FZF = shutil.which("fzf")
WANTED = 200
"""So many rows are looked for in each way."""

TYPED_OF = 8
"""So many of their queries are typed."""

Columns = tuple[list[str], ...]


def made(rows: int, seed: int = 7) -> Columns:
    """Commands, tools, file names and session texts, 50 rows to a session."""
    chance = random.Random(seed)
    pick = chance.choice

    def joined(least: int, most: int, by: str) -> str:
        return by.join(chance.sample(NOUNS, chance.randint(least, most)))

    paths = [
        "/".join([pick(["src", "tests", "lib", "app"]), joined(1, 3, "/")])
        + pick(["", "_"]).join(["", pick(NOUNS)])
        + pick([".py", ".rs", ".ts", "_test.go", ".tsx"])
        for _ in range(max(200, rows // 12))
    ]
    projects = [joined(2, 2, "-") for _ in range(60)]
    commands, tools, names, sessions = [], [], [], []
    session = ""
    for row in range(rows):
        if row % 50 == 0:
            words = [pick(projects), joined(3, 6, " ").capitalize()]
            words += [pick(["claude-code", "codex", "gemini-cli", "dsh"])]
            words += [f"{chance.getrandbits(32):08x}-{chance.getrandbits(16):04x}"]
            session = " ".join(words)
        command = f"{pick(PROGRAMS)} {pick(VERBS)} {pick(paths)}"
        if chance.random() < 0.6:
            command += f" --{joined(1, 2, '-')}={pick(NOUNS)}"
        if chance.random() < 0.5:
            command += f" -k {joined(2, 3, '_')}"
        if chance.random() < 0.3:
            command += f" 2>&1 | tail -n {chance.randint(1, 200)}"
        commands.append(command)
        tool = pick(["Bash", "Bash", "Bash", "Grep", "Read", "WebFetch"])
        tools.append(tool + " failed" * (chance.random() < 0.1))
        call = "".join(chance.choices(string.ascii_letters + string.digits, k=22))
        names.append(f"toolu_01{call}.txt")
        sessions.append(session)
    return commands, tools, names, sessions


# -- how often the wanted row is among the first ten -----------------------------------


class Oracle:
    """Which rows have which words, by the plainest reading of what may be typed."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.labels = [" ".join(parts) for parts in zip(*columns, strict=True)]
        self._rows: dict[str, set[int]] = {}
        for row in range(len(self.labels)):
            for word in self.words(row):
                self._rows.setdefault(word, set()).add(row)

    def words(self, row: int) -> list[str]:
        """What a person would type of a row: words of its command and its session."""
        text = self.columns[0][row] + " " + " ".join(self.columns[3][row].split()[:-2])
        for mark in "/.=_-&|>":
            text = text.replace(mark, " ")
        return list(dict.fromkeys(text.casefold().split()))

    def holding(self, words: list[str]) -> set[int]:
        """Rows that have a word around each of these."""
        return self._every(words, lambda word, other: word in other)

    def abbreviated(self, words: list[str]) -> set[int]:
        """Rows that have a word with the letters of each of these in their order."""
        return self._every(words, is_subsequence)

    def _every(self, words: list[str], like: Callable[[str, str], bool]) -> set[int]:
        return set.intersection(
            *(
                set().union(
                    *(r for other, r in self._rows.items() if like(word, other))
                )
                for word in words
            )
        )


def is_subsequence(word: str, other: str) -> bool:
    """Whether the letters of `word` stand in `other` in this order."""
    letters = iter(other)
    return all(letter in letters for letter in word)


def abbreviation(word: str, chance: random.Random) -> str:
    """The word without a third of its letters, never without its first."""
    out = set(chance.sample(range(1, len(word)), len(word) // 3))
    return "".join(letter for at, letter in enumerate(word) if at not in out)


def mistake(word: str, chance: random.Random) -> str:
    """The word with a letter wrong, doubled, left out or exchanged with the next."""
    at = chance.randrange(1, len(word) - 1)
    kinds = (
        word[:at] + chance.choice(string.ascii_lowercase) + word[at + 1 :],
        word[:at] + word[at] + word[at:],
        word[:at] + word[at + 1 :],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    )
    return chance.choice(kinds)


def wanted(oracle: Oracle, way: str, number: int) -> Iterator[tuple[int, str]]:
    """Rows and a query for each, which no more than ten rows answer as well."""
    chance = random.Random(way)
    while number:
        row = chance.randrange(len(oracle.labels))
        words = [word for word in oracle.words(row) if len(word) >= 5]
        several = chance.sample(words, min(len(words), 6))
        for count in range(2, len(several) + 1):
            some = sorted(several[:count], key=words.index)
            typed = some
            if way == "subsequence":
                typed = [abbreviation(word, chance) for word in some]
                answers = oracle.abbreviated(typed)
            else:
                answers = oracle.holding(some)
            if len(answers) > 10:
                continue
            if way == "reordered":
                typed = some[::-1]
            if way == "one typo":
                at = chance.randrange(count)
                typed = [*some[:at], mistake(some[at], chance), *some[at + 1 :]]
            number -= 1
            yield row, " ".join(typed)
            break


WAYS = {"words": 1.0, "reordered": 1.0, "subsequence": 1.0, "one typo": 0.9}
"""How a row is looked for, and how often it is to be among the first ten."""


# -- keys and peers --------------------------------------------------------------------

TYPED = listed(
    "cargo test|deploy webhook|claude|bash fail|src/led|.py|zzyx|the|error event",
    "|",
)
KINDS = ("first letter", "second", "each further", "deletion", "pasted")


def ready(columns: Columns) -> None:
    """Make all that the first key may need."""
    Index(columns).prepare()


def key_times(columns: Columns, queries: Sequence[str]) -> dict[str, list[float]]:
    """Seconds of each key by its kind; nothing is known when a query begins."""
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    first = Index(columns)
    dictionary = first.prepare()
    for query in queries:

        def found(text: str, index: Index) -> float:
            return seconds(lambda: index.find(text))

        index = Index(columns, first, dictionary)
        for length in range(1, len(query) + 1):
            kind = KINDS[min(length, 3) - 1]
            times[kind].append(found(query[:length], index))
        for length in range(len(query) - 1, 0, -1):
            times["deletion"].append(found(query[:length], index))
        times["pasted"].append(found(query, Index(columns, first, dictionary)))
    return times


def fzf_times(labels: Sequence[str], queries: Sequence[str]) -> list[float]:
    """Seconds of `fzf --filter` for each query, the labels in a file."""

    def filtered(query: str) -> None:
        with open(file.name, "rb") as lines:
            command = ["fzf", "--filter", query]
            subprocess.run(command, stdin=lines, stdout=subprocess.DEVNULL, check=False)

    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(f"{label}\n" for label in labels)
        file.flush()
        return [seconds(partial(filtered, query)) for query in queries]


def rows(scale: Scale) -> Iterator[Row]:
    """Time of a key, and how often the wanted row is among the first ten."""
    growth = []
    for step in scale.steps():
        columns = made(step.of(100_000, 100))
        oracle = Oracle(columns)
        looked = {way: list(wanted(oracle, way, WANTED)) for way in WAYS}
        queries = [*TYPED, *(q for some in looked.values() for _, q in some[:TYPED_OF])]
        every = [t for some in key_times(columns, queries).values() for t in some]
        growth.append(statistics.median(every))
    several = TYPED + [query for some in looked.values() for _, query in some[:2]]
    peer = statistics.median(fzf_times(oracle.labels, several)) if FZF else None
    size = f"{len(oracle.labels):,} rows"
    for name, taken in (("median", growth[-1]), ("95th percentile", percentile(every))):
        yield Row(
            f"fuzzy filter per key press, {size}, {name}",
            Target(seconds=0.016),
            against="`fzf --filter`, its median" if peer else "",
            ratio=taken / peer if peer else None,
            seconds=taken,
            growth=tuple(growth) if name == "median" else (),
        )
    index = Index(columns)
    for way, least in WAYS.items():
        hits = [row in index.find(query)[:10] for row, query in looked[way]]
        yield Row(
            f"wanted row in the first ten, {size}: {way}",
            Target(at_least=least),
            found=sum(hits) / len(hits),
        )


def main() -> None:
    """Every kind of key at three sizes."""
    for step in Scale().steps():
        columns = made(step.of(100_000))
        oracle = Oracle(columns)
        queries = list(TYPED)
        for way in WAYS:
            queries += [query for _, query in wanted(oracle, way, TYPED_OF)]
        first = seconds(partial(ready, columns))
        print(f"{len(oracle.labels):,} rows, made ready in {duration(first)}")
        for kind, times in key_times(columns, queries).items():
            middle, late = statistics.median(times), percentile(times)
            words = f"{duration(middle):>9}  p95 {duration(late):>9}"
            print(f"  {kind:<14} {words}  longest {duration(max(times)):>9}")
        if FZF:
            peer = statistics.median(fzf_times(oracle.labels, queries[::4]))
            print(f"  {'fzf --filter':<14} {duration(peer):>9}")


if __name__ == "__main__":
    main()
