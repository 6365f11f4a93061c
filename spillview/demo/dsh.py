"""Writes sessions as dsh leaves them: session logs, spill roots, subprocess logs."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from typing import Any

from spillview.demo.night import Dice, Night

CAP = 50_000
"""UTF-8 bytes that a tool result may have inline."""

TAIL = 64_000
"""Bytes of a command's output that stay in memory; older ones only in its log."""

HINT = "Use read with offset/limit, or grep this path to search within it."


class Session:
    """One dsh session, told in order; it spills into `root` below the temp folder."""

    def __init__(
        self,
        night: Night,
        project: str,
        name: str,
        *,
        ago: float,
        root: str,
        title: str,
        zstd: bool = True,
        parent: Session | None = None,
    ) -> None:
        self.night = night
        self.dice = Dice(f"dsh {project} {name}")
        self.cwd = night.project(project)
        self.clock = night.now - ago
        self.id = self.dice.uuid()
        self.zstd = zstd
        self.title = title
        owner = hashlib.sha256(self.id.encode()).hexdigest()[:12]
        self.spills = night.path("tmp", root, f"session-{owner}")
        self.rows: list[dict[str, Any]] = []
        self.batches: list[int] = []
        self._turn = 0
        self._step = 0
        self._seq = 0
        self._calls: dict[str, int] = {}
        header: dict[str, Any] = {
            "type": "session",
            "version": 0,
            "id": self.id,
            "createdAt": int(self.clock * 1000),
            "cwd": self.cwd,
            "delegationDepth": 0,
        }
        if parent is not None:
            header |= {"parentSession": parent.id, "seedLength": len(parent.rows) - 1}
        self.rows.append(header)
        self._batch()
        if parent is not None:
            self.rows += parent.rows[1:]
            self._seq, self._turn = parent._seq, parent._turn

    @property
    def folder(self) -> str:
        """The session's folder below the sessions of its project."""
        key = re.sub(r"[/\\:]+", "-", self.cwd).lstrip("-")
        key = re.sub(r"[^A-Za-z0-9._-]", _escape, key)[:251]
        return self.night.path(".dsh", "sessions", f"--{key}--", self.id)

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock += seconds

    # -- what people and the agent say

    def prompt(self, text: str) -> None:
        """A person's prompt; it begins a turn."""
        self._turn += 1
        self._step = 0
        trigger = {"kind": "message", "source": {"kind": "user"}}
        self._event("turn/start", {"turn": self._turn, "trigger": trigger})
        content = [{"type": "text", "text": text}]
        message = {"content": content, "source": {"kind": "user"}, "role": "user"}
        message["id"] = self.dice.uuid()
        seq = self._event("user/message", message, surfaceOp="append")
        if self._turn == 1:
            data = {"title": self.title, "messageSeqs": [seq]}
            self._event("session/title", data | {"source": {"kind": "fallback"}})
        self.wait(2.0)

    def says(self, text: str) -> None:
        """The agent's closing words of a turn."""
        self._begin()
        self._answer([{"type": "text", "text": text}])
        self._event("step/end", self._here())
        data = {"turn": self._turn, "reason": {"kind": "completed"}}
        self._event("turn/end", data)
        self._batch()

    def calls(self, tool: str, *, saying: str = "", **arguments: Any) -> str:
        """The agent calls a tool, perhaps with a word before; returns the call id."""
        self._begin()
        call = "call_00_" + self.dice.base62(24)
        given = json.dumps(arguments, ensure_ascii=False)
        blocks: list[dict[str, Any]] = []
        if saying:
            blocks.append({"type": "text", "text": saying})
        blocks.append(
            {"type": "tool-call", "id": call, "name": tool, "arguments": given}
        )
        self._answer(blocks)
        data = self._here() | {"callId": call, "name": tool, "arguments": given}
        self._calls[call] = self._event("tool/call", data)
        return call

    def gets(self, call: str, text: str, *, error: bool = False) -> None:
        """The call's result, as the model received it."""
        self.wait(2.0)
        result = {
            "type": "tool-result",
            "toolCallId": call,
            "content": [{"type": "text", "text": text}],
            "isError": error,
        }
        message = {
            "source": {"kind": "tool", "callId": call},
            "content": [result],
            "role": "user",
            "id": self.dice.uuid(),
        }
        self._event(
            "tool/result",
            self._here() | {"message": message},
            sourceEventSeqs=[self._calls[call]],
            surfaceOp="append",
        )
        self._event("step/end", self._here())
        self._batch()

    # -- results that did not fit

    def shell(
        self,
        command: str,
        output: str,
        *,
        saying: str = "",
        exit_code: int = 0,
        took: float = 20.0,
        root: str = "",
        unavailable: bool = False,
        lost: bool = False,
    ) -> str:
        """A bash call: its output bounded by the collector, then by the spill policy.

        `root` names the folder for the command's own log where the output outgrew
        memory; `unavailable` leaves it without one; `lost` sweeps the artifact away.
        """
        call = self.calls("bash", saying=saying, command=command)
        self.wait(took)
        data = output.encode()
        if len(data) > TAIL:
            kept = data[-TAIL:].decode("utf-8", "ignore")
            log = "(unavailable)"
            if not unavailable:
                log = self._log(root, data)
            output = f"{kept}\n[output truncated; full output: {log}]"
        if exit_code:
            output += "" if output.endswith("\n") else "\n"
            output += f"[exit code: {exit_code}]"
        path = self.place("bash.txt")
        shown = bounded(output, path)
        if shown != output and not lost:
            self.night.write(path, output.encode(), self.clock)
        self.gets(call, shown)
        return path

    def result(self, tool: str, output: str, *, saying: str = "", **given: Any) -> str:
        """Any other call whose result the spill policy bounds."""
        call = self.calls(tool, saying=saying, **given)
        path = self.place(f"{tool}.txt")
        self.night.write(path, output.encode(), self.clock + 2.0)
        self.gets(call, bounded(output, path))
        return path

    def grep(self, pattern: str, matches: list[tuple[str, int, str]], keep: int) -> str:
        """A grep call: the first `keep` matches shown, all of them saved."""
        call = self.calls("grep", pattern=pattern, path=".")
        path = self.place("grep-results.txt")
        full = f"Found {len(matches)} matches\n\n{_grouped(matches)}"
        self.night.write(path, full.encode(), self.clock + 2.0)
        shown = (
            f"Found {keep} of {len(matches)} matches\n\n{_grouped(matches[:keep])}"
            f"\n\n(Full grep result stored at: {path}. {HINT})"
        )
        self.gets(call, shown)
        return path

    def glob(self, pattern: str, paths: list[str], keep: int) -> str:
        """A glob call: the first `keep` paths shown, the sorted list saved."""
        call = self.calls("glob", pattern=pattern)
        path = self.place("glob-results.txt")
        self.night.write(path, "\n".join(sorted(paths)).encode(), self.clock + 2.0)
        shown = "\n".join(paths[:keep])
        shown += (
            f"\n\n(Showing {keep} of {len(paths)} paths, newest first. "
            f"Full sorted result stored at: {path}. {HINT})"
        )
        self.gets(call, shown)
        return path

    def dispatch(self, code: str, command: str, output: str, answer: str) -> str:
        """A program whose sub-call was too large for the log; it got the whole."""
        call = self.calls("run_code", code=code, description="Count in one pass")
        path = self.place("bash.txt")
        self.night.write(path, output.encode(), self.clock + 2.0)
        sub = {
            "rootCallId": call,
            "parentCallId": call,
            "subCallId": f"{call}:code:1",
            "name": "bash",
            "arguments": {"command": command},
        }
        self._event("tool/code-dispatch-start", sub)
        content = [{"type": "text", "text": bounded(output, path)}]
        self._event("tool/code-dispatch", sub | {"isError": False, "content": content})
        self.gets(call, answer)
        return path

    def reads(self, path: str, offset: int, limit: int) -> None:
        """The agent reads lines of a file again, numbered as the tool numbers them."""
        call = self.calls("read", file_path=path, offset=offset, limit=limit)
        with open(path, encoding="utf-8", newline="") as file:
            lines = file.read().split("\n")
        total = len(lines) - (lines[-1] == "")
        last = min(total, offset + limit - 1)
        rows = "\n".join(f"{n}: {lines[n - 1]}" for n in range(offset, last + 1))
        note = f"(End of file - total {total} lines)"
        if last < total:
            note = f"(Showing lines {offset}-{last} of {total}. "
            note += f"Use offset={last + 1} to continue.)"
        self.gets(
            call,
            f"<path>{path}</path>\n<type>file</type>\n<content>\n{rows}\n\n{note}\n</content>",
        )

    def place(self, name: str) -> str:
        """The path the store gives a result of that name."""
        safe = re.sub(r"[^A-Za-z0-9._-]", _escape, name)
        return f"{self.spills}/{self.dice.hex(12)}-{safe}"

    def finish(self, *, torn: bool = False) -> None:
        """Write the log; `torn` leaves half of a last frame, as while it grows."""
        rows = [
            json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"
            for row in self.rows
        ]
        self._batch()
        if not self.zstd:
            data = "".join(rows).encode()
            self.night.write(f"{self.folder}/session.jsonl", data, self.clock)
            return
        frames = []
        start = 0
        for end in self.batches:
            if end > start:
                frames.append(compress("".join(rows[start:end]).encode()))
            start = end
        if torn:
            row = {"type": "step/start", "seq": self._seq, "data": self._here()}
            frame = compress(json.dumps(row).encode() * 4)
            frames.append(frame[: len(frame) // 2])
        data = b"".join(frames)
        self.night.write(f"{self.folder}/session.jsonl.zstd", data, self.clock)

    def _log(self, root: str, data: bytes) -> str:
        number = self.dice.between(2, 40)
        name = f"dsh-subprocess-{self.dice.between(20_000, 60_000)}-{number}"
        name = f"{name}-{self.dice.hex(12)}-stdout.log"
        path = self.night.path("tmp", root, name)
        self.night.write(path, data, self.clock)
        return path

    def _here(self) -> dict[str, Any]:
        return {"turn": self._turn, "step": self._step}

    def _begin(self) -> None:
        self._step += 1
        self._event("step/start", self._here())

    def _answer(self, blocks: list[dict[str, Any]]) -> None:
        source = {"kind": "model", "provider": "deepseek", "model": "deepseek-v4-flash"}
        message = {"role": "assistant", "content": blocks, "source": source}
        message["id"] = self.dice.uuid()
        usage = {"inputTokens": 2100 + self._seq * 40, "outputTokens": 120}
        data = self._here() | {"message": message, "usage": usage}
        self._event("assistant/message", data, surfaceOp="append")
        self.wait(1.5)

    def _event(self, kind: str, data: dict[str, Any], **more: Any) -> int:
        seq = self._seq
        self._seq += 1
        time = int(self.clock * 1000)
        self.rows.append({"type": kind, "seq": seq, "time": time, "data": data} | more)
        return seq

    def _batch(self) -> None:
        self.batches.append(len(self.rows))


def bounded(text: str, path: str, cap: int = CAP) -> str:
    """What the spill policy shows: head, tail, notice; the text where it fits."""
    data = text.encode()
    if len(data) <= cap:
        return text
    budget = max(0, cap - len(_notice(len(data), path).encode()) - 2)
    head = data[: -(-budget // 2)].decode("utf-8", "ignore")
    tail = data[len(data) - budget // 2 :].decode("utf-8", "ignore")
    shown = head + tail
    return f"{shown}\n\n{_notice(len(data) - len(shown.encode()), path)}"


def compress(data: bytes) -> bytes:
    """One zstd frame."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.compress(data)


def _notice(omitted: int, path: str) -> str:
    where = f"Full formatted result stored at: {path}. {HINT}"
    return f"(Omitted {omitted} bytes. {where})"


def _grouped(matches: list[tuple[str, int, str]]) -> str:
    """Matches under their files, files a blank line apart."""
    blocks: list[str] = []
    last = ""
    for path, number, line in matches:
        row = f"Line {number}: {line}"
        if path == last:
            blocks[-1] += f"\n{row}"
        else:
            blocks.append(f"{path}\n{row}")
        last = path
    return "\n\n".join(blocks)


def _escape(match: re.Match[str]) -> str:
    units = match.group().encode("utf-16-be", "surrogatepass")
    return "".join(
        f"~{units[n] << 8 | units[n + 1]:04X}" for n in range(0, len(units), 2)
    )
