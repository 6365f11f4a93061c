"""The tables of `ls` and `sessions`: artifacts, calls and sessions in columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from spillview.hints import TYPE_CHECKING
from spillview.model import Artifact, Missing
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.session_sums import Summed
    from spillview.cli.streams import Streams
    from spillview.cli.tables import Cell


def short_ids(artifacts: Iterable[Artifact]) -> Callable[[Artifact], str]:
    """How to write ids briefly: 8 digits while they tell these artifacts apart."""
    ids = [a.id for a in artifacts]
    length = 8 if len({each[:8] for each in ids}) == len(ids) else 16
    return lambda artifact: artifact.id[:length]


def project_name(project: str | None, slug: str | None = None) -> str:
    """The last folder of the project's path, or what the store calls it."""
    name = (project or slug or "").rstrip("/").rpartition("/")[2]
    return printable(path_text(name))


def whole_session(session: str) -> str:
    """A session id as it is."""
    return printable(path_text(session))


def short_session(session: str) -> str:
    """A session id as briefly as it can still be typed; a folder's own name."""
    if "/" in session:
        return project_name(session)
    short = session[:8] if len(session) == 36 and session.count("-") == 4 else session
    return printable(path_text(short))


def artifact_table(
    rows: Sequence[Artifact], shown: Iterable[Artifact], now: float, streams: Streams
) -> bool:
    """Print the rows; whether one of them could not be read."""
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.text import human_age, human_bytes, human_count

    columns = [
        Column("ID"),
        Column("AGE", right=True),
        Column("HARNESS", drop=10),
        Column("SESSION", least=8, most=12, drop=9),
        Column("PROJECT", least=6, most=12, drop=7),
        Column("TOOL", least=6, most=12, drop=3),
        Column("COMMAND", least=22),
        Column("CHARS", right=True, drop=6),
        Column("BYTES", right=True, drop=1),
        Column("LINES", right=True, drop=8),
        Column("RATIO", right=True),
        Column("VERDICT", drop=2),
        Column("LINK", drop=5),
        Column("FLAGS", least=6, most=14, drop=4),
    ]
    write_id = short_ids(rows) if streams.terminal else lambda a: a.id
    name_session = short_session if streams.terminal else whole_session
    unreadable = False

    def cells(row: Artifact) -> list[Cell]:
        nonlocal unreadable
        counts = row.counts
        unreadable = unreadable or row.error is not None
        return [
            Cell(write_id(row), "name"),
            Cell(human_age(now - row.created) if row.dated else ""),
            Cell(row.found.harness),
            Cell(name_session(row.session or row.found.session)),
            Cell(project_name(row.project, row.found.project_slug)),
            Cell(printable(row.tool or "")),
            Cell(subject(row)),
            Cell(human_count(counts.chars) if counts else ""),
            Cell(human_bytes(counts.bytes if counts else row.found.size)),
            Cell(human_count(counts.lines) if counts else ""),
            _ratio(row),
            verdict_cell(row),
            Cell(row.link.state if row.link else ""),
            Cell(" ".join(row.flags), "close"),
        ]

    from spillview.secrets import showing

    write_table(streams, columns, map(cells, map(showing.shown, shown)))
    return unreadable


def subject(artifact: Artifact) -> str:
    """What the artifact is of: its label and command, else its file's name."""
    text = artifact.command or artifact.label or path_text(artifact.found.name)
    if artifact.command and artifact.given_name:
        text = f"{artifact.given_name}: {text}"
    shown = printable(" ".join(text.split()) if artifact.command else text)
    if artifact.found.target is not None:
        shown += f" → {printable(path_text(artifact.found.target))}"
    return shown


def _ratio(artifact: Artifact) -> Cell:
    from spillview.catalogue.triage import band
    from spillview.cli.tables import Cell
    from spillview.text import human_ratio

    gate = artifact.gate
    if gate is None:
        return Cell("")
    boundary, ratio = gate
    return Cell(f"{human_ratio(ratio)} {boundary.unit}", band(ratio))


def verdict_cell(artifact: Artifact) -> Cell:
    """How an artifact ended, and whether the model saw that."""
    from spillview.cli.tables import Cell
    from spillview.seen.endings import ending_seen

    link = artifact.link
    if link is None or artifact.counts is None or artifact.counts.verdict is None:
        return Cell("")
    words: list[str] = [link.verdict] if link.verdict != "unknown" else []
    if artifact.failed and link.verdict != "fail":
        words.append("failed")
    seen = ending_seen(artifact)
    if seen is None:
        return Cell(" ".join(words))
    words.append("seen" if seen else "unseen")
    return Cell(" ".join(words), "seen" if seen else "unseen")


def missing_table(rows: Sequence[Missing], now: float, streams: Streams) -> None:
    """Print calls whose full result is not on disk."""
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.secrets.showing import shown_mention
    from spillview.text import human_age

    columns = [
        Column("LINK"),
        Column("AGE", right=True),
        Column("HARNESS", drop=3),
        Column("SESSION", least=8, most=12, drop=2),
        Column("TOOL", least=6, most=12, drop=1),
        Column("COMMAND", least=16),
        Column("PATH", least=16),
    ]
    table = []
    for row in rows:
        mention = shown_mention(row.mention)
        name_session = short_session if streams.terminal else whole_session
        age = human_age(now - mention.time) if mention.time is not None else ""
        table.append(
            [
                Cell(row.word, None if row.swept else "unseen"),
                Cell(age),
                Cell(row.harness),
                Cell(name_session(row.session)),
                Cell(printable(mention.tool or "")),
                Cell(printable(" ".join((mention.command or "").split()))),
                Cell(printable(path_text(mention.path or ""))),
            ]
        )
    write_table(streams, columns, table)
    for sentence in dict.fromkeys(row.swept for row in rows if row.swept):
        same = [row for row in rows if row.swept == sentence]
        removed = same[0].removal is not None
        why = "removed in a clean-up" if removed else "as expected"
        streams.note(f"{len(same):,} {why}: {printable(sentence)}")


def session_table(rows: Sequence[Summed], now: float, streams: Streams) -> None:
    """Print sessions."""
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.secrets.masking import masked_text
    from spillview.text import human_age, human_bytes, human_count

    columns = [
        Column("SESSION", least=8, most=12),
        Column("ACTIVE", right=True),
        Column("HARNESS", drop=4),
        Column("PROJECT", least=6, most=12),
        Column("TITLE", least=12),
        Column("ARTIFACTS", right=True, drop=1),
        Column("BYTES", right=True, drop=2),
        Column("CHARS", right=True, drop=5),
        Column("OVER", right=True, drop=3),
        Column("FAILED", right=True),
        Column("UNSEEN", right=True),
        Column("LIVE"),
    ]
    table = []
    for row, sums in rows:
        name_session = short_session if streams.terminal else whole_session
        active = human_age(now - row.last_active) if row.last_active else ""
        failed, unseen = sums.failed_unseen, sums.endings_unseen
        table.append(
            [
                Cell(name_session(row.id), "name"),
                Cell(active),
                Cell(row.harness),
                Cell(project_name(row.project)),
                Cell(printable(" ".join(masked_text(row.title or "").split()))),
                Cell(human_count(sums.number)),
                Cell(human_bytes(sums.bytes)),
                Cell("" if sums.unknown else human_count(sums.chars)),
                Cell(human_count(sums.over_boundary)),
                Cell(human_count(failed), "unseen" if failed else None),
                Cell(human_count(unseen), "unseen" if unseen else None),
                Cell(sums.activity(row)),
            ]
        )
    write_table(streams, columns, table)
