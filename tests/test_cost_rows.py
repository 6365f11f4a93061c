"""Results by what they cost: in order, merged, and not held in memory."""

from __future__ import annotations

import tracemalloc
from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from spillview.forecast.cost_rows import Cost, CostRows

texts = st.text(st.characters(), max_size=9)
maybe = st.none() | texts
costs = st.builds(
    Cost,
    st.integers(0, 10**12),
    st.integers(0, 10**9),
    st.integers(0, 99),
    texts,
    texts,
    maybe,
    maybe,
    maybe,
    st.none() | st.floats(1e9, 2e9),
    maybe,
    st.booleans(),
    texts,
    st.integers(0, 10**9),
)


@settings(max_examples=60)
@given(st.lists(st.tuples(costs, st.none() | st.sampled_from([b"a", b"b"]))))
def test_rows_are_merged_by_call_and_come_most_first(
    given_rows: list[tuple[Cost, bytes | None]],
) -> None:
    rows = CostRows()
    expected: list[Cost] = []
    known: dict[bytes, int] = {}
    for row, call in given_rows:
        rows.add(row, call)
        if call is not None and call in known:
            before = expected[known[call]]
            expected[known[call]] = before._replace(
                carried=before.carried + row.carried,
                turns=before.turns + row.turns,
                artifact=row.artifact if before.artifact is None else before.artifact,
            )
            continue
        if call is not None:
            known[call] = len(expected)
        expected.append(row)
    expected.sort(key=lambda row: (-row.carried, -row.tokens, row.time or 0.0))
    rows.rank()
    assert list(rows) == expected
    assert len(rows) == len(expected)
    assert rows.carried == sum(row.carried for row in expected)
    assert list(rows[1:3]) == expected[1:3]
    assert list(rows[:2]) == expected[:2]
    if expected:
        assert rows[-1] == expected[-1]


def test_a_name_that_is_no_text_comes_back_as_it_was() -> None:
    odd = Cost(1, 1, 1, "h", "s", "/a\udcff", None, "\ud800", None, None, True, "t", 1)
    rows = CostRows()
    rows.add(odd, None)
    assert rows.rank()[0] == odd


def test_very_many_rows_take_no_more_memory_than_a_few() -> None:
    def peak(number: int) -> int:
        tracemalloc.start()
        rows = CostRows()
        for n in range(number):
            command = f"make target-{n} " * 20
            row = Cost(
                n, n, 1, "h", "s", "/p", "Bash", command, 2e9, None, True, "t", n
            )
            rows.add(row, b"%d" % n)
        total = sum(1 for _ in rows.rank())
        assert total == number
        assert next(islice(iter(rows), 1)).carried == number - 1
        taken = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return taken

    few, many = peak(2_000), peak(10_000)
    assert many < 1.5 * few
