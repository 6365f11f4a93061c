"""What the report says of artifacts that grow, and of the disk that they fill."""

from __future__ import annotations

from pathlib import Path

import pytest

from spillview.catalogue.catalogue import Catalogue, Query
from spillview.config import Settings
from spillview.growth.current import growing, least_free
from spillview.growth.limits import DEFAULTS, Free
from spillview.places import Places
from tests.command import Row, run
from tests.test_watch import LINUX, writing


@pytest.fixture
def logs(machine: Path) -> Path:
    folder = machine / "logs"
    folder.mkdir()
    (folder / "still.log").write_bytes(b"y" * 5000)
    return folder


def of(rows: list[Row], section: str) -> list[Row]:
    return [row for row in rows if row.get("section") == section]


@LINUX
def test_a_growing_artifact_is_told_with_rate_writer_and_what_it_repeats(
    logs: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    with writing(logs / "grows.log", 50_000) as pid:
        got = run("review", "--json", "--since", "1d", logs)
        told = run("review", "--since", "1d", logs)
        run("review", "--since", "1d", "--html", page, logs)
    [row] = of(got.rows, "growing")
    assert row["per_second"] > 0
    assert row["holders"][0]["pid"] == pid
    assert row["repetition"]["block"]["bytes"] == 1
    assert row["growth_flags"] == ["repeats"]
    assert row["full_in_seconds"] > 0
    for part in (f"open in {pid} python", "/s", "the disk is full in", "again"):
        assert part in row["text"]
    assert f"open in {pid}" in told.out
    assert f"open in {pid}" in page.read_text()
    free = [row for row in of(got.rows, "disk") if row["what"] == "free"]
    assert any("at the rate of what grows now" in row["text"] for row in free)
    assert any(row["full_in_seconds"] for row in free)


def test_where_nothing_grows_nothing_is_waited_for(logs: Path) -> None:
    def never(seconds: float) -> None:
        raise AssertionError(seconds)

    catalogue = Catalogue(Places.of_home(str(logs.parent)))
    artifacts = list(catalogue.complete(catalogue.scan(Query((str(logs),)))))
    assert growing(artifacts, sleep=never) == {}
    rows = run("review", "--json", "--since", "1d", logs).rows
    assert of(rows, "growing") == []
    free = [row for row in of(rows, "disk") if row["what"] == "free"]
    assert {row["full_in_seconds"] for row in free} == {None}


@LINUX
def test_credentials_in_a_writers_command_are_hidden(logs: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    with writing(logs / "grows.log", 1000, secret):
        for words in (["review", "--since", "1d"], ["watch", "--interval", "0.2s"]):
            for form in ([], ["--json"]):
                got = run(*words, *form, logs)
                assert "grows.log" in got.out or "GROWTH" in got.out or form == []
                assert secret not in got.out


def test_a_disk_is_short_by_the_limit_of_the_settings() -> None:
    assert least_free(Settings()) == DEFAULTS.min_free
    full = Settings(watch={"min-free": "99.9%"})
    assert least_free(full) == Free(share=0.999)
    assert least_free(Settings(watch={"max-file": "5GB"})) is None


def test_the_report_says_when_less_is_free_than_should_be(
    logs: Path, machine: Path
) -> None:
    config = machine / ".config/spillview/config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[watch]\nmin_free = "99.9%"\n')
    rows = run("review", "--json", "--since", "1d", logs).rows
    free = [row for row in of(rows, "disk") if row["what"] == "free"]
    assert free
    assert all(row["short"] for row in free)
    assert all("less than the 99.9% that should be" in row["text"] for row in free)
