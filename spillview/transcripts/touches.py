"""Later calls that name an artifact, from the call to its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spillview.frozen import replace
from spillview.transcripts.calls import Marks, command_of, names_in, paths_at_lines
from spillview.transcripts.draft import Draft
from spillview.transcripts.facts import Touch

if TYPE_CHECKING:
    from spillview.profiles.profile import Profile
    from spillview.transcripts.jsonl import Record

Made = tuple[str | None, str | None, float | None]
"""Tool, command and time of a call."""


class Touches:
    """Calls that name an artifact and wait for their result."""

    def __init__(self, draft: Draft, profile: Profile, marks: Marks) -> None:
        self._draft = draft
        self._profile = profile
        self._marks = marks
        self._waiting = {t.call_id: t for t in draft.pending if t.call_id}

    def __bool__(self) -> bool:
        """Whether any call waits."""
        return bool(self._waiting)

    @property
    def waiting(self) -> list[Touch]:
        """Those that wait, for whoever reads on."""
        return list(self._waiting.values())

    def awaits(self, data: bytes) -> bool:
        """Whether a record's bytes hold the id of a call that waits."""
        return any(call_id.encode() in data for call_id in self._waiting)

    def given_up(self, agent: str | None) -> None:
        """A person spoke to `agent`: calls without a result will have none."""
        self._waiting = {k: t for k, t in self._waiting.items() if t.agent != agent}

    def called(
        self,
        call_id: str,
        arguments: Any,
        made: Made,
        agent: str | None = None,
        more: list[str] | None = None,
    ) -> bool:
        """Look for names in a call's arguments, beside those in `more`; tell of any."""
        names = names_in(arguments, self._profile, self._marks) + (more or [])
        if names:
            self._waiting[call_id] = self._touch(call_id, made, tuple(names), agent)
        return bool(names)

    def returned(
        self,
        record: Record,
        call_id: str | None,
        texts: list[str],
        record_id: str | None,
        failed: bool,
        maker: Callable[[], Made],
        agent: str | None = None,
    ) -> None:
        """Finish the call that a result answers, or make one of what it shows.

        `texts` are those of the result that are no envelope; `maker` tells the call of
        a result that nobody waited for.
        """
        touch = self._waiting.pop(call_id or "", None)
        paths: dict[str, None] = {}
        for text in texts:
            paths.update(
                dict.fromkeys(paths_at_lines(text, self._profile, self._marks))
            )
        if touch is None:
            if not paths or call_id is None:
                return
            touch = self._touch(call_id, maker(), (), agent)
        self._draft.touches.append(
            replace(
                touch,
                session=self._draft.session,
                record=record.number,
                offset=record.offset,
                length=record.length,
                shown=tuple(paths),
                failed=failed,
                record_id=record_id,
            )
        )

    def _touch(
        self, call_id: str, made: Made, names: tuple[str, ...], agent: str | None
    ) -> Touch:
        tool, command, time = made
        return Touch(
            self._draft.transcript,
            self._draft.session,
            record=0,
            offset=0,
            length=0,
            tool=tool,
            call_id=call_id,
            command=command,
            names=names,
            agent=agent,
            time=time,
        )


def made_by(tool: str | None, arguments: Any, time: float | None) -> Made:
    """The facts of a call that a touch keeps."""
    return tool, command_of(arguments), time
