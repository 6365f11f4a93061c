"""The command line: `main` reads the words, runs one command, gives an exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from spillview.errors import SpillError
from spillview.hints import TYPE_CHECKING

if TYPE_CHECKING:
    from spillview.cli.streams import Streams


def main(argv: Sequence[str] | None = None) -> int:
    """Run `spillview` with these arguments (else the process's own).

    Gives the exit code: 0 done, 1 nothing matched, 2 bad usage or something could not
    be read, 130 interrupted. Whatever goes wrong is one sentence on stderr.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["hook", "run", "claude-code"]:  # before each command of an agent
        from spillview.hook import filter as answering

        return answering.run(answering.own_program())
    from spillview.cli.streams import Streams

    streams = Streams()
    try:
        from spillview.cli import commands

        command, rest = commands.split(arguments)
        code = commands.run(command, rest, streams)
        streams.flush()
        _tell_mended(streams)
        return code
    except SpillError as error:
        streams.error(str(error))
        _tell_mended(streams)
        return error.exit_code
    except BrokenPipeError:
        streams.abandon()
        return 0
    except KeyboardInterrupt:
        streams.abandon()
        return 130
    except OSError as error:
        streams.abandon()
        reason = error.strerror or str(error)
        streams.error(f"{error.filename or 'the output'}: {reason}")
        return 2
    except Exception as error:
        interrupted = _interrupted(error)
        if interrupted is not None:
            streams.abandon()
            return interrupted
        if os.environ.get("SPILLVIEW_DEBUG"):
            raise
        streams.error(
            f"something went wrong inside ({type(error).__name__}: {error});"
            " with SPILLVIEW_DEBUG=1 it shows where, which helps to report it"
        )
        return 2


def _tell_mended(streams: Streams) -> None:
    """Say what became of broken files of our own, each once."""
    own_files = sys.modules.get("spillview.own_files")
    if own_files is None or not own_files.told:
        return
    from spillview.text import path_text

    problems = list(own_files.told)
    own_files.told.clear()
    for problem in problems:
        sentence = f"{path_text(problem.path)}: {problem.sentence}"
        if not streams.told(f"spillview: {sentence}"):
            streams.error(sentence)


def _interrupted(error: BaseException) -> int | None:
    """The exit code when a signal came first: a lock it met complains over it."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, KeyboardInterrupt):
            return 130
        if isinstance(cause, SystemExit) and isinstance(cause.code, int):
            return cause.code
        cause = cause.__context__
    return None
