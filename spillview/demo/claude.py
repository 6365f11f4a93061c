"""Writes sessions as Claude Code leaves them: transcript, tool results, tasks."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass
from typing import Any

from spillview.demo.night import Dice, Night, iso
from spillview.demo.notice import persisted

COPIED = 30_000
"""Chars of a large output that the record keeps beside the notice."""


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call, waiting for its result."""

    id: str
    tool: str
    input: dict[str, Any]


class Session:
    """One session, or one subagent of it, told in order."""

    def __init__(
        self,
        night: Night,
        project: str,
        name: str,
        *,
        ago: float,
        title: str | None = None,
        version: str = "2.1.283",
        branch: str = "main",
        parent: Session | None = None,
    ) -> None:
        self.night = night
        self.dice = Dice(f"claude {project} {name}")
        self.cwd = night.project(project)
        self.slug = re.sub(r"[^A-Za-z0-9]", "-", self.cwd)
        self.clock = night.now - ago
        self.version = version
        self.branch = branch
        self.parent = parent
        self.agent: str | None = None
        if parent is None:
            self.id = self.dice.uuid()
        else:
            self.id = parent.id
            self.agent = "a" + self.dice.hex(16)
        self.records: list[dict[str, Any]] = []
        self._last: str | None = None
        self._message = ""
        if title is not None:
            self._title(title)

    @property
    def folder(self) -> str:
        """The session's side folder, shared with its subagents."""
        return self.night.path(".claude", "projects", self.slug, self.id)

    @property
    def transcript(self) -> str:
        """Where this session's or subagent's records go."""
        if self.agent is not None:
            return f"{self.folder}/subagents/agent-{self.agent}.jsonl"
        return f"{self.folder}.jsonl"

    @property
    def tasks(self) -> str:
        """The folder of this session's background tasks."""
        tmp = self.night.path("tmp", f"claude-{self.night.uid}")
        return f"{tmp}/{self.slug}/{self.id}/tasks"

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.clock += seconds

    # -- what people and the agent say

    def prompt(self, text: str) -> None:
        """A person's prompt, or what stands in one."""
        self._user(text)

    def says(self, text: str) -> None:
        """The agent's own words."""
        self._message = "msg_01" + self.dice.base62(22)
        self._assistant({"type": "text", "text": text})

    def calls(self, tool: str, **arguments: Any) -> Call:
        """The agent calls a tool."""
        call = Call("toolu_01" + self.dice.base62(22), tool, arguments)
        if not self._message:
            self._message = "msg_01" + self.dice.base62(22)
        block = {"type": "tool_use", "id": call.id, "name": tool, "input": arguments}
        self._assistant(block)
        return call

    def gets(
        self,
        call: Call,
        content: str | list[dict[str, str]],
        *,
        failed: bool = False,
        result: object = None,
        took: float = 2.0,
    ) -> None:
        """The call's result, as the model received it."""
        self.wait(took)
        block = {
            "tool_use_id": call.id,
            "type": "tool_result",
            "content": content,
            "is_error": failed,
        }
        self._user([block], result)
        self._message = ""

    # -- results that did not fit

    def spill_path(self, name: str) -> str:
        """Where a tool result of that name is kept."""
        return f"{self.folder}/tool-results/{name}"

    def shell(
        self,
        command: str,
        output: str | bytes,
        *,
        took: float = 30.0,
        exit_code: int = 0,
        about: str = "",
        lost: bool = False,
        whole_copy: bool = False,
    ) -> str:
        """A Bash call whose output was spilled; returns the artifact's path.

        `lost` leaves the notice without its file; `whole_copy` embeds the output in
        the record as some versions did.
        """
        data = output.encode() if isinstance(output, str) else output
        text = data.decode("utf-8", "replace")
        arguments = {"command": command}
        if about:
            arguments["description"] = about
        call = self.calls("Bash", **arguments)
        path = self.spill_path(f"b{self.dice.lower(8)}.txt")
        if not lost:
            self.night.write(path, data, self.clock + took)
        notice = persisted(path, data)
        if exit_code:
            notice = f"Exit code {exit_code}\n{notice}"
            kept: object = f"Error: {notice}"
        else:
            kept = {
                "stdout": text if whole_copy else text[:COPIED],
                "stderr": "",
                "interrupted": False,
                "isImage": False,
                "persistedOutputPath": path,
                "persistedOutputSize": len(data),
            }
        self.gets(call, notice, failed=exit_code != 0, result=kept, took=took)
        return path

    def large(self, call: Call, output: str, *, took: float = 3.0) -> str:
        """A result of a built-in tool that was spilled under the call's id."""
        data = output.encode()
        path = self.spill_path(f"{call.id}.txt")
        self.night.write(path, data, self.clock + took)
        self.gets(call, persisted(path, data), took=took)
        return path

    def grep(self, pattern: str, output: str, **arguments: Any) -> str:
        """A Grep call whose matches were spilled."""
        call = self.calls("Grep", pattern=pattern, output_mode="content", **arguments)
        return self.large(call, output)

    def mcp(
        self,
        server: str,
        tool: str,
        stored: str,
        *,
        form: str,
        took: float = 6.0,
        **arguments: Any,
    ) -> str:
        """An MCP result over the token limit: saved whole, no preview shown."""
        call = self.calls(f"mcp__{server}__{tool}", **arguments)
        millis = int((self.clock + took) * 1000)
        path = self.spill_path(f"mcp-{server}-{tool}-{millis}.txt")
        data = stored.encode()
        self.night.write(path, data, self.clock + took)
        lines = data.count(b"\n") + (not data.endswith(b"\n"))
        text = (
            f"Error: result ({len(stored):,} characters across {lines:,} "
            f"line{'' if lines == 1 else 's'}) exceeds maximum allowed tokens. "
            f"Output has been saved to {path}.\nFormat: {form}\n"
            "Read the file in parts to see all of it before you answer.\n"
        )
        self.gets(call, text, took=took)
        return path

    # -- reading back

    def reads(self, path: str, offset: int, limit: int) -> None:
        """The agent reads lines of a file again, numbered as the tool numbers them."""
        call = self.calls("Read", file_path=path, offset=offset, limit=limit)
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        total = len(lines) - (lines[-1] == "")
        shown = lines[:total][offset - 1 : offset - 1 + limit]
        numbered = "\n".join(f"{offset + n:>6}→{row}" for n, row in enumerate(shown))
        result = {
            "type": "text",
            "file": {
                "filePath": path,
                "content": "\n".join(shown),
                "numLines": len(shown),
                "startLine": offset,
                "totalLines": total,
            },
        }
        self.gets(call, numbered, result=result, took=1.0)

    # -- background work

    def background(self, command: str, output: str, *, runs: float) -> tuple[str, Call]:
        """A command in the background: its log grows for `runs` seconds."""
        call = self.calls("Bash", command=command, run_in_background=True)
        task = "b" + self.dice.lower(8)
        path = f"{self.tasks}/{task}.output"
        self.night.write(path, output.encode(), self.clock + runs)
        text = (
            f"Command running in background with ID: {task}. "
            f"Output is being written to: {path}. "
            "You will be notified when it completes."
        )
        result = {
            "stdout": "",
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "backgroundTaskId": task,
        }
        self.gets(call, text, result=result, took=1.0)
        return path, call

    def notified(self, path: str, call: Call, status: str, summary: str) -> None:
        """The harness tells the agent that a background task has ended."""
        task = path.rsplit("/", 1)[1].removesuffix(".output")
        self.prompt(
            "<task-notification>\n"
            f"<task-id>{task}</task-id>\n"
            f"<tool-use-id>{call.id}</tool-use-id>\n"
            f"<output-file>{path}</output-file>\n"
            f"<status>{status}</status>\n"
            f"<summary>{summary}</summary>\n"
            "</task-notification>"
        )

    def delegates(self, about: str, kind: str, prompt: str) -> tuple[Session, Call]:
        """The agent starts a subagent, which then tells its own part."""
        call = self.calls("Task", description=about, subagent_type=kind, prompt=prompt)
        project = self.cwd.rsplit("/", 1)[1]
        child = Session(
            self.night,
            project,
            f"{self.id} {about}",
            ago=self.night.now - self.clock - 2.0,
            version=self.version,
            branch=self.branch,
            parent=self,
        )
        child.prompt(prompt)
        meta = json.dumps({"agentType": kind, "description": about})
        meta_path = child.transcript.removesuffix(".jsonl") + ".meta.json"
        self.night.write(meta_path, meta.encode(), child.clock)
        return child, call

    def launched(self, child: Session, call: Call) -> str:
        """The subagent runs on by itself; its task output links to its transcript."""
        path = f"{self.tasks}/{child.agent}.output"
        self.night.link(path, child.transcript)
        text = (
            "Async agent launched successfully.\n"
            f"agentId: {child.agent}\n"
            f"output_file: {path}"
        )
        status = {"status": "async_launched", "agentId": child.agent}
        self.gets(call, [{"type": "text", "text": text}], result=status, took=1.0)
        return path

    def reports(self, child: Session, call: Call, text: str) -> None:
        """The subagent's last words come back as the call's result."""
        child.says(text)
        child.finish()
        took = max(1.0, child.clock - self.clock)
        status = {"status": "completed", "agentId": child.agent}
        self.gets(call, [{"type": "text", "text": text}], result=status, took=took)

    # -- the transcript itself

    def fork(self, name: str, title: str, *, at: int, ago: float) -> Session:
        """A session that begins with this one's first `at` records, ids and all."""
        project = self.cwd.rsplit("/", 1)[1]
        child = Session(
            self.night, project, name, ago=ago, title=title, version=self.version
        )
        for record in [r for r in self.records if "uuid" in r][:at]:
            twin = copy.deepcopy(record)
            twin["sessionId"] = child.id
            twin["forkedFrom"] = {"sessionId": self.id, "messageUuid": record["uuid"]}
            child.records.append(twin)
            child._last = record["uuid"]
        return child

    def attach(self, attachment: dict[str, Any]) -> None:
        """An attachment record, such as a hook's output."""
        self._record("attachment", attachment=attachment)

    def finish(self) -> None:
        """Write the transcript; its mtime is the last record's time."""
        rows = [
            json.dumps(record, ensure_ascii=False, separators=(",", ":"))
            for record in self.records
        ]
        data = "".join(row + "\n" for row in rows).encode()
        self.night.write(self.transcript, data, self.clock)

    def _title(self, title: str) -> None:
        record = {"type": "summary", "summary": title, "leafUuid": self.dice.uuid()}
        self.records.append(record)

    def _assistant(self, block: dict[str, Any]) -> None:
        message = {
            "id": self._message,
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [block],
        }
        self._record("assistant", message=message)
        self.wait(1.5)

    def _user(self, content: object, result: object = None) -> None:
        extra: dict[str, Any] = {"message": {"role": "user", "content": content}}
        if result is not None:
            extra["toolUseResult"] = result
        self._record("user", **extra)
        self.wait(3.0)

    def _record(self, kind: str, **fields: Any) -> None:
        record: dict[str, Any] = {
            "parentUuid": self._last,
            "isSidechain": self.agent is not None,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.id,
            "version": self.version,
            "gitBranch": self.branch,
        }
        if self.agent is not None:
            record["agentId"] = self.agent
        record |= {"type": kind, **fields}
        record |= {"uuid": self.dice.uuid(), "timestamp": iso(self.clock)}
        self._last = record["uuid"]
        self.records.append(record)
