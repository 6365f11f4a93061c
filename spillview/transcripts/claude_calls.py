"""The calls in a transcript of Claude Code, looked for where a result answers one."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from spillview.frozen import replace
from spillview.transcripts import logfile
from spillview.transcripts.calls import command_of
from spillview.transcripts.claude_records import Call, calls_in

if TYPE_CHECKING:
    from spillview.content.content import FileContent

MOST = 256
"""So many calls that were looked for are remembered."""

NOT_READS = frozenset(
    (
        "Agent",
        "AskUserQuestion",
        "Edit",
        "ExitPlanMode",
        "MultiEdit",
        "NotebookEdit",
        "SendMessage",
        "SendUserFile",
        "Task",
        "TaskCreate",
        "TaskUpdate",
        "TodoWrite",
        "Write",
    )
)
"""Tools whose arguments may name an artifact while their result shows none of it."""

_TASK_TOOLS = frozenset(("AgentOutputTool", "BashOutput", "TaskOutput"))
_TASK_KEYS = ("task_id", "bash_id", "shell_id", "agentId")
"""Tools whose result is a background task's output, and where they name the task."""


def tasks_of(call: Call) -> list[str]:
    """The background tasks whose output a call asks for."""
    if call.tool not in _TASK_TOOLS or not isinstance(call.arguments, dict):
        return []
    ids = map(call.arguments.get, _TASK_KEYS)
    return [task for task in ids if isinstance(task, str)]


class Calls:
    """Calls by their ids. A record may stand in a transcript many times over; nothing
    is looked for twice in the same bytes."""

    def __init__(self, content: FileContent) -> None:
        self._content = content
        self._known: OrderedDict[str, tuple[Call | None, int]] = OrderedDict()
        """What was found, and before which offset."""

    def find(self, call_id: str, before: int) -> Call | None:
        """The call of that id, from the records before offset `before`.

        Its arguments are the command alone. Raises `Unreadable`.
        """
        known, after = self._known.pop(call_id, (None, 0))
        if known is None:
            needle = b'"' + call_id.encode("utf-8", "replace") + b'"'
            for data in logfile.lines_back(self._content, needle, before, after):
                known = _call_in(data, call_id)
                if known is not None:
                    break
        self._known[call_id] = (known, before)
        if len(self._known) > MOST:
            self._known.popitem(last=False)
        return known


def _call_in(data: bytes, call_id: str) -> Call | None:
    """The call of that id in a line, with its command for arguments."""
    value = logfile.value_of(data) if b'"tool_use"' in data else None
    if value is None or value.get("type") != "assistant":
        return None
    for call in calls_in(value):
        if call.id == call_id:
            return replace(call, arguments=command_of(call.arguments))
    return None
