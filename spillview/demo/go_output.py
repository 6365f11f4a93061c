"""What go, its profiler and a long soak print for the mesh agent."""

from __future__ import annotations

import json

from spillview.demo.night import Dice, stamp
from spillview.demo.words import camel, case_name, sentence, subject, words

PARTS = words("gossip health inbox index lease peer probe ring route store sync ticker")


def race_run(dice: Dice, per_part: int) -> str:
    """`go test -race -v ./...`: a data race deep inside, FAIL as the last line."""
    parts = []
    for name in PARTS:
        bad = name == "ring"
        for number in range(per_part):
            test = f"Test{camel(case_name(dice))}"
            parts.append(f"=== RUN   {test}\n")
            if bad and number == per_part // 2:
                parts.append(
                    "==================\nWARNING: DATA RACE\n"
                    f"Write at 0x00c000{dice.hex(6)} by goroutine 412:\n"
                    "  mesh/internal/ring.(*Ring).evict()\n"
                    "      internal/ring/ring.go:148 +0x1d4\n\n"
                    f"Previous read at 0x00c000{dice.hex(6)} by goroutine 397:\n"
                    "  mesh/internal/ring.(*Ring).Len()\n"
                    "      internal/ring/ring.go:61 +0x44\n==================\n"
                    "    testing.go:1617: race detected during execution of test\n"
                    f"--- FAIL: {test} (0.31s)\n"
                )
            else:
                parts.append(f"--- PASS: {test} (0.0{dice.below(10)}s)\n")
        seconds = f"{dice.below(20)}.{dice.below(1000):03d}s"
        verdict = "FAIL\nFAIL" if bad else "PASS\nok  "
        parts.append(f"{verdict}\tmesh/internal/{name}\t{seconds}\n")
    parts.append("FAIL\n")
    return "".join(parts)


def soak_log(dice: Dice, start: float, rows: int) -> str:
    """A soak's log: the heap grows slowly, the end looks fine."""
    parts = []
    for number in range(rows):
        heap = 41 + number * 0.014 + dice.below(300) / 100
        parts.append(
            f"{stamp(start + number * 0.5)} level=info part={dice.pick(PARTS)} "
            f"peers={dice.between(60, 64)} heap={heap:.1f}MB "
            f'rtt={dice.between(2, 90)}ms msg="{sentence(dice)}"\n'
        )
        if number % 701 == 700:
            parts.append(
                f"{stamp(start + number * 0.5)} level=error part=ring "
                f'msg="evicted a live entry" id={dice.hex(8)}\n'
            )
    parts.append(f'{stamp(start + rows * 0.5)} level=info msg="soak over" errors=0\n')
    return "".join(parts)


def integration_log(dice: Dice, start: float, rows: int) -> str:
    """`make integration`: long, and it ends badly."""
    parts = ["docker compose -f test/compose.yaml up -d --wait\n"]
    for number in range(rows):
        parts.append(
            f"[{stamp(start + number)}] node-{dice.between(1, 5)} | "
            f"{subject(dice)}: {sentence(dice)}\n"
        )
    parts.append(
        "panic: send on closed channel\n\ngoroutine 88 [running]:\n"
        "mesh/internal/inbox.(*Inbox).push(...)\n\tinternal/inbox/inbox.go:77\n"
        "exit status 2\nmake: *** [Makefile:41: integration] Error 2\n"
    )
    return "".join(parts)


def profile(dice: Dice, rows: int) -> str:
    """`go tool pprof -top`"""
    parts = [
        "File: agent\nType: inuse_space\nShowing nodes accounting for 812.40MB, 98.1%\n"
        "      flat  flat%   sum%        cum   cum%\n"
    ]
    left = 380.0
    for _ in range(rows):
        left *= 0.985
        name = f"mesh/internal/{dice.pick(PARTS)}.(*{camel(subject(dice))})"
        parts.append(
            f"{left:>8.2f}MB {left / 8.3:>5.2f}% {90 - left / 8:>5.2f}% "
            f"{left * 1.2:>8.2f}MB {left / 7:>5.2f}%  {name}.{camel(case_name(dice))}\n"
        )
    return "".join(parts)


def patch_log(dice: Dice, commits: int) -> str:
    """`git log -p` of one package."""
    parts = []
    for number in range(commits):
        name = dice.pick(PARTS)
        parts.append(
            f"commit {dice.hex(40)}\n\n    ring: {sentence(dice)}\n\n"
            f"diff --git a/internal/{name}/{name}.go b/internal/{name}/{name}.go\n"
            f"@@ -{number},7 +{number},9 @@ func (r *Ring) {camel(name)}() {{\n"
        )
        for _ in range(dice.between(6, 16)):
            sign = dice.pick((" ", " ", "+", "-"))
            call = f"r.{subject(dice)}.{camel(case_name(dice))}({subject(dice)})"
            parts.append(f"{sign}\tif err := {call}; err != nil {{\n")
        parts.append("\n")
    return "".join(parts)


def grep_go(dice: Dice, word: str, count: int) -> str:
    """Matches of a word in Go files."""
    rows = []
    for _ in range(count):
        name = dice.pick(PARTS)
        rows.append(
            f"internal/{name}/{subject(dice)}.go:{dice.between(5, 600)}:"
            f"\t{word}({subject(dice)}.{camel(case_name(dice))}, {subject(dice)})"
        )
    return "\n".join(sorted(rows))


def series(dice: Dice, start: float, count: int) -> str:
    """A metrics answer: an object whose `result` is JSON in a string."""
    values = [
        [int(start) + 15 * number, f"{41 + number * 0.011 + dice.below(90) / 100:.2f}"]
        for number in range(count)
    ]
    inner = {
        "resultType": "matrix",
        "result": [{"metric": {"job": "mesh", "node": "n3"}, "values": values}],
    }
    return json.dumps({"result": json.dumps(inner)})


def alerts(dice: Dice, count: int) -> str:
    """Alert rules as text blocks, the way an MCP server wraps them."""
    rules = [
        {
            "uid": dice.lower(14),
            "title": f"{camel(dice.pick(PARTS))} {sentence(dice)}",
            "state": dice.pick(("normal", "normal", "pending", "firing")),
            "labels": {"team": dice.pick(("edge", "core")), "part": dice.pick(PARTS)},
            "value": dice.between(1, 90_000) / 1000,
        }
        for _ in range(count)
    ]
    return json.dumps([{"type": "text", "text": json.dumps(rules, indent=1)}])
