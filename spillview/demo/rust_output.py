"""What cargo and git print for the ledger."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spillview.demo.night import Dice
from spillview.demo.words import case_name, subject, words

CRATES = words(
    "ledger-money ledger-calendar ledger-core ledger-store ledger-import "
    "ledger-report ledger-cli"
)

DEPENDENCIES = words(
    "memchr itoa ryu cfg-if libc once_cell smallvec bytes log fnv hashbrown indexmap "
    "serde serde_derive serde_json csv chrono time rust_decimal thiserror anyhow regex "
    "aho-corasick clap tokio mio socket2 tracing rusqlite lru rayon crossbeam-deque "
    "criterion proptest tempfile walkdir glob ignore globset bstr unicode-width"
)


def suite_run(
    dice: Dice, crates: Sequence[tuple[str, int]], failures: Sequence[str] = ()
) -> str:
    """`cargo test`: crates with their number of tests; the last one may fail."""
    return "".join(_suite_run(dice, crates, failures))


def _suite_run(
    dice: Dice, crates: Sequence[tuple[str, int]], failures: Sequence[str]
) -> Iterator[str]:
    for name in (*DEPENDENCIES[:6], *(name for name, _ in crates)):
        yield f"   Compiling {name} v{dice.below(2)}.{dice.below(30)}.{dice.below(9)}\n"
    seconds = f"{dice.between(21, 68)}.{dice.below(90):02d}s"
    yield f"    Finished `test` profile [unoptimized + debuginfo] in {seconds}\n"
    for position, (crate, count) in enumerate(crates):
        binary = f"target/debug/deps/{crate.replace('-', '_')}-{dice.hex(16)}"
        yield f"     Running unittests src/lib.rs ({binary})\n\nrunning {count} tests\n"
        broken = failures if position == len(crates) - 1 else ()
        places = {count * (n + 1) // (len(broken) + 1) for n in range(len(broken))}
        left = iter(broken)
        for number in range(count):
            if number in places:
                yield f"test {next(left)} ... FAILED\n"
            else:
                yield f"test {subject(dice)}::tests::{case_name(dice)} ... ok\n"
        if not broken:
            yield (
                f"\ntest result: ok. {count} passed; 0 failed; 0 ignored; "
                "0 measured; 0 filtered out; finished in "
                f"{dice.below(9)}.{dice.below(100):02d}s\n\n"
            )
            continue
        yield "\nfailures:\n\n"
        for name in broken:
            got = dice.between(200, 900)
            line = dice.between(80, 400)
            yield (
                f"---- {name} stdout ----\n\nthread '{name}' panicked at "
                f"crates/{crate}/src/totals.rs:{line}:9:\n"
                "assertion `left == right` failed: a half cent must go to the even "
                f"neighbour\n  left: {got + 1}\n right: {got}\nnote: run with "
                "`RUST_BACKTRACE=1` environment variable to display a backtrace\n\n"
            )
        names = "".join(f"    {name}\n" for name in broken)
        yield f"\nfailures:\n{names}\ntest result: FAILED. "
        yield f"{count - len(broken)} passed; {len(broken)} failed; 0 ignored; "
        yield "0 measured; 0 filtered out; finished in "
        yield f"{dice.below(9)}.{dice.below(100):02d}s\n\n"
        yield f"error: test failed, to rerun pass `-p {crate} --lib`\n"


def before_change(output: str) -> str:
    """What a failing run printed before the change that broke it: all green."""
    head, _, _ = output.partition("\nfailures:\n")
    rows = [row.replace("... FAILED", "... ok") for row in head.split("\n")]
    tests = [n for n, row in enumerate(rows) if row.startswith("test ")]
    for number in sorted(tests[-1::-90], reverse=True):
        del rows[number]
    last = max(n for n, row in enumerate(rows) if row.startswith("running "))
    count = sum(row.startswith("test ") for row in rows[last:])
    rows[last] = f"running {count} tests"
    ended = f"test result: ok. {count} passed; 0 failed; 0 ignored; 0 measured; "
    return "\n".join([*rows, ended + "0 filtered out; finished in 6.41s", ""])


def lint_run(dice: Dice, count: int, crate: str) -> str:
    """`cargo clippy -D warnings`: `count` errors, then the verdict."""
    kinds = (
        (
            "needless_borrow",
            "this expression creates a reference that is dropped again",
        ),
        ("redundant_clone", "this value is cloned and then never used again"),
        ("cast_lossless", "casting `u32` to `i64` may be written as `i64::from`"),
        ("manual_let_else", "this could be written as `let ... else`"),
    )
    parts = [f"    Checking {name} v0.8.2\n" for name in CRATES[:5]]
    for _ in range(count):
        kind, text = dice.pick(kinds)
        line, column = dice.between(12, 690), dice.between(5, 60)
        name, other = subject(dice), subject(dice)
        code = f"let {name} = {other}.clone().round_to(&{subject(dice)}, 2)?;"
        gutter = " " * len(str(line))
        parts.append(
            f"error: {text}\n{gutter}--> crates/{crate}/src/{name}.rs:{line}:{column}\n"
            f"{gutter} |\n{line} |         {code}\n{gutter} |         "
            f"{'^' * dice.between(4, 24)}\n{gutter} |\n{gutter} = help: see the lint "
            f"`clippy::{kind}`\n{gutter} = note: `-D clippy::{kind}` implied by "
            "`-D warnings`\n\n"
        )
    parts.append(f"error: could not compile `{crate}` (lib) due to {count} errors\n")
    return "".join(parts)


def doc_run(dice: Dice, count: int, crate: str) -> str:
    """`cargo doc`: as many remarks, none of them fatal."""
    remarks = lint_run(dice, count, crate).rpartition("error: could not compile")[0]
    return (
        f"{remarks.replace('error:', 'warning:')}warning: `{crate}` (lib doc) "
        f"generated {count} warnings\n    Finished `dev` profile [unoptimized + "
        "debuginfo] target(s) in 43.90s\n   Generated target/doc/ledger/index.html\n"
    )


def release_build(dice: Dice, steps: int) -> str:
    """`cargo build --release` on a terminal: colours, and a bar redrawn with CR."""
    green, cyan, off = "\x1b[1m\x1b[32m", "\x1b[1m\x1b[36m", "\x1b[0m"
    parts = []
    for step in range(steps):
        name = dice.pick(DEPENDENCIES) if step < steps - 7 else CRATES[step - steps]
        version = f"{dice.below(3)}.{dice.below(40)}.{dice.below(12)}"
        parts.append(f"\r\x1b[K{green}   Compiling{off} {name} v{version}\n")
        done = 26 * step // steps
        bar = "=" * done + ">" + " " * (26 - done)
        parts += [
            f"\r\x1b[K{cyan}    Building{off} [{bar}] {step}/{steps}: {', '.join(now)}"
            for now in ((name,), (name, dice.pick(DEPENDENCIES)))
        ]
    parts.append(
        f"\r\x1b[K{green}    Finished{off} `release` profile [optimized] "
        "target(s) in 3m 12s\n"
    )
    return "".join(parts)


def tree(dice: Dice, count: int) -> str:
    """`cargo tree --workspace`"""
    rows = []
    for crate in CRATES:
        rows.append(f"{crate} v0.8.2 (crates/{crate})")
        for _ in range(count // len(CRATES)):
            depth = dice.below(5)
            name = dice.pick(DEPENDENCIES)
            again = " (*)" if dice.below(3) == 0 else ""
            version = f"{dice.below(4)}.{dice.below(40)}.{dice.below(12)}"
            rows.append(f"{'│   ' * depth}├── {name} v{version}{again}")
        rows.append("")
    return "\n".join(rows)


def grep_unwrap(dice: Dice, count: int) -> str:
    """Matches of `unwrap()` with path and line number."""
    rows = []
    for _ in range(count):
        crate, name = dice.pick(CRATES), subject(dice)
        call = f"{subject(dice)}.{case_name(dice)}(&{name}).unwrap();"
        rows.append(
            f"crates/{crate}/src/{name}.rs:{dice.between(9, 800)}:"
            f"        let {subject(dice)} = {call}"
        )
    return "\n".join(sorted(rows))


def history(dice: Dice, count: int) -> str:
    """`git log --stat`"""
    people = (
        "Ines Varga <ines@example.org>",
        "Tomo Arai <tomo@example.org>",
        "Ruth Okafor <ruth@example.org>",
    )
    parts = []
    for number in range(count):
        files = dice.between(1, 4)
        rows = []
        for _ in range(files):
            changed = dice.between(2, 60)
            path = f"crates/{dice.pick(CRATES)}/src/{subject(dice)}.rs"
            rows.append(f" {path:<44} | {changed:>3} {'+' * (changed // 4)}{'-' * 3}\n")
        name = case_name(dice).replace("_", " ")
        parts.append(
            f"commit {dice.hex(40)}\nAuthor: {dice.pick(people)}\n"
            f"Date:   day {count - number} of the branch\n\n"
            f"    {subject(dice).capitalize()}: {name}\n\n{''.join(rows)}"
            f" {files} files changed\n\n"
        )
    return "".join(parts)
