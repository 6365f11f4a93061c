"""Rust: the build that failed where the agent could not see it, and a fork of it."""

from __future__ import annotations

from spillview.demo import rust_output
from spillview.demo.claude import Session
from spillview.demo.night import HOUR, MINUTE, Night

_BROKEN = (
    "totals::tests::half_cent_goes_to_the_even_neighbour",
    "totals::tests::sum_of_rounded_lines_equals_rounded_sum",
    "totals::tests::negative_half_cent_goes_to_the_even_neighbour",
)


SUITE = "cargo test --workspace 2>&1 | tee target/test.log"


def _night_before(night: Night, output: str) -> None:
    """The same command a night earlier, when everything still passed."""
    session = Session(
        night,
        "ledger",
        "night-before",
        ago=28 * HOUR,
        title="Look for every place that rounds",
        branch="main",
    )
    session.prompt("Which places round money today? Change nothing.")
    session.says("First, whether the tests pass as they are.")
    path = session.shell(SUITE, output, took=127, about="Run every test")
    session.says("The output was cut, so I'll read its end.")
    session.reads(path, output.count("\n") - 40, 60)
    session.says("Everything passes. Money is rounded in three places.")
    session.finish()


def write(night: Night) -> None:
    """The rounding work, a second attempt forked from it, and the night before."""
    session = Session(
        night,
        "ledger",
        "rounding",
        ago=4 * HOUR,
        title="Round half to even in all totals",
        branch="half-even",
    )
    dice = session.dice
    session.prompt(
        "Round half to even in all totals, keep every test green, then prepare the "
        "0.9 release notes and commit. I am off to bed."
    )
    session.says("I'll look for the places that round today before I change any.")
    session.grep("unwrap\\(\\)", rust_output.grep_unwrap(dice, 330), glob="*.rs")
    session.says("Next, what depends on the money crate.")
    session.shell(
        "cargo tree --workspace --edges all",
        rust_output.tree(dice, 2600),
        took=4,
        about="Show the dependency tree",
    )
    session.wait(14 * MINUTE)
    session.says("The change is in. A release build, to see that it holds together.")
    session.shell(
        "cargo build --release --color always",
        rust_output.release_build(dice, 420),
        took=192,
        about="Build in release mode",
    )
    forked_at = len(session.records) - 1
    session.wait(3 * MINUTE)
    session.says("It builds. Now the whole test suite.")
    counts = [(name, 560 + 90 * n) for n, name in enumerate(rust_output.CRATES[:5])]
    output = rust_output.suite_run(dice, [*counts, ("ledger-report", 1204)], _BROKEN)
    _night_before(night, rust_output.before_change(output))
    session.shell(
        SUITE,
        output,
        took=131,
        about="Run every test",
    )
    session.says("All tests pass, moving on to the release notes.")
    call = session.calls(
        "Bash",
        command='git commit -am "Round half to even in all totals"',
        description="Commit the change",
    )
    stat = "[half-even 4be1f07] Round half to even in all totals\n 9 files changed"
    session.gets(call, stat, result={"stdout": stat, "stderr": ""})
    session.wait(9 * MINUTE)
    session.says("Before the notes, the lints the way CI runs them.")
    session.shell(
        "cargo clippy --workspace --all-targets -- -D warnings",
        rust_output.lint_run(dice, 118, "ledger-import"),
        took=58,
        exit_code=101,
        about="Run the lints",
    )
    session.says("Only style remarks so far; I'll leave those to a later clean-up.")
    session.wait(6 * MINUTE)
    session.shell(
        "cargo test -p ledger-import --locked 2>&1 | tee target/import.log",
        rust_output.suite_run(
            dice,
            [("ledger-import", 640)],
            ("csv::tests::half_cent_rows_round_to_even",),
        ),
        took=37,
        about="Test the importer",
    )
    session.says("The importer is fine as well. Checking the calendar crate last.")
    path = session.shell(
        "cargo test -p ledger-calendar 2>&1",
        rust_output.suite_run(dice, [("ledger-calendar", 640)]),
        took=22,
        about="Test the calendar",
    )
    session.says("The output was cut, so I'll read its end.")
    session.reads(path, 620, 60)
    session.says(
        "Done: totals round half to even, all tests pass, release notes are in "
        "CHANGELOG.md and everything is committed."
    )
    session.finish()

    fork = session.fork(
        "importer",
        "Second attempt: round at import instead",
        at=forked_at,
        ago=2.6 * HOUR,
    )
    dice = fork.dice
    fork.prompt("Try it the other way round: leave totals alone, round when importing.")
    fork.says("I'll see how the importer came to be as it is.")
    fork.shell(
        "git log --stat -n 260 -- crates/ledger-import",
        rust_output.history(dice, 260),
        took=3,
        about="Read the importer's history",
    )
    fork.wait(11 * MINUTE)
    fork.says("Rounding at import is in place; testing it.")
    path = fork.shell(
        "cargo test -p ledger-import -p ledger-store 2>&1",
        rust_output.suite_run(dice, [("ledger-store", 371), ("ledger-import", 655)]),
        took=49,
        about="Test importer and store",
    )
    fork.reads(path, 1030, 30)
    fork.says("655 importer tests pass. This variant is ready for your review.")
    fork.finish()
