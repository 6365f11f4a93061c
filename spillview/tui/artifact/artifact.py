"""The artifact screen: the envelope beside the full output, and what followed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from spillview.model import Artifact, Range
from spillview.review.remembered import Mode
from spillview.secrets.kept import SEEN_WORDS, states
from spillview.tui.artifact.keys import ARTIFACT_BINDINGS
from spillview.tui.artifact.marking import MarkingPanes
from spillview.tui.compare.offering import Offering
from spillview.tui.copying import Copyable, Copying
from spillview.tui.pager.pager import Pager
from spillview.tui.review.acting import Acting

if TYPE_CHECKING:
    from spillview.tui.shape.shape import ShapePane


class ArtifactScreen(MarkingPanes, Offering, Copying, Acting):
    """One artifact of the queue: what the model saw beside all that there was."""

    BINDING_GROUP_TITLE = "Artifact"
    BINDINGS: ClassVar[list[BindingType]] = ARTIFACT_BINDINGS

    shape: ShapePane | None = None
    """The outline in place of the text, once it was asked for."""
    _among: Sequence[Artifact] | None = None

    @property
    def among(self) -> Sequence[Artifact]:
        """Those that it can be compared with; the screen below may know more."""
        return self._among if self._among is not None else self.artifacts

    @among.setter
    def among(self, artifacts: Sequence[Artifact]) -> None:
        self._among = artifacts

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what does not apply now."""
        if self.is_mounted and self.prompt.line.has_focus:
            return False
        if action == "switch":
            here = "full" if self.pager is self.full else "envelope"
            return not self.has_class("-orphan") and parameters != (here,)
        if action == "shape":
            return not self.has_class("-shape") and self._may_be_json()
        if action == "text":
            return self.has_class("-shape")
        if action == "solo":
            return not self.has_class("-orphan")
        if action == "step":
            step = parameters[0] if parameters else 0
            return 0 <= self.index + int(str(step)) < len(self.artifacts)
        if action == "undo":
            return self.is_undoable
        if action == "reads":
            link, facts = self.artifact.link, self.facts
            return facts is not None and bool(facts.shown or (link and link.reads))
        if action == "compare":
            return self.artifact.found.type == "file"
        if action == "verdict":
            counts = self.artifact.counts
            return counts is not None and counts.verdict is not None
        return True

    def action_switch(self, pane: str = "") -> None:
        """The same place in the other pane; `pane` names it for the footer."""
        if self.pager is self.full:
            target = self.pairs.in_envelope(self.full.cursor)
            _go(self.envelope, target)
        elif self._shaped is not None:
            self._shaped.paths.focus()
        else:
            _go(self.full, self.pairs.in_file(self.envelope.cursor))

    # -- the shape ---------------------------------------------------------------------

    @property
    def _shaped(self) -> ShapePane | None:
        """The outline, while it is in the text's place."""
        return self.shape if self.has_class("-shape") else None

    def _may_be_json(self) -> bool:
        counts, found = self.artifact.counts, self.artifact.found
        if counts is None:
            return found.type == "file" and self.whole is not None
        return counts.kind in ("json", "jsonl")

    async def action_shape(self) -> None:
        """The outline in the text's place, at the path of its cursor."""
        if self.shape is None:
            from spillview.tui.shape.shape import ShapePane

            self.shape = ShapePane()
            await self.query_one("#full-pane").mount(self.shape)
        self.remove_class("-envelope")
        self.add_class("-shape")
        self.shape.open(self.artifact, self._byte_under_cursor())
        self.shape.paths.focus()
        self.refresh_bindings()

    def action_text(self) -> None:
        """The text again."""
        self._show_text()

    def _byte_under_cursor(self) -> int:
        """The first byte of the file that is no white space in the cursor's row."""
        document = self.whole
        if document is None:
            return 0
        begin = b""
        with self.full.told():
            begin = document.text.pread(self.full.cursor, 1024)
        return document.to_disk(self.full.cursor + len(begin) - len(begin.lstrip()))

    @property
    def mode(self) -> Mode:
        """What of it is looked at."""
        return "shape" if self.has_class("-shape") else super().mode

    def take_mode(self, mode: Mode) -> None:
        """Look at that of it."""
        if mode == "shape" and self._may_be_json() and not self.has_class("-shape"):
            self.call_later(self.action_shape)
        super().take_mode(mode)

    def _show_text(self) -> None:
        """The text again, where it was."""
        self.remove_class("-shape")
        self.full.focus()
        self.refresh_bindings()

    def _open(self) -> None:
        """The next artifact's outline too, while outlines are shown."""
        super()._open()
        if self.shape is not None:
            self.shape.forget()
            if self.has_class("-shape") and self._may_be_json():
                self.shape.open(self.artifact, 0)
                self.shape.paths.focus()
            else:
                self._show_text()

    def on_shape_pane_chosen(self, event: ShapePane.Chosen) -> None:
        """Go to a path's first place in the text."""
        document = self.whole
        if document is not None:
            self._show_text()
            self.full.goto(document.to_text(event.byte))

    def on_reader_changed(self) -> None:
        """What was outlined is no longer what the file holds."""
        self.call_later(self._outline_again)

    def on_panes_known(self) -> None:
        """What the model saw is known now."""
        self.call_later(self._outline_again)

    def _outline_again(self) -> None:
        if self._shaped is not None:
            self._shaped.open(self.artifact, 0)

    def on_descendant_focus(self) -> None:
        """The outline stands for the full output."""
        if self._shaped is not None and self.focused is self._shaped.paths:
            self.remove_class("-envelope")
            self.envelope_title.show(lit=False)

    def action_credential(self, step: int) -> None:
        """Go to another credential; after the last one comes the first."""
        secrets, document = self.artifact.secrets, self.whole
        row = self.full.cursor_row
        if secrets is None or document is None or row is None:
            self.full.say("no credential is known in it")
            return
        self._show_text()
        told = list(states(self.artifact, secrets))
        places = [document.to_text(secret.start) for secret, _ in told]
        if step > 0:
            at = bisect_left(places, row.end) % len(places)
        else:
            at = bisect_left(places, row.start) - 1
        self.full.goto(places[at])
        secret, state = told[at]
        self.full.say(f"{secret.words}: {SEEN_WORDS[state]}")

    def action_solo(self) -> None:
        """Only the pane with the focus, or both."""
        self.toggle_class("-solo")

    def action_verdict(self) -> None:
        """Go to the verdict."""
        counts, document = self.artifact.counts, self.whole
        if counts is not None and counts.verdict is not None and document is not None:
            self._show_text()
            self.full.goto(document.to_text(counts.verdict.start))

    def action_reads(self) -> None:
        """List what received the artifact, and go to what one of them showed."""
        from spillview.tui.artifact.reads import ReadsScreen

        self.app.push_screen(ReadsScreen(self.artifact, self.facts), self._go_to_read)

    def _go_to_read(self, chosen: Range | None) -> None:
        document = self.whole
        if chosen is not None and document is not None:
            self._show_text()
            self.full.goto(document.to_text(chosen[0]))

    def acted_on(self) -> Artifact:
        """The artifact that is shown."""
        return self.artifact

    def action_compare(self) -> None:
        """Beside the run of its command before it; else choose one."""
        from spillview.tui.compare.compare import CompareScreen
        from spillview.tui.compare.compare_with import CompareWithScreen, Offer

        after, among = self.artifact, self.among

        def compare(before: Artifact | None) -> None:
            if before is not None:
                screen = CompareScreen(self.catalogue, before, after, among)
                self.app.push_screen(screen)

        def choose(offer: Offer) -> None:
            if offer.before is not None:
                compare(offer.before)
            elif offer.offered:
                chooser = CompareWithScreen(offer, self.catalogue.now())
                self.app.push_screen(chooser, compare)
            else:
                words = "No other output of its project is known to compare it with."
                self.notify(words, markup=False)

        self.look_for_runs(after, among, choose)

    def say_sought(self, words: str) -> None:
        """Tell how far the look for other runs is."""
        self.pager.say(words)

    def copyables(self) -> Sequence[Copyable]:
        """What can be copied of what is shown, the thing under the cursor first."""
        from spillview.tui.review.copies import copies_of

        offered: list[Copyable] = []
        if self._shaped is not None:
            path = self._shaped.jq_path
            if path is not None:
                offered.append(Copyable("y", "the path for jq", path))
        else:
            offered += self.pager.nearest()
        command = self._rg()
        offered += copies_of(
            self.catalogue,
            self.artifact,
            facts=self.facts,
            show=self._place_options(),
            bare=self.full.bare,
        )
        return [*offered, *([command] if command is not None else [])]

    def _place_options(self) -> str:
        """The options of `spillview show` for the rows that are shown."""
        document, rows = self.whole, self.full.rows()
        if document is None or not rows:
            return ""
        first = last = None
        with self.full.told():
            first = document.index.line_at(rows[0].start)
            last = document.index.line_at(rows[-1].start)
        if first is None or last is None:
            start, end = (document.to_disk(at) for at in (rows[0].start, rows[-1].end))
            return f"--unit byte --offset {start} --limit {max(1, end - start)}"
        return f"-n --offset {first} --limit {last - first + 1}"

    def _rg(self) -> Copyable | None:
        """The search on the screen, for a shell."""
        from spillview.search.shell_command import shell_command

        pattern = self.full.finder.pattern or self.full.filter.pattern
        if pattern is None:
            return None
        command = shell_command(pattern.arguments(), [self.artifact])
        if command.text is None:
            return None
        return Copyable("r", "the rg command of the search", command.text)

    def action_search(self) -> None:
        """Search inside every artifact of the queue."""
        from spillview.tui.search.search import SearchScreen

        self.app.push_screen(
            SearchScreen(self.catalogue, self.artifacts.given, every=self.among)
        )

    def action_back(self) -> None:
        """Clear selection, filter or hits of the pane; else leave."""
        if self.prompt.display:
            self.prompt.display = False
        elif self._shaped is not None:
            if not self._shaped.back():
                self._show_text()
        elif not (self.stop_looking() or self.pager.clear()):
            self.action_leave()

    def action_leave(self) -> None:
        """Back to the screen below, with the artifact that it ended on."""
        self.keep_place()
        self.dismiss(self.artifact)


def _go(pager: Pager, byte: int | None) -> None:
    """Focus a pane; move its cursor only when it is not there already."""
    row = pager.cursor_row
    if byte is not None and not (row is not None and row.holds(byte)):
        pager.goto(byte)
    pager.focus()
