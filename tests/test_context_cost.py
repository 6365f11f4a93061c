"""What results cost, beside what the maker of the sessions counts by hand."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue
from spillview.catalogue.query import Query
from spillview.cli import main
from spillview.forecast.cost import Costs, rank
from spillview.places import Places
from tests.stores import OTHER, Claude, Dsh, log_of


def ranked(home: Path, query: Query | None = None) -> Costs:
    catalogue = Catalogue(Places.of_home(str(home)))
    found = list(catalogue.complete(catalogue.scan()))
    return rank(catalogue, found, query if query is not None else Query())


def tokens(text: str) -> int:
    return -(-len(text.encode()) // 4)


class Told:
    """A session that counts its own turns while it is told."""

    def __init__(self, run: Claude) -> None:
        self.run = run
        self.turns = 0
        self.speaking = False
        """Whether the next call is part of what was said last."""
        self.compactions: list[int] = []
        self.results: list[tuple[str, int, int]] = []
        """Command, tokens, and turns that had begun."""

    def says(self) -> None:
        self.turns += 1
        self.run.says("so")
        self.speaking = True

    def calls(self) -> None:
        self.turns += not self.speaking
        self.speaking = False

    def whole(self, command: str, text: str) -> None:
        self.calls()
        name = f"toolu_{self.run.session[:4]}_{len(self.results)}"
        self.run.gets(self.run.calls("Bash", name, command=command), text)
        self.results.append((command, tokens(text), self.turns))

    def spills(self, command: str, lines: int) -> None:
        self.calls()
        name = f"toolu_{self.run.session[:4]}_{len(self.results)}"
        made = self.run.spills(log_of(lines), command=command, call_id=name)
        self.results.append((command, tokens(made.envelope), self.turns))

    def compacts(self) -> None:
        self.run.record("system", subtype="compact_boundary", content="compacted")
        self.compactions.append(self.turns)

    def costs(self) -> dict[str, tuple[int, int]]:
        """By command: tokens, and later turns."""
        found = {}
        for command, size, begun in self.results:
            later = [n for n in self.compactions if n >= begun]
            found[command] = (size, (later[0] if later else self.turns) - begun)
        return found


@pytest.mark.parametrize("seed", range(12))
def test_every_result_costs_its_tokens_on_each_later_turn(
    tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    told = Told(Claude(tmp_path))
    told.run.prompt("Go")
    for n in range(25):
        match dice.choice(("says", "whole", "whole", "spills", "compacts")):
            case "says":
                told.says()
            case "whole":
                told.whole(f"cmd {n}x", "é word\n" * dice.randint(1, 900))
            case "spills":
                told.spills(f"big {n}x", dice.randint(2_000, 3_000))
            case _ if not told.speaking:
                told.compacts()
    told.run.write()
    found = ranked(tmp_path)
    assert {c.command: (c.tokens, c.turns) for c in found.rows} == told.costs()
    assert all(c.carried == c.tokens * c.turns for c in found.rows)
    assert [c.carried for c in found.rows] == sorted(
        (c.carried for c in found.rows), reverse=True
    )
    for cost in found.rows:
        big = (cost.command or "").startswith("big")
        assert cost.spilled is big
        assert (cost.artifact is not None) is big


def test_a_fork_pays_for_what_it_began_with_on_its_own_turns(tmp_path: Path) -> None:
    told = Told(Claude(tmp_path))
    told.whole("make", "x" * 4_000)
    told.says()
    told.says()
    told.run.write()
    fork = Claude(tmp_path, session=OTHER)
    fork.lines = [
        line.replace(told.run.session.encode(), OTHER.encode(), 1)
        for line in told.run.lines[:-1]  # it parted before the last words
    ]
    fork.clock = told.run.clock + 50
    for _ in range(5):
        fork.says("other")
    fork.write()
    (cost,) = ranked(tmp_path).rows
    assert (cost.tokens, cost.turns) == (1_000, 2 + 5)
    assert cost.session in (told.run.session, OTHER)
    assert cost.carried == 7_000


def test_subagents_pay_in_their_own_turns(tmp_path: Path) -> None:
    main_run = Claude(tmp_path)
    main_run.gets(main_run.calls("Bash", "m1", command="make"), "x" * 400)
    main_run.says("one")
    agent = Claude(tmp_path, agent="a1")
    agent.gets(agent.calls("Bash", "s1", command="sub"), "y" * 800)
    for n in range(4):
        agent.says(f"{n}")
    main_run.write()
    agent.write()
    found = {c.command: (c.tokens, c.turns) for c in ranked(tmp_path).rows}
    assert found == {"make": (100, 1), "sub": (200, 4)}


def test_dsh_is_ranked_alike(tmp_path: Path) -> None:
    run = Dsh(tmp_path, tmp_path / "tmp" / "dsh-spill-AbC123")
    run.prompt("Build")
    run.gets(run.calls("bash", command="make"), "x" * 4_000)
    run.says("one")
    run.says("two")
    run.write()
    (cost,) = ranked(tmp_path).rows
    assert (cost.command, cost.tokens, cost.turns) == ("make", 1_000, 2)


@pytest.mark.usefixtures("machine")
def test_rows_and_table_tell_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told(Claude(tmp_path))
    told.whole("small", "x" * 40)
    told.spills("make", 3_000)
    told.says()
    told.run.write()
    assert main(["forecast", "--cost", "--json", str(tmp_path)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["command"] for row in rows] == ["make", "small"]
    assert {row["carried_tokens"] for row in rows} == {
        size * turns for size, turns in told.costs().values()
    }
    assert rows[0]["spilled"] is True
    assert main(["forecast", "--cost", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert printed.index("make") < printed.index("small")
    assert main(["forecast", "--cost", "--json", "--limit", "1", str(tmp_path)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1
