"""One search across artifacts: rows as long as they are shown, then only numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.listing import Listing
from spillview.model import Artifact
from spillview.search import grep
from spillview.search.foreign import foreign
from spillview.search.selection import Options, Report
from spillview.tui.search.rows import Gatherer


class Searching:
    """A search in steps, for a thread of its own."""

    def __init__(
        self,
        catalogue: Catalogue,
        artifacts: Sequence[Artifact],
        pattern: str,
        options: Options,
        *,
        cancelled: Callable[[], bool],
        advanced: Callable[[], None],
    ) -> None:
        """`advanced` is called whenever more was searched, found or not."""
        self._catalogue = catalogue
        self._artifacts = artifacts
        self._pattern = pattern
        self._options = options
        self._cancelled = cancelled
        self._advanced = advanced
        self._before = 0
        self.gatherer = Gatherer(artifacts)
        """The rows and totals so far."""
        self.report = Report()
        """What was not searched, and why."""
        self.done = 0
        """Artifacts that were searched."""

    def steps(self) -> Iterator[None]:
        """Search on with each step; raises what `search` raises."""
        gatherer = self.gatherer
        # What a filter leaves out is known only of each line.
        counts = self._options.seen is None
        messages = grep.search(
            self._artifacts,
            self._pattern,
            self._options,
            facts=self._facts,
            cancelled=self._cancelled,
            progress=self._advance,
            report=self.report,
            index=self._catalogue.places.index_dir,
        )
        with closing(messages):  # type: ignore[type-var]  # it is a generator
            for message in messages:
                gatherer.take(message)
                yield
                if counts and gatherer.full and message["type"] == "end":
                    break
            else:
                self._look_for_others()
                return
        yield from self._count()
        self._look_for_others()

    def _look_for_others(self) -> None:
        """Count those in which a letter of the pattern may stand in other bytes."""
        others = foreign(self._artifacts, [self._pattern], cancelled=self._cancelled)
        self.report.foreign = len(others)

    def _count(self) -> Iterator[None]:
        """Only the numbers of what comes behind the last row."""
        self._before = self.gatherer.index + 1
        self._forget_ahead()
        whole, ahead = self._artifacts, self._before
        # Of a listing none is made for it.
        rest = (
            whole.pick(range(ahead, len(whole)))
            if isinstance(whole, Listing)
            else whole[ahead:]
        )
        for _, number in grep.counts(
            rest,
            self._pattern,
            self._options,
            cancelled=self._cancelled,
            progress=self._advance,
            report=self.report,
            index=self._catalogue.places.index_dir,
        ):
            self.gatherer.count(number)
            yield

    def _forget_ahead(self) -> None:
        """Leave out of the report what is looked at again."""
        searched = self._artifacts[: self._before]
        places = {artifact.found.place for artifact in searched}
        problems = self.report.problems
        problems[:] = [p for p in problems if not p.path or p.path in places]
        self.report.skipped = sum(
            artifact.found.type in ("symlink", "special") for artifact in searched
        )

    def _advance(self, searched: int, _: int) -> None:
        self.done = self._before + searched
        self._advanced()

    def _facts(self, artifact: Artifact) -> Artifact:
        """The artifact with what the model saw of it, where that is shown."""
        known = artifact.link is not None and artifact.link.seen is not None
        if known or (self.gatherer.full and self._options.seen is None):
            return artifact
        return self._catalogue.complete_one(artifact)
