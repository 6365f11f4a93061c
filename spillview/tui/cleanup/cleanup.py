"""The clean-up: a yes moves what the plan says into the trash, a key puts it back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from threading import Event
from typing import ClassVar

from textual import on, work
from textual.binding import BindingType
from textual.message import Message

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.cleanup import still
from spillview.cleanup.moving import STOPPED, Failure
from spillview.cleanup.retention import Plan
from spillview.cleanup.rules import Rules
from spillview.cleanup.trash import Applied, DiskFull, NoTrash, Trash
from spillview.errors import Cancelled, SpillError
from spillview.space import space_of
from spillview.text import exact_age, human_bytes, path_text, printable
from spillview.tui.cleanup.keys import CLEANUP_BINDINGS
from spillview.tui.cleanup.plan_list import ChoiceRow
from spillview.tui.cleanup.planning import PlanScreen
from spillview.tui.cleanup.undoing import PutsBack, TrashChanged, offer, sentence
from spillview.tui.confirm import ConfirmScreen
from spillview.tui.live_keys import key_of
from spillview.tui.queue.bars import plural


class CleanupScreen(PutsBack, PlanScreen):
    """A plan that can be carried out; dismissed with whether anything changed."""

    BINDING_GROUP_TITLE = "Clean up"
    BINDINGS: ClassVar[list[BindingType]] = CLEANUP_BINDINGS

    @dataclass
    class Done(Message):
        """A clean-up was carried out, as far as it was."""

        applied: Applied
        settled: list[str]
        """What killed runs had left, as sentences."""
        expired: str | None = None
        """What was deleted for good of older clean-ups, as a sentence."""

    def __init__(
        self, catalogue: Catalogue, scope: Query, rules: Rules | None = None
    ) -> None:
        super().__init__(catalogue, scope, rules)
        self.last_batch: str | None = None
        """The last clean-up of this screen, for `u`."""
        self.changed = False

    # -- carrying it out -----------------------------------------------------------

    def action_apply(self) -> None:
        """Ask, then move what goes into the trash."""
        plan = self.plan
        if plan is None or self.doing is not None or not plan.remove:
            return
        what = (
            f"{plural(len(plan.remove), 'artifact')} ({human_bytes(plan.remove_bytes)})"
        )
        self.app.push_screen(
            ConfirmScreen(
                f"Move {what} into the trash?",
                "Each is looked at again before it is moved."
                f" {key_of(self, 'clean.undo')} puts all of them back; the disk gains"
                f" nothing until the trash is emptied ({key_of(self, 'clean.trash')})."
                f"{self._expiring()}",
                "Move",
            ),
            lambda yes: self._begin(plan) if yes else None,
        )

    def _expiring(self) -> str:
        """That clean-ups which are old enough are deleted for good with this one."""
        keep = self.catalogue.settings.trash_keep
        if keep is None:
            return ""
        return (
            f" What clean-ups of more than {exact_age(keep)} ago left there is then"
            " deleted for good (trash_keep)."
        )

    def _begin(self, plan: Plan) -> None:
        self.state("moving …")
        self._apply(plan, self.begin_work())

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="clean",
        description="Clean up",
    )
    def _apply(self, plan: Plan, work: Event) -> None:
        """Plan again and move what goes by both plans: the first may be old."""
        trash = Trash(self.catalogue.places, now=self.catalogue.now)
        try:
            catalogue = self.own_catalogue()
            catalogue.tell_reading(self.paced("transcripts read", work))
            looked = self.paced("looked at again", work)
            fresh = still(catalogue, self.scope, plan, work.is_set, looked)
            found = [choice.artifact.found for choice in fresh.remove]
            changed = [
                Failure(old.artifact.found, new.reason)
                for old, new in zip(plan.choices, fresh.choices, strict=True)
                if old.remove and not new.remove
            ]
            try:
                applied = trash.apply(
                    found, progress=self.paced("moved", work), cancelled=work.is_set
                )
            except (DiskFull, NoTrash) as error:
                stuck = [Failure(each, str(error), no_bin=True) for each in found]
                applied = Applied(None, (), tuple(stuck))
        except Cancelled:
            words = "Stopped: nothing was moved into the trash."
            self.post_message(TrashChanged(words))
            return
        except (SpillError, OSError) as error:
            self.post_message(TrashChanged(sentence(error), well=False))
            return
        applied = replace(applied, failed=(*changed, *applied.failed))
        expired = self._expire(trash, applied.batch, work)
        self.post_message(self.Done(applied, trash.settled, expired))

    def _expire(self, trash: Trash, spare: str | None, work: Event) -> str | None:
        """Delete for good what was in the trash for longer than the settings say."""
        keep = self.catalogue.settings.trash_keep
        if keep is None or work.is_set():
            return None
        try:
            done = trash.expire(
                keep,
                spare,
                progress=self.paced("deleted of expired ones", work),
                cancelled=work.is_set,
            )
        except (SpillError, OSError) as error:
            return f"Nothing in the trash expired: {sentence(error)}"
        stuck = plural(len(done.failed), "artifact")
        rest = f"; {stuck} could not be deleted" if done.failed else ""
        return f"{done.sentence}{rest}." if done.items or rest else None

    @on(Done)
    def _take_done(self, message: Done) -> None:
        applied = message.applied
        self.end_work()
        failed = [each for each in applied.failed if each.reason != STOPPED]
        stopped = len(applied.failed) - len(failed)
        self.failures = {each.found.id: each.reason for each in failed}
        self._tell(message.settled)
        if message.expired is not None:
            words = printable(path_text(message.expired))
            self.notify(words, title="Expired", timeout=12, markup=False)
        rest = f" Stopped: {stopped:,} more stay where they are." if stopped else ""
        if applied.moved:
            self.changed = True
            self.last_batch = applied.batch
            size = human_bytes(space_of(applied.moved).bytes)
            freed = human_bytes(applied.freed_now)
            where = "moved into the trash" if applied.batch else "deleted"
            words = f"{plural(len(applied.moved), 'artifact')} ({size}) {where}."
            words += f" {freed} freed so far"
            trash = key_of(self, "clean.trash")
            words += f"; emptying it ({trash}) frees it." if applied.batch else "."
            words += rest
            if applied.batch is not None:
                offer(self, words, applied.batch, "clean.undo")
            else:
                self.notify(words, markup=False)
        elif stopped:
            self.notify(rest.strip(), markup=False)
        if failed:
            words = f"{plural(len(failed), 'artifact')} could not be removed."
            self.notify(words, severity="warning", markup=False)
        self.action_replan()
        stuck = [each for each in failed if each.no_bin]
        if stuck:
            self._ask_to_delete(stuck)

    def _tell(self, settled: Sequence[str]) -> None:
        for words in settled:
            self.notify(printable(words), title="Settled", timeout=12, markup=False)

    def _ask_to_delete(self, stuck: Sequence[Failure]) -> None:
        """Where there is no trash, only a person may say that files go for good."""
        size = human_bytes(space_of(each.found for each in stuck).bytes)
        self.app.push_screen(
            ConfirmScreen(
                f"Delete {plural(len(stuck), 'artifact')} ({size}) for good?",
                "They cannot be moved into a trash:"
                f" {printable(stuck[0].reason)}. This cannot be undone.",
                "Delete for good",
                final=True,
            ),
            lambda yes: self._delete_begin(stuck) if yes else None,
        )

    def _delete_begin(self, stuck: Sequence[Failure]) -> None:
        self.state("deleting …")
        self._delete(stuck, self.begin_work())

    @work(
        thread=True,
        exclusive=True,
        exit_on_error=False,
        group="clean",
        description="Delete for good",
    )
    def _delete(self, stuck: Sequence[Failure], work: Event) -> None:
        trash = Trash(self.catalogue.places, now=self.catalogue.now)
        try:
            applied = trash.delete(
                [each.found for each in stuck],
                progress=self.paced("deleted", work),
                cancelled=work.is_set,
            )
        except (SpillError, OSError) as error:
            self.post_message(TrashChanged(sentence(error), well=False))
        else:
            failed = tuple(replace(each, no_bin=False) for each in applied.failed)
            self.post_message(self.Done(replace(applied, failed=failed), trash.settled))

    # -- undo, trash, leaving ------------------------------------------------------

    def action_undo(self) -> None:
        """Put the last clean-up back."""
        self.undo_cleanup(self.last_batch)

    def undo_cleanup(self, batch: str | None) -> None:
        """Put a clean-up back, in a worker."""
        if self.doing is None or self.is_planning:
            self.state("putting back …")
            self.start_undo(batch)

    def put_back(self, left: str | None) -> None:
        """Look again."""
        self.last_batch = left
        self.failures.clear()
        self.changed = True
        self.action_replan()

    def action_trash(self) -> None:
        """What clean-ups removed."""
        from spillview.tui.cleanup.trash import TrashScreen

        self.app.push_screen(TrashScreen(self.catalogue), self._come_back)

    def _come_back(self, changed: bool | None) -> None:
        if changed:
            self.changed = True
            self.last_batch = None
            self.action_replan()

    def action_leave(self) -> None:
        """Back; what is at work is stopped between two artifacts, and told of."""
        if self.doing is None or self.is_planning:
            self.dismiss(self.changed)
        else:
            self.stop_work()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if not self.is_mounted:
            return True
        if self.prompt.display and self.prompt.line.has_focus:
            return False
        plan, row = self.plan, self.plan_list.row
        idle = self.doing is None
        if action == "apply":
            return True if idle and plan is not None and plan.remove else None
        if action in ("spare", "pin", "open"):
            return isinstance(row, ChoiceRow)
        if action == "undo":
            return self.last_batch is not None
        if action == "problems":
            seen = self.seen
            return bool(seen is not None and (seen.problems or seen.disputes))
        return True
