"""An older session: a slash command whose `!` commands spilled into the prompt."""

from __future__ import annotations

from spillview.demo import rust_output
from spillview.demo.claude import Session
from spillview.demo.night import DAY, HOUR, Night
from spillview.demo.notice import persisted
from spillview.demo.words import sentence


def write(night: Night) -> None:
    """A review some days ago, written by an older version."""
    session = Session(
        night,
        "ledger",
        "review",
        ago=5 * DAY + 3 * HOUR,
        title="Review the store rewrite",
        version="2.1.36",
        branch="store-rewrite",
    )
    dice = session.dice
    rules = "\n".join(f"- A change {sentence(dice)}." for _ in range(1300))
    path = session.spill_path(f"hook-{dice.uuid()}-1-additionalContext.txt")
    night.write(path, rules.encode(), session.clock)
    hook = persisted(path, rules.encode())
    session.attach(
        {
            "type": "hook_additional_context",
            "content": [f"SessionStart hook additional context: {hook}"],
            "hookName": "SessionStart",
            "hookEvent": "SessionStart",
            "toolUseID": "SessionStart",
        }
    )
    blocks = []
    for heading, text in (
        ("Current pull request diff", rust_output.history(dice, 210)),
        ("Call sites", rust_output.grep_unwrap(dice, 380)),
    ):
        path = session.spill_path(f"{dice.uuid()}.txt")
        night.write(path, text.encode(), session.clock)
        blocks.append(f"- {heading}: {persisted(path, text.encode())}")
    session.prompt("Review this pull request.\n\n" + "\n".join(blocks) + "\n")
    session.says("The diff is small and safe; I only looked at its first files.")
    session.shell(
        "cargo doc --workspace --no-deps 2>&1",
        rust_output.doc_run(dice, 110, "ledger-store"),
        took=44,
        about="Build the documentation",
        whole_copy=True,
    )
    session.says("Documentation builds.")
    session.shell(
        "cargo test --doc 2>&1",
        rust_output.suite_run(dice, [("ledger-store", 420)]),
        took=31,
        about="Run the documentation tests",
        lost=True,
    )
    session.says("Approved.")
    session.finish()
