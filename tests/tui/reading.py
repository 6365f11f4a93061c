"""A pager alone in an application, and what it shows as plain text."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from spillview.content.content import BytesContent
from spillview.model import Range, Seen
from spillview.tui import stylesheet
from spillview.tui.app import SpillviewApp
from spillview.tui.pager.document import Document
from spillview.tui.pager.pager import Pager
from spillview.tui.theme import Themed

PATIENCE = 10.0
"""Seconds to wait for what a worker does before a test fails."""

ATTACK = (
    b"\x1b[2J\x1b]0;title\x07\x1b]52;c;aGk=\x07 \x9b31m \xc2\x9b2J \x00\x08\x0c\x7f"
    b" [/ [@click=app.quit]x[/] a [/ b [true, false] \xe2\x80\xae\xe2\x80\xa8end"
)


class PagerApp(Themed):
    """Nothing but a pager."""

    CSS_PATH = stylesheet("artifact.tcss")

    def compose(self) -> ComposeResult:
        """The pager."""
        yield Pager(id="full")


class Bare(SpillviewApp):
    """The application without its home screen, which would look at the stores."""

    def get_default_screen(self) -> Screen[None]:
        """Nothing."""
        return Screen()


class Noted(BytesContent):
    """Bytes that note how many of them each thread read."""

    __slots__ = ("read",)

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.read: dict[int, int] = {}

    def pread(self, offset: int, length: int) -> bytes:
        """The bytes, noted."""
        data = super().pread(offset, length)
        thread = threading.get_ident()
        self.read[thread] = self.read.get(thread, 0) + len(data)
        return data


def document(data: bytes, *seen: Range, known: bool = True) -> Document:
    """A document of which `seen` was received; nothing is known when not `known`."""
    content = BytesContent(data)
    return Document(content, content, seen=Seen(seen) if known else None)


@asynccontextmanager
async def reading(
    shown: Document | bytes, size: tuple[int, int] = (60, 12)
) -> AsyncIterator[tuple[Pager, Pilot[None]]]:
    """A pager on a document, with the focus and every line indexed."""
    app = PagerApp()
    async with app.run_test(size=size) as pilot:
        pager = app.query_one(Pager)
        pager.open(document(shown) if isinstance(shown, bytes) else shown)
        pager.focus()
        await pilot.pause()
        yield pager, pilot


def lines(pager: Pager) -> list[str]:
    """What the pager draws, line by line, without the map at the right edge."""
    return [pager.render_line(y).text[:-1].rstrip() for y in range(pager.size.height)]


def body(pager: Pager) -> list[str]:
    """The drawn rows without mark and number, empty ones left out."""
    left = 1 + (pager.digits + 1 if pager.digits else 0)
    return [line[left:] for line in lines(pager) if line[left:]]


async def until(pilot: Pilot[None], true: Callable[[], bool]) -> None:
    """Wait until something is so; what workers do takes its time."""
    waited = 0.0
    while not true():
        await pilot.pause(0.01)
        waited += 0.01
        assert waited < PATIENCE, "it never came to be so"


def is_safe(text: str) -> bool:
    """Whether a text holds nothing that a terminal acts on."""
    return not any(unicodedata.category(char) in ("Cc", "Cs", "Zl") for char in text)
