"""Several processes over one large text."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from spillview.content.content import FileContent
from spillview.errors import Cancelled
from spillview.processes import pool, processors
from spillview.shape import joining, stretches
from spillview.shape.stream import Progress, Stream
from spillview.shape.stretches import Stretch, Taken, habit, join, take

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Answer = TypeVar("Answer")

WORKERS = 2
"""More would take more memory than an outline may."""

STRETCH = 1 << 24
"""Bytes of a stretch."""

PER_PATH = 1 << 14
"""A stretch has so many bytes for each path at least: each path is sent back."""

LEAST = 3 * STRETCH
"""Less is done before the processes have started."""

POLL = 0.05
"""Seconds between two questions whether to stop."""


@dataclass(frozen=True, slots=True)
class Team:
    """Who takes the stretches of a large file, and how large they are."""

    executor: Callable[[], Executor]
    """Called once for a text that is large enough. Its futures may fail: the stream
    goes on alone then."""
    workers: int = WORKERS
    stretch: int = STRETCH
    least: int = LEAST


def processes() -> Team | None:
    """Other processes of this machine; None where there is but one processor.

    Each imports the program's main module.
    """
    return Team(_pool) if processors() > 1 else None


def _pool() -> Executor:
    return pool(WORKERS)


def share(
    stream: Stream,
    team: Team,
    cancelled: Callable[[], bool] | None = None,
    progress: Progress | None = None,
) -> None:
    """Run a stream with the help of a team; raises what the stream raises."""

    def told(byte: int) -> None:
        if progress is not None:
            progress(byte, stream.entered.size)

    shared = Shared(stream, team, cancelled, told)
    try:
        stream.run(shared.step)
    finally:
        shared.close()


class Shared:
    """A stream whose large stretches are taken by a team, in the order of the text."""

    def __init__(
        self,
        stream: Stream,
        team: Team,
        cancelled: Callable[[], bool] | None,
        told: Callable[[int], None],
    ) -> None:
        """`told` is called with the byte up to which all is taken."""
        self._stream = stream
        self._team = team
        self._cancelled = cancelled
        self._told = told
        self._executor: Executor | None = None
        self._starting: list[Future[None]] = []
        self._alone = 0
        """The byte until which the stream goes on by itself."""

    def close(self) -> None:
        """Let the processes go; what they are at is not waited for."""
        if self._executor is not None:
            self._executor.shutdown(wait=False, cancel_futures=True)
            self._executor = None

    def step(self) -> None:
        """Have what follows taken by the team, as far as that can be.

        Raises `Cancelled`.
        """
        model = self._model()
        if model is None:
            return
        try:
            if not self._starting:
                self._starting = [self._ask(ready) for _ in range(self._team.workers)]
            # The stream goes on while they start.
            if all(future.done() for future in self._starting):
                for future in self._starting:
                    self._answer(future)
                self._spread(model)
        except _Failed:  # whatever it is, the stream can do without them
            self.close()
            self._alone = sys.maxsize

    def _model(self) -> Stretch | None:
        """The stretch that begins here, its end not known; None for no stretch."""
        stream, team = self._stream, self._team
        at = stream.entered
        if at.at < self._alone or at.size - at.at < team.least:
            return None
        content = at.content
        if not isinstance(content, FileContent) or content.path is None:
            return None
        frame = at.frames[-1] if at.frames else None
        if frame is None:
            ready = stream.lines and not stream.documents_sample.wanted
        else:
            ready = frame.inside == "array" and frame.comma
            ready = ready and habit(frame).separator != b""
            ready = ready and (frame.sample is None or not frame.sample.wanted)
        if not ready:
            return None
        tree = stream.tree
        return Stretch(
            content.path,
            content.key,
            at.at,
            at.at,
            None if frame is None else frame.node.current().trail,
            len(at.frames) - 1,
            None if frame is None else habit(frame),
            joining.mapped(tree),
            tree.most_keys,
            tree.most_paths,
            at.batch,
            at.whole,
            at.batches.shown.ranges,
        )

    def _spread(self, model: Stretch) -> None:
        cuts = self._cuts(model)
        pending: deque[tuple[Stretch, Future[Taken | None]]] = deque()
        begin = model.start
        try:
            while True:
                for end in cuts:
                    stretch = replace(model, start=begin, end=end)
                    pending.append((stretch, self._ask(take, stretch)))
                    begin = end
                    if len(pending) > self._team.workers:
                        break
                if not pending:
                    self._alone = begin + self._team.stretch
                    return
                stretch, future = pending.popleft()
                taken = self._wait(future)
                if taken is None or not join(self._stream, taken):
                    self._alone = stretch.end
                    return
                self._told(taken.end)
                if taken.end != stretch.end or taken.habit != model.habit:
                    return  # the stretches that follow begin otherwise than supposed
        finally:
            for _, future in pending:
                future.cancel()

    def _cuts(self, model: Stretch) -> Iterator[int]:
        """Where stretches of a good size end."""
        size = max(self._team.stretch, self._stream.tree.size * PER_PATH)
        begin = last = model.start
        for end in stretches.ends(self._stream):
            last = end
            if end - begin >= size:
                yield end
                begin = end
        if last - begin > size // 8:
            yield last

    def _ask(self, work: Callable[..., Answer], *about: Stretch) -> Future[Answer]:
        try:
            if self._executor is None:
                self._executor = self._team.executor()
            return self._executor.submit(work, *about)
        except Exception as error:  # one process does all of it then
            raise _Failed from error

    def _wait(self, future: Future[Taken | None]) -> Taken | None:
        while not future.done():
            if self._cancelled is not None and self._cancelled():
                raise Cancelled("The outline was stopped.")
            with suppress(TimeoutError):
                future.exception(POLL)
        return self._answer(future)

    def _answer(self, future: Future[Answer]) -> Answer:
        try:
            return future.result()
        except Exception as error:  # one process does all of it then
            raise _Failed from error


def ready() -> None:
    """What a process is asked first: it has loaded all of this when it answers."""


class _Failed(Exception):
    """The executor did not do what it was asked to, for whatever reason."""
