"""`measure`: count files or what commands print, and say what a cut would keep."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spillview.cli.folding import folding_of, folding_options
from spillview.cli.measured import Result, row, tell, write_results
from spillview.errors import BadInput, Cancelled, SpillError
from spillview.hints import TYPE_CHECKING, Any
from spillview.text import path_text, printable
from spillview.wrap.telling import signal_name

if TYPE_CHECKING:
    from spillview.cli.streams import Streams
    from spillview.store.measure import Measured, Printed
    from spillview.tokens import Tokenizer
    from spillview.wrap.folding import Folding

MEASURE = """\
Count files, or what commands print, against a boundary (100,000 chars): all sizes, how
many lines a plain head cut there keeps and whether the last line is among them, whether
what is left of JSON still parses, and how large the envelope would be that `wrap` makes
of it. Nothing is stored; whatever the size, memory is bounded.

  spillview measure build.log                 one file
  spillview measure logs/                     every file below a folder
  spillview measure *.log --boundary 30000    several, against 30,000 chars
  spillview measure -- npm test               what a command prints
  spillview measure --each commands.txt       each line of a file, run by `sh -c`
  make 2>&1 | spillview measure               what is piped in

All counts are exact whatever the locale, but tokens are estimated: bytes / 4, rounded
up, written with ~. Held against the vocabularies o200k_base and cl100k_base that is
right within 2 % for source code, 7 to 15 % too low for prose and grep, a third too low
for logs, listings and JSON, and half or more too low for columns of numbers and base64.
--tokens counts them with such a vocabulary, which must be on this disk (`pip install
'spillview[tokens]'`; nothing is downloaded).

--save notes each in the history, as `wrap` does. A command's exit code is shown and
changes nothing: the exit code is 2 when something could not be read or run, else 0."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `measure`."""
    parser.description = MEASURE
    options = parser.add_argument_group("options")
    options.add_argument(
        "--each", metavar="FILE", help="run each line of FILE (- is stdin)"
    )
    options.add_argument(
        "--save", action="store_true", help="note what was measured in the history"
    )
    options.add_argument(
        "--tokens",
        metavar="VOCABULARY",
        help="count tokens exactly: o200k_base or cl100k_base",
    )
    folding_options(options)


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Measure everything that is named; exit code 2 if some could not be."""
    for option in ("harness", "session", "since", "until"):
        if getattr(args, option):
            raise BadInput(f"--{option} says nothing to {name}: name files instead")
    return _Measuring(args, streams, folding_of(args)).run()


@dataclass(frozen=True, slots=True)
class _Task:
    """One thing to be measured."""

    source: str
    command: tuple[str, ...] | None = None
    path: str | None = None
    """None for a command, and for stdin."""


class _Measuring:
    def __init__(
        self, args: argparse.Namespace, streams: Streams, folding: Folding
    ) -> None:
        self._args = args
        self._streams = streams
        self._folding = folding
        self._failed = False
        self._tokenizer: Tokenizer | None = None

    def run(self) -> int:
        if self._args.tokens:
            from spillview.tokens import Tokenizer

            self._tokenizer = Tokenizer(self._args.tokens)
        tasks = self._tasks()
        shown: list[Result] = []
        for task in tasks:
            result = self._measured(task)
            if result is None:
                continue
            if self._args.save:
                self._save(task, result)
            if self._args.json:
                self._streams.json(row(result))
                self._streams.flush()
            else:
                shown.append(result)
        if len(shown) == 1 and len(tasks) == 1:
            tell(shown[0], self._streams, self._args.tokens)
        elif shown:
            write_results(shown, self._streams, exact=self._tokenizer is not None)
        return 2 if self._failed else 0

    # What there is to measure

    def _tasks(self) -> list[_Task]:
        args = self._args
        if args.each is not None:
            if args.words:
                raise BadInput("--each takes the place of files and of a command")
            return list(_commands(args.each))
        if args.behind == 0:
            raise BadInput("there is no command behind the --")
        if args.behind is not None:
            if args.behind < len(args.words):
                raise BadInput(
                    "name files, or a command behind the --, not both at once"
                )
            command = tuple(args.words)
            return [_Task(shlex.join(command), command)]
        if args.words:
            return [task for word in args.words for task in self._named(word)]
        from spillview.cli.streams import is_terminal

        if is_terminal(sys.stdin):
            raise BadInput(
                "name files to measure, or a command: spillview measure -- COMMAND"
            )
        return [_Task("stdin")]

    def _named(self, word: str) -> Iterator[_Task]:
        """The file, or every file below the folder, that a word means."""
        if word == "-":
            yield _Task("stdin")
        elif not os.path.isdir(word):
            yield _Task(word, path=word)
        else:
            yield from self._below(word)

    def _below(self, folder: str) -> Iterator[_Task]:
        """Its files by name; what is left out (hidden, or no file) is said."""
        found = hidden = others = 0
        name = printable(path_text(folder))

        def closed(error: OSError) -> None:
            where = printable(path_text(os.fspath(error.filename)))
            self._streams.error(f"{where}: {error.strerror}")
            self._failed = True

        for place, folders, files in os.walk(folder, onerror=closed):
            hidden += sum(each[:1] == "." for each in (*folders, *files))
            folders[:] = sorted(each for each in folders if each[:1] != ".")
            for each in sorted(files):
                path = os.path.join(place, each)
                if each[:1] != "." and os.path.isfile(path):
                    found += 1
                    yield _Task(path, path=path)
                else:
                    others += each[:1] != "."
        said = [f"{hidden:,} hidden"] if hidden else []
        said += [f"{others:,} that no file is behind"] if others else []
        if said:
            self._streams.note(f"{name}: left out: {', '.join(said)}")
        if not found:
            self._streams.error(f"{name} holds no file to measure")
            self._failed = True

    # Measuring

    def _measured(self, task: _Task) -> Result | None:
        started = time.time()
        try:
            if task.path is not None:
                return self._file(task, task.path, started)
            return self._command(task, started)
        except Cancelled:
            raise
        except SpillError as error:
            self._complain(task, str(error))
        except OSError as error:
            self._complain(task, error.strerror or str(error))
        except ValueError:  # a NUL in a name
            self._complain(task, "is no name that a file can have")
        return None

    def _complain(self, task: _Task, sentence: str) -> None:
        name = printable(path_text(task.source))
        known = name in sentence
        self._streams.error(sentence if known else f"{name}: {sentence}")
        self._failed = True

    def _file(self, task: _Task, path: str, started: float) -> Result:
        from spillview.content.content import open_content

        if not os.path.lexists(path):
            raise BadInput(f"there is no file {printable(path_text(path))}")
        # What a person names may be a link; `-` alone is stdin.
        with open_content(os.path.realpath(path)) as content:
            measured = self._of(content, task, path, ())
            return Result(measured, started, path=path)

    def _command(self, task: _Task, started: float) -> Result:
        from spillview.store.measure import printed

        quiet = None
        if self._args.each is not None:
            import subprocess

            quiet = subprocess.DEVNULL
        kept = printed(task.command, woven=self._folding.form == "text", stdin=quiet)
        try:
            ended = kept.ended
            extra: tuple[str, ...] = ()
            if task.command is not None:
                extra = (f"Exit code: {ended.code}",)
            measured = self._of(kept.content, task, kept.path, extra)
            self._tell_of_end(task, kept)
            return Result(
                measured, started, ended=ended if task.command is not None else None
            )
        finally:
            kept.close()

    def _tell_of_end(self, task: _Task, kept: Printed) -> None:
        name = printable(path_text(task.source))
        if kept.ended.left_open:
            self._streams.note(
                f"{name} has ended, but something that it left running may print"
                " more, which is not measured"
            )
        if kept.ended.cut_off is not None:
            self._streams.note(
                f"{signal_name(kept.ended.cut_off)} came before the end of {name}"
            )

    def _of(
        self, content: Any, task: _Task, path: str, extra: Sequence[str]
    ) -> Measured:
        from spillview.store.measure import measure

        tokenizer = self._tokenizer
        return measure(
            content,
            task.source,
            self._folding,
            path=path,
            extra=extra,
            tokens=tokenizer.count if tokenizer is not None else None,
            cancelled=self._streams.closed,
        )

    def _save(self, task: _Task, result: Result) -> None:
        from spillview.wrap import history

        ended = result.ended
        try:
            history.append(
                history.run_of(
                    result.measured.counts,
                    self._folding.boundary,
                    command=task.source if task.command is not None else None,
                    cwd=os.getcwd(),
                    label=None if task.command is not None else task.source,
                    started=result.started,
                    seconds=ended.seconds if ended is not None else 0.0,
                    exit_code=ended.code if ended is not None else None,
                    source="measure",
                )
            )
        except OSError as error:
            self._complain(task, f"not in the history: {history.why_not(error)}")


def _commands(path: str) -> Iterator[_Task]:
    """The commands of a list, one a line; blank lines and `#` lines are none."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(path, "rb") as file:
                data = file.read()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        name = printable(path_text(path))
        raise BadInput(f"the list {name} could not be read: {reason}") from None
    found = False
    for raw in data.split(b"\n"):
        line = os.fsdecode(raw).strip()
        if line and not line.startswith("#"):
            found = True
            yield _Task(line, ("/bin/sh", "-c", line))
    if not found:
        raise BadInput(f"the list {printable(path_text(path))} holds no command")
