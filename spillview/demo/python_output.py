"""What Python projects print: Japanese texts, a catalogue, odd encodings, pytest."""

from __future__ import annotations

import json

from spillview.demo.night import Dice
from spillview.demo.words import case_name, sentence, subject, words

_THINGS = words("消費税 請求書 領収書 送料 割引 端数 合計 税率 返金 口座 納品書 見積書")
_PLACES = words("docs/手引き docs/用語集 locale/ja src/帳票 templates/mail docs/決まり")
_TAILS = (
    "は税率ごとに合計してから端数を切り捨てる。",
    "の行は改行せずに一つにまとめる。",
    "が空のときは見出しごと省く。",
    "は税込みの金額の右に小さく添える。",
    "の文言は全角の括弧で囲む（例：軽減税率の対象）。",
    "は前の月の締め日までに確かめること。",
    "を直すときは英語版の文もあわせて直す。",
)


def japanese_matches(dice: Dice, word: str, count: int) -> str:
    """Matches of a Japanese word, path and line number before each."""
    rows = []
    for _ in range(count):
        path = f"{dice.pick(_PLACES)}/{dice.pick(_THINGS)}.md"
        text = f"{dice.pick(_THINGS)}の{word}{dice.pick(_TAILS)}"
        rows.append(f"{path}:{dice.between(3, 480)}:{text}")
    return "\n".join(sorted(rows)) + "\n"


def catalogue(dice: Dice, count: int, unfinished: int) -> str:
    """An index of articles as a JSON array; `unfinished` of them lack a summary."""
    rows = []
    for number in range(count):
        lacking = number >= 12 and (number * 7) % count < unfinished
        rows.append(
            {
                "id": number + 1,
                "slug": f"{subject(dice)}-{subject(dice)}-{number + 1}",
                "title": f"{dice.pick(_THINGS)}と{dice.pick(_THINGS)}の読み方",
                "words": dice.between(320, 4_800),
                "tags": [subject(dice), subject(dice)],
                "summary": None if lacking else f"Shows how one {sentence(dice)}.",
                "updated": f"2026-{dice.between(1, 9):02d}-{dice.between(1, 28):02d}",
            }
        )
    inside = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f"[\n  {inside}\n]\n"


def pytest_run(dice: Dice, count: int, failing: int) -> str:
    """`pytest -v`: verdict in the last line."""
    platform = "platform linux -- Python 3.12.4, pytest-8.4.1, pluggy-1.6.0"
    parts = [f"{' test session starts ':=^79}\n{platform}\ncollected {count} items\n\n"]
    bad = {count * (2 * n + 1) // (2 * failing) for n in range(failing)}
    names = []
    for number in range(count):
        name = f"tests/test_{subject(dice)}.py::test_{case_name(dice)}"
        word = "FAILED" if number in bad else "PASSED"
        if number in bad:
            names.append(name)
        parts.append(f"{name} {word} [{100 * (number + 1) // count:>3}%]\n")
    if not failing:
        parts.append(f"\n{f' {count} passed in 38.20s ':=^79}\n")
        return "".join(parts)
    parts.append(f"\n{' FAILURES ':=^79}\n")
    for name in names:
        short = name.split("::")[1]
        parts.append(
            f"{f' {short} ':_^79}\n\n    def {short}(invoice):\n"
            '>       assert invoice.total_text == "合計 1,980円（税込）"\n'
            "E       AssertionError: '合計 1,980円' == '合計 1,980円（税込）'\n\n"
            f"{name.split('::')[0]}:{dice.between(20, 300)}: AssertionError\n"
        )
    parts.append(f"{' short test summary info ':=^79}\n")
    parts += [f"FAILED {name} - AssertionError\n" for name in names]
    verdict = f" {failing} failed, {count - failing} passed in 71.34s (0:01:11) "
    parts.append(f"{verdict:=^79}\n")
    return "".join(parts)


def shift_jis_rows(dice: Dice, count: int) -> bytes:
    """Old order files as they are on disk: Shift_JIS, CRLF, no UTF-8."""
    rows = [
        f"{number:05d},{dice.pick(_THINGS)},{dice.between(100, 90_000)},済\r\n"
        for number in range(count)
    ]
    return "".join(rows).encode("cp932")


def utf16_rows(dice: Dice, count: int) -> bytes:
    """A spreadsheet export: UTF-16 with a byte order mark."""
    rows = ["id\tsku\tstock\tprice\r\n"]
    for number in range(count):
        sku = f"{subject(dice)}-{dice.between(100, 999)}"
        rows.append(f"{number}\t{sku}\t{dice.below(400)}\t{dice.between(90, 9000)}\r\n")
    rows.append("total\t\t\t4188210\r\n")
    return b"\xff\xfe" + "".join(rows).encode("utf-16-le")


def reactions(dice: Dice, count: int) -> str:
    """Reader reactions: emoji of one and of several code points."""
    faces = ("📚", "🎉", "👩‍💻", "🇯🇵", "👍🏽", "🥹", "🍵", "✍️")
    rows = []
    for number in range(count):
        row = " ".join(f"{dice.pick(faces)}×{dice.between(1, 90)}" for _ in range(4))
        rows.append(f"article {number + 1:>4}: {row}\n")
    return "".join(rows)


def review_notes(dice: Dice, count: int) -> str:
    """A subagent's answer as pretty-printed content blocks."""
    blocks = []
    for number in range(count):
        text = " ".join(f"It {sentence(dice)}." for _ in range(6))
        heading = f"## {number + 1}. {dice.pick(_THINGS)}"
        blocks.append({"type": "text", "text": f"{heading}\n\n{text}\n"})
    return json.dumps(blocks, ensure_ascii=False, indent=2)


def stations(dice: Dice, count: int, gaps: int) -> str:
    """Weather stations as a JSON array; `gaps` of them, in the middle, have no data."""
    middle = range(count // 2 - gaps // 2, count // 2 - gaps // 2 + gaps)
    rows = []
    for number in range(count):
        rows.append(
            {
                "station": 40_000 + number * 3,
                "name": f"{subject(dice)} {subject(dice)}",
                "lat": round(26 + dice.below(19_000) / 1000, 3),
                "lon": round(127 + dice.below(18_000) / 1000, 3),
                "first_year": None if number in middle else dice.between(1946, 1999),
                "days": 0 if number in middle else dice.between(9_000, 28_000),
                "note": f"{sentence(dice)}, {sentence(dice)}",
            }
        )
    return json.dumps(rows, indent=1)


def load_log(dice: Dice, count: int) -> str:
    """A bulk load: one row per file, a few refused."""
    rows = []
    for number in range(count):
        if number % 977 == 500:
            rows.append(f"ERROR {number:06d}.csv: column 4 holds text, file refused")
        else:
            took = dice.between(2, 40)
            rows.append(
                f"{number:06d}.csv  {dice.between(340, 366)} rows  {took:>3} ms  "
                f"{subject(dice)}"
            )
    rows.append(f"loaded {count - 8} of {count} files, 8 refused")
    return "\n".join(rows) + "\n"


def page_text(dice: Dice, count: int) -> str:
    """A fetched page as text."""
    rows = ["# Station metadata, fourth edition\n"]
    for number in range(count):
        text = " ".join(f"The {subject(dice)} {sentence(dice)}." for _ in range(4))
        rows.append(f"## {number + 1}. {subject(dice).capitalize()}\n\n{text}\n")
    return "\n".join(rows)


def image_build(dice: Dice, steps: int) -> str:
    """`docker compose build`: blue step lines, progress redrawn with CR."""
    parts = []
    for number in range(1, steps + 1):
        name = f"{subject(dice)} {subject(dice)}"
        for percent in range(0, 101, 20):
            parts.append(
                f"\r\x1b[34m => [{number}/{steps}] {name}\x1b[0m {percent:>3}%"
                f" {dice.between(1, 90)}.{dice.below(10)}MB"
            )
        parts.append(f"\r\x1b[34m => [{number}/{steps}] {name}\x1b[0m DONE\x1b[K\n")
        parts += [f"    {dice.hex(12)} {sentence(dice)}\n" for _ in range(6)]
    parts.append("\x1b[32m => naming to forge/matrix:nightly\x1b[0m\n")
    return "".join(parts)
