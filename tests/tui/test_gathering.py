"""The work behind the queue: what is told, in which order, and when it stops."""

from __future__ import annotations

from itertools import count

import pytest
from textual.message import Message

from spillview.catalogue.catalogue import Query
from spillview.catalogue.first_look import Window
from spillview.catalogue.listing import Listing
from spillview.errors import BadInput, Unreadable
from spillview.model import Problem
from spillview.tui.messages import (
    Counted,
    Gathered,
    GatheringFailed,
    Ordered,
    Scanned,
)
from spillview.tui.queue import gathering
from spillview.tui.queue.gathering import Progress, gather
from tests.tui.fakes import NOW, Facts, FakeCatalogue, a_night, lost_call, whole


def run(catalogue: FakeCatalogue, *, stop_after: int = 10**9) -> list[Message]:
    """Everything posted; the clock moves on by 0.15 s each time it is read."""
    told: list[Message] = []
    ticks = count()
    gather(
        catalogue,
        Query(),
        lambda gists: lambda place: gists.sessions[place] == "notes",
        told.append,
        lambda: len(told) >= stop_after,
        window=Window(None, None, NOW),
        clock=lambda: next(ticks) * 0.15,
    )
    return told


def test_the_list_comes_first_then_counts_then_the_last_order() -> None:
    lost = [lost_call()]
    told = run(FakeCatalogue(a_night(), missing=lost, problems=[Problem("/x", "No.")]))
    assert isinstance(told[0], Scanned)
    assert isinstance(told[-1], Gathered)
    assert told[-1].problems == 1
    last = told[-2]
    assert isinstance(last, Ordered)
    assert last.missing == lost


def test_what_is_in_view_is_completed_first_and_everything_once() -> None:
    told = run(FakeCatalogue(a_night()))
    batches = [message for message in told if isinstance(message, Counted)]
    done = [ident for message in batches for ident in message.ids]
    [note] = [a.id for a in a_night() if a.session == "notes"]
    assert done[0] == note
    assert sorted(done) == sorted(a.id for a in a_night())
    assert [message.done for message in batches] == sorted(m.done for m in batches)
    assert batches[-1].done == batches[-1].total == 6
    assert batches[-1].left == 0.0


def test_orders_come_while_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [whole(Facts(f"{n}.txt", f"s{n % 3}"), n) for n in range(60)]
    told = run(FakeCatalogue(made))
    orders = [message for message in told if isinstance(message, Ordered)]
    assert len(orders) > 2
    assert all(message.missing is None for message in orders[:-1])


def test_cancelling_stops_between_artifacts() -> None:
    told = run(FakeCatalogue(a_night()), stop_after=2)
    assert len(told) <= 3
    assert not any(isinstance(message, Gathered) for message in told)


def test_a_scan_that_fails_is_one_sentence() -> None:
    catalogue = FakeCatalogue()

    def refuse(query: Query | None = None, **how: bool) -> Listing:
        raise BadInput("There is no such folder.")

    catalogue.scan = refuse  # type: ignore[method-assign] # the fault under test
    told = run(catalogue)
    assert [type(message) for message in told] == [GatheringFailed]
    assert isinstance(told[0], GatheringFailed)
    assert told[0].sentence == "There is no such folder."


def test_a_completion_that_fails_keeps_the_list() -> None:
    catalogue = FakeCatalogue(a_night())

    def fail() -> None:
        raise Unreadable("The disk is gone.")

    catalogue.hold = fail
    told = run(catalogue)
    assert isinstance(told[0], Scanned)
    assert isinstance(told[-1], GatheringFailed)


def test_very_many_are_listed_before_their_transcripts_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gathering, "MANY", 3)
    told: list[Message] = []
    gather(
        FakeCatalogue(a_night()),
        Query(),
        lambda gists: lambda place: True,
        told.append,
        lambda: False,
        window=Window(None, None, NOW),
        quick=True,
    )
    first, second = told[:2]
    assert isinstance(first, Scanned)
    assert isinstance(second, Scanned)
    links = [a.link for s in first.sessions for a in s.artifacts]
    assert links == [None] * 6
    assert all(a.link for s in second.sessions for a in s.artifacts)


def test_time_left_goes_by_bytes_and_files_at_the_pace_so_far() -> None:
    size = 60_000 - gathering.FILE_WEIGHT
    times = iter([0.0, 2.0, 4.0])
    progress = Progress(4, size, clock=lambda: next(times))
    assert progress.left is None
    progress.add(0)
    assert progress.left == pytest.approx(2.0 * 5)
    progress.add(0)
    assert progress.done == 2
    assert progress.left == pytest.approx(4.0 * 2)


def test_a_burst_of_orders_collapses_but_never_loses_the_last_one() -> None:
    early, later, last = Ordered([], None), Ordered([], None), Ordered([], [])
    assert early.can_replace(later)
    assert early.can_replace(last)
    assert not last.can_replace(early)
    assert not early.can_replace(Gathered(0))
