"""`show` and `envelope`: the full text, and what the model saw of it."""

from __future__ import annotations

import argparse
import codecs
from contextlib import ExitStack

from spillview.cli.commands import query_of, tell_problems, whole_number
from spillview.errors import BadInput, PastEnd
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact
from spillview.text import path_text

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.content.content import Content
    from spillview.content.lines import LineIndex
    from spillview.content.pages import PageUnit

CHUNK = 1 << 18
"""Bytes copied at a time."""

LIMITS = {"line": 2_000, "char": 50_000, "byte": 65_536}
"""Units that a page of `show --json` holds unless --limit says otherwise."""

SHOW = """\
Page through one artifact: all of it, or N lines, chars or bytes from an offset on.
Lines count from 1, chars and bytes from 0. Control characters are shown as pictures,
and what looks like a credential as stars; --raw gives the exact bytes into a pipe or
file, --redact the exact text but for a name in the place of each credential.

  spillview show 9f2c51 --offset 16500          from that line to the end
  spillview show 9f2c51 --unit char --limit 2000
  spillview show 9f2c51 --raw > full.txt
  spillview show 9f2c51 --redact | your-agent"""

ENVELOPE = """\
What the model received in the artifact's place: the exact text, which bytes of the
artifact it had seen in the end, whether the verdict (the last line) was among them,
what the notice claimed, and what the agent said and called next.

To act on it (nothing is sent): --prompt prints a prompt for the agent, of facts alone;
--resume the harness's own command that resumes the session; --pane the command that
shows the tmux pane it runs in. Where there is none, a sentence says so, and the exit
code is 1. For a result without a file (`ls --missing`) give its call id instead."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `show` and `envelope`."""
    if name == "envelope":
        from spillview.cli import acting

        parser.description = ENVELOPE
        add_raw(parser.add_argument_group("options"))
        acting.describe(parser)
        return
    parser.description = SHOW
    options = parser.add_argument_group("options")
    options.add_argument(
        "--offset", metavar="N", type=whole_number(0), help="where to begin"
    )
    options.add_argument(
        "--limit", metavar="N", type=whole_number(1), help="how many units"
    )
    options.add_argument(
        "--unit", choices=("line", "char", "byte"), default="line", help="default: line"
    )
    options.add_argument("-n", "--number", action="store_true", help="number the lines")
    options.add_argument(
        "--unescape",
        action="store_true",
        help="show what it holds: the text of one JSON string, of gzip, of base64",
    )
    options.add_argument("--raw", action="store_true", help="the exact bytes")
    options.add_argument(
        "--redact",
        action="store_true",
        help="[REDACTED:kind#1] for each credential, equal numbers for equal ones",
    )


def add_raw(options: argparse._ArgumentGroup) -> None:
    """The option that shows credentials as they are; `--json` always does."""
    options.add_argument(
        "--raw", action="store_true", help="credentials as they are, not as stars"
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print one artifact, or its envelope."""
    from spillview.catalogue.catalogue import Catalogue

    if len(args.words) != 1:
        raise BadInput(f"{name} takes one artifact: `spillview {name} ARTIFACT`")
    catalogue = Catalogue.here()
    try:
        if name == "envelope":
            from spillview.cli import acting

            if acting.wanted(args) is not None:
                return acting.run(catalogue, args, streams)
        artifact = catalogue.find(args.words[0], query_of(args))
        if name == "show":
            return _show(artifact, args, streams)
        return _envelope(catalogue, artifact, args, streams)
    finally:
        catalogue.close()


# -- show --------------------------------------------------------------------------


def _show(artifact: Artifact, args: argparse.Namespace, streams: Streams) -> int:
    from spillview.content.content import text_content
    from spillview.content.forms import inner
    from spillview.content.lines import LineIndex
    from spillview.content.pages import page
    from spillview.stored.stored import open_artifact

    if args.raw and (args.json or args.number):
        raise BadInput("--raw gives bytes alone: leave out --json and -n")
    if args.redact and (args.raw or args.json or args.number):
        raise BadInput("--redact gives text alone: leave out --raw, --json and -n")
    first = 1 if args.unit == "line" else 0
    offset = first if args.offset is None else args.offset
    if offset < first:
        raise BadInput("lines count from 1: --offset 0 is none")
    with ExitStack() as stack:
        file = open_artifact(artifact.found, root=artifact.found.root)
        stack.callback(file.close)
        encoding = _encoding(artifact, file)
        content: Content = text_content(file, encoding)
        if content is not file:
            stack.callback(content.close)
        if args.unescape:
            content = inner(content, streams.note)
            stack.callback(content.close)
            encoding = "utf-8"
        index = LineIndex(content)
        if args.json:
            from spillview.catalogue.rows import page_row

            limit = LIMITS[args.unit] if args.limit is None else args.limit
            shown = page(content, index, args.unit, offset, limit)
            streams.json(page_row(artifact, shown, encoding))
            return 0
        start, end = _range(content, index, args.unit, offset, args.limit)
        if args.redact:
            _redact(content, start, end, streams)
            return 0
        if args.raw and not streams.terminal:
            if encoding.startswith("utf-16"):
                start, end = _on_disk(file, encoding, content, start, end)
                content = file
            _copy(content, start, end, streams)
            return 0
        if args.raw:
            streams.note("shown with control bytes as pictures: pipe --raw to be exact")
        number = index.line_at(start) if args.number else None
        _print(_masked(content, args), start, end, number, streams)
        if args.limit is not None and end < content.size:
            index.extend()
            streams.note(_rest(index, args.unit, end, content.size))
    return 0


def _encoding(artifact: Artifact, file: Content) -> str:
    """The artifact's encoding, from its beginning alone where it is not counted."""
    if artifact.counts is not None:
        return artifact.counts.encoding
    from spillview.content.kinds import HEAD, utf16_of

    wide = utf16_of(file.pread(0, HEAD))
    return wide[0] if wide else "utf-8"


def _range(
    content: Content, index: LineIndex, unit: PageUnit, offset: int, limit: int | None
) -> tuple[int, int]:
    """The byte range of `limit` units from `offset` on; no limit is to the end.

    Raises `PastEnd` when it begins after the end.
    """
    from spillview.content.pages import page

    if unit != "line" and limit is not None and limit <= CHUNK:
        whole = page(content, index, unit, offset, limit, measure=False)
        return whole.start, whole.end
    start = page(content, index, unit, offset, 1, measure=False).start
    if limit is None:
        return start, content.size
    if unit != "line":  # the page's end alone, so that a large one is never held
        try:
            last = page(content, index, unit, offset + limit - CHUNK, CHUNK)
        except PastEnd:
            return start, content.size
        return start, last.end
    while (end := index.line_start(offset + limit)) is None and not index.complete:
        index.extend(CHUNK << 5)
    return start, content.size if end is None else end


def _on_disk(
    file: Content, encoding: str, text: Content, start: int, end: int
) -> tuple[int, int]:
    """The bytes on disk of a range of the transcribed text, with the mark before it."""
    from spillview.content.transcoding import searched

    source = searched(file, encoding)
    return (
        source.disk(start) if start else 0,
        source.disk(end) if end < text.size else file.size,
    )


def _masked(content: Content, args: argparse.Namespace) -> Content:
    """What a person is shown of it, who may ask for all of it."""
    if args.raw:
        return content
    from spillview.secrets.masking import MaskedContent

    return MaskedContent(content)


def _redact(content: Content, start: int, end: int, streams: Streams) -> None:
    """Print a range with names for its credentials: exactly, but on a terminal."""
    from spillview.secrets.masking import redacted

    parts = redacted(content, start, end)
    if not streams.terminal:
        for part in parts:
            streams.write(part)
        return
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    for part in parts:
        streams.write(_shown(decoder.decode(part), streams).encode())
    streams.line(decoder.decode(b"", final=True))


def _copy(content: Content, start: int, end: int, streams: Streams) -> None:
    while start < end:
        data = content.pread(start, min(CHUNK, end - start))
        if not data:
            break
        streams.write(data)
        start += len(data)


def _print(
    content: Content, start: int, end: int, number: int | None, streams: Streams
) -> None:
    """Print a range as text that a terminal can take, each line numbered on request."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    held, last = "", ""
    while True:
        data = content.pread(start, min(CHUNK, end - start)) if start < end else b""
        start += len(data)
        text = held + decoder.decode(data, final=not data)
        held = "\r" if data and text.endswith("\r") else ""  # an LF may follow
        text = text[: len(text) - len(held)]
        if text and number is None:
            streams.write(_shown(text, streams).encode())
        elif text:
            for line in _lines(text):
                if last in ("", "\n"):
                    streams.write(
                        (streams.styled(f"{number:>6}", "dim") + "  ").encode()
                    )
                    number = (number or 0) + 1
                streams.write(_shown(line, streams).encode())
                last = line[-1]
        last = text[-1:] or last
        if not data:
            break
    if streams.terminal and last not in ("", "\n"):
        streams.line()


def _shown(text: str, streams: Streams) -> str:
    """Printable text with its lines; CRLF stays as it is but on a terminal."""
    from spillview.text import printable

    ending = "\n" if streams.terminal else "\r\n"
    parts = text.split("\r\n")
    return ending.join(printable(part, newlines=True, tabs=True) for part in parts)


def _lines(text: str) -> list[str]:
    """`text` cut after each LF and nowhere else."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _rest(index: LineIndex, unit: str, end: int, size: int) -> str:
    """Where to go on."""
    if unit == "line":
        return f"go on with --offset {index.line_at(end)} ({index.lines:,} lines)"
    if unit == "char":
        following = index.char_at(end)
        return f"go on with --unit char --offset {following} ({index.chars:,} chars)"
    return f"go on with --unit byte --offset {end} ({size:,} bytes)"


# -- envelope ----------------------------------------------------------------------


def _envelope(
    catalogue: Catalogue, artifact: Artifact, args: argparse.Namespace, streams: Streams
) -> int:
    facts = catalogue.envelope(artifact)
    if args.json:
        from spillview.catalogue.envelope_rows import envelope_row
        from spillview.growth.repetition import look_at_artifact
        from spillview.growth.rows import repetition_row

        row = envelope_row(facts)
        row["repetition"] = repetition_row(look_at_artifact(facts.artifact.found))
        streams.json(row)
    else:
        from spillview.cli.envelope import write_envelope
        from spillview.secrets.showing import shown_envelope

        if not args.raw:
            facts = shown_envelope(facts)
        write_envelope(facts, streams)
    if facts.artifact.error:
        streams.error(path_text(facts.artifact.error))
    broken = facts.artifact.error or any(shown.error for shown in facts.shown)
    return tell_problems(streams, catalogue) or (2 if broken else 0)
