"""What each command is used for, as lines that can be typed."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "ls": (
        ("spillview ls --since yesterday", "what the last night spilled"),
        ("spillview ls --sort worst --only failed", "failures that no model saw"),
        ("spillview ls --json --no-count", "every artifact at once, for a script"),
    ),
    "sessions": (
        ("spillview sessions --since 12h", "the night, session by session"),
        ("spillview sessions ~/work/shop", "those that ran in a project"),
    ),
    "show": (
        ("spillview show 9f2c51 --offset 4900", "from line 4,900 on"),
        ("spillview show 9f2c51 --unit byte --limit 4096", "the first 4 KiB"),
        ("spillview show 9f2c51 --raw > build.log", "the file, byte for byte"),
        ("spillview show 9f2c51 --redact", "without credentials, to pass on"),
    ),
    "envelope": (
        ("spillview envelope 9f2c51", "what the model saw, and what it never did"),
        ("spillview envelope 9f2c51 --prompt", "a prompt that corrects the agent"),
    ),
    "compare": (
        ("spillview compare 9f2c51", "with the run of its command before"),
        ("spillview compare 9f2c51 77aa01 --ignore-times", "two runs, without clocks"),
    ),
    "grep": (
        ("spillview grep --unseen FAILED", "failures that no model received"),
        ("spillview grep -F 'E0308' --since 30d", "one string across a month"),
        ("spillview grep -i -C 2 timeout gemini-cli", "in one harness's artifacts"),
    ),
    "index": (("spillview index", "make later searches fast"),),
    "shape": (
        ("spillview shape 9f2c51", "which paths a JSON result has, how often"),
        ("spillview shape 9f2c51 --table --by size --top 5", "the five largest items"),
    ),
    "prune": (
        ("spillview prune --older-than 30d", "what would go, and why"),
        ("spillview prune --max-total 5GB --apply", "make room; undo puts it back"),
        ("spillview prune --policy --at tomorrow", "what the policies remove then"),
    ),
    "undo": (("spillview undo", "put the last clean-up back"),),
    "trash": (
        ("spillview trash", "what clean-ups moved away, and when"),
        ("spillview trash --empty", "free the space for good"),
    ),
    "pin": (
        ("spillview pin 9f2c51", "no clean-up takes this one"),
        ("spillview pin", "every pin"),
    ),
    "unpin": (("spillview unpin 9f2c51", "take the pin back"),),
    "wrap": (
        ("spillview wrap -- make -j8", "what fits passes, the rest is kept whole"),
        ("spillview wrap --tail 60 --label tests -- npm test", "more of the end"),
        ("grep -rn TODO . | spillview wrap", "fold what is piped in"),
    ),
    "measure": (
        ("spillview measure build.log", "counts, and what a head cut would lose"),
        ("spillview measure -- npm test", "the same of a command's output"),
    ),
    "hook": (
        ("spillview hook install claude-code", "shows the change, asks, then does it"),
        ("spillview hook explain claude-code -- npm test", "what it would do, and why"),
    ),
    "forecast": (
        ("spillview forecast", "which commands are about to cross their boundary"),
        ("spillview forecast --fail-within 30d", "the same for a cron job"),
    ),
    "watch": (
        ("spillview watch", "what grows, and whether a disk is about to be full"),
        ("spillview watch --max-rate 10MB/s --min-free 5%", "limits of your own"),
    ),
    "review": (
        ("spillview review", "what needs a look since the last review"),
        ("spillview review --html night.html", "one page to send around"),
        ("spillview review --done", "the next one begins with what comes after it"),
    ),
    "doctor": (("spillview doctor", "stores, boundaries, what could not be read"),),
    "config": (
        ("spillview config --example > config.toml", "a commented file to start from"),
        ("spillview config --keys", "every key, by its name"),
    ),
    "completion": (("spillview completion zsh > ~/.zfunc/_spillview", "for zsh"),),
    "demo": (
        ("spillview demo", "browse a made night"),
        ("spillview demo ~/night | cat", "write it there"),
    ),
}
"""For each command lines and what they give."""


def text(name: str) -> str:
    """The examples of a command, as its help prints them."""
    rows = EXAMPLES.get(name, ())
    width = max((len(line) for line, _ in rows), default=0)
    beside = all(len(gives) + width + 4 <= 80 for _, gives in rows)
    shown = [
        f"  {line:<{width}}  {gives}" if beside else f"  {line}\n      {gives}"
        for line, gives in rows
    ]
    return "\n".join(["examples:", *shown]) if rows else ""
