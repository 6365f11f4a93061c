"""The screens of the clean-up and the trash, opened over what another one shows."""

from __future__ import annotations

from spillview.catalogue.catalogue import Query
from spillview.tui.cleanup.undoing import PutsBack


class OpensCleanup(PutsBack):
    """Opens both on its own ground, and takes over what they changed."""

    scope: Query

    @property
    def cleans_by_policy(self) -> bool:
        """Whether the standing policies decide at first."""
        return False

    def took_over(self, batch: str | None) -> None:
        """That clean-up is what an undo puts back now."""
        raise NotImplementedError

    def look_anew(self) -> None:
        """Files were moved, put back or deleted."""
        raise NotImplementedError

    def action_cleanup(self) -> None:
        """Plan a clean-up of what this screen looks at, whatever its age."""
        from spillview.tui.cleanup.cleanup import CleanupScreen

        screen = CleanupScreen(self.catalogue, self.scope)
        screen.by_policy = self.cleans_by_policy

        def come_back(changed: bool | None) -> None:
            self.took_over(screen.last_batch)
            self._changed_there(changed)

        self.app.push_screen(screen, come_back)

    def action_trash(self) -> None:
        """What clean-ups removed: put back, or delete for good."""
        from spillview.tui.cleanup.trash import TrashScreen

        self.app.push_screen(TrashScreen(self.catalogue), self._changed_there)

    def _changed_there(self, changed: bool | None) -> None:
        if changed:
            self.look_anew()
