"""What an output would lose: its sizes, what a head cut keeps, what an envelope keeps.

Every number is exact but one: `tokens` is bytes / 4, rounded up, whatever the text. See
`spillview.tokens` for how far that is off, and for exact counts.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spillview.content.content import FileContent, open_content
from spillview.content.counts import count
from spillview.content.cutting import cut
from spillview.errors import Unreadable
from spillview.model import Boundary, Counts
from spillview.text import path_text
from spillview.wrap import running
from spillview.wrap.ordering import Weaving

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.seen.seen import Survival
    from spillview.wrap.folding import Folding
    from spillview.wrap.running import Ended, Stream

TEXT = 2_000
"""Chars of a verdict or a command in a row."""


@dataclass(frozen=True, slots=True)
class Enveloped:
    """What a model would receive in the output's place."""

    chars: int
    share: float
    """Of the output's chars; above 1 where the envelope is the larger."""
    verdict_kept: bool | None
    """None where there is no verdict."""
    folded: bool
    """False at or below the boundary: the output itself is received."""


@dataclass(frozen=True, slots=True)
class JsonBreak:
    """Where what a cut kept stops being JSON."""

    char: int
    """0-based, in the text that was kept."""
    message: str


@dataclass(frozen=True, slots=True)
class Measured:
    """One output, measured against one boundary."""

    source: str
    counts: Counts
    survival: Survival
    lines_kept_if_bytes: int
    """Whole lines that a cut at as many bytes keeps, where the boundary counts
    characters; the same as `survival.lines_kept` elsewhere."""
    json_break: JsonBreak | None
    envelope: Enveloped
    exact_tokens: int | None = None
    """None unless they were asked for."""

    @property
    def boundary(self) -> Boundary:
        """What it was measured against."""
        return self.survival.boundary

    @property
    def ratio(self) -> float:
        """Size in the boundary's unit / the boundary."""
        return self.counts.size_in(self.boundary.unit) / self.boundary.size

    def row(self) -> dict[str, Any]:
        """The JSON row."""
        counts, survival, broken = self.counts, self.survival, self.json_break
        verdict = counts.verdict
        row: dict[str, Any] = {
            "source": path_text(self.source)[:TEXT],
            "bytes": counts.bytes,
            "chars": counts.chars,
            "utf16": counts.utf16,
            "lines": counts.lines,
            "tokens": counts.tokens,
            "boundary": self.boundary.size,
            "boundary_unit": self.boundary.unit,
            "ratio": self.ratio,
            "lines_kept": survival.lines_kept,
            "lines_kept_share": survival.share,
            "lines_kept_if_bytes": self.lines_kept_if_bytes,
            "verdict": path_text(verdict.text) if verdict is not None else None,
            "verdict_kept": survival.verdict_kept,
            "json_parses": survival.json_parses,
            "json_error": None
            if broken is None
            else {"char": broken.char, "message": broken.message},
            "envelope": {
                "chars": self.envelope.chars,
                "share": self.envelope.share,
                "verdict_kept": self.envelope.verdict_kept,
                "folded": self.envelope.folded,
            },
            "kind": counts.kind,
            "encoding": counts.encoding,
            "bytes_kept": survival.kept_bytes,
        }
        if len(self.source) > TEXT or (verdict is not None and verdict.truncated):
            row["truncated"] = True
        if self.exact_tokens is not None:
            row["tokens_exact"] = self.exact_tokens
        return row


def measure(
    content: Content,
    source: str,
    folding: Folding,
    *,
    path: str,
    label: str | None = None,
    extra: Sequence[str] = (),
    tokens: Callable[[Content, Counts], int] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Measured:
    """Measure `content`, which lies at `path`, in bounded memory.

    `tokens` counts them exactly. Raises `Cancelled`, `BadInput` where no envelope can
    be made as `folding` says, and what reading raises.
    """
    counts = count(content, cancelled=cancelled)
    boundary = folding.boundary
    survival = cut(content, counts, boundary)
    bytewise = survival
    if boundary.unit in ("chars", "utf16"):
        bytewise = cut(content, counts, Boundary(boundary.size, "bytes"))
    broken = None
    if survival.json_parses is False:
        broken = _break(content, counts, survival.kept_bytes)
    if counts.size_in(boundary.unit) <= boundary.size:
        kept = True if counts.verdict is not None else None
        enveloped = Enveloped(counts.chars, 1.0, kept, folded=False)
    else:
        made, _ = folding.fold_somehow(
            content,
            counts,
            label=source if label is None else label,
            path=path,
            extra=extra,
            cancelled=cancelled,
        )
        enveloped = Enveloped(
            made.facts.chars,
            made.facts.chars / counts.chars,
            _verdict_kept(made.facts.verdict_kept, made.facts.seen, counts),
            folded=True,
        )
    return Measured(
        source,
        counts,
        survival,
        bytewise.lines_kept,
        broken,
        enveloped,
        tokens(content, counts) if tokens is not None else None,
    )


def _verdict_kept(
    told: str, seen: Sequence[tuple[int, int]], counts: Counts
) -> bool | None:
    """Whether an envelope shows the verdict, or the end of one that is too long."""
    verdict = counts.verdict
    if verdict is None:
        return None
    return told != "none" or any(
        start <= verdict.start and verdict.end <= end for start, end in seen
    )


def _break(content: Content, counts: Counts, kept: int) -> JsonBreak | None:
    """Where the first `kept` bytes stop being JSON."""
    import orjson

    data = content.pread(0, kept)
    if counts.encoding.startswith("utf-16"):
        text = data.decode(counts.encoding, "replace").lstrip("\ufeff")
        data = text.encode("utf-8", "replace")
    if counts.kind != "jsonl":
        try:
            orjson.loads(data)
        except orjson.JSONDecodeError as error:
            return JsonBreak(error.pos, error.msg)
        return None
    chars = 0
    for line in data.split(b"\n"):
        if line.strip():
            try:
                orjson.loads(line)
            except orjson.JSONDecodeError as error:
                return JsonBreak(chars + error.pos, error.msg)
        chars += len(line.decode("utf-8", "replace")) + 1
    return None


@dataclass(frozen=True, slots=True)
class Printed:
    """What a command printed, in a file of ours that `close` removes."""

    path: str
    content: FileContent
    ended: Ended

    def close(self) -> None:
        """Remove the file."""
        self.content.close()
        os.unlink(self.path)


def printed(
    command: Sequence[str] | None, *, woven: bool = True, stdin: int | None = None
) -> Printed:
    """Run a command, or read stdin where there is none, and keep what it prints.

    As `wrap` keeps it: both streams, or (not `woven`) stdout alone. Nothing of it is
    given on. The command reads `stdin`, by default ours. Raises `CannotRun`, and
    `Unreadable` when there is no room for it.
    """
    try:
        handle, path = tempfile.mkstemp(prefix="spillview-", suffix=".txt")
    except OSError as error:
        raise _no_room(error) from error
    try:
        with open(handle, "wb", buffering=1 << 18) as file:
            sink = _File(file.write, woven=woven and command is not None)
            if command is None:
                ended = running.read(0, sink)
            else:
                ended = running.run(
                    command, sink, streams="apart" if woven else "stdout", stdin=stdin
                )
            sink.finish()
        return Printed(path, open_content(path), ended)
    except BaseException as error:  # a Ctrl+C leaves nothing behind either
        os.unlink(path)
        if isinstance(error, OSError):
            raise _no_room(error) from error
        raise


def _no_room(error: OSError) -> Unreadable:
    reason = error.strerror or str(error)
    return Unreadable(f"The output could not be kept while it is measured: {reason}.")


class _File:
    """A sink that writes to a file."""

    closed = False

    def __init__(self, write: Callable[[bytes], object], *, woven: bool) -> None:
        self._write = write
        self._weaving = Weaving() if woven else None

    def take(self, stream: Stream, data: bytes, contended: bool) -> None:
        if self._weaving is None:
            self._write(data)
            return
        for _, piece in self._weaving.add(stream, data, contended):
            self._write(piece)

    def idle(self) -> float | None:
        for _, piece in self._weaving.idle() if self._weaving is not None else ():
            self._write(piece)
        return None

    def finish(self) -> None:
        for _, piece in self._weaving.rest() if self._weaving is not None else ():
            self._write(piece)
