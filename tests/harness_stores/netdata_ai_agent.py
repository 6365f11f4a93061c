"""A made store of netdata's ai-agent: handles of a run that was killed."""

from __future__ import annotations

from pathlib import Path

from tests.harness_stores.model import HarnessStore, Spill
from tests.printed import FAILED, output

RUN, ONE, TWO = "ai-agent-1f2e3d", "0a1b2c3d-0000-4000-8000-000000000001", "t-2"
HANDLES = (
    "0f8fad5b-d9cb-469f-a165-70867728950e",
    "7c9e6679-7425-40de-944b-e07fc1f90ae7",
)


def make(home: Path) -> HarnessStore:
    """Make the store."""
    store = HarnessStore(harness="netdata-ai-agent")
    for number, session in enumerate((ONE, TWO)):
        folder = home / "tmp" / RUN / f"session-{session}"
        folder.mkdir(parents=True)
        data = output(f"metrics{number}", 60_000, kind="cjk", verdict=FAILED)
        path = folder / HANDLES[number]
        path.write_bytes(data)
        store.spills.append(
            Spill(
                path=path,
                data=data,
                what=f"handle {number}",
                link="orphan",
                session=session,
                boundary=(12288, "bytes"),
            )
        )
        other = folder / "stats.json"
        other.write_text("{}")
        store.others.append(other)
    return store
