"""Very many small works done by several processes, each result in its place.

What is done is a plain function of one thing: it is done here until the processes have
started, and again here when they fail, with the same result.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache

from spillview.errors import Cancelled
from spillview.frozen import Frozen
from spillview.hints import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

Item = TypeVar("Item")
Given = TypeVar("Given")
Job = TypeVar("Job")
Result = TypeVar("Result")

MOST = 4
"""What stays with this process is enough for so many others."""

BATCH = 64
"""So many items are sent at once."""

BATCH_WEIGHT = 1 << 24
"""Or items of so many bytes."""

EACH = 1 << 18
"""An item costs about as much as reading so many bytes, whatever its size."""

LEAST = 1500 * EACH
"""Less is done before the processes have started."""

NICE = 5
"""How much nicer those are that work behind a screen."""

WORTH = 2
"""So many times that much must be left when they are called."""

SURE = 8
"""Where the first ones tell that it will be so many times that, they are called."""

SAMPLE = 32
"""So many tell."""

ASK = 8
"""At every so many items it is asked whether they have started."""

HELD = 3
"""So many batches for each process wait at most until one before them is done."""

POLL = 0.05
"""Seconds between two questions whether to stop."""


class Crew(Frozen):
    """Who helps with many works, and from how many on."""

    executor: Callable[[], Executor]
    """Called once there was much to do. Its futures may fail: all is done here then."""
    workers: int
    batch: int = BATCH
    least: int = LEAST
    patient: bool = False
    """Whether they are waited for, so that a screen's keys need not share: else this
    process does what nobody else is at."""


def crew() -> Crew | None:
    """The other processors of this machine; None where there is but one.

    This process does its share. Each of the others imports the program's main module.
    """
    from spillview.processes import pool, processors

    workers = min(MOST, processors() - 1)
    return Crew(lambda: pool(workers), workers) if workers > 0 else None


def quiet_crew(number: int, size: int) -> Crew | None:
    """One that leaves this process and its screen alone, for so many items of so many
    bytes in all; None where that is too little."""
    from spillview.processes import pool, processors

    workers = min(MOST, processors())
    if workers == 1 or EACH * number + size < LEAST:
        return None
    return Crew(lambda: pool(workers, NICE), workers, least=0, patient=True)


class Bound(Generic[Given, Job, Result]):
    """A work with what it is always given, which is packed once for all its batches."""

    def __init__(
        self, work: Callable[[Given, list[Job]], list[Result]], given: Given
    ) -> None:
        self._work = work
        self._given = given
        self._packed: bytes | None = None

    def __call__(self, jobs: list[Job]) -> list[Result]:
        """The results of these jobs."""
        return self._work(self._given, jobs)

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        import pickle

        if self._packed is None:
            self._packed = pickle.dumps((self._work, self._given), -1)
        return _bound, (self._packed,)


@lru_cache(maxsize=2)
def _bound(packed: bytes) -> Bound[Any, Any, Any]:
    """One and the same for all batches."""
    import pickle

    return Bound(*pickle.loads(packed))


class Hands(Generic[Item, Job, Result]):
    """One kind of work, done here or by a crew."""

    def __init__(
        self,
        here: Callable[[Item], Result],
        job: Callable[[Item], Job | None],
        there: Callable[[list[Job]], list[Result]],
        *,
        weight: Callable[[Job], int],
        ready: Callable[[], object],
        crew: Crew | None = None,
    ) -> None:
        """`here` does one item; `there` does what `job` makes of some items, in another
        process that has answered `ready`. Items without a job are done here. `weight`:
        about how many bytes a job reads.
        """
        self._here = here
        self._job = job
        self._there = there
        self._weight = weight
        self._loaded = ready
        self._crew = crew
        self._executor: Executor | None = None
        self._starting: list[Future[object]] = []
        self._done = 0
        """What was done here, in bytes."""

    def close(self) -> None:
        """Let the processes go; what they are at is not waited for."""
        executor, self._executor = self._executor, None
        self._crew = None
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)

    def over(
        self,
        items: Iterable[Item],
        cancelled: Callable[[], bool] | None = None,
        number: int | None = None,
    ) -> Iterator[tuple[Item, Result]]:
        """Each item with its result, in their order.

        Items are taken some time before their results are given. `number`: how many
        there are, where that is known: nobody is called for the last few. Raises what
        the work raises, and `Cancelled`.
        """
        source = iter(items)
        taken = 0
        if self._crew is not None and self._crew.patient:
            while not self._is_ready() and self._crew is not None:
                _wait(self._starting, cancelled)
        while (item := self._next(source, taken, number)) is not None:
            taken += 1
            if self._crew is not None and (job := self._job(item)) is not None:
                self._done += EACH + self._weight(job)
            yield item, self._here(item)
        if self._crew is not None:
            yield from self._spread(source, self._crew, cancelled)
        yield from ((item, self._here(item)) for item in source)

    def _next(
        self, source: Iterator[Item], taken: int, number: int | None
    ) -> Item | None:
        """The next item that is done here; None where that is over."""
        crew = self._crew
        asked = crew is not None and taken % ASK == 0
        if asked and self._is_worth(crew, taken, number) and self._is_ready():
            return None
        return next(source, None)

    def _is_worth(self, crew: Crew | None, taken: int, number: int | None) -> bool:
        """Whether so much is left that others are called; they are called once."""
        if crew is None or self._executor is not None:
            return crew is not None
        if number is None:
            return self._done >= crew.least
        left = (number - taken) * self._done
        if self._done >= crew.least:
            return left >= WORTH * crew.least * taken
        return taken >= SAMPLE and left >= SURE * crew.least * taken

    def _is_ready(self) -> bool:
        """Whether every process has started; has them start."""
        crew = self._crew
        if crew is None:
            return False
        try:
            if self._executor is None:
                self._executor = crew.executor()
                for _ in range(crew.workers):
                    self._starting.append(self._executor.submit(self._loaded))
            if not all(future.done() for future in self._starting):
                return False
            for future in self._starting:
                future.result()
        except Exception:  # whatever it is, all can be done here
            self.close()
            return False
        return True

    def _spread(
        self,
        source: Iterator[Item],
        crew: Crew,
        cancelled: Callable[[], bool] | None,
    ) -> Iterator[tuple[Item, Result]]:
        held: deque[_Batch[Item, Job, Result]] = deque()
        more, most = True, HELD * (crew.workers + 1)
        try:
            while more or held:
                while more and len(held) < most and _under_way(held) <= crew.workers:
                    batch = self._batch(source, crew.batch)
                    self._send(batch)
                    more = self._hold(batch, held)
                share = more and not crew.patient and len(held) < most
                if share and held and not held[0].done:
                    _stop(cancelled)
                    batch = self._batch(source, crew.batch)
                    batch.results = [self._here(item) for item in batch.items]
                    more = self._hold(batch, held)
                elif held:
                    yield from self._results(held.popleft(), cancelled)
        finally:
            for batch in held:
                if batch.future is not None:
                    batch.future.cancel()

    @staticmethod
    def _hold(
        batch: _Batch[Item, Job, Result], held: deque[_Batch[Item, Job, Result]]
    ) -> bool:
        """Put it behind the others; False where it is empty: there are no more."""
        if batch.items:
            held.append(batch)
        return bool(batch.items)

    def _batch(self, source: Iterator[Item], most: int) -> _Batch[Item, Job, Result]:
        """The next items, with their jobs."""
        batch: _Batch[Item, Job, Result] = _Batch()
        weight = 0
        for item in source:
            batch.items.append(item)
            job = self._job(item)
            batch.sent.append(job is not None)
            if job is not None:
                batch.jobs.append(job)
                weight += self._weight(job)
            if len(batch.items) >= most or weight >= BATCH_WEIGHT:
                break
        return batch

    def _send(self, batch: _Batch[Item, Job, Result]) -> None:
        """Have another process do its jobs, as long as there is one."""
        if batch.jobs and self._executor is not None:
            try:
                batch.future = self._executor.submit(self._there, batch.jobs)
            except Exception:  # its processes have ended
                self.close()

    def _results(
        self,
        batch: _Batch[Item, Job, Result],
        cancelled: Callable[[], bool] | None,
    ) -> Iterator[tuple[Item, Result]]:
        if batch.results is not None:
            yield from zip(batch.items, batch.results, strict=True)
            return
        results: Iterator[Result] | None = None
        if batch.future is not None:
            _wait([batch.future], cancelled)
            try:
                results = iter(batch.future.result())
            except Exception:  # it is done again here, and fails here if it must
                self.close()
        for item, sent in zip(batch.items, batch.sent, strict=True):
            if sent and results is not None:
                yield item, next(results)
            else:
                yield item, self._here(item)


class _Batch(Generic[Item, Job, Result]):
    __slots__ = ("future", "items", "jobs", "results", "sent")

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.sent: list[bool] = []
        """Of each item, whether it has a job."""
        self.jobs: list[Job] = []
        self.future: Future[list[Result]] | None = None
        self.results: list[Result] | None = None
        """Of all its items, where they were done here."""

    @property
    def done(self) -> bool:
        """Whether nobody else is at it."""
        return self.future is None or self.future.done()


def _under_way(held: Iterable[_Batch[Any, Any, Any]]) -> int:
    return sum(not batch.done for batch in held)


def _stop(cancelled: Callable[[], bool] | None) -> None:
    if cancelled is not None and cancelled():
        raise Cancelled("Nobody waits for this any more.")


def _wait(futures: Sequence[Future[Any]], cancelled: Callable[[], bool] | None) -> None:
    from concurrent.futures import CancelledError

    for future in futures:
        while not future.done():
            _stop(cancelled)
            with suppress(TimeoutError, CancelledError):
                future.exception(timeout=POLL)
