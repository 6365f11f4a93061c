"""Which runs are runs of the same command."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.forecast.normalising import normalised, unwrapped
from spillview.hook.parsing import parse
from spillview.hook.rewriting import through_wrap

SAME = [
    ("pytest -x /tmp/run-81/a.py", "pytest -x /tmp/run-9/b/c.py"),
    ("git log --since 2026-11-01", "git log --since='3 weeks ago'"),
    ("git log --since=7d -p", "git log --since=2026-11-01T08:00 -p"),
    ("git show 9f2c51ab03d4", "git show 0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"),
    ("sed -n '1,200p' a.py", "sed -n '400,612p' a.py"),
    ("make -j8 all", "make -j16 all"),
    ("tail -n 50 x.log", "tail -n 2000 x.log"),
    ("cat logs/2026-11-28.log", "cat logs/2026-11-29.log"),
    ("cat logs/20261128.log", "cat logs/20261129.log"),
    ("curl localhost:8080/items?page=1", "curl localhost:9090/items?page=17"),
    ("docker logs --since=3h web", "docker logs --since=20m web"),
    ("make test", "make test 2>&1"),
    ("make test", "make   test"),
    ("make test", "cd /srv/app && make test"),
    ("make test", "cd /srv/app; make test 2>/dev/null"),
    ("cat a.txt", "cat /srv/app/a.txt"),
    ("make test", "# run the tests\nmake test"),
    ("make test", "bash -lc 'make test'"),
    ("make test", "spillview wrap --tail 60 -- make test"),
    ("make test", "make test 2>&1 | spillview wrap --label t"),
    (
        "id 8c6f2a90-11d2-4f3b-9c1e-0a1b2c3d4e5f",
        "id 0c6f2a90-21d2-4f3b-9c1e-0a1b2c3d4e5a",
    ),
    ("cp $TMPDIR/a b", "cp ${TMPDIR}/c b"),
    ("ls /private/var/folders/x1/y2/T", "ls /var/folders/aa/bb/T/zz"),
]

DIFFERENT = [
    ("make test", "make tests"),
    ("make test", "make -C sub test"),
    ("make test", "cd sub && make test"),
    ("python2 a.py", "python3 a.py"),
    ("pytest tests/test_2.py", "pytest tests/test_3.py"),
    ("grep -rn TODO .", "grep -rn FIXME ."),
    ("cat utf8.txt", "cat utf16.txt"),
    ("npm run build", "npm run build:prod"),
    ("ls /srv/app2", "ls /srv/app"),
    ("git diff --cached", "git diff"),
    ("cat /tmpfiles/a", "cat /tmp/a"),
    ("curl https://a.example/x", "curl https://b.example/x"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_changes_each_time_makes_no_other_command(one: str, other: str) -> None:
    assert normalised(one, project="/srv/app") == normalised(other, project="/srv/app")


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_makes_it_that_command_stays(one: str, other: str) -> None:
    assert normalised(one, project="/srv/app") != normalised(other, project="/srv/app")


def test_arguments_of_other_tools_are_named_without_pages() -> None:
    one = json.dumps({"file_path": "/srv/app/a.py", "offset": 10, "limit": 50})
    other = json.dumps({"file_path": "/srv/app/a.py", "offset": 900})
    assert normalised(one, tool="Read", project="/srv/app") == "Read file_path=a.py"
    assert normalised(other, tool="Read", project="/srv/app") == "Read file_path=a.py"
    search = json.dumps({"pattern": "x", "path": "src"})
    assert normalised(search, tool="Grep") == "Grep pattern=x path=src"


@pytest.mark.parametrize(
    "command", ["pytest -x", "npm test 2>&1", "cd sub && make test", "X=1 make # all"]
)
def test_what_the_hook_made_of_a_command_is_that_command(command: str) -> None:
    text = through_wrap(
        command,
        parse(command.partition(" #")[0]),
        program="/opt/bin/spillview",
        session="s-1",
        label="tests",
        tail=60,
    )
    found = unwrapped(text)
    assert found.wrapped
    assert normalised(text) == normalised(command)


WORDS = st.sampled_from(
    [
        *("make", "pytest", "-x", "-j8", "--since", "2026-11-28", "/tmp/a", "&&", "|"),
        *("cd", ".", "/srv/app", "/srv/app/x", "9f2c51ab03d", "12", "2>&1", "'", '"'),
        *("spillview", "wrap", "--", "bash", "-c", "\n", "#", "{", "}", "=", "3.4.5"),
        *("<n>", "<tmp>", "<date>", "--since=2d", "12:30", "T", "日本", "\udc80", ";"),
    ]
)


@given(st.lists(WORDS | st.text(max_size=8), max_size=20).map(" ".join))
def test_normalising_twice_changes_nothing_more(command: str) -> None:
    once = normalised(command, project="/srv/app")
    assert normalised(once, project="/srv/app") == once


@given(st.integers(0, 10**9), st.dates(), st.binary(min_size=20, max_size=20))
def test_numbers_dates_and_hashes_of_any_kind_are_alike(
    number: int, day: object, digest: bytes
) -> None:
    text = digest.hex()
    if text.isdigit() or text.isalpha():
        return
    made = f"tool --limit {number} --day {day} --at {text} /tmp/{text}/{number} name"
    assert normalised(made) == "tool --limit <n> --day <date> --at <hash> <tmp> name"


@pytest.mark.parametrize(
    "command",
    [
        "if " + "a" * 1000 + " wrap" * 200,
        "spillview wrap " + "--a " * 400,
        "cd " * 700,
        "'" * 2000,
        "#\n" * 1000,
        "bash -c '" + "\\'" * 900,
        "x " + "/tmp" * 500,
        "1." * 1000,
        "if x hook ready >/dev/null 2>&1; then y wrap -- " + "; else fi" * 900,
        "if x hook ready >/dev/null 2>&1; then " + " wrap  -- " * 900,
        "x;" * 900 + "spillview wrap" + " -a" * 60,
        "a | spillview wrap " * 100,
    ],
)
def test_hostile_commands_take_no_time(command: str) -> None:
    start = time.process_time()
    normalised(command, project="/srv/app")
    assert time.process_time() - start < 1.0
