"""Made stores with Claude Code's layout: Claude Desktop's cowork runs, OpenClaude.

A cowork run sees another machine: the paths it records are none of this one.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.printed import FAILED, output
from tests.stores import Claude, Made

RUN = "aaaaaaaa-1111-4111-8111-000000000001"
SECOND = "bbbbbbbb-2222-4222-8222-000000000002"
OPEN = "cccccccc-3333-4333-8333-000000000003"
BASH = (30_000, "chars")


def spill_of(made: Made, what: str, session: str, **facts: Any) -> Spill:
    """A spill of what was made."""
    known: dict[str, Any] = {
        "project": "/sessions/busy/mnt/app",
        "tool": made.tool,
        "call_id": made.call_id,
        "command": made.command if made.tool == "Bash" else None,
        "failed": False,
        "seen": made.seen,
        "envelope": made.envelope,
        "agrees": True,
    }
    return Spill(
        path=made.path, data=made.data, what=what, session=session, **(known | facts)
    )


def cowork(home: Path, org: str, workspace: str, run: str, session: str) -> Claude:
    """One cowork run, which has a configuration folder of its own."""
    base = home / ".config/Claude/local-agent-mode-sessions"
    folder = base / org / workspace / f"local_{run}"
    return Claude(folder, session=session, cwd="/sessions/busy/mnt/app")


def elsewhere(talk: Claude, made: Made) -> Made:
    """The same, its records written with the path as the run's own machine has it."""
    here = str(talk.project.parent.parent)
    there = "/sessions/busy/mnt/.claude"
    talk.lines[:] = [line.replace(here.encode(), there.encode()) for line in talk.lines]
    return replace(made, envelope=made.envelope.replace(here, there))


def make(home: Path) -> HarnessStore:
    """Make the stores."""
    store = HarnessStore(harness="claude-code")

    one = cowork(home, "org-1", "ws-1", "r1", RUN)
    one.prompt("Make the tests pass")
    data = output("cowork", 80_000, verdict=FAILED)
    bash = one.spills(data, command="pytest -q")
    one.says("One fails.")
    start = data.index(b"000500 ")
    end = data.index(b"000520 ")
    rows = "\n".join(
        f"{500 + i:6d}\t{row}"
        for i, row in enumerate(data[start : end - 1].decode().split("\n"))
    )
    call = one.calls("Read", file_path=str(bash.path), offset=500, limit=20)
    one.gets(call, rows)
    grep = one.spills(
        output("検索", 60_000, kind="cjk"),
        tool="Grep",
        name="toolu_01Cowork.txt",
        call_id="toolu_01Cowork",
        command="TODO",
    )
    lost = one.spills(output("gone", 60_000), command="make lost", write=False)
    bash, grep, lost = (elsewhere(one, made) for made in (bash, grep, lost))
    store.spills.append(
        spill_of(
            bash,
            "cowork: Bash, read on",
            RUN,
            seen=(*bash.seen, (start, end)),
            next_text="One fails.",
            read_back=True,
            boundary=BASH,
        )
    )
    store.spills.append(spill_of(grep, "cowork: Grep", RUN, boundary=(20_000, "chars")))
    store.gone.append(
        Gone(
            what="cowork: swept",
            state="dangling",
            session=RUN,
            call_id=lost.call_id,
            tool="Bash",
        )
    )
    orphan = one.place("b0rphan01.txt")
    orphan.write_bytes(output("orphan", 60_000))
    store.spills.append(
        Spill(
            path=orphan,
            data=orphan.read_bytes(),
            what="cowork: no record names it",
            link="orphan",
            session=RUN,
        )
    )
    one.write()
    # A subagent's spill lies in its parent's folder.
    base = home / ".config/Claude/local-agent-mode-sessions/org-1/ws-1/local_r1"
    agent = Claude(base, session=RUN, cwd=one.cwd, agent="a1b2c3d")
    agent.prompt("Look")
    made = agent.spills(output("agent", 60_000), command="ls -R", name="bagent001.txt")
    agent.write()
    store.spills.append(spill_of(made, "cowork: a subagent's", RUN))
    (base / "audit.jsonl").write_text(json.dumps({"type": "user"}) + "\n")
    store.others.append(base / "audit.jsonl")

    # Another run of another workspace, with a file of the same name.
    two = cowork(home, "org-1", "ws-2", "r2", SECOND)
    two.prompt("Again")
    made = two.spills(output("two", 60_000, kind="crlf"), name=bash.path.name)
    made = elsewhere(two, made)
    two.write()
    store.spills.append(spill_of(made, "cowork: the same name in another run", SECOND))

    # OpenClaude: its own folder.
    clone = Claude(home, session=OPEN, cwd="/srv/open", version="0.18.0")
    clone.project = home / ".openclaude/projects" / clone.slug
    clone.side = clone.project / OPEN
    clone.transcript = clone.project / f"{OPEN}.jsonl"
    clone.prompt("Build")
    made = clone.spills(output("open", 70_000, kind="ansi"), command="make")
    task = clone.spills(
        output("task", 70_000),
        tool="Task",
        name="toolu_02Open.txt",
        call_id="toolu_02Open",
        command="look",
    )
    clone.write()
    store.spills.append(
        spill_of(
            task,
            "OpenClaude: its versions are not Claude Code's",
            OPEN,
            project="/srv/open",
            boundary=(50_000, "chars"),
        )
    )
    store.spills.append(
        spill_of(made, "OpenClaude: Bash", OPEN, project="/srv/open", boundary=BASH)
    )
    foreign = clone.side / "notes.txt"
    foreign.write_text("mine\n")
    store.others.append(foreign)
    return store
