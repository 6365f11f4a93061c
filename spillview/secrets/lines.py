"""Lines that a search gave, without the credentials that the whole file shows there."""

from __future__ import annotations

from contextlib import ExitStack

from spillview.discovery.ways import Ways
from spillview.errors import SpillError
from spillview.hints import TYPE_CHECKING
from spillview.secrets.masking import MaskedContent, mask, masked, masked_text

if TYPE_CHECKING:
    from spillview.content.content import Content
    from spillview.model import Artifact, Line


class MaskedLines:
    """Masks lines of one artifact after the other by their place in its text.

    A line of a private key tells nothing of itself: what stands around it is read. In
    an artifact that cannot be read any more a line is masked by itself.
    """

    def __init__(self) -> None:
        self._open = ExitStack()
        self._ways = Ways()
        self._artifact: Artifact | None = None
        self._content: MaskedContent | None = None

    def masked(self, artifact: Artifact, offset: int, data: bytes) -> bytes:
        """`data`, which stands at byte `offset` of the artifact's text, as UTF-8."""
        if artifact is not self._artifact:
            self.close()
            self._artifact = artifact
            self._content = self._opened(artifact)
        if self._content is not None:
            try:
                ranges = self._content.ranges(offset, offset + len(data))
                return mask(data, offset, ranges)
            except SpillError:
                self._content = None
        return masked(data)

    def line(self, artifact: Artifact, line: Line) -> str:
        """The text of a line of the artifact, or as much as is kept of it."""
        data = line.text.encode("utf-8", "surrogateescape")
        wide = artifact.counts is not None and "utf-16" in artifact.counts.encoding
        if wide or "\N{REPLACEMENT CHARACTER}" in line.text:
            return masked_text(line.text)  # its bytes are others on disk
        shown = self.masked(artifact, line.start, data)
        return shown.decode("utf-8", "surrogateescape")

    def _opened(self, artifact: Artifact) -> MaskedContent | None:
        from spillview.content.content import text_content
        from spillview.content.kinds import HEAD, utf16_of
        from spillview.stored.stored import open_artifact

        found = artifact.found
        try:
            file = open_artifact(found, root=found.root, ways=self._ways)
            self._open.callback(file.close)
            wide = utf16_of(file.pread(0, HEAD))
            text: Content = text_content(file, wide[0] if wide else "utf-8")
            if text is not file:
                self._open.callback(text.close)
            return MaskedContent(text)
        except SpillError:
            return None

    def close(self) -> None:
        """Close the last artifact."""
        self._open.close()
        self._artifact = self._content = None
