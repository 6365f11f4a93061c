"""Matches told to a person: grouped on a terminal, `path:line:text` in a pipe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact
from spillview.search.excerpts import as_bytes
from spillview.secrets.lines import MaskedLines
from spillview.secrets.showing import shown
from spillview.text import human_age, human_bytes, path_text, printable

if TYPE_CHECKING:
    from spillview.cli.streams import Streams, Style
    from spillview.search.grep import Message, Options


class Matches:
    """Matches for a person: grouped on a terminal, `path:line:text` in a pipe."""

    def __init__(
        self,
        streams: Streams,
        artifacts: dict[str, Artifact],
        options: Options,
        *,
        now: float,
        raw: bool = False,
    ) -> None:
        """`raw` prints credentials as they are; ages are of the moment `now`."""
        self._now = now
        self._streams = streams
        self._raw = raw
        self._masks = MaskedLines()
        self._artifact: Artifact | None = None
        self._artifacts = artifacts
        self._only_matching = options.only_matching
        self._context = bool(options.before or options.after)
        self._path = ""
        self._last = 0
        self._told = False

    def write(self, messages: Iterator[Message]) -> bool:
        """Print them; True when something matched."""
        matched = False
        for message in messages:
            kind, data = message["type"], message["data"]
            if kind == "begin":
                self._artifact = self._artifacts[data["artifact"]]
                self._begin(self._artifact if self._raw else shown(self._artifact))
            elif kind == "match":
                matched = True
                self._match(data)
            elif kind == "context":
                self._line(data, "-", [])
            elif kind == "end":
                self._masks.close()
                self._streams.flush()
        return matched

    def _begin(self, artifact: Artifact) -> None:
        streams = self._streams
        self._path = printable(path_text(artifact.found.place))
        self._last = 0
        if not streams.terminal:
            return
        from spillview.cli.listing_tables import project_name, subject
        from spillview.cli.tables import clip

        found = artifact.found
        words = [
            f"{human_age(max(0.0, self._now - artifact.created))} ago",
            found.harness,
            project_name(artifact.project, found.project_slug),
            printable(artifact.tool or ""),
            subject(artifact),
        ]
        if self._told:
            streams.line()
        self._told = True
        text = clip("  ".join(w for w in words if w), streams.width - 10)
        ident = streams.styled(artifact.id[:8], "name")
        streams.line(f"{ident}  {streams.styled(text, 'title')}")

    def _match(self, data: Message) -> None:
        hits = [(hit["start"], hit["end"]) for hit in data["submatches"]]
        if not self._only_matching:
            self._line(data, ":", hits)
            return
        line = self._bytes(data)
        for start, end in hits:
            if start < end:
                self._put(data, ":", self._marked(line[start:end], [(0, end - start)]))

    def _line(self, data: Message, mark: str, hits: list[tuple[int, int]]) -> None:
        number = data["line_number"]
        if self._context and self._last and (number or 0) > self._last + 1:
            self._streams.line(self._streams.styled("--", "dim"))
        line = self._bytes(data).removesuffix(b"\n").removesuffix(b"\r")
        text = self._marked(line, hits)
        if "lines_bytes" in data:
            text = self._excerpt(data, text, len(as_bytes(data["lines"])))
        self._put(data, mark, text)
        self._last = number or 0

    def _bytes(self, data: Message) -> bytes:
        """The line, or the part of it that is given, as it is to be shown."""
        line = as_bytes(data["lines"])
        if self._raw or self._artifact is None:
            return line
        offset = data["absolute_offset"] + data.get("excerpt_start", 0)
        return self._masks.masked(self._artifact, offset, line)

    def _excerpt(self, data: Message, text: str, size: int) -> str:
        start = data["excerpt_start"]
        before = "…" if start else ""
        after = "…" if start + size < data["lines_bytes"] else ""
        more = ""
        if "submatches_total" in data:
            shown = len(data["submatches"])
            more = f", {shown:,} of {data['submatches_total']:,} hits"
        whole = human_bytes(data["lines_bytes"])
        note = f" [{human_bytes(size)} of a line of {whole}{more}]"
        return before + text + after + self._streams.styled(note, "dim")

    def _marked(self, line: bytes, hits: Sequence[tuple[int, int]]) -> str:
        """The line as printable text with its hits coloured."""
        parts, at = [], 0
        for start, end in hits:
            parts.append(_text(line[at:start]))
            parts.append(self._streams.styled(_text(line[start:end]), "hit"))
            at = max(at, end)
        parts.append(_text(line[at:]))
        return "".join(parts)

    def _put(self, data: Message, mark: str, text: str) -> None:
        streams, number = self._streams, data["line_number"]
        if not streams.terminal:
            streams.line(f"{self._path}{mark}{number}{mark}{text}")
            return
        word, style = _SEEN[data["seen"]] if mark == ":" else ("", None)
        tag = streams.styled(f"{word:<6}", style)
        streams.line(f"{streams.styled(f'{number:>8,}', 'dim')}  {tag}  {text}")


_SEEN: dict[bool | None, tuple[str, Style | None]] = {
    True: ("seen", "seen"),
    False: ("unseen", "unseen"),
    None: ("?", None),
}


def _text(data: bytes) -> str:
    return printable(data.decode("utf-8", "replace"), tabs=True)
