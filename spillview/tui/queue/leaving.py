"""The queue opens as it was left on the same ground, and says where it hides rows."""

from __future__ import annotations

from dataclasses import replace

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.picks import PICKS
from spillview.review.remembered import QueueLeft, recall_queue, remember_queue
from spillview.review.screens import screens_of
from spillview.text import printable
from spillview.tui.live_keys import key_of
from spillview.tui.queue.arrangement import SORT_KEYS, WORST, Arrangement, Key
from spillview.tui.queue.screen import QueueScreen

KEEP_SECONDS = 5.0
"""How it is looked at is kept so often, should nothing ask for it before the end."""


class LeavingScreen(QueueScreen):
    """A queue of which is kept how it is looked at."""

    def __init__(self, catalogue: Catalogue, query: Query) -> None:
        super().__init__(catalogue, query)
        self._left_at: Key | None = None
        """The artifact it was left on, until the cursor stands there."""
        self._kept: QueueLeft | None = None
        """How it was looked at when that was kept last."""
        self._take_up()

    def on_mount(self) -> None:
        """Tell what is left out, and keep what changes."""
        if self.is_narrowed:
            self.call_after_refresh(self._tell_narrowed)
        self.set_interval(KEEP_SECONDS, self.keep_place)

    def _take_up(self) -> None:
        """Look at the same as the last time on this ground."""
        screens = screens_of(self.catalogue)
        left = recall_queue(screens, self.scope) if screens is not None else None
        if left is None:
            return
        self.view = replace(
            self.view,
            sort=left.sort if left.sort in {WORST, *SORT_KEYS} else WORST,
            reverse=left.reverse,
            flat=left.flat,
            filter=left.filter,
            only=left.only if left.only in PICKS else None,
        )
        self._left_at = ("artifact", left.at) if left.at is not None else None

    def _tell_narrowed(self) -> None:
        """Say that not everything is shown, and how it is."""
        view = self.view
        parts = [f"only {PICKS[view.only].words}"] if view.only is not None else []
        parts += [f"the filter {view.filter}"] if view.filter else []
        key = key_of(self, "home.clear")
        words = printable(f"As you left it: {' and '.join(parts)}.")
        self.notify(f"{words} {key} shows every row.", timeout=10, markup=False)

    def keep_place(self) -> None:
        """Keep how it is looked at, for the next time."""
        screens, view = screens_of(self.catalogue), self.view
        if screens is None:
            return
        at = self._left_at
        if self.queue.touched:
            at = self.queue.rows.key(self.queue.cursor) if self.queue.row else None
        ident = at[1] if at is not None and at[0] == "artifact" else None
        left = QueueLeft(
            view.sort, view.reverse, view.flat, view.filter, view.only, ident
        )
        if left != self._kept:
            self._kept = left
            bare = QueueLeft(WORST)
            now = self.catalogue.now()
            kept = None if left == bare else left
            remember_queue(screens, self.scope, kept, now)

    def _show(self, arrangement: Arrangement) -> None:
        if self.queue.touched:
            self._left_at = None
        left = self._left_at if self._aim is None else None
        if left is not None and arrangement.rows.index_of(left) >= 0:
            self._aim, self._left_at, self.queue.touched = left, None, True
        super()._show(arrangement)
