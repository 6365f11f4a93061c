"""Go: a leak hunt with subagents, MCP servers and background work, still fresh."""

from __future__ import annotations

from spillview.demo import go_output
from spillview.demo.claude import Session
from spillview.demo.night import HOUR, MINUTE, Night


def write(night: Night) -> None:
    """One session and three subagents of it."""
    session = Session(
        night,
        "mesh",
        "leak",
        ago=2.1 * HOUR,
        title="Find the leak in the mesh agent",
        branch="ring-leak",
    )
    dice = session.dice
    session.prompt(
        "The mesh agent grows by 40 MB a day. Find the leak, fix it, and prove it with "
        "a soak of at least an hour."
    )
    session.says("Starting the soak right away so that it has time.")
    soak, soak_call = session.background(
        "go run ./cmd/soak -minutes 85 -peers 64",
        go_output.soak_log(dice, session.clock, 9_400),
        runs=85 * MINUTE,
    )
    child, call = session.delegates(
        "Map the ring package", "Explore", "Find who evicts entries of the ring."
    )
    child.says("Searching for callers.")
    child.grep("evict", go_output.grep_go(child.dice, "evict", 330), type="go")
    child.says("And how it changed lately.")
    child.shell(
        "git log -p --since=3.weeks -- internal/ring",
        go_output.patch_log(child.dice, 120),
        took=2,
        about="Read recent changes",
    )
    session.reports(child, call, "Only `ticker` evicts; the ring itself is safe.")
    child, call = session.delegates(
        "Read the heap profile", "general-purpose", "Which type holds the memory?"
    )
    session.launched(child, call)
    child.shell(
        "go tool pprof -top heap.pb.gz",
        go_output.profile(child.dice, 420),
        took=5,
        about="Show the heap profile",
    )
    child.says("Lease tables hold most of it.")
    child.finish()
    session.wait(4 * MINUTE)
    session.says("Metrics of the last day, for comparison.")
    session.mcp(
        "grafana",
        "query_prometheus",
        go_output.series(dice, night.now - 24 * HOUR, 5_700),
        form="JSON with schema: {result: string}",
        expr="process_resident_memory_bytes",
        step="15s",
    )
    session.mcp(
        "plugin_ops_grafana",
        "list_alerts",
        go_output.alerts(dice, 620),
        form="JSON array with schema: [{type: string, text: string}]",
    )
    call = session.calls("mcp__tickets__search", query="leak", limit=500)
    session.gets(
        call,
        'MCP tool "search" response (41873 tokens) exceeds maximum allowed tokens '
        "(25000). Ask for fewer results.",
        failed=True,
    )
    session.wait(9 * MINUTE)
    session.says("The lease table never forgot dead peers; fixed. Race detector on:")
    session.shell(
        "go test -race -v -count=1 ./... 2>&1 | tee race.log",
        go_output.race_run(dice, 46),
        took=96,
        about="Run all tests with the race detector",
    )
    session.says("The race detector stays quiet, so the fix is safe to keep.")
    call = session.calls("Bash", command='git commit -am "Forget dead peers"')
    session.gets(call, "[ring-leak 90c2d1e] Forget dead peers\n 2 files changed")
    session.says("Compiler's view of what escapes, then the integration tests.")
    session.shell(
        "go build -gcflags=-m=2 ./internal/lease",
        go_output.profile(dice, 380),
        took=7,
        about="Show escape analysis",
        lost=True,
    )
    log, log_call = session.background(
        "make integration",
        go_output.integration_log(dice, session.clock, 1_400),
        runs=9 * MINUTE,
    )
    session.wait(9 * MINUTE)
    session.notified(
        log,
        log_call,
        "failed",
        'Background command "make integration" failed with exit code 2',
    )
    session.says("The integration environment is unstable at night; I'll rerun later.")
    session.clock = max(session.clock, night.now - 12 * MINUTE)
    session.notified(
        soak,
        soak_call,
        "completed",
        'Background command "go run ./cmd/soak" completed (exit code 0)',
    )
    session.says("The soak ended with errors=0: the leak is fixed.")
    # A result that no record points at: the harness went down between the two writes.
    left = session.spill_path(f"toolu_01{dice.base62(22)}.txt")
    night.write(left, go_output.grep_go(dice, "Close", 340).encode(), session.clock)
    session.finish()
