"""What the agent said and called after each envelope, while a transcript is read."""

from __future__ import annotations

from spillview.frozen import replace
from spillview.model import Next
from spillview.transcripts.draft import Draft
from spillview.transcripts.facts import Waiting


class Decisions:
    """Envelopes that wait for the agent's next words and next call.

    Each is looked at when a call comes, and once more when words come, so that a long
    silence over many results costs no more than a short one.
    """

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._open: list[Waiting] = []
        """No call came yet."""
        self._silent: list[Waiting] = []
        """A call came, and no words."""
        for waiting in draft.waiting:
            known = draft.mentions[waiting.mention].next
            called = known is not None and known.tool is not None
            (self._silent if called else self._open).append(waiting)

    def __bool__(self) -> bool:
        """Whether any envelope waits."""
        return bool(self._open or self._silent)

    @property
    def waiting(self) -> list[Waiting]:
        """Those that wait, for whoever reads on."""
        return sorted([*self._open, *self._silent], key=lambda w: w.mention)

    def wait(self, lane: str, message: str | None) -> None:
        """The newest mention waits for `lane`; `message` was made before its result."""
        index = len(self._draft.mentions) - 1
        self._open.append(Waiting(index, lane, message))

    def prompted(self, lane: str) -> None:
        """A person spoke: what the agent does now answers them."""
        self._open = [w for w in self._open if w.lane != lane]
        self._silent = [w for w in self._silent if w.lane != lane]

    def answered(
        self,
        lane: str,
        message: str | None,
        text: str | None,
        tool: str | None,
        command: str | None,
        record: int | None,
    ) -> None:
        """The agent of `lane` spoke, called, or both, in `message`."""
        if text is None and tool is None:
            return
        still: list[Waiting] = []
        for waiting in self._open:
            if waiting.lane != lane or (message and waiting.message == message):
                still.append(waiting)
                continue
            known = self._give(waiting, text, tool, command, record)
            if known.tool is None:
                still.append(waiting)
            elif known.text is None:
                self._silent.append(waiting)
        self._open = still
        if text is not None and self._silent:
            still = []
            for waiting in self._silent:
                if waiting.lane == lane:
                    self._give(waiting, text, None, None, record)
                else:
                    still.append(waiting)
            self._silent = still

    def _give(
        self,
        waiting: Waiting,
        text: str | None,
        tool: str | None,
        command: str | None,
        record: int | None,
    ) -> Next:
        mention = self._draft.mentions[waiting.mention]
        known = mention.next or Next()
        given = Next(
            known.text if known.text is not None else text,
            known.tool if known.tool is not None else tool,
            known.command if known.tool is not None else command,
            known.record if known.record is not None else record,
        )
        self._draft.mentions[waiting.mention] = replace(mention, next=given)
        return given
