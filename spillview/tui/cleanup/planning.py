"""A plan on the screen: a reason for every artifact, and rules to turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any

from textual import getters, on, work
from textual.app import ComposeResult
from textual.message import Message
from textual.widgets import Static
from textual.worker import Worker, get_current_worker

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.cleanup import Prospect, prospect
from spillview.cleanup.policies import Policies
from spillview.cleanup.retention import Plan
from spillview.cleanup.rules import Deciding, Rules
from spillview.errors import BadInput, Cancelled, SpillError
from spillview.model import Artifact, Found
from spillview.text import printable
from spillview.tui import stylesheet
from spillview.tui.breakpoints import take_shape
from spillview.tui.cleanup.keys import CLEANUP_HELP
from spillview.tui.cleanup.lines import (
    ChoiceDetail,
    CleanupBar,
    Later,
    PlanTitles,
)
from spillview.tui.cleanup.plan_list import SHOWN, ChoiceRow, arrangement
from spillview.tui.cleanup.rules_line import (
    RulePrompt,
    RulesLine,
    changed,
    policies_now,
    stepped,
    written,
)
from spillview.tui.cleanup.undoing import sentence
from spillview.tui.failing import Failing
from spillview.tui.footer import Footer
from spillview.tui.live_keys import key_of
from spillview.tui.pacing import Pacing
from spillview.tui.queue.screen import FEW
from spillview.tui.review.pinning import turn_pin
from spillview.tui.row_list import RowList
from spillview.tui.sections import Sections

DAY = 86_400.0
WEEK = 7 * 86_400.0


class PlanScreen(Pacing, Failing):
    """Plans over the stores of a catalogue; `CleanupScreen` carries one out."""

    CSS_PATH = stylesheet("cleanup.tcss")
    HELP = CLEANUP_HELP
    AUTO_FOCUS = "#plan"

    bar = getters.query_one("#cleanup-bar", CleanupBar)
    rules_line = getters.query_one("#rules", RulesLine)
    plan_list = getters.query_one("#plan", RowList)
    plan_titles = getters.query_one("#plan-titles", PlanTitles)
    detail = getters.query_one("#choice", ChoiceDetail)
    prompt = getters.query_one("#rule-prompt", RulePrompt)
    blank = getters.query_one("#no-plan", Static)

    @dataclass
    class Planned(Message):
        """A plan was made, or could not be."""

        generation: int
        prospect: Prospect | None
        error: str | None = None
        tomorrow: Later | None = None
        """What goes in a day besides; None where rules decide that are turned here."""
        known: Callable[[Found], Artifact] | None = None
        """Gives the artifact of an entry, with what is known of it."""

    @dataclass
    class Arranged(Message):
        """The rows of a plan are there."""

        turn: int
        plan: Plan | None
        rows: Sections
        error: str | None
        anew: bool

    def __init__(
        self, catalogue: Catalogue, scope: Query, rules: Rules | None = None
    ) -> None:
        super().__init__()
        self.catalogue, self.scope = catalogue, scope
        self.rules = rules if rules is not None else Rules(older_than=WEEK)
        self.policies: Policies | None = None
        """The standing policies, while they decide in place of the rules."""
        self.by_policy = False
        """Whether they decide at first."""
        self._policies = len(catalogue.settings.policies)
        self.seen: Prospect | None = None
        self.tomorrow: Later | None = None
        """What the standing policies take besides in a day, if nothing happens."""
        self.spared: set[str] = set()
        self.failures: dict[str, str] = {}
        self.plan: Plan | None = None
        """The plan as it would be carried out."""
        self._shown = 0
        self._by = "size"
        self._turn_shown = 0
        """Counts how often other rows were asked for."""
        self._known: Callable[[Found], Artifact] | None = None
        self._whole: dict[str, Artifact] = {}
        """Artifacts that were drawn, by their ids."""
        self.doing: str | None = None
        """What is at work now, in words; None while nothing is."""
        self._generation = 0
        self._turned = True
        """Whether the rules were turned since the last plan was shown."""

    def compose(self) -> ComposeResult:
        """What it comes to, the rules, the plan, one row in full, footer."""
        take_shape(self)
        yield CleanupBar()
        yield RulesLine()
        yield PlanTitles()
        yield RowList(id="plan")
        yield Static(id="no-plan", markup=False)
        yield ChoiceDetail()
        yield RulePrompt()
        yield Footer()

    def on_mount(self) -> None:
        """Plan at once."""
        self.prompt.display = self.blank.display = False
        self.action_replan()
        if self.by_policy:
            self.action_policy()

    # -- planning ------------------------------------------------------------------

    def own_catalogue(self) -> Catalogue:
        """A catalogue of our own: the queue's is at work in another thread."""
        theirs = self.catalogue
        return Catalogue(
            theirs.places, theirs.settings, cache=theirs.cache, now=theirs.now
        )

    def action_replan(self) -> None:
        """Plan again by the present rules."""
        self._generation += 1
        self.rules_line.show(self.rules, self.policies, self._policies)
        self.state("planning …")
        self._plan(self.policies or self.rules, self._generation, self.begin_work())

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="plan",
        description="Plan a clean-up",
    )
    def _plan(self, rules: Deciding, generation: int, work: Event) -> None:
        worker = get_current_worker()
        catalogue = self.own_catalogue()
        try:
            progress = self.paced("looked at", work)
            catalogue.tell_reading(self.paced("transcripts read", work))
            seen = prospect(
                catalogue, self.scope, rules, lambda: worker.is_cancelled, progress
            )
        except Cancelled:
            return
        except (SpillError, OSError) as error:
            self.post_message(self.Planned(generation, None, sentence(error)))
            return
        by_policy = isinstance(rules, Policies)
        tomorrow = Later.of(seen.more(seen.plan.now + DAY)) if by_policy else None
        if not worker.is_cancelled:
            known = catalogue.known
            self.post_message(self.Planned(generation, seen, None, tomorrow, known))

    @on(Planned)
    def _take_plan(self, message: Planned) -> None:
        if message.generation != self._generation:
            return
        self.seen, self.tomorrow = message.prospect, message.tomorrow
        self._known = message.known
        self._whole.clear()
        self.end_work()
        self.plan = None  # until what was spared is out of it
        self.state(None)
        self._show(message.error, anew=self._turned)
        self._turned = False

    def say_pace(self, words: str) -> None:
        """Beside what the plan comes to; leaving ends the planning."""
        if self.is_planning:
            words = f"planning: {words.removesuffix('; Esc stops')}"
        self.state(words)

    @property
    def is_planning(self) -> bool:
        """Whether what is at work now is the plan itself."""
        return self.doing is not None and self.doing.startswith("planning")

    def state(self, doing: str | None) -> None:
        """Say what is at work now."""
        self.doing = doing
        self.bar.show(self.plan, doing, self.tomorrow)
        self.refresh_bindings()

    def _show(self, error: str | None = None, *, anew: bool = False) -> None:
        """Show the plan as it is now; a large one is arranged in a worker."""
        self._turn_shown += 1
        turn = self._turn_shown
        arranged = partial(
            arrangement,
            self.seen,
            frozenset(self.spared),
            dict(self.failures),
            self._made_whole,
            show=SHOWN[self._shown],
            by=self._by,
        )

        def arrange() -> PlanScreen.Arranged:
            return self.Arranged(turn, *arranged(), error, anew)

        if self.seen is None or len(self.seen.plan.choices) <= FEW:
            self._take_rows(arrange())
        else:
            self.plan = None  # nothing is carried out that is not shown
            self._arrange_apart(arrange)

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="arrange",
        description="Arrange the plan",
    )
    def _arrange_apart(self, arrange: Callable[[], Arranged]) -> None:
        self.post_message(arrange())

    @on(Arranged)
    def _take_rows(self, message: Arranged) -> None:
        if message.turn != self._turn_shown:
            return
        plan, rows = message.plan, message.rows
        self.plan = plan
        self.plan_list.display = self.plan_titles.display = bool(rows)
        self.blank.display = not rows
        if not rows:
            self.blank.update(message.error or self._nothing(plan))
            self.detail.show(None)
        self.plan_list.show(rows, anew=message.anew)
        self.bar.show(plan, self.doing, self.tomorrow)
        self.refresh_bindings()

    def _made_whole(self, artifact: Artifact) -> Artifact:
        """An artifact of the plan with all that is known of it."""
        whole = self._whole.get(artifact.id)
        if whole is None:
            if len(self._whole) >= FEW:
                self._whole.clear()
            known = self._known
            whole = known(artifact.found) if known is not None else artifact
            self._whole[artifact.id] = whole
        return whole

    def _nothing(self, plan: Plan | None) -> str:
        if plan is None:
            return "planning …"
        if plan.choices:
            key = key_of(self, "clean.view")
            return f"Nothing {SHOWN[self._shown]}. {key} shows the rest."
        return "There are no artifacts here."

    @on(RowList.Highlighted)
    def _highlight(self) -> None:
        row = self.plan_list.row
        self.detail.show(row if isinstance(row, ChoiceRow) else None)
        self.refresh_bindings()

    # -- turning the rules ---------------------------------------------------------

    def action_rule(self, name: str) -> None:
        """Ask for a rule's value."""
        self.prompt.ask(name, written(name, self.rules))

    @on(RulesLine.Chosen)
    def _chosen(self, event: RulesLine.Chosen) -> None:
        if event.name == "orphans":
            self.action_orphans()
        elif event.name == "policy":
            self.action_policy()
        else:
            self.action_rule(event.name)

    @on(RulePrompt.Answered)
    def _answered(self, event: RulePrompt.Answered) -> None:
        rules = self.rules
        if event.text is not None:
            try:
                rules = changed(event.name, event.text, rules)
            except BadInput as error:
                self.notify(printable(str(error)), severity="error", markup=False)
                return
        self.prompt.display = False
        self.plan_list.focus()
        self._turn(rules)

    def action_policy(self) -> None:
        """Let the standing policies decide, or the rules that are turned here."""
        policies = None
        if self.policies is None:
            try:
                policies = policies_now(self.catalogue)
            except BadInput as error:
                self.notify(str(error), severity="warning", markup=False)
                return
            self._policies = len(policies.policies)
        self._turn(self.rules, policies)

    def _turn(self, rules: Rules, policies: Policies | None = None) -> None:
        if (rules, policies) != (self.rules, self.policies):
            self.rules, self.policies = rules, policies
            self._turned = True
            self.failures.clear()
            self.action_replan()

    def action_step(self, step: int) -> None:
        """The next older or younger age."""
        self._turn(stepped(self.rules, step))

    def action_orphans(self) -> None:
        """Whether orphans go."""
        self._turn(replace(self.rules, orphans=not self.rules.orphans))

    def action_view(self) -> None:
        """Everything, what goes, what stays."""
        self._shown = (self._shown + 1) % len(SHOWN)
        self._show(anew=True)

    def action_sort(self) -> None:
        """Largest or oldest first."""
        self._by = "age" if self._by == "size" else "size"
        self._show(anew=True)

    def action_spare(self) -> None:
        """Keep this one this time, or let it go after all."""
        row = self.plan_list.row
        if isinstance(row, ChoiceRow):
            self.spared ^= {row.key}
            self.plan_list.action_move(1)
            self._show()

    def action_pin(self) -> None:
        """Pin this one, or take its pin back."""
        row = self.plan_list.row
        if not isinstance(row, ChoiceRow):
            return
        done = turn_pin(self.catalogue, row.choice.artifact)
        if done.back is None:
            self.notify(done.words, severity="warning", markup=False)
            return
        words = f"{done.words} {key_of(self, 'clean.pin')} takes that back."
        self.notify(words, markup=False)
        self.action_replan()

    @on(RowList.Opened)
    def action_open(self) -> None:
        """Open the artifact."""
        from spillview.tui.artifact.artifact import ArtifactScreen

        row = self.plan_list.row
        if isinstance(row, ChoiceRow):
            found = [row.artifact]
            self.app.push_screen(ArtifactScreen(self.catalogue, found, 0))

    def action_problems(self) -> None:
        """List what could not be read."""
        from spillview.tui.problems import ProblemsScreen

        seen = self.seen
        problems = (*seen.disputes, *seen.problems) if seen is not None else ()
        self.app.push_screen(ProblemsScreen(problems))

    def failed(self, worker: Worker[Any], reason: str) -> None:
        """Say so, and be ready for what comes next."""
        super().failed(worker, reason)
        self.end_work()
        self.state(None)
