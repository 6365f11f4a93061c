"""`trash_keep`: what is in the trash expires with a clean-up, which is remembered."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.cleanup.batches import Batch, UnknownBatch
from spillview.cleanup.expiry import expires, expiry, is_expired
from spillview.cleanup.trash import Trash
from spillview.config import Settings, load_settings
from spillview.errors import BadInput
from spillview.places import Places

from .aging import DAY, session
from .command import run
from .faults import Made, make
from .stores import OTHER
from .test_cli_policies import ONE, write
from .test_config import settings

NOW = 1_800_000_000.0


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path / "home", tmp_path / "home/tmp")


def at(made: Made, ago: float) -> Trash:
    """The trash as a run had it some time ago."""
    return Trash(made.places, wait=0, now=lambda: NOW - ago)


def test_by_default_nothing_ever_expires(tmp_path: Path) -> None:
    assert Settings().trash_keep is None
    batch = Batch("20270101-000000-abcd", NOW - 9000 * DAY, 1, 1, "/x")
    assert expires(batch, None) is None


def test_what_was_made_longer_ago_is_deleted_and_nothing_else(made: Made) -> None:
    found = made.found()
    old = at(made, 15 * DAY).apply(found[:2]).batch
    young = at(made, 13 * DAY).apply(found[2:3]).batch
    done = at(made, 0).expire(14 * DAY)
    assert [batch.id for batch in done.batches] == [old]
    assert (done.items, done.failed) == (2, [])
    assert [batch.id for batch in at(made, 0).batches()] == [young]
    assert at(made, 0).undo().batch == young


def test_the_clean_up_just_made_is_spared_however_short_the_age(made: Made) -> None:
    batch = at(made, 5).apply(made.found()[:1]).batch
    assert at(made, 0).expire(1, batch).items == 0
    assert at(made, 0).expire(1).items == 1


def test_an_undo_of_it_says_what_became_of_it(made: Made) -> None:
    old = at(made, 15 * DAY).apply(made.found()[:2]).batch
    assert old is not None
    at(made, 0).expire(14 * DAY)
    for reference in (old, old[:8]):
        with pytest.raises(UnknownBatch) as error:
            at(made, 0).undo(reference)
        said = str(error.value)
        assert f"clean-up {old} was deleted for good on" in said
        assert "because trash_keep is 14d" in said
        assert "its 2 artifacts" in said
    undone = at(made, 0).undo()
    assert undone.batch is None
    assert undone.freed is not None
    assert undone.freed.batch == old
    with pytest.raises(UnknownBatch, match="there is no clean-up"):
        at(made, 0).undo("19990101")


def test_an_undo_of_what_a_person_deleted_says_so_too(made: Made) -> None:
    batch = at(made, DAY).apply(made.found()[:1]).batch
    at(made, 0).empty()
    with pytest.raises(UnknownBatch, match="was deleted for good on") as error:
        at(made, 0).undo(batch)
    assert "trash_keep" not in str(error.value)


def test_what_is_damaged_of_the_memory_costs_no_more_than_a_sentence(
    made: Made,
) -> None:
    at(made, 15 * DAY).apply(made.found()[:1])
    at(made, 0).expire(14 * DAY)
    memory = Path(at(made, 0).path) / "freed"
    assert memory.stat().st_mode & 0o777 == 0o600
    memory.write_bytes(b'{"batch": 3\n[]\n\xff\n{"what": "else"}\n')
    assert at(made, 0).undo().freed is None
    at(made, DAY).apply(made.found()[:1])
    assert at(made, 0).expire(DAY / 2).items == 1


@given(
    st.floats(0, 1e10), st.floats(1, 1e9), st.floats(0, 1e10), st.booleans(),
    st.integers(0, 2),
)  # fmt: skip
def test_only_what_is_surely_older_expires(
    when: float, keep: float, now: float, open_: bool, away: int
) -> None:
    batch = Batch("x", when, 1, 1, "/x", open=open_, away=away)
    old = is_expired(batch, keep, now)
    assert (
        old is (now - keep > when > 0 and not open_ and not away)
        or abs(now - keep - when) <= 1e-3
    )
    goes = expiry(batch, keep, now)
    if not when or open_ or away:
        assert goes == ""
    elif now + 1 < when + keep:
        assert goes.startswith("in ")


@pytest.mark.parametrize("text", ["14", "'0d'", "'soon'", "true"])
def test_a_mistake_in_the_setting_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadInput, match=r"config\.toml: trash_keep: "):
        settings(tmp_path, f"trash_keep = {text}")


# On the command line


def aged_batch(home: Path, ident: str, age: float) -> str:
    """Make a clean-up that is as old; gives its name."""
    session(home, ident)
    catalogue = Catalogue(Places.here())
    found = [each.found for each in catalogue.scan(Query(session=ident))]
    batch = Trash(Places.here(), now=lambda: time.time() - age).apply(found).batch
    assert batch is not None
    return batch


def test_a_clean_up_ends_with_deleting_what_expired_and_says_so(
    machine: Path,
) -> None:
    old = aged_batch(machine, OTHER, 20 * DAY)
    session(machine)
    write(machine, 'trash_keep = "14d"')
    listed = run("trash", "--json").row
    assert listed["batch"] == old
    assert listed["expires"] < time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    shown = run("trash", terminal=True)
    assert "at the next clean-up" in shown.out
    assert "trash_keep = 14d" in shown.err
    # Looking deletes nothing, nor does a plan.
    run("prune", "--older-than", "7d")
    assert run("trash", "--json").row["batch"] == old
    ran = run("prune", "--older-than", "7d", "--apply")
    assert ran.code == 0
    assert (
        "1 older clean-up in the trash had expired (trash_keep): 3 artifacts (35.1 kB)"
        " deleted for good, 35.1 kB freed" in ran.err
    )
    assert [row["items"] for row in run("trash", "--json").rows] == [3]
    undone = run("undo", old)
    assert undone.code == 1
    assert "was deleted for good on" in undone.err
    assert run("undo").code == 0
    undone = run("undo", "--json")
    assert undone.row["deleted"]["batch"] == old
    assert "nothing to undo" in undone.err


def test_a_clean_up_that_moves_nothing_deletes_what_expired_as_well(
    machine: Path,
) -> None:
    aged_batch(machine, OTHER, 20 * DAY)
    write(machine, "trash_keep = '14d'\n[[policy]]\nolder_than = '90d'\n")
    ran = run("prune", "--policy", "--apply", "--json")
    assert ran.code == 0
    expired = ran.rows[-1]["expired"]
    assert expired == {
        "batches": 1,
        "items": 3,
        "bytes": 3 * ONE,
        "freed_now": 3 * ONE,
        "failed": [],
    }
    assert run("trash", "--json").data == b""


def test_without_the_setting_old_clean_ups_stay(machine: Path) -> None:
    old = aged_batch(machine, OTHER, 900 * DAY)
    session(machine)
    ran = run("prune", "--older-than", "7d", "--apply", "--json")
    assert "expired" not in ran.rows[-1]
    rows = run("trash", "--json").rows
    assert rows[-1]["batch"] == old
    assert rows[-1]["expires"] is None
    assert load_settings(Places.here()).trash_keep is None
    assert os.path.isdir(rows[-1]["path"])


def test_what_expires_is_said_to_a_cron_job_too(machine: Path) -> None:
    aged_batch(machine, OTHER, 20 * DAY)
    session(machine)
    session(machine, "99999999-0000-4000-8000-000000000000", age=DAY)
    write(machine, "trash_keep = '14d'\n[[policy]]\nolder_than = '7d'\n")
    ran = run("prune", "--policy", "--apply", "-q")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "1 older clean-up in the trash had expired (trash_keep): 3 artifacts (35.1 kB)"
        " deleted for good, 35.1 kB freed"
    ]
    assert [row.split()[0] for row in ran.lines] == ["remove"] * 3
    again = run("prune", "--policy", "--apply", "-q")
    assert (again.out, again.err) == ("", "")
    assert "keep" in run("prune", "--policy", "-q", "--all").out


def test_a_deletion_by_hand_is_said_when_quiet(machine: Path) -> None:
    session(machine)
    ran = run("prune", "--older-than", "7d", "--apply", "--permanent", "-q")
    assert "3 artifacts (35.1 kB) deleted for good" in ran.err
    aged_batch(machine, OTHER, DAY)
    assert "deleted for good" in run("trash", "--empty", "--yes", "-q").err
