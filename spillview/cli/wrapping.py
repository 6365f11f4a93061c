"""`wrap`: run a command, or read what is piped, and fold its output."""

from __future__ import annotations

import argparse
import os
import shlex
import time
from collections.abc import Callable

from spillview.cli.folding import folding_of, folding_options
from spillview.errors import BadInput, Cancelled, SpillError
from spillview.hints import TYPE_CHECKING, Literal
from spillview.text import human_ratio, path_text, printable
from spillview.wrap.telling import outcome, partial_of, signal_name

if TYPE_CHECKING:
    from spillview.cli.streams import Streams
    from spillview.content.content import Content
    from spillview.model import Boundary, Counts
    from spillview.store import SpillWriter
    from spillview.store.tally import Tally
    from spillview.wrap.capture import Capture
    from spillview.wrap.folding import Folding
    from spillview.wrap.forwarding import Forwarding
    from spillview.wrap.history import Run
    from spillview.wrap.running import Ended, Stream

WRAP = """\
Run a command, or read what is piped in, and fold its output when it is larger than
the boundary (100,000 chars): the whole goes into the store, an envelope of at most
14,000 chars to stdout, with the path, the exit code, the lines that tell of trouble,
the first 40 lines where there is room, and the last lines. A smaller output passes
through unchanged when the command has ended, stdout and stderr apart. The exit code is
the command's own.

  spillview wrap -- make -j8              fold what make prints
  spillview wrap --tail 60 -- npm test    with the last 60 lines
  grep -rn TODO . | spillview wrap        fold what is piped in
  spillview wrap -- sh -c 'a && b'        a shell's own words need a shell

The file holds both streams in the order in which they were read: what was written to
one after the other had been read comes after it; what lies in both pipes at once is
kept in whole lines. With --merge they share one pipe, so that their order is exact, and
all of it is stdout. With --as json or table only stdout is folded; stderr passes by.

What a command leaves running may keep its output open. Once that is silent for a
second (or ten seconds have passed) it is no longer waited for or kept, and the
envelope says so; it may go on printing, for nobody.

Where the store takes nothing (a full disk), the whole output is given on, with a
warning. Each run is noted in the history. The session is --session, else what the
harness says in SPILLVIEW_SESSION, CLAUDE_CODE_SESSION_ID, CLAUDE_SESSION_ID,
CODEX_THREAD_ID or OPENCODE_SESSION_ID, else the day and the working folder.

Exit codes: the command's own, 128 + N where signal N ended it; 127 where there is no
such command, 126 where it cannot be run."""

NEAR = 9
"""Tenths of the boundary from which an output is warned about."""


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `wrap`."""
    parser.description = WRAP
    options = parser.add_argument_group("options")
    options.add_argument("--label", metavar="TEXT", help="what to call the output")
    options.add_argument(
        "--dir", metavar="DIR", help="a store there, in place of your own"
    )
    folding_options(options)
    options.add_argument(
        "--merge", action="store_true", help="one pipe for stdout and stderr"
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Run the command; gives its exit code."""
    for option in ("json", "harness", "since", "until"):
        if getattr(args, option):
            raise BadInput(
                f"--{option} says nothing to {name}: it prints the command's own"
                " output, or an envelope (--as json for one in JSON)"
            )
    if args.behind == 0:
        raise BadInput("there is no command behind the --; to read stdin leave it out")
    return _Wrapping(args, streams, folding_of(args)).run()


class _Wrapping:
    """One run. As `Outlet` it is where an output goes that is not folded."""

    def __init__(
        self, args: argparse.Namespace, streams: Streams, folding: Folding
    ) -> None:
        from spillview.wrap.sessions import session_id

        self._args = args
        self._streams = streams
        self._folding = folding
        self._boundary: Boundary = folding.boundary
        self._command: list[str] = args.words
        self._line = shlex.join(self._command) if self._command else None
        self._started = time.time()
        self._cwd = _cwd()
        self._session = args.session or session_id(os.environ, self._cwd, self._started)
        self._label: str = args.label or _label(self._command)
        self._counts: Counts | None = None
        self._ratio = 0.0
        self._envelope: str | None = None
        self._spilled: str | None = None
        self._where: str | None = None
        """The file that holds all of what was folded."""
        self._interrupted: int | None = None
        """The signal that stopped our own work, once the command had ended."""
        self._whole = False
        """Whether the output is still to be given on as it is."""
        self._notes: list[str] = []
        """Said once the output is out."""

    def run(self) -> int:
        from spillview.wrap import running
        from spillview.wrap.capture import Capture

        woven = bool(self._command) and self._streams_of() == "apart"
        capture = Capture(
            self._boundary,
            self._begin,
            self,
            woven=woven,
            looks_for=self._folding.looks_for,
        )

        def settle(ended: Ended, signals: Forwarding) -> None:
            self._settle(capture, ended, signals)
            signals.end_at_once()
            self._print(capture)
            self._note(capture, ended)

        try:
            if self._command:
                ended = running.run(
                    self._command, capture, streams=self._streams_of(), after=settle
                )
            else:
                self._tell_terminal()
                ended = running.read(0, capture, after=settle)
        finally:
            capture.close()
        partial = partial_of(ended)
        if partial is not None and self._envelope is None:
            self._notes.append(partial)
        if self._where is not None:
            code = outcome(ended) if self._command else ""
            where = _shown(self._where)
            self._notes.append(f"{self._printed()};{code} all of it is in {where}")
        for each in self._notes:
            self._streams.note(f"spillview: {each}")
        by = ended.signal if ended.sent else self._interrupted
        if by is None:
            return ended.code
        self._streams.flush()
        running.end_by(by)
        return 128 + by

    def _streams_of(self) -> Literal["apart", "merged", "stdout"]:
        if self._args.merge:
            return "merged"
        return "apart" if self._folding.form == "text" else "stdout"

    # While signals are still taken

    def _begin(self, tally: Tally) -> SpillWriter:
        from spillview.store import (
            LocalSpillStore,
            SpillOwner,
            SpillRequest,
            SpillSource,
        )

        ending = "json" if self._folding.form == "json" else "txt"
        request = SpillRequest(
            SpillOwner(self._session),
            SpillSource(
                "wrap",
                label=self._args.label or ("result" if self._line else self._label),
                command=self._line,
                cwd=self._cwd,
            ),
            f"{self._label}.{ending}",
            boundaries=(self._boundary,),
        )
        return LocalSpillStore(self._args.dir).writer(request, tally=tally)

    def _settle(self, capture: Capture, ended: Ended, signals: Forwarding) -> None:
        """The output is complete: count it, and fold and store what is too large."""
        from spillview.content.counts import count

        capture.finish()
        if capture.state == "loose":
            return

        def cancelled() -> bool:
            return bool(signals.came)

        try:
            content = capture.content()
            begun = capture.begun.counted if capture.begun is not None else None
            counts = self._counts = count(content, cancelled=cancelled, begun=begun)
            size = counts.size_in(self._boundary.unit)
            if size <= self._boundary.size:
                self._whole = True
            else:
                self._fold(capture, content, counts, ended, cancelled)
            self._ratio = size / self._boundary.size
            if size * 10 >= self._boundary.size * NEAR and self._where is None:
                self._notes.append(f"{self._printed()}; what is above it gets folded")
        except Cancelled:
            self._interrupted = signals.came[0] if signals.came else None
            where = capture.writer.locator if capture.writer is not None else None
            self._notes.append(
                "stopped before the output was folded"
                + (f"; it is in {_shown(where)}" if where else "")
            )
        except (SpillError, OSError) as error:
            self.warn(f"{error} So the output is not folded, and given on whole.")
            self._whole = True

    def _fold(
        self,
        capture: Capture,
        content: Content,
        counts: Counts,
        ended: Ended,
        cancelled: Callable[[], bool],
    ) -> None:
        from spillview.discovery.entries import artifact_id
        from spillview.store import SpillEnvelope, SpillFacts

        if capture.writer is None:
            capture.store()
        writer = capture.writer
        if writer is None:  # it failed, and everything was given on
            return
        envelope, refused = self._folding.fold_somehow(
            content if capture.state == "held" else capture.content(),
            counts,
            label=self._args.label or self._line or self._label,
            path=writer.locator,
            extra=self._said(capture, ended),
            cancelled=cancelled,
            begun=capture.begun.looked if capture.begun is not None else None,
        )
        if refused is not None:
            self._notes.append(refused)
        capture.digest_counted(counts.chars, counts.lines)
        writer.commit(
            SpillFacts(
                exit_code=ended.code if self._command else None,
                failed=ended.code != 0 if self._command else None,
                envelope=SpillEnvelope(envelope.text, facts=envelope.facts.row()),
                partial=partial_of(ended),
            )
        )
        self._envelope = envelope.text
        self._spilled = artifact_id(writer.locator)
        self._where = writer.locator

    def _said(self, capture: Capture, ended: Ended) -> list[str]:
        """Lines of the header that tell of the run."""
        lines = []
        if self._command:
            by = f" (ended by {signal_name(ended.signal)})" if ended.signal else ""
            lines.append(f"Exit code: {ended.code}{by}")
        out, err = capture.turns.totals[1], capture.turns.totals[2]
        if err:
            lines.append(
                f"Holds stdout ({out:,} bytes) and stderr ({err:,} bytes)"
                " in the order in which they came"
            )
        partial = partial_of(ended)
        if partial is not None:
            lines.append(f"Partial: {partial}")
        return lines

    def _printed(self) -> str:
        did = "printed" if self._command else "holds"
        label = printable(path_text(self._label))
        return (
            f"{label} {did} {human_ratio(self._ratio)} the boundary of {self._boundary}"
        )

    # Afterwards

    def _print(self, capture: Capture) -> None:
        if self._envelope is not None:
            try:
                self._streams.write(self._envelope.encode("utf-8", "replace") + b"\n")
                self._streams.flush()
            except BrokenPipeError:
                self._streams.abandon()
        elif self._whole:
            capture.give_on()
            if capture.closed:
                self._streams.abandon()
            capture.drop()
        elif capture.closed:
            self._streams.abandon()

    def _note(self, capture: Capture, ended: Ended) -> None:
        """Append the run to the history; whatever happens, the run has succeeded."""
        from spillview.wrap import history

        try:
            history.append(self._run_of(capture, ended))
        except Exception as error:
            reason = history.why_not(error)
            self._notes.append(f"this run is not in the history: {reason}")

    def _run_of(self, capture: Capture, ended: Ended) -> Run:
        from spillview.wrap import history

        code = ended.code if self._command else None
        if self._counts is not None:
            return history.run_of(
                self._counts,
                self._boundary,
                command=self._line,
                cwd=self._cwd,
                label=self._args.label,
                started=self._started,
                seconds=ended.seconds,
                exit_code=code,
                spilled=self._spilled,
            )
        figures = capture.loose
        sizes = {
            "bytes": figures.bytes,
            "chars": figures.chars,
            "lines": figures.lines,
            "tokens": -(-figures.bytes // 4),
        }
        size = sizes.get(self._boundary.unit)
        return history.Run(
            command=self._line,
            cwd=self._cwd,
            label=self._args.label,
            started=self._started,
            seconds=ended.seconds,
            exit_code=code,
            bytes=figures.bytes,
            chars=figures.chars,
            utf16=None,
            lines=figures.lines,
            boundary=self._boundary.size,
            boundary_unit=self._boundary.unit,
            ratio=size / self._boundary.size if size is not None else None,
        )

    def _tell_terminal(self) -> None:
        import sys

        from spillview.cli.streams import is_terminal

        if is_terminal(sys.stdin):
            self._streams.note(
                "Reading what you type; to run a command: spillview wrap -- COMMAND"
            )

    # As the outlet of the capture

    def give(self, stream: Stream, data: bytes) -> None:
        """See `Outlet`."""
        if stream == 1:
            self._streams.write(data)
            self._streams.flush()
        else:
            self._streams.write_error(data)

    def warn(self, sentence: str) -> None:
        """See `Outlet`."""
        self._streams.error(sentence)


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:  # it was removed
        return os.environ.get("PWD", "/")


def _label(command: list[str]) -> str:
    """What an output is called where nobody says: after the program."""
    return os.path.basename(command[0]) or "command" if command else "stdin"


def _shown(path: str) -> str:
    return printable(path_text(path))
