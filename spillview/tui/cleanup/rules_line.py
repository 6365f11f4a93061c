"""The rules of a clean-up on one line, and the line of input that changes one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from rich.cells import cell_len
from textual import events, getters, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Static

from spillview.catalogue.catalogue import Catalogue
from spillview.cleanup.policies import Policies
from spillview.cleanup.rules import Rules
from spillview.errors import BadInput
from spillview.text import exact_age, exact_size, path_text, printable
from spillview.tui.live_keys import key_of
from spillview.tui.prompt import PromptLine
from spillview.tui.runs import Lines, Runs
from spillview.typed import parse_age, parse_size

RULES = {
    "older_than": (
        "older than",
        "age",
        "an age such as 12h, 7d or 2w",
    ),
    "keep_last": (
        "all but newest",
        "newest",
        "how many of each session stay, such as 5",
    ),
    "max_session": (
        "session over",
        "session",
        "a size for one session, such as 200MB",
    ),
    "max_total": ("total over", "total", "a size for all together, such as 5GB"),
    "max_file": (
        "artifact over",
        "artifact",
        "a size for one artifact, such as 500MB",
    ),
}
"""Per rule: its words, fewer words, and what is typed for it."""

AGES = (3600.0, 12 * 3600.0, *(days * 86_400.0 for days in (1, 3, 7, 14, 30, 60, 90)))
"""The ages that `[` and `]` step through."""


def written(name: str, rules: Rules) -> str:
    """A rule's value as it would be typed; empty when the rule is not used."""
    value = getattr(rules, name)
    if value is None:
        return ""
    if name == "older_than":
        return exact_age(value)
    return str(value) if name == "keep_last" else exact_size(value)


def changed(name: str, typed: str, rules: Rules) -> Rules:
    """The rules with what was typed for one of them; raises `BadInput`."""
    text = typed.strip()
    value: float | int | None = None
    if text:
        if name == "older_than":
            value = parse_age(text)
        elif name == "keep_last":
            if not text.isascii() or not text.isdigit() or not 0 < int(text) < 10**9:
                raise BadInput(f"`{printable(text)}` is no number of 1 or more.")
            value = int(text)
        else:
            value = parse_size(text)
    changes: dict[str, Any] = {name: value}
    return replace(rules, **changes)


def stepped(rules: Rules, step: int) -> Rules:
    """The rules with the next older or younger age."""
    now = rules.older_than
    if now is None:
        return replace(rules, older_than=AGES[4])
    others = [a for a in AGES if (a > now if step > 0 else a < now)]
    if not others:
        return rules
    return replace(rules, older_than=others[0] if step > 0 else others[-1])


def policies_now(catalogue: Catalogue) -> Policies:
    """The standing policies as the settings have them now.

    Raises `BadInput`, a whole sentence that is safe to show, where there are none.
    """
    from spillview.cleanup.policy_file import NoPolicies, standing_policies
    from spillview.config import load_settings

    places = catalogue.places
    try:
        return standing_policies(load_settings(places), places, catalogue.profiles)
    except BadInput as error:
        more = ""
        if isinstance(error, NoPolicies):
            more = "; `spillview prune --policy` shows an example"
        words = printable(path_text(f"{error}{more}."))
        raise BadInput(words[:1].upper() + words[1:]) from None


class RulesLine(Lines):
    """Each rule with its key and value; a click changes it."""

    @dataclass
    class Chosen(Message):
        """A rule was clicked."""

        line: RulesLine
        name: str

        @property
        def control(self) -> RulesLine:
            """The line that sent it."""
            return self.line

    def __init__(self) -> None:
        super().__init__(id="rules")
        self.rules = Rules()
        self.policies: Policies | None = None
        self.known = 0
        self._places: list[tuple[int, int, str]] = []

    def show(self, rules: Rules, policies: Policies | None, known: int) -> None:
        """Show these rules, or the standing policies where they decide.

        `known` is how many policies the settings hold.
        """
        self.rules, self.policies, self.known = rules, policies, known
        self.remake()

    def make(self, width: int, height: int) -> list[Runs]:
        """One line; fewer words where it is narrow."""
        for tightness in range(4):
            if self.policies is not None:
                runs, places = self._standing(self.policies, tightness)
            else:
                runs, places = self._line(tightness)
            self._places = places
            if places[-1][1] < width:
                break
        return [runs]

    def _line(self, tightness: int) -> tuple[Runs, list[tuple[int, int, str]]]:
        entries = [
            (name, fewer if tightness > 1 else words, written(name, self.rules))
            for name, (words, fewer, _) in RULES.items()
        ]
        orphans = "yes" if self.rules.orphans else ""
        entries.append(("orphans", "orphans", orphans))
        known = f"({self.known})" if self.known else ""
        entries.append(("policy", f"policies {known}".rstrip(), ""))
        gap = "  " if tightness > 2 else "   "
        runs: Runs = [(" ", "")]
        places = []
        at = 1
        for name, words, value in entries:
            key = key_of(self, f"clean.{name}")
            parts: Runs = [(key, "bar"), (f" {words}", "" if value else "dim")]
            if value:
                parts.append((f" {value}", "selected"))
            elif tightness in (0, 2) and name != "policy":
                parts.append((" –", "dim"))
            length = sum(cell_len(text) for text, _ in parts)
            places.append((at, at + length, name))
            at += length + len(gap)
            runs += [*parts, (gap, "")]
        return runs, places

    def _standing(
        self, policies: Policies, tightness: int
    ) -> tuple[Runs, list[tuple[int, int, str]]]:
        """What the standing policies are called; where it is narrow, how many more."""
        names = [policy.name for policy in policies.policies]
        shown = names[: (len(names), 8, 3, 1)[tightness]]
        key = key_of(self, "clean.policy")
        runs: Runs = [(" ", ""), (key, "bar"), (" standing policies ", "")]
        text = printable(path_text(" · ".join(shown)))
        more = (
            f" and {len(names) - len(shown):,} more" if len(shown) < len(names) else ""
        )
        runs += [(text, "selected"), (more, "dim")]
        end = sum(cell_len(text) for text, _ in runs)
        return runs, [(1, end, "policy")]

    def on_click(self, event: events.Click) -> None:
        """Change the rule under the mouse."""
        for start, end, name in self._places:
            if start <= event.x < end:
                self.post_message(self.Chosen(self, name))


class RulePrompt(Horizontal):
    """Asks for a rule's value; Enter takes it, Escape leaves it as it was."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "cancel", "Cancel", id="rule.cancel", tooltip="Go back"),
        Binding(
            "tab,shift+tab",
            "stay",
            "Stay",
            show=False,
            id="rule.stay",
            tooltip="Stay in this line",
        ),
    ]

    @dataclass
    class Answered(Message):
        """A value was typed; None when the question was taken back."""

        prompt: RulePrompt
        name: str
        text: str | None

        @property
        def control(self) -> RulePrompt:
            """The prompt that sent it."""
            return self.prompt

    label = getters.query_one("#rule-label", Static)
    line = getters.query_one("#rule-value", Input)

    def __init__(self) -> None:
        super().__init__(id="rule-prompt")
        self.rule = ""

    def compose(self) -> ComposeResult:
        """The rule's words and the line."""
        yield Static(id="rule-label", markup=False)
        yield PromptLine(id="rule-value", compact=True)

    def ask(self, name: str, value: str) -> None:
        """Open the line for a rule, with the value it has."""
        self.rule = name
        words, _, hint = RULES[name]
        self.label.update(f"{words} (empty: not used)")
        self.line.placeholder = hint
        self.line.value = value
        self.line.cursor_position = len(value)
        self.display = True
        self.line.focus()

    @on(Input.Submitted)
    def _submit(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Answered(self, self.rule, event.value))

    def action_cancel(self) -> None:
        """Take the question back."""
        self.post_message(self.Answered(self, self.rule, None))

    def action_stay(self) -> None:
        """Nothing: the focus stays in the line."""
