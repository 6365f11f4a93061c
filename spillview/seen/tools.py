"""The tools of all harnesses whose results are read: what each kind prints."""

from __future__ import annotations

import re

SHELLS = frozenset(
    (
        "Bash",
        "Execute",
        "PowerShell",
        "Shell",
        "bash",
        "exec",
        "exec_command",
        "execute_bash",
        "execute_command",
        "execute",
        "local_shell",
        "powershell",
        "pwsh",
        "run_in_terminal",
        "run_command",
        "run_commands",
        "run_shell_command",
        "run_terminal_cmd",
        "shell",
        "shell_command",
        "terminal",
    )
)
"""Run commands, whose output is the command's."""

NUMBERING = frozenset(
    ("Read", "View", "file_editor", "read", "read_command_output", "read_file", "view")
)
"""Print lines of a file with their numbers."""

SEARCHES = frozenset(("Grep", "Search", "grep", "rg", "search"))
"""Print lines that match, of one file or of many."""


def is_shell(tool: str | None) -> bool:
    """Whether a tool runs commands; an extension's name may stand before its own."""
    return tool is not None and re.split(r"__|\.", tool)[-1] in SHELLS
