"""Python: a Japanese reading site, its catalogue and its encodings."""

from __future__ import annotations

from spillview.demo import python_output
from spillview.demo.claude import Session
from spillview.demo.night import HOUR, MINUTE, Night
from spillview.demo.notice import persisted


def write(night: Night) -> None:
    """Two sessions: wording, and the catalogue of articles."""
    _wording(night)
    _catalogue(night)


def _wording(night: Night) -> None:
    session = Session(
        night,
        "yomimono",
        "wording",
        ago=6.2 * HOUR,
        title="請求書の文言をそろえる",
        branch="wording",
    )
    dice = session.dice
    session.prompt("請求書と領収書で「消費税」の書き方をそろえてください。")
    session.says("まず、いまの書き方をすべて探します。")
    session.shell(
        "rg -n 消費税 docs locale src templates",
        python_output.japanese_matches(dice, "消費税", 900),
        took=1,
        about="消費税を探す",
    )
    session.says("次に領収書の側を見ます。")
    session.grep("領収書", python_output.japanese_matches(dice, "領収書", 520))
    session.wait(22 * MINUTE)
    session.says("文言をそろえました。テストを流します。")
    session.shell(
        "python -m pytest -v tests 2>&1 | tee .pytest.log",
        python_output.pytest_run(dice, 811, 3),
        took=73,
        about="テストを流す",
    )
    session.says("テストは問題ありません。古い注文データも確かめます。")
    session.calls("TodoWrite", todos=[{"content": "注文データ", "status": "pending"}])
    session.shell(
        "cat data/orders-2009.csv",
        python_output.shift_jis_rows(dice, 1900),
        took=1,
        about="古い注文を見る",
    )
    session.says("文字化けした行は今回の変更と関係がないので、そのままにします。")
    child, call = session.delegates(
        "用語を見直す", "general-purpose", "帳票の用語を一つずつ見直してください。"
    )
    child.says("用語集を順に読みます。")
    child.grep("見積書", python_output.japanese_matches(child.dice, "見積書", 480))
    child.says("見直しが終わりました。")
    child.finish()
    session.clock = child.clock
    notes = python_output.review_notes(dice, 240)
    path = session.spill_path(f"{call.id}.json")
    session.night.write(path, notes.encode(), session.clock)
    session.gets(call, persisted(path, notes.encode()))
    session.says("用語の見直しも済みました。")
    session.finish()


def _catalogue(night: Night) -> None:
    session = Session(
        night,
        "yomimono",
        "catalogue",
        ago=3.4 * HOUR,
        title="Fill in the missing article summaries",
    )
    dice = session.dice
    session.prompt(
        "Some articles have no summary. Find them all and write one for each."
    )
    session.says("The catalogue lists every article.")
    session.shell(
        "python tools/catalogue.py --json",
        python_output.catalogue(dice, 276, 41),
        took=2,
        about="List all articles as JSON",
    )
    session.says(
        "The catalogue shows 8 articles and each of them has its summary, so there is "
        "nothing to fill in."
    )
    call = session.calls(
        "Write", file_path="notes/summaries.md", content="None missing."
    )
    session.gets(call, "File created successfully.")
    session.says("A last look at stock and reactions for the newsletter.")
    session.shell(
        "python tools/export.py stock --encoding utf-16",
        python_output.utf16_rows(dice, 1500),
        took=2,
        about="Export the stock list",
    )
    session.shell(
        "python tools/reactions.py --dump",
        python_output.reactions(dice, 860),
        took=2,
        about="Dump the reactions",
    )
    session.says("Everything is in notes/summaries.md.")
    session.finish()
