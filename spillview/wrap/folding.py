"""The envelope that a wrapped output gets, by what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from spillview.envelopes.parts import BOUNDARY, BUDGET, Envelope
from spillview.envelopes.text import TAIL, fold_text, signal_lines
from spillview.errors import BadInput
from spillview.model import Boundary

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.envelopes.scanning import Scan
    from spillview.model import Counts

LEAST_BUDGET = 1_500
"""Chars below which an envelope's header alone may not fit."""

Form = Literal["text", "json", "table"]

DEFAULT = Boundary(BOUNDARY, "chars")
"""The boundary unless another is given."""


@dataclass(frozen=True, slots=True)
class Folding:
    """How to fold."""

    form: Form = "text"
    boundary: Boundary = DEFAULT
    budget: int = BUDGET
    tail: int = TAIL
    signal: str | None = None
    head: int | None = None
    by: str | None = None
    top: int = 20
    columns: tuple[str, ...] = ()

    @property
    def looks_for(self) -> int | None:
        """How many signal lines to keep while the output comes; None to look later."""
        own = self.form != "text" or self.signal is not None
        return None if own else signal_lines(self.budget)

    def check(self) -> None:
        """Raise `BadInput` for what could not be done, before anything is run."""
        from spillview.content.content import BytesContent
        from spillview.envelopes.scanning import signals_of

        if self.budget < LEAST_BUDGET:
            raise BadInput(
                f"A budget of {self.budget:,} chars is too small for an envelope:"
                f" give it at least {LEAST_BUDGET:,}."
            )
        signals_of(BytesContent(b""), 1, self.signal)

    def fold(
        self,
        content: Content,
        counts: Counts,
        *,
        label: str,
        path: str,
        extra: Sequence[str] = (),
        cancelled: Callable[[], bool] | None = None,
        begun: Scan | None = None,
    ) -> Envelope:
        """The envelope. Raises what `fold_text` and its like raise."""
        if self.form == "json":
            from spillview.envelopes.document import fold_json

            return fold_json(
                content, counts, path=path, budget=self.budget, cancelled=cancelled
            )
        if self.form == "table":
            from spillview.envelopes.table import fold_rows

            return fold_rows(
                content,
                counts=counts,
                label=label,
                path=path,
                by=self.by,
                top=self.top,
                totals=self.columns,
                columns=self.columns,
                budget=self.budget,
            )
        return fold_text(
            content,
            counts,
            label=label,
            path=path,
            boundary=self.boundary,
            budget=self.budget,
            tail=self.tail,
            signal=self.signal,
            head=self.head,
            extra=extra,
            cancelled=cancelled,
            begun=begun,
        )

    def fold_somehow(
        self,
        content: Content,
        counts: Counts,
        *,
        label: str,
        path: str,
        extra: Sequence[str] = (),
        cancelled: Callable[[], bool] | None = None,
        begun: Scan | None = None,
    ) -> tuple[Envelope, str | None]:
        """The envelope, as a text where it can be no other; and why it is none.

        Raises what `fold_text` raises.
        """
        plain, reason = self, None
        if self.form != "text":
            try:
                return self.fold(
                    content, counts, label=label, path=path, cancelled=cancelled
                ), None
            except BadInput as error:
                reason = f"It is folded as a text, not as {self.form}: {error}"
            plain, begun = replace(self, form="text"), None
        return plain.fold(
            content,
            counts,
            label=label,
            path=path,
            extra=(*extra, reason) if reason is not None else extra,
            cancelled=cancelled,
            begun=begun,
        ), reason
