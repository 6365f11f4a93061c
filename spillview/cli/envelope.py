"""An envelope told to a person: its text, what was seen, the decision made on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spillview.content.signals import LOOKED
from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact, Boundary, Mention, Range, Read
from spillview.text import (
    human_bytes,
    human_count,
    human_ratio,
    path_text,
    printable,
    share_text,
)

if TYPE_CHECKING:
    from spillview.cli.streams import Streams, Style
    from spillview.seen.envelope import EnvelopeFacts, Shown

RANGES = 12
"""So many ranges are told one by one."""

LABEL = 10
"""Columns of the labels on the left."""


def write_envelope(facts: EnvelopeFacts, streams: Streams) -> None:
    """Print everything known of one envelope."""
    artifact = facts.artifact
    _heading(artifact, streams)
    if not facts.shown:
        streams.line()
        if artifact.link is not None and artifact.link.state == "orphan":
            streams.line("No record points at this artifact (an orphan): what the")
        else:
            streams.line("Its link is unknown: the transcripts that can be read do not")
            streams.line("tell whether a record points at this artifact; what the")
        streams.line("model received of it is not known.")
    for place, shown in enumerate(facts.shown):
        streams.line()
        _record(shown, place, len(facts.shown), streams)
    streams.line()
    for label, lines in (
        ("seen", _seen(facts)),
        ("verdict", _verdict(artifact, streams)),
        ("concluded", _conclusion(artifact, streams)),
        ("signals", _signals(artifact)),
        ("claimed", _claims(facts, streams)),
        ("head cut", _survival(facts)),
        ("repeats", _repeats(artifact)),
        ("secrets", _credentials(artifact)),
        ("reads", _reads(artifact)),
        (
            "note",
            iter([artifact.link.note] if artifact.link and artifact.link.note else []),
        ),
        ("next", _next(facts)),
    ):
        for number, line in enumerate(lines):
            head = label if number == 0 else ""
            streams.line(f"{streams.styled(f'{head:<{LABEL}}', 'dim')}{line}".rstrip())


def _heading(artifact: Artifact, streams: Streams) -> None:
    found, mention = artifact.found, artifact.envelope
    streams.line(
        f"{streams.styled(artifact.id, 'name')}  {found.harness}"
        f"  {printable(path_text(artifact.session or found.session))}"
    )
    streams.line(printable(path_text(found.place)))
    if artifact.tool or artifact.command:
        command = " ".join((artifact.command or "").split())
        words = f"{artifact.tool or ''}  {command}".strip()
        streams.line(streams.styled(printable(path_text(words)), "bold"))
    if "pinned" in artifact.flags:
        streams.line("pinned: no clean-up plans it for removal")
    if mention is not None and mention.failed is not None:
        streams.line(_outcome(mention))


def _outcome(mention: Mention) -> str:
    """How the call ended as its record has it, which says nothing of its output."""
    code = mention.exit_code
    if mention.failed:
        return "the call failed" + ("" if code is None else f", exit code {code}")
    return "no exit code recorded" if code is None else f"exit {code} recorded"


def _record(shown: Shown, place: int, total: int, streams: Streams) -> None:
    mention = shown.mention
    which = "envelope" if total == 1 else f"envelope {place + 1} of {total}"
    streams.line(
        streams.styled(
            f"-- {which}: record {mention.record:,} of"
            f" {printable(path_text(mention.transcript))}",
            "title",
        )
    )
    if shown.text is None:
        streams.line(printable(shown.why))
    else:
        text = shown.text.replace("\r\n", "\n")
        streams.line(printable(text, newlines=True, tabs=True).rstrip("\n"))
    if mention.copy_chars:
        streams.line(
            f"(the record also embeds a copy of {human_count(mention.copy_chars)}"
            " chars, which the model did not receive)"
        )
    streams.line(streams.styled("-- end of the envelope", "title"))


def _seen(facts: EnvelopeFacts) -> Iterator[str]:
    artifact = facts.artifact
    seen = artifact.link.seen if artifact.link else None
    counts = artifact.counts
    if seen is None or counts is None:
        yield "not known"
        return
    what = "it shows" if artifact.modelless else "the model received"
    if seen.is_unknown:
        yield f"not known: what {what} could not be located in the artifact"
        return
    share = "" if facts.coverage is None else f" ({share_text(facts.coverage)})"
    sure = "" if seen.certain else "at least "
    lines = ""
    if facts.seen_lines is not None:
        lines = (
            f", {human_count(facts.seen_lines)} of {human_count(counts.lines)} lines"
        )
    yield (
        f"{sure}{human_count(seen.bytes)} of {human_count(counts.bytes)} bytes"
        f"{share}{lines}"
    )
    if not seen.certain:
        yield f"some of what {what} could not be located in the artifact"
    parts = list(_parts(seen.ranges, counts.bytes, seen.certain))
    wide = 7 if seen.certain else 8
    for label, start, end in parts[:RANGES]:
        yield (
            f"{label:<{wide}}bytes {human_count(start)} to {human_count(end)}:"
            f" {human_count(end - start)} bytes ({human_bytes(end - start)})"
        )
    if len(parts) > RANGES:
        yield f"{RANGES} of {len(parts)} ranges and gaps; --json has all"


def _parts(
    ranges: Sequence[Range], size: int, certain: bool
) -> Iterator[tuple[str, int, int]]:
    """Seen ranges and the gaps between them, in order."""
    gap = "unseen" if certain else "unknown"
    at = 0
    for start, end in ranges:
        if start > at:
            yield gap, at, start
        yield "seen", start, end
        at = end
    if at < size:
        yield gap, at, size


def _verdict(artifact: Artifact, streams: Streams) -> Iterator[str]:
    line = artifact.counts.verdict if artifact.counts else None
    if line is None:
        yield "there is none: the artifact is empty or blank, or not counted"
        return
    word, style = _whether(artifact.verdict_seen)
    kind = artifact.link.verdict if artifact.link else "unknown"
    known = "" if kind == "unknown" else f", {kind}"
    yield f"line {human_count(line.number)}: {streams.styled(word, style)}{known}"
    yield printable(path_text(line.text)) + ("…" if line.truncated else "")


def _conclusion(artifact: Artifact, streams: Streams) -> Iterator[str]:
    """What the runner said, where that is not the last line itself."""
    conclusion = artifact.link.conclusion if artifact.link else None
    last = artifact.counts.verdict if artifact.counts else None
    if conclusion is None or (
        last is not None and last.number == conclusion.line.number
    ):
        return
    word, style = _whether(conclusion.seen)
    known = "" if conclusion.verdict == "unknown" else f", {conclusion.verdict}"
    yield (
        f"line {human_count(conclusion.line.number)}: {streams.styled(word, style)}"
        f"{known} ({conclusion.runner})"
    )
    yield printable(path_text(conclusion.line.text))


def _whether(seen: bool | None) -> tuple[str, Style | None]:
    if seen is None:
        return "not known whether seen", None
    return ("seen", "seen") if seen else ("never seen", "unseen")


def _signals(artifact: Artifact) -> Iterator[str]:
    signals = artifact.link.signals if artifact.link else None
    if signals is None or (signals.complete and not signals.total):
        return
    if not signals.complete:
        size = artifact.counts.bytes if artifact.counts is not None else 0
        ends = human_bytes(LOOKED - LOOKED // 8), human_bytes(LOOKED // 8)
        where = f"the first {ends[0]} and the last {ends[1]} of {human_bytes(size)}"
        if not signals.total:
            yield f"none in {where}; the rest was not looked at"
            return
        yield f"looked at: {where}"
    least = "" if signals.complete else "at least "
    lines = "line" if signals.total == 1 else "lines"
    if signals.unseen is None:
        seen = f"{human_count(signals.seen)} seen, the others not known"
    else:
        seen = f"{human_count(signals.unseen)} never seen"
    yield f"{least}{human_count(signals.total)} {lines} of errors and failures, {seen}"


def _claims(facts: EnvelopeFacts, streams: Streams) -> Iterator[str]:
    if not facts.claimed:
        return
    exact = 0
    for unit, value in facts.claimed.items():
        measured = facts.measured.get(unit)
        said = f"{unit} {_number(value)}"
        if measured is None:
            yield f"{said}, not measured"
        elif measured == value:
            exact += 1
            yield f"{said}, as measured"
        else:
            yield f"{said}, measured {_number(measured)}"
    if facts.agrees is not None and exact < len(facts.claimed):
        agrees = "they agree" if facts.agrees else "they do not agree"
        yield streams.styled(agrees, "seen" if facts.agrees else "unseen")


def _number(value: int | str) -> str:
    return human_count(value) if isinstance(value, int) else printable(value)


def _survival(facts: EnvelopeFacts) -> Iterator[str]:
    survival = facts.survival
    if survival is None:
        return
    gate = facts.artifact.gate
    boundary: Boundary = survival.boundary
    ratio = f", {human_ratio(gate[1])} the boundary" if gate else ""
    yield (
        f"a plain cut at {boundary} would keep {human_count(survival.lines_kept)} of"
        f" {human_count(survival.lines)} lines{ratio}"
    )
    other = facts.survival_otherwise
    if other is not None and other.lines_kept != survival.lines_kept:
        unit = other.boundary.unit
        yield f"counted in {unit} instead it would keep {human_count(other.lines_kept)}"
    if survival.verdict_kept is not None:
        kept = "kept" if survival.verdict_kept else "lost"
        yield f"the verdict would be {kept}"
    if survival.json_parses is not None:
        reason = f": {printable(survival.json_error)}" if survival.json_error else ""
        does = "still parse" if survival.json_parses else "break"
        yield f"the JSON would {does}{reason}"


def _credentials(artifact: Artifact) -> Iterator[str]:
    """Where credentials are, as far as somebody looked, and who received them."""
    if artifact.secrets is None:
        return
    from spillview.secrets.kept import SEEN_WORDS, states

    for place, (secret, state) in enumerate(states(artifact, artifact.secrets)):
        if place == RANGES:
            total = human_count(len(artifact.secrets.items))
            yield f"{RANGES} of {total}; `spillview grep --secrets` has all"
            return
        yield f"{secret.words}, line {human_count(secret.line)}: {SEEN_WORDS[state]}"


def _reads(artifact: Artifact) -> Iterator[str]:
    for read in artifact.link.reads if artifact.link else ():
        yield _read(read)


def _read(read: Read) -> str:
    if read.ranges is None:
        what = "what it showed is not known"
    elif not read.ranges:
        what = "showed nothing of it"
    else:
        shown = sum(end - start for start, end in read.ranges)
        first, last = read.ranges[0][0], read.ranges[-1][1]
        what = (
            f"showed {human_count(shown)} bytes between {human_count(first)}"
            f" and {human_count(last)}"
        )
    whose = "" if read.own else f" (session {printable(path_text(read.session))})"
    return f"{printable(read.tool or 'a call')}, record {read.record:,}: {what}{whose}"


def _repeats(artifact: Artifact) -> Iterator[str]:
    """What it says over and over, and whether it names itself; nothing for neither."""
    from spillview.growth.repetition import look_at_artifact
    from spillview.growth.wording import repeats

    found = look_at_artifact(artifact.found)
    for words in repeats(found) if found is not None else ():
        yield printable(path_text(words))


def _next(facts: EnvelopeFacts) -> Iterator[str]:
    mention: Mention | None = facts.artifact.envelope
    following = mention.next if mention is not None else None
    if following is None:
        if facts.artifact.modelless:
            yield "not known: no transcript holds this envelope"
        elif mention is not None:
            yield "nothing: the session ends here"
        return
    if following.text:
        yield from printable(path_text(following.text), newlines=True).split("\n")
    if following.tool:
        command = " ".join((following.command or "").split())
        yield printable(path_text(f"→ {following.tool}  {command}".rstrip()))
