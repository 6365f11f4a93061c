"""`shape`: the outline of a JSON or JSONL artifact, and its records as a table."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

from spillview.cli.commands import query_of, whole_number
from spillview.cli.reading import add_raw
from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.model import Artifact, Seen
    from spillview.shape.outline import Outline
    from spillview.shape.source import Source

SHAPE = """\
Outline one JSON or JSONL artifact: every path for jq with how often it is there, of
which types, lengths and values; what the model saw of it; and its limits: where it
breaks, duplicate keys, numbers that parsers round. All of it is read, whatever its
size, in bounded memory. A document that a harness wrapped into a JSON string is
outlined by itself.

  spillview shape 9f2c51                      the outline
  spillview shape 9f2c51 --table --by score   the 20 records with the highest score
  spillview shape 9f2c51 --at '.[].title'     where the first title is

Exit code 1 when it is no JSON."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `shape`."""
    parser.description = SHAPE
    options = parser.add_argument_group("options")
    options.add_argument(
        "--all", action="store_true", help="every path, on a terminal too"
    )
    options.add_argument(
        "--sample", action="store_true", help="the first items as they are written"
    )
    options.add_argument(
        "--table", action="store_true", help="the records as a table, a key a column"
    )
    options.add_argument(
        "--by", metavar="COLUMN", help="the records with the largest values in it"
    )
    options.add_argument(
        "--top", metavar="N", type=whole_number(1), help="rows (default: 20)"
    )
    options.add_argument(
        "--smallest", action="store_true", help="with --by: the smallest values"
    )
    options.add_argument(
        "--at", metavar="PATH", help="where a path's first value is in the artifact"
    )
    add_raw(options)


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print the outline of one artifact."""
    from spillview.catalogue.catalogue import Catalogue

    if len(args.words) != 1:
        raise BadInput(f"{name} takes one artifact: `spillview {name} ARTIFACT`")
    if args.smallest and args.by is None:
        raise BadInput("--smallest goes with --by COLUMN")
    catalogue = Catalogue.here()
    try:
        artifact = catalogue.find(args.words[0], query_of(args))
        return _Shaping(catalogue, artifact, args, streams).run()
    finally:
        catalogue.close()


class _Shaping:
    def __init__(
        self,
        catalogue: Catalogue,
        artifact: Artifact,
        args: argparse.Namespace,
        streams: Streams,
    ) -> None:
        self._catalogue = catalogue
        self._artifact = artifact
        self._args = args
        self._streams = streams

    def run(self) -> int:
        from spillview.errors import Cancelled
        from spillview.shape.source import Source
        from spillview.shape.teams import processes
        from spillview.stored.stored import open_artifact

        found = self._artifact.found
        with ExitStack() as stack:
            file = open_artifact(found, root=found.root)
            stack.callback(file.close)
            try:
                source = stack.enter_context(
                    Source(file, cancelled=self._streams.closed, team=processes())
                )
                outline = source.outline(self._seen(), progress=self._progress)
                return self._tell(outline, source)
            except Cancelled:
                raise BrokenPipeError from None

    def _progress(self, done: int, total: int) -> None:
        self._streams.progress("outlined MB", done // 10**6, total // 10**6)

    def _seen(self) -> Seen | None:
        """What the model saw; a huge file is counted for this now."""
        artifact = self._artifact
        link = artifact.link
        if artifact.counts is None and link is not None and link.state == "linked":
            for whole in self._catalogue.complete([artifact], huge=True):
                link = whole.link
        return link.seen if link is not None else None

    def _tell(self, outline: Outline, source: Source) -> int:
        args, streams = self._args, self._streams
        if outline.kind != "text" and args.at is not None:
            self._tell_place(outline, source)
        elif outline.kind != "text" and (args.table or args.by is not None):
            self._tell_table(outline, source)
        elif args.json:
            from spillview.shape.rows import outline_row

            places = source.first_places(outline)
            streams.json(
                outline_row(outline, artifact=self._artifact.id, places=places)
            )
        else:
            from spillview.cli.outline import write_outline

            write_outline(
                self._artifact,
                outline,
                streams,
                every=args.all,
                sample=args.sample,
                raw=args.raw,
            )
        return 1 if outline.kind == "text" else 0

    def _tell_table(self, outline: Outline, source: Source) -> None:
        from spillview.cli.outline import write_records

        streams = self._streams
        table = source.table(
            outline,
            by=self._args.by,
            top=self._args.top,
            smallest=self._args.smallest,
            progress=self._progress,
        )
        if not self._args.json:
            write_records(self._artifact, outline, table, streams, raw=self._args.raw)
            return
        from spillview.shape.table import as_json

        for record in table.rows:
            streams.write(as_json(record).encode("utf-8", "replace") + b"\n")

    def _tell_place(self, outline: Outline, source: Source) -> None:
        from spillview.text import human_count, printable

        path = self._args.at
        facts = outline.facts(path)
        if facts is None:
            raise BadInput(
                f"The path “{printable(path)}” is not there;"
                " `spillview shape ARTIFACT --all` lists the paths"
            )
        start, end = source.first_places(outline, [facts.trail])[facts.trail]
        line = source.line_at(start)
        if self._args.json:
            row = {"path": path, "byte": start, "end": end, "line": line}
            self._streams.json(row)
        else:
            self._streams.line(f"byte {human_count(start)}, line {human_count(line)}")
