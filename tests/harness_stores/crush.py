"""A made store of Crush: pages of a fetch whose folder was left behind."""

from __future__ import annotations

from pathlib import Path

from tests.harness_stores.model import HarnessStore, Spill
from tests.printed import output


def make(home: Path) -> HarnessStore:
    """Make the store: a project's own data folder, which must be named."""
    base = home / "work/site/.crush"
    store = HarnessStore(harness="crush", roots=[base])
    for number, fetch in enumerate(("123456", "987654")):
        folder = base / f"crush-fetch-{fetch}"
        folder.mkdir(parents=True)
        data = output(f"page{number}", 70_000, kind="cjk" if number else "crlf")
        path = folder / f"page-{number}.md"
        path.write_bytes(data)
        store.spills.append(
            Spill(
                path=path,
                data=data,
                what=f"page {number}",
                link="orphan",
                content="page",
                tool="web_fetch",
                boundary=(50_000, "bytes"),
            )
        )
    other = base / "crush-fetch-123456" / "index.html"
    other.write_text("<p>")
    store.others += [other]
    return store
