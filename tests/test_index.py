"""The search index: what it leaves out has no match, whatever happened to it."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spillview.disk import Busy
from spillview.index import building, drafts, plan, signature
from spillview.index.background import update_apart
from spillview.index.building import NoNumpy, Outcome, update
from spillview.index.folds import spellings
from spillview.index.literals import required
from spillview.index.lookup import Lookup
from spillview.index.needs import AnyOf, Chain, Need
from spillview.index.unchanged import Unchanged
from spillview.index.wanted import Wanted
from spillview.search.grep import Message, Options, Report, search, tally
from spillview.search.ripgrep import find_ripgrep
from tests.command import run
from tests.test_grep import artifact

RG = find_ripgrep().path
ROOT = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files made a moment ago count as settled; the rule has a test of its own."""
    monkeypatch.setattr(building, "SETTLED", -60.0)
    monkeypatch.setattr(building, "COARSE", -60.0)


def files(paths: Sequence[Path]) -> list[Wanted]:
    return [Wanted(str(path.parent), str(path)) for path in paths]


def made(folder: Path, texts: Sequence[bytes | str]) -> list[Path]:
    """A file for each text."""
    folder.mkdir(exist_ok=True)
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"{number:04}.txt"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        paths.append(path)
    return paths


def segments(index: Path) -> list[Path]:
    return sorted(index.glob("*.segment"))


def said(
    paths: Sequence[Path],
    pattern: str | Sequence[str],
    options: Options | None = None,
    index: Path | None = None,
    report: Report | None = None,
) -> list[Message]:
    """The messages of a search, without its times."""
    artifacts = [artifact(path) for path in paths]
    where = str(index) if index is not None else None
    found = list(search(artifacts, pattern, options, index=where, report=report))
    return [timeless(message) for message in found]


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: timeless(inner)
            for key, inner in value.items()
            if key not in ("elapsed", "elapsed_total")
        }
    return value


def read_by_ripgrep(
    paths: Sequence[Path], pattern: str, index: Path, options: Options | None = None
) -> int:
    """How many of the files a search had to read."""
    need = required([pattern], (options or Options()).case, False)
    with Lookup(str(index)) as lookup:
        without, *_ = lookup.answer(need)
    from spillview.index.facts import facts_of

    return sum(facts_of(path.stat()) not in without for path in paths)


# -- results are the same -------------------------------------------------------------

WORDS = "error Error TASK task Kelvin \u212aelvin \u017fet set naïve NAÏVE Straße ẞ"
WORDS += " привет ПРИВЕТ ᲀек век Век ΣΊΣΥΦΟΣ σίσυφος ΐ"
WORDS += " 稀有漢字 検索 データ 한국어 ｆｏｏ ＦＯＯ"
WORDS += " 😀😃 deadbeef cafe0123 0x7fff a.b a+b (x) [y] {z} \\w x|y ǅungla ǆungla µ Μ"
WORDS += " connection timed out FileNotFoundError ᾳ ͅ ﬁne İstanbul ıstanbul"


def corpus() -> list[bytes]:
    """Files of many kinds, most of them with different words."""
    dice = random.Random(5)
    words = WORDS.split()
    texts: list[bytes] = [b"", b"a", b"abc", b"\n", b"error", b"err\nor"]
    for number in range(40):
        lines = [
            " ".join(dice.choices(words, k=dice.randint(1, 5)))
            for _ in range(dice.randint(1, 12))
        ]
        texts.append(f"file {number} req-{dice.getrandbits(64):016x}\n".encode())
        texts[-1] += "\n".join(lines).encode()
    texts += [dice.randbytes(300) for _ in range(6)]
    texts += [b"err\xffor\x80task\0\0nul error\n\xe2\x84 \xaa", b"\0" * 50 + b"error\0"]
    wide = "error in UTF-16: привет task\n"
    texts += [
        wide.encode("utf-16"),
        b"\xfe\xff" + wide.encode("utf-16-be"),
        b"\xef\xbb\xbferror after a mark\n",
        b"plain error\xff\xfe\n",
    ]
    texts.append(b"z" * 5000 + b"connection timed out" + b"z" * 5000)
    texts.append(b"".join(dice.choices([b"ab", b"ba", b"abab\n"], k=2000)))
    return texts


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], Path]:
    """The corpus and its index."""
    base = tmp_path_factory.mktemp("world")
    paths = made(base / "files", corpus())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "SETTLED", -60.0)
        patch.setattr(building, "COARSE", -60.0)
        outcome = update(str(base / "index"), files(paths))
    assert outcome.left == 3  # those with a byte order mark
    return paths, base / "index"


PATTERNS = [
    "error", "Error", "ERROR", "task", "kelvin", "set", "naïve", "straße", "ẞ",
    "привет", "век", "σίσυφος", "稀有漢字", "検索", "データ", "한국어", "ｆｏｏ",
    "😀😃", "deadbeef", "dead(?:beef|pork)", "(error|task) ?(set)?", "conn.*timed",
    "connection +timed", "t[ai]med", "[Ee]rror", "err?or", "(?i)ERR(?-i)or",
    "(?i:TASK)", r"\berror\b", "^file", "out$", "^error$", r"a\.b", r"a\+b",
    r"\x65rror", r"\u{65}rror", r"(?P<word>error)s?", r"(?<word>task)", "x|y|error",
    "error|", "()",
    r"erro[[:alpha:]]", r"[^a]rror", r"erro[r-t]", r"(abab)+", r"(ab){3}",
    r"(ab){2,3}b", r"(?:ab){0}error", r"(ab)*error", r"\d{16}", r"req-[0-9a-f]+",
    r"\p{Greek}+", r"erro\w", r"\Aerror", r"error\z", r"err\b{end}", r"[\x65]rror",
    r"e{1}rror",
    "(?x) e r r o r", "(?s)error.task", "(?m)^error", "(?U)erro.*r", r"(?-u)\xfferr",
    r"err\xffor", r"\x00error", "ǆungla", "µ", "ͅ", "ﬁne", "istanbul", "ıstanbul",
    "nowhere at all", "zzzzzzzzzz", r"ſet", "K", "\u212aelvin", "[k]elvin", "[s-u]ask",
    r"(?i)[[:upper:]]ask", "connection timed out", "t(?:(?:im|om)ed)? out",
]  # fmt: skip


@pytest.mark.parametrize("case", [None, "-i", "-S"])
def test_any_pattern_finds_the_same_with_the_index(
    world: tuple[list[Path], Path], case: str | None
) -> None:
    paths, index = world
    helped = 0
    for pattern in PATTERNS:
        options = Options(case=case)
        plain = said(paths, pattern, options)
        assert said(paths, pattern, options, index) == plain, pattern
        helped += read_by_ripgrep(paths, pattern, index, options) < len(paths)
    assert helped > len(PATTERNS) // 2


@pytest.mark.parametrize(
    "options",
    [
        Options(fixed=True),
        Options(fixed=True, case="-i"),
        Options(word=True),
        Options(line=True),
        Options(invert=True),
        Options(only_matching=True),
        Options(max_count=1, before=1, after=2),
        Options(seen=False),
    ],
    ids=lambda options: " ".join(options.arguments([])) or "seen",
)
def test_any_option_finds_the_same_with_the_index(
    world: tuple[list[Path], Path], options: Options
) -> None:
    paths, index = world
    for pattern in ("error", "a.b", "task set", "привет", "nowhere", "{z}"):
        if "{" in pattern and not options.fixed:
            continue
        plain = said(paths, pattern, options)
        assert said(paths, pattern, options, index) == plain, pattern


def test_alternatives_and_counts_are_the_same_with_the_index(
    world: tuple[list[Path], Path],
) -> None:
    paths, index = world
    for patterns in (["deadbeef", "привет"], ["nowhere", "neither"], ["x", "error"]):
        assert said(paths, patterns, None, index) == said(paths, patterns)
        artifacts = [artifact(path) for path in paths]
        for names_only in (True, False):
            counted = [
                [
                    (found.found.path, number)
                    for found, number in tally(
                        artifacts, patterns, names_only=names_only, index=where
                    )
                ]
                for where in (None, str(index))
            ]
            assert counted[0] == counted[1]


def _pieces() -> st.SearchStrategy[str]:
    words = st.sampled_from([*WORDS.split(), "file", "req-", "zz", "q", "ab"])
    plain = words.map(lambda word: "".join(_quoted(char) for char in word))
    part = st.one_of(
        plain,
        st.sampled_from([".", ".*", r"\w+", " ", r"\b", "^", "$", "[a-f0-9]", "[^x]"]),
        st.text(max_size=3).map(lambda text: "".join(map(_quoted, text))),
    )

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            st.lists(inner, min_size=1, max_size=3).map("".join),
            st.lists(inner, min_size=1, max_size=3).map(
                lambda branches: f"(?:{'|'.join(branches)})"
            ),
            st.tuples(
                inner, st.sampled_from(["?", "*", "+", "{2}", "{1,2}", "+?"])
            ).map(lambda pair: f"(?:{pair[0]}){pair[1]}"),
            inner.map(lambda text: f"(?i:{text})"),
        )

    return st.recursive(part, grown, max_leaves=6)


def _quoted(char: str) -> str:
    if char in "\n\r\0" or 0xD800 <= ord(char) < 0xE000:
        return "x"
    return f"\\{char}" if char in r"\.+*?()|[]{}^$#&-~/" else char


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(pattern=_pieces(), case=st.sampled_from([None, "-i", "-S"]))
def test_made_patterns_find_the_same_with_the_index(
    world: tuple[list[Path], Path], pattern: str, case: str | None
) -> None:
    paths, index = world
    options = Options(case=case)
    assert said(paths, pattern, options, index) == said(paths, pattern, options)


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(st.binary(max_size=60), min_size=1, max_size=6),
    start=st.integers(0, 50),
    length=st.integers(1, 12),
)
def test_what_stands_in_random_bytes_is_found(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[bytes],
    start: int,
    length: int,
) -> None:
    base = tmp_path_factory.mktemp("bytes")
    paths = made(base / "files", texts)
    update(str(base / "index"), files(paths))
    piece = texts[0][start : start + length].partition(b"\n")[0]
    pattern = piece.decode("utf-8", "ignore").replace("\0", "")
    options = Options(fixed=True)
    assert said(paths, pattern, options, base / "index") == said(
        paths, pattern, options
    )


def test_a_text_is_found_wherever_it_lies_across_blocks(tmp_path: Path) -> None:
    # Small texts are cut into eight blocks: the word lies at each place of them once.
    word = b"a-word-of-thirty-two-characters!"
    paths = made(
        tmp_path / "files",
        [b"." * at + word + b"." * (1500 - at) for at in range(0, 1500, 7)],
    )
    update(str(tmp_path / "index"), files(paths))
    need = required([word.decode()], None, True)
    with Lookup(str(tmp_path / "index")) as lookup:
        without, *_ = lookup.answer(need)
    assert not without


def test_a_file_in_parts_is_known_only_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "LARGEST", 2)
    monkeypatch.setattr(drafts, "SPARE", 1)
    dice = random.Random(1)
    body = [dice.randbytes(700_000).hex().encode() for _ in range(3)]
    paths = made(tmp_path / "files", [body[0] + b"ends with a needle", *body[1:]])
    index = tmp_path / "index"
    outcome = update(str(index), files(paths))
    assert outcome.files == 3
    assert len(segments(index)) > 3
    assert read_by_ripgrep(paths, "needle", index) < 3  # some share a block
    assert said(paths, "needle", None, index) == said(paths, "needle")
    for segment in segments(index):  # without any one of them part of a text is unknown
        data = segment.read_bytes()
        segment.unlink()
        assert said(paths, "needle", None, index) == said(paths, "needle")
        segment.write_bytes(data)
    segments(index)[0].unlink()
    assert update(str(index), files(paths)).files == 3


# -- what a pattern requires ----------------------------------------------------------


def holds(need: Need, text: bytes) -> bool:
    """Whether a text has what is needed, by its grams."""
    text = text.lower()
    return all(
        all(any(gram in text for gram in group) for group in clause.groups)
        if isinstance(clause, Chain)
        else any(holds(each, text) for each in clause.needs)
        for clause in need
    )


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("needle", "a needle", "a nee dle"),
        ("(foo|bar)_id", "bar_id", "baz_id"),
        ("colou?r", "color", "colr"),
        ("error|panic", "panic", "fatal"),
        ("load.*failed", "load then failed", "loaded"),
        ("[Ff]ailed", "Failed", "flailed"),
        ("(?i)needle", "NEEDLE", "noodle"),
        ("(?:abc)+def", "abcabcdef", "abc def"),
        ("id=[0-9a-f]{8}", "id=1", "id:1"),
        ("漢字検索", "漢字検索", "漢字と検索"),
        (r"\bneedle\b", "needle", "need"),
    ],
)
def test_a_pattern_requires_its_fixed_parts(pattern: str, yes: str, no: str) -> None:
    need = required([pattern], None, False)
    assert holds(need, yes.encode())
    assert not holds(need, no.encode())


@pytest.mark.parametrize(
    "pattern",
    [
        "abc", "a.c", "", "x*", "(?x)n e e d l e", "needle|", "(?-u)needle", r"\w{9}",
        "(needle", "needle)", "[needle", "needle{a}", r"\y", "[a[bcde]]fghi{2}x|y",
        "(" * 60 + "needle" + ")" * 60, "needle" * 3000,
    ],
)  # fmt: skip
def test_nothing_is_required_by_what_is_short_or_not_understood(pattern: str) -> None:
    assert required([pattern], None, False) == ()


def test_alternative_patterns_require_one_of_them() -> None:
    [clause] = required(["needle", "thread"], None, True)
    assert isinstance(clause, AnyOf)
    assert required(["needle", "ab"], None, True) == ()


def test_a_required_text_is_no_longer_than_blocks_overlap() -> None:
    need = required(["x" * 30 + "0123456789" * 30], None, True)
    assert len(need) > 3
    assert signature.OVERLAP >= 63


def test_every_spelling_that_ripgrep_takes_as_one_is_known(tmp_path: Path) -> None:
    """Letters of all cased scripts that claim to know their spellings."""
    every = [chr(n) for n in range(33, 0x2_0000) if not 0xD800 <= n < 0xE000]
    (tmp_path / "all").write_text("\n".join(every), encoding="utf-8")
    cased = [c for c in every if len(spellings(c) or "") > 1]
    assert len(cased) > 1500
    # Many at once: what they find together are their spellings together.
    for start in range(0, len(cased), 40):
        some = cased[start : start + 40]
        command = [RG, "--no-config", "-a", "-i", "-x", "-F"]
        for char in some:
            command += ["-e", char]
        done = subprocess.run(
            [*command, str(tmp_path / "all")], capture_output=True, check=True
        )
        known = {same for char in some for same in spellings(char) or ()}
        assert set(done.stdout.decode().splitlines()) <= known


# -- signatures -----------------------------------------------------------------------


@settings(max_examples=50, deadline=None)
@given(st.lists(st.binary(max_size=200), min_size=1, max_size=20))
def test_a_signature_has_the_rows_of_all_grams_and_no_others(
    texts: list[bytes],
) -> None:
    columns = signature.Columns(9)
    for text in texts:
        columns.add(text[:50])
        columns.add(text)
        columns.end()
    matrix = columns.matrix()
    width = (len(texts) + 7) // 8
    for number, text in enumerate(texts):
        low = text.lower()
        expected = {
            signature.row_of(low[at : at + 4], 9) for at in range(max(0, len(low) - 3))
        }
        low = low[:50]
        bits = {
            row
            for row in range(512)
            if matrix[row * width + number // 8] >> number % 8 & 1
        }
        assert bits == expected


def test_an_index_is_a_fifth_of_the_text_at_most(tmp_path: Path) -> None:
    dice = random.Random(3)
    for size in (40_000, 700_000, 3_000_000):
        folder = tmp_path / str(size)
        texts = []
        left = size
        while left > 0:
            texts.append(
                dice.randbytes(min(left, dice.randint(2_000, 40_000)) // 2 + 1).hex()
            )
            left -= len(texts[-1])
        outcome = update(str(tmp_path / f"{size}-index"), files(made(folder, texts)))
        assert outcome.files == len(texts)
        assert outcome.size <= outcome.text / 5


# -- keeping up with the files --------------------------------------------------------


@pytest.fixture
def stock(tmp_path: Path) -> tuple[list[Path], Path]:
    """Thirty indexed files, one of which holds `needle`."""
    texts = [f"file {n} of text\n" * 50 for n in range(30)]
    texts[7] += "a needle\n"
    paths = made(tmp_path / "files", texts)
    update(str(tmp_path / "index"), files(paths))
    return paths, tmp_path / "index"


def found_in(paths: Sequence[Path], index: Path, pattern: str = "needle") -> list[str]:
    """Names of the files that a search with the index finds."""
    return [
        os.path.basename(message["data"]["path"]["text"])
        for message in said(paths, pattern, None, index)
        if message["type"] == "begin"
    ]


def test_only_the_candidates_are_read(stock: tuple[list[Path], Path]) -> None:
    paths, index = stock
    assert read_by_ripgrep(paths, "needle", index) < 8  # a block has some files
    assert found_in(paths, index) == ["0007.txt"]


def test_what_changed_since_is_searched(stock: tuple[list[Path], Path]) -> None:
    paths, index = stock
    facts = paths[3].stat()
    data = paths[3].read_bytes()
    paths[3].write_bytes(b"needle" + data[6:])  # as long, and then as old as before
    os.utime(paths[3], ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert paths[3].stat().st_size == facts.st_size
    with paths[4].open("ab") as grown:
        grown.write(b"needle\n")
    other = paths[5].with_name("other")
    other.write_bytes(paths[5].read_bytes()[:-7] + b"needle\n")
    other.replace(paths[5])
    new = paths[0].with_name("new.txt")
    new.write_text("needle\n")
    assert found_in([*paths, new], index) == [
        "0003.txt", "0004.txt", "0005.txt", "0007.txt", "new.txt",
    ]  # fmt: skip
    outcome = update(str(index), files([*paths, new]))
    assert (outcome.files, outcome.added, outcome.left) == (31, 4, 0)
    assert read_by_ripgrep([*paths, new], "needle", index) < 20


def test_a_search_after_others_finds_what_it_finds_alone(tmp_path: Path) -> None:
    dice, index = random.Random(5), tmp_path / "index"
    paths = [
        path
        for folder in "abc"
        for path in made(tmp_path / folder, [f"text {n}\n" * 40 for n in range(20)])
    ]
    words = ["needle", "thread", "nowhere to be found"]
    update(str(index), files(paths))

    def change(path: Path) -> None:
        """Another text of the same size, and as old as it was."""
        facts = path.stat()
        word = dice.choice(words[:2]).encode()
        path.write_bytes(word + path.read_bytes()[len(word) :])
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))

    def replace(path: Path) -> None:
        other = path.with_name("other")
        other.write_bytes(path.read_bytes()[:-7] + b"needle\n")
        other.replace(path)

    def lose(path: Path) -> None:
        dice.choice(segments(index)).unlink()
        update(str(index), files(dice.sample(paths, 30)))

    def renew(path: Path) -> None:
        update(str(index), files(paths))

    kinds = [change, replace, lose, renew]
    for _ in range(24):
        dice.choice(kinds)(dice.choice(paths))
        for word in dice.sample(words, 2) * 2:
            assert said(paths, word, None, index) == said(paths, word)


def test_files_that_did_not_change_are_known_together(
    stock: tuple[list[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, index = stock
    assert found_in(paths, index, "nothing of it") == []
    monkeypatch.setattr("spillview.index.facts.single", lambda packed: 1 / 0)
    assert found_in(paths, index, "something else") == []
    with pytest.raises(ZeroDivisionError):
        found_in(paths, index)
    os.utime(paths[3])
    with pytest.raises(ZeroDivisionError):
        found_in(paths, index, "something else")


def test_what_was_known_by_another_index_is_not_believed() -> None:
    unchanged, facts = (
        Unchanged(),
        b"".join(number.to_bytes(8, "little") for number in (1, 7, 500, 3, 3)),
    )
    older = unchanged.mark_of("older")
    newer = unchanged.mark_of("newer")
    unchanged.keep(older, "/f/a", facts)  # by a search that is slower than the update
    assert unchanged.bytes_without(newer, "/f/a", facts, []) is None
    unchanged.keep(newer, "/f/a", facts)
    assert unchanged.bytes_without(newer, "/f/a", facts, []) == 500
    assert unchanged.bytes_without(newer, "/f/a", facts, [6, 8]) == 500
    assert unchanged.bytes_without(newer, "/f/a", facts, [7]) is None


def test_a_file_that_is_named_twice_counts_once(
    stock: tuple[list[Path], Path],
) -> None:
    paths, index = stock
    twice = [*paths, *paths[:5]]
    assert said(twice, "needle", None, index) == said(twice, "needle")


def test_what_is_gone_or_no_file_is_told_as_without_the_index(
    stock: tuple[list[Path], Path],
) -> None:
    paths, index = stock
    paths[2].unlink()
    paths[3].unlink()
    paths[3].symlink_to(paths[4])
    reports = Report(), Report()
    assert said(paths, "needle", None, index, reports[0]) == said(
        paths, "needle", None, None, reports[1]
    )
    assert vars(reports[0]) == vars(reports[1])
    assert (len(reports[0].problems), reports[0].skipped) == (1, 1)


def test_a_pattern_that_is_none_is_refused_with_an_index(
    stock: tuple[list[Path], Path],
) -> None:
    from spillview.search.ripgrep import BadPattern

    paths, index = stock
    for pattern in ("needle(", "nowhere(?=needle)", r"needle\y"):
        with pytest.raises(BadPattern):
            said(paths, pattern, None, index)


def test_a_file_just_written_or_held_open_stays_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [path, held] = made(tmp_path / "files", ["one\n", "two\n"])
    index = str(tmp_path / "index")
    with monkeypatch.context() as patch:
        soon = path.stat().st_ctime + 0.02
        patch.setattr(building, "SETTLED", 0.05)
        patch.setattr("spillview.index.building.time.time", lambda: soon)
        assert update(index, files([path])).left == 1
    program = "import sys, time; f = open(sys.argv[1], 'a'); print(flush=True)"
    program += "; time.sleep(60)"
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(held)], stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    try:
        writer.stdout.readline()
        assert update(index, files([path, held])).left == (sys.platform == "linux")
    finally:
        writer.kill()
        writer.wait()
        writer.stdout.close()
    assert update(index, files([path, held])).left == 0


def test_nothing_is_read_at_once_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file system's clock may be behind; what was just looked at may change yet."""
    monkeypatch.setattr(building, "SETTLED", 0.05)
    late = time.time() + 3600
    monkeypatch.setattr("spillview.index.building.time.time", lambda: late)
    read: list[float] = []
    real = building._read

    def reading(*given: Any) -> None:
        read.append(time.monotonic())
        real(*given)

    monkeypatch.setattr(building, "_read", reading)
    [path] = made(tmp_path / "files", ["one\n"])
    begun = time.monotonic()
    assert update(str(tmp_path / "index"), files([path])).left == 0
    assert read[0] - begun >= 0.05
    assert update(str(tmp_path / "index"), files([path])).files == 1
    assert len(read) == 1  # where nothing is new, nothing is waited for


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells of mappings")
def test_a_file_that_is_written_through_memory_stays_outside(tmp_path: Path) -> None:
    """Its times tell of the first write to a page alone, and nobody has it open."""
    [path, other] = made(tmp_path / "files", ["x" * 5000 + "\n", "other\n"])
    program = (
        "import ctypes, mmap, os, sys\n"
        "libc = ctypes.CDLL(None)\n"
        "libc.mmap.restype = ctypes.c_void_p\n"
        "libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3,"
        " ctypes.c_long]\n"
        "file = os.open(sys.argv[1], os.O_RDWR)\n"
        "at = libc.mmap(None, 4096, mmap.PROT_READ | mmap.PROT_WRITE,"
        " mmap.MAP_SHARED, file, 0)\n"
        "os.close(file)\n"
        "for text in (b'first', b'needle'):\n"
        "    ctypes.memmove(at, text, len(text))\n"
        "    print(flush=True)\n"
        "    sys.stdin.readline()\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert writer.stdin is not None
    assert writer.stdout is not None
    index = tmp_path / "index"
    try:
        writer.stdout.readline()
        assert update(str(index), files([path, other])).left == 1
        writer.stdin.write(b"\n")
        writer.stdin.flush()
        writer.stdout.readline()
        assert found_in([path, other], index) == ["0000.txt"]
    finally:
        writer.kill()
        writer.communicate()
    assert update(str(index), files([path, other])).left == 0


def test_an_update_reads_only_what_is_new(stock: tuple[list[Path], Path]) -> None:
    paths, index = stock
    before = segments(index)
    assert update(str(index), files(paths)).read == 0
    assert segments(index) == before
    [new] = made(paths[0].parent / "more", ["new\n" * 100])
    outcome = update(str(index), files([*paths, new]))
    assert (outcome.added, outcome.read) == (1, 400)
    assert update(str(index), files([*paths, new]), least=1 << 20).read == 0
    assert set(before) < set(segments(index))


def test_small_updates_are_brought_together(tmp_path: Path) -> None:
    index = tmp_path / "index"
    paths: list[Path] = []
    for number in range(40):
        paths += made(tmp_path / f"{number}", [f"{number} text\n" * 20])
        assert update(str(index), files(paths)).files == number + 1
        assert len(segments(index)) <= plan.MOST_LIGHT + 1
    assert read_by_ripgrep(paths, "39 text", index) < 5


def test_files_elsewhere_stay_and_files_that_are_gone_go(
    stock: tuple[list[Path], Path], tmp_path: Path
) -> None:
    paths, index = stock
    others = made(tmp_path / "others", ["others\n"] * 3)
    update(str(index), files(others))
    assert read_by_ripgrep(paths, "needle", index) < 8
    for path in paths:
        path.unlink()
    before = len(segments(index))
    update(str(index), files(others))
    assert len(segments(index)) == before - 1
    assert read_by_ripgrep(others, "needle", index) == 0


# -- harm -----------------------------------------------------------------------------


def test_a_damaged_segment_is_left_out_removed_and_made_anew(
    stock: tuple[list[Path], Path],
) -> None:
    paths, index = stock
    [segment] = segments(index)
    whole = segment.read_bytes()
    plain = said(paths, "needle")
    dice = random.Random(2)
    places = [*range(0, 48, 5), *(dice.randrange(len(whole)) for _ in range(60))]
    noticed = 0
    for place in places:
        broken = bytearray(whole)
        broken[place] ^= 1 << dice.randrange(8)
        segment.write_bytes(broken)
        report = Report()
        assert said(paths, "needle", None, index, report) == plain
        noticed += report.damaged
        assert segment.exists() == (report.damaged == 0 and segment.exists())
    assert noticed > 10
    for size in (0, 10, 47, len(whole) // 2, len(whole) - 1):
        segment.write_bytes(whole[:size])
        report = Report()
        assert said(paths, "needle", None, index, report) == plain
        assert report.damaged == 1
        assert not segment.exists()
    segment.write_bytes(whole[:-1])
    outcome = update(str(index), files(paths))
    assert (outcome.damaged, outcome.added, outcome.files) == (1, 30, 30)


def test_a_page_that_was_zeroed_is_not_believed(stock: tuple[list[Path], Path]) -> None:
    paths, index = stock
    [segment] = segments(index)
    data = segment.read_bytes()
    segment.write_bytes(data[:-8000] + bytes(8000))
    for pattern in ("needle", "file 3 of", "text"):
        assert said(paths, pattern, None, index) == said(paths, pattern)


def test_another_versions_segment_is_replaced_without_a_word(
    stock: tuple[list[Path], Path],
) -> None:
    paths, index = stock
    [segment] = segments(index)
    data = segment.read_bytes()
    segment.write_bytes(data[:7] + b"\x63" + data[8:])
    outcome = update(str(index), files(paths))
    assert (outcome.damaged, outcome.added) == (0, 30)


def test_one_process_at_a_time_updates(stock: tuple[list[Path], Path]) -> None:
    paths, index = stock
    with building._alone(str(index)), pytest.raises(Busy, match="another process"):
        update(str(index), files(paths))
    assert update(str(index), files(paths)).files == 30


def builder(index: Path, paths: Sequence[Path]) -> subprocess.Popen[bytes]:
    """A process that brings the index up to date."""
    process = subprocess.Popen(
        [sys.executable, "-m", "spillview.index", str(index), "0"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
    )
    assert process.stdin is not None
    with process.stdin:
        for each in files(paths):
            process.stdin.write(os.fsencode(f"{each.root}\0{each.path}\0"))
    return process


def test_builders_that_are_killed_leave_an_index_that_is_right(tmp_path: Path) -> None:
    dice = random.Random(4)
    texts = [dice.randbytes(200_000).hex() + f"\nneedle-{n}\n" for n in range(60)]
    paths = made(tmp_path / "files", texts)
    time.sleep(0.1)
    index = tmp_path / "index"
    for round_ in range(8):
        process = builder(index, paths)
        time.sleep(0.05 + 0.06 * round_)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for pattern in ("needle-17", "nowhere"):
            assert said(paths, pattern, None, index) == said(paths, pattern)
    outcome = update(str(index), files(paths))
    assert outcome.files == 60
    assert {path.suffix for path in index.iterdir()} == {".segment", ""}
    assert read_by_ripgrep(paths, "needle-17", index) < 5


def test_two_builders_at_once_make_one_index(tmp_path: Path) -> None:
    paths = made(tmp_path / "files", [f"{n}\n" * 20_000 for n in range(50)])
    time.sleep(0.1)
    both = [builder(tmp_path / "index", paths) for _ in range(2)]
    codes = sorted(process.wait() for process in both)
    assert codes in ([0, 0], [0, 2])
    outcome = update(str(tmp_path / "index"), files(paths))
    assert (outcome.files, outcome.added) == (50, 0)


def test_a_cancelled_update_keeps_what_is_whole(tmp_path: Path) -> None:
    paths = made(tmp_path / "files", [f"{n}\n" * 1000 for n in range(50)])
    looks = 0

    def cancelled() -> bool:
        nonlocal looks
        looks += 1
        return looks > 60

    index = tmp_path / "index"
    outcome = update(str(index), files(paths), cancelled=cancelled)
    assert 0 < outcome.files < 50
    assert said(paths, "17", None, index) == said(paths, "17")
    assert update(str(index), files(paths)).files == 50


@pytest.mark.parametrize("broken", ["write", "fsync", "rename"])
def test_a_disk_that_fails_leaves_the_index_as_it_was(
    stock: tuple[list[Path], Path], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    paths, index = stock
    before = segments(index)
    [new] = made(paths[0].parent / "more", ["new\n" * 100])

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        if broken == "write":
            patch.setattr(drafts, "write", fail)
        else:
            patch.setattr(os, broken, fail)
        with pytest.raises(OSError, match="space"):
            update(str(index), files([*paths, new]))
    assert segments(index) == before
    assert not list(index.glob("*.part"))
    assert found_in(paths, index) == ["0007.txt"]


def test_nothing_is_made_where_there_is_nothing_to_index(tmp_path: Path) -> None:
    gone = Wanted(str(tmp_path), str(tmp_path / "gone.txt"))
    assert update(str(tmp_path / "index"), [gone]) == Outcome()
    assert not (tmp_path / "index").exists()


def test_the_index_is_private(stock: tuple[list[Path], Path]) -> None:
    _, index = stock
    assert stat.S_IMODE(index.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in index.iterdir()} == {0o600}


def test_a_link_is_not_followed_into_the_index(
    stock: tuple[list[Path], Path], tmp_path: Path
) -> None:
    paths, index = stock
    [segment] = segments(index)
    segment.rename(tmp_path / "away")
    segment.symlink_to(tmp_path / "away")
    assert read_by_ripgrep(paths, "needle", index) == len(paths)
    assert found_in(paths, index) == ["0007.txt"]


def test_without_numpy_a_sentence_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    paths = made(tmp_path / "files", ["text\n"])
    with pytest.raises(NoNumpy, match="pip install numpy"):
        update(str(tmp_path / "index"), files(paths))
    assert found_in(paths, tmp_path / "index", "text") == ["0000.txt"]


def test_a_search_with_the_index_does_not_load_numpy(
    stock: tuple[list[Path], Path],
) -> None:
    paths, index = stock
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from tests.test_grep import artifact\n"
        "from spillview.search.grep import search\n"
        "found = [artifact(Path(path)) for path in sys.argv[2:]]\n"
        "told = list(search(found, 'needle', index=sys.argv[1]))\n"
        "stats = told[-1]['data']['stats']\n"
        "print(stats['searches_with_match'], 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(index), *map(str, paths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["1", "False"]


# -- the command and the background ---------------------------------------------------


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own for whatever is run."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in list(os.environ):
        if name.startswith("XDG_"):
            monkeypatch.delenv(name)
    return tmp_path / "home"


def test_the_command_tells_what_the_index_knows(home: Path, tmp_path: Path) -> None:
    made(tmp_path / "files", [f"file {n} of text\n" * 5 for n in range(20)])
    row = run("index", "--json", tmp_path / "files").row
    assert row.pop("index_bytes") > 0
    assert row == {"artifacts": 20, "bytes": 1550, "added": 20, "left": 0}
    made(tmp_path / "files/more", ["new\n"])
    row = run("index", "--json", tmp_path / "files").row
    assert (row["artifacts"], row["added"]) == (21, 1)
    ran = run("index", tmp_path / "files")
    assert ran.code == 0
    assert ran.out.startswith("21 artifacts, 1.6 kB: 0 added; the index takes ")
    [index] = home.rglob("index")
    assert len(segments(index)) == 2


def test_grep_is_the_same_once_the_index_is_there(home: Path, tmp_path: Path) -> None:
    made(tmp_path / "files", corpus())
    words = [
        ["-c", "error"], ["-l", "-i", "task"], ["-v", "-c", "error"], ["nowhere"],
        ["-C1", "привет"], ["-e", "deadbeef", "-e", "検索"], ["-o", "err.r"],
    ]  # fmt: skip
    before = [run("grep", *each, tmp_path / "files") for each in words]
    ran = run("index", tmp_path / "files")
    assert "3 artifacts stay outside" in ran.err
    assert [run("grep", *each, tmp_path / "files") for each in words] == before
    [index] = home.rglob("index")
    [segment] = segments(index)
    segment.write_bytes(segment.read_bytes()[:100])
    ran = run("grep", *words[0], tmp_path / "files")
    assert (ran.code, ran.data) == (before[0].code, before[0].data)
    assert "a part of the search index was damaged" in ran.err
    assert run("grep", *words[0], tmp_path / "files") == before[0]


def test_a_second_update_at_the_same_time_says_so(home: Path, tmp_path: Path) -> None:
    made(tmp_path / "files", ["text\n"])
    run("index", tmp_path / "files")
    [index] = home.rglob("index")
    with building._alone(str(index)):
        ran = run("index", tmp_path / "files")
    assert ran.code == 2
    assert "another process brings the search index up to date" in ran.err


def test_apart_it_is_updated_and_ends_when_nobody_waits(tmp_path: Path) -> None:
    size = 5 << 20
    paths = made(tmp_path / "files", ["text of a file\n" * (size // 15)])
    time.sleep(0.1)
    index = tmp_path / "index"
    assert update_apart(str(index), files(paths), lambda: False)
    assert len(segments(index)) == 1
    begun = time.monotonic()
    assert not update_apart(str(tmp_path / "other"), files(paths), lambda: True)
    assert time.monotonic() - begun < 20
