"""A made store of Codex: hooks' texts on disk, results that were cut, rollouts."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness_stores.model import Gone, HarnessStore, Spill
from tests.outputs import Range, iso, lines, output, put, put_lines, shown, united

NIGHT = 1_795_000_000
THREAD = "019a9000-1111-7222-8333-444455556666"
FORK = "019a9001-1111-7222-8333-444455556666"
OTHER = "019a9002-1111-7222-8333-444455556666"
GATE = (2500, "tokens")


def uuid(n: int) -> str:
    """A random id, as far as names go."""
    return f"{n:08x}-aaaa-4bbb-8ccc-ddddeeee{n:04x}"


def cut_middle(text: str, tokens: int) -> tuple[str, tuple[Range, ...]]:
    """The text without its middle, and the byte ranges that are left."""
    data, budget = text.encode(), tokens * 4
    left, right = budget // 2, len(data) - (budget - budget // 2)
    while data[left] & 0xC0 == 0x80:
        left -= 1
    while data[right] & 0xC0 == 0x80:
        right += 1
    lost = -(-(len(data) - budget) // 4)
    mark = f"…{lost} tokens truncated…"
    kept = data[:left].decode() + mark + data[right:].decode()
    return kept, ((0, left), (right, len(data)))


def warned(text: str, tokens: int) -> tuple[str, tuple[Range, ...]]:
    """The same with the two lines that newer versions put before it."""
    kept, ranges = cut_middle(text, tokens)
    count = -(-len(text.encode()) // 4)
    total = len(text.splitlines())
    lead = f"Warning: truncated output (original token count: {count})\n"
    return f"{lead}Total output lines: {total}\n\n{kept}", ranges


def footer(path: Path | str) -> str:
    return f"\n\nFull hook output saved to: {path}"


@dataclass
class Rollout:
    """One rollout while it is written."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    now: float = NIGHT

    def add(self, kind: str, payload: dict[str, Any]) -> None:
        self.now += 2
        self.rows.append({"timestamp": iso(self.now), "type": kind, "payload": payload})

    def item(self, payload: dict[str, Any]) -> None:
        self.add("response_item", payload)

    def meta(self, thread: str, **more: Any) -> None:
        facts = {
            "id": thread,
            "timestamp": iso(self.now),
            "cwd": "/srv/shop",
            "originator": "codex_cli_rs",
            "cli_version": "0.99.0",
            "source": "cli",
        }
        self.add("session_meta", {**facts, **more})

    def says(self, role: str, text: str) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        content = [{"type": kind, "text": text}]
        self.item({"type": "message", "role": role, "content": content})

    def runs(self, call_id: str, command: str, result: Any) -> None:
        arguments = json.dumps({"cmd": command, "yield_time_ms": 1000})
        self.calls(call_id, "exec_command", arguments, result)

    def calls(self, call_id: str, name: str, arguments: str, result: Any) -> None:
        self.item(
            {
                "type": "function_call",
                "name": name,
                "arguments": arguments,
                "call_id": call_id,
            }
        )
        self.item(
            {"type": "function_call_output", "call_id": call_id, "output": result}
        )


def banner(text: str, code: int = 0) -> str:
    """What stands before a command's output."""
    count = -(-len(text.encode()) // 4)
    return (
        "Chunk ID: 4f2a1c\nWall time: 0.0513 seconds\n"
        f"Process exited with code {code}\n"
        f"Original token count: {count}\nOutput:\n{text}"
    )


def make(home: Path) -> HarnessStore:
    """Rollouts, hook outputs in both places, and what is none of them."""
    store = HarnessStore(harness="codex")
    codex, tmp = home / ".codex", home / "tmp"
    talk = Rollout()
    talk.meta(THREAD)
    talk.add("turn_context", {"cwd": "/srv/shop", "model": "gpt-test"})
    talk.says("user", "# AGENTS.md instructions for /srv/shop\n\nBe kind.")
    talk.says("user", "Make the checks pass.")
    talk.add("event_msg", {"type": "user_message", "message": "Make the checks pass."})

    # The current place and wording.
    first = output(96_000, "1 check failed: prices", seed=1)
    here = put(tmp / f"hook_outputs/{THREAD}/{uuid(1)}.txt", first, NIGHT + 10)
    body, ranges = warned(first, 2400)
    first_text = body + footer(here)
    talk.says("developer", first_text)
    talk.says("assistant", "The hook says that a check failed.")
    talk.runs("call_small", "make", banner("make: nothing to be done\n"))

    # CODEX_HOME, without the lines before; CJK at the cuts.
    wide = "価格表" * 9000 + "\n" + output(40_000, "done: 0 of 3", seed=2, odd=True)
    old = put(codex / f"hook_outputs/{THREAD}/{uuid(2)}.txt", wide, NIGHT + 20)
    kept, old_ranges = cut_middle(wide, 2400)
    old_text = kept + footer(old)
    talk.says("developer", old_text)

    # A hook that sends the agent on: in an element, escaped.
    tagged = output(60_000, "<error> & more </error>", seed=3)
    tagged = "<report a='1'> & so on\n" + tagged
    sent = put(tmp / f"hook_outputs/{THREAD}/{uuid(3)}.txt", tagged, NIGHT + 30)
    kept, sent_ranges = warned(tagged, 2400)
    inner = html.escape(kept + footer(sent), quote=False)
    sent_text = f'<hook_prompt hook_run_id="stop:0">{inner}</hook_prompt>'
    talk.says("user", sent_text)

    # Later reads, by both generations of the shell tool.
    part = shown(first, 900, 960)
    talk.runs("call_read", f"sed -n '900,960p' {here}", banner(part))
    part = shown(first, 1000, 1010)
    words = json.dumps({"command": ["bash", "-lc", f"sed -n '1000,1010p' {here}"]})
    result = json.dumps({"output": part, "metadata": {"exit_code": 0}})
    talk.calls("call_old_read", "shell", words, result)
    read_ranges = (lines(first, 900, 960), lines(first, 1000, 1010))

    # Cut results, in each wording.
    long = output(90_000, "error: 2 tests failed", seed=4)
    cut, _ = warned(long, 10_000)
    talk.runs("cut_warned", "make test", banner(cut, 2))
    cut, _ = cut_middle(long, 10_000)
    talk.calls("cut_mcp", "mcp__db__query", "{}", [{"type": "input_text", "text": cut}])
    rows = long.splitlines(keepends=True)
    mark = f"\n[... omitted {len(rows) - 256} of {len(rows)} lines ...]\n\n"
    cut = "".join(rows[:128]) + mark + "".join(rows[-128:])
    told = f"Exit code: 2\nWall time: 3 seconds\nTotal output lines: {len(rows)}\n"
    talk.calls("cut_lines", "shell", '{"command":["make"]}', f"{told}Output:\n\n{cut}")
    mark = "\n[... output truncated to fit 10240 bytes ...]\n\n"
    cut = long[:5000] + mark + long[-5000:]
    result = json.dumps({"output": cut, "metadata": {"exit_code": 2}})
    talk.calls("cut_bytes", "shell", '{"command":["make"]}', result)
    for call, tool in (
        ("cut_warned", "exec_command"),
        ("cut_mcp", "mcp__db__query"),
        ("cut_lines", "shell"),
        ("cut_bytes", "shell"),
    ):
        store.gone.append(
            Gone(what=call, state="cut", session=THREAD, call_id=call, tool=tool)
        )

    # What only speaks of such things.
    quoted = f"A mark is …12 tokens truncated… and\n{footer(here).strip()}\nas it says."
    talk.runs("call_quoted", "cat NOTES.md", banner(quoted))
    elsewhere = f"head…9 tokens truncated…tail{footer(tmp / 'hook_outputs/x/y.txt')}"
    talk.runs("call_elsewhere", "cat NOTES.md", banner(elsewhere))

    # Gone from the temp folder since.
    away = tmp / f"hook_outputs/{THREAD}/{uuid(9)}.txt"
    talk.says("developer", cut_middle(long, 2400)[0] + footer(away))
    store.gone.append(
        Gone(what="dangling", state="dangling", session=THREAD, path=str(away))
    )
    when = "2026-11-18T10-26-40"
    day = codex / "sessions/2026/11/18"
    put_lines(day / f"rollout-{when}-{THREAD}.jsonl", talk.rows, talk.now)

    # A fork repeats it all, and its own facts come first.
    fork = Rollout(now=NIGHT + 5000)
    fork.meta(FORK, forked_from_id=THREAD)
    fork.rows += talk.rows
    fork.now = NIGHT + 5100
    fork.says("user", "And now the other way.")
    fork.says("assistant", "Yes.")
    put_lines(day / f"rollout-2026-11-18T11-50-00-{FORK}.jsonl", fork.rows, fork.now)

    # Another session, archived; a hook's text that no record names.
    other = Rollout(now=NIGHT + 9000)
    other.meta(OTHER, cwd="/srv/other")
    other.says("user", "What is this?")
    late = output(70_000, "ok: 12 of 12", seed=5)
    late_path = put(tmp / f"hook_outputs/{OTHER}/{uuid(5)}.txt", late, NIGHT + 9010)
    body, late_ranges = warned(late, 400)
    late_text = body + footer(late_path)
    other.says("developer", late_text)
    archived = codex / "archived_sessions"
    put_lines(
        archived / f"rollout-2026-11-18T12-56-40-{OTHER}.jsonl", other.rows, other.now
    )
    lost = output(61_000, "nobody knows", seed=6)
    lost_path = put(tmp / f"hook_outputs/{OTHER}/{uuid(6)}.txt", lost, NIGHT + 9020)

    common: dict[str, Any] = {"content": "hook", "boundary": GATE, "gates": (GATE,)}
    store.spills += [
        Spill(
            path=here,
            data=first.encode(),
            what="temp folder, warned, read twice",
            session=THREAD,
            project="/srv/shop",
            envelope=first_text,
            seen=united(*ranges, *read_ranges),
            agrees=True,
            next_text="The hook says that a check failed.",
            read_back=True,
            **common,
        ),
        Spill(
            path=old,
            data=wide.encode(),
            what="CODEX_HOME, CJK at the cuts",
            session=THREAD,
            envelope=old_text,
            seen=old_ranges,
            agrees=None,
            **common,
        ),
        Spill(
            path=sent,
            data=tagged.encode(),
            what="in an element, escaped",
            session=THREAD,
            envelope=sent_text,
            seen=sent_ranges,
            agrees=True,
            **common,
        ),
        Spill(
            path=late_path,
            data=late.encode(),
            what="archived, a limit of its own",
            session=OTHER,
            project="/srv/other",
            envelope=late_text,
            seen=late_ranges,
            agrees=True,
            **common,
        ),
        Spill(
            path=lost_path,
            data=lost.encode(),
            what="orphan",
            link="orphan",
            session=OTHER,
            **common,
        ),
    ]
    store.others += [
        put(tmp / f"hook_outputs/{THREAD}/notes.txt", "not a spill\n", NIGHT),
        put(tmp / "hook_outputs/README.txt", "not a spill\n", NIGHT),
        put(codex / "history.jsonl", '{"text":"x"}\n', NIGHT),
        put(codex / "log/codex-tui.log", "x\n", NIGHT),
    ]
    return store
