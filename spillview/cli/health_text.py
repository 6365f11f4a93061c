"""What `doctor` says: stores, checks and problems, as a table and as rows."""

from __future__ import annotations

from dataclasses import dataclass

from spillview.hints import TYPE_CHECKING
from spillview.model import Boundary, Problem
from spillview.named import NamedTuple
from spillview.space import size_words
from spillview.text import human_count, path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams
    from spillview.discovery.entries import StoreFound
    from spillview.exposure.exposure import Exposure


class Told(NamedTuple):
    """A problem, and what problems of its kind are told as together."""

    problem: Problem
    kind: str = ""
    """The sentence for many, `{}` in the place of their number."""
    number: int = 1
    exposure: Exposure | None = None
    """What of it others reach, where it is one."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing spillview itself relies on."""

    name: str
    text: str
    problem: str | None = None


def _boundaries(catalogue: Catalogue, harness: str) -> list[tuple[str, Boundary]]:
    """The gates of a harness by tool, those of its newest version."""
    profile = catalogue.profile(harness)
    named: dict[str, list[Boundary]] = {}
    for rule in profile.boundaries:
        if not rule.gate or rule.before is not None or rule.contents:
            continue
        tool = ", ".join(rule.tools) or "other tools"
        if tool in named:
            continue
        sample = rule.tools[0] if rule.tools else None
        named[tool] = list(
            profile.boundaries_for(
                sample, None, env=catalogue.places.env, settings=catalogue.settings
            )
        )
    return [(tool, each) for tool, gates in named.items() for each in gates]


def write_json(
    catalogue: Catalogue,
    checks: list[Check],
    told: list[Told],
    streams: Streams,
) -> None:
    from spillview.catalogue.rows import problem_row, store_row

    for store in catalogue.stores:
        gates = [each for _, each in _boundaries(catalogue, store.harness)]
        profile = catalogue.profile(store.harness)
        streams.json(store_row(store, profile, list(dict.fromkeys(gates))))
    for each in told:
        row = problem_row(each.problem)
        if each.exposure is not None:
            row["exposure"] = each.exposure.kind
            row["number"] = each.exposure.number
            row["advice"] = each.exposure.advice
            row |= each.exposure.more or {}
        streams.json(row)
    for check in checks:
        row = problem_row(Problem("", check.problem or ""))
        row |= {"check": check.name, "text": path_text(check.text)}
        row["problem"] = check.problem
        streams.json(row)


def _confidence(catalogue: Catalogue, store: StoreFound) -> str:
    """What the profile rests on, and whether it was compared with real data."""
    profile = catalogue.profile(store.harness)
    if profile.verified or profile.confidence == "ours":
        return store.confidence
    return f"{store.confidence}; not verified on real data"


def _retention(catalogue: Catalogue, harness: str) -> str:
    """How long files stay, as a phrase and no sentence, whoever wrote it."""
    text = str(catalogue.profile(harness).retention).rstrip(".")
    return text[:1].lower() + text[1:]


def _write_profiles(catalogue: Catalogue, streams: Streams) -> None:
    """What each of the user's own profiles found, and what it took the place of."""
    for fact in catalogue.user_profiles():
        line = f"your profile {path_text(fact.path)}: {fact}"
        if fact.replaces:
            line += f"; it stands for the built-in {fact.harness}"
        _paragraph(streams, printable(line))


def _write_elsewhere(catalogue: Catalogue, streams: Streams) -> None:
    """Where logs lie here and spills in a temp folder, which may be another one."""
    by_harness: dict[str, list[StoreFound]] = {}
    for store in catalogue.stores:
        by_harness.setdefault(store.harness, []).append(store)
    for harness, stores in by_harness.items():
        logs = sum(store.transcripts for store in stores)
        if not logs or any(store.artifacts for store in stores):
            continue
        roots = catalogue.profile(harness).roots
        if any("{tmp}" in path for root in roots for path in root.paths):
            _paragraph(
                streams,
                f"{harness}: {human_count(logs)} logs and no artifact: it spills into"
                " the temp folder, which may be another one (set TMPDIR, or give the"
                " folder as PATH) or may have been emptied",
            )


def _write_absent(catalogue: Catalogue, streams: Streams) -> None:
    """One line for all harnesses that are known and have no store here."""
    here = {store.harness for store in catalogue.stores}
    absent = [
        name
        for name, profile in sorted(catalogue.profiles.items())
        if name not in here and profile.roots and profile.confidence != "ours"
    ]
    if absent:
        known = "harness is" if len(absent) == 1 else "harnesses are"
        _paragraph(
            streams,
            f"{len(absent)} more {known} known, with no store here (as --harness takes"
            f" them): {printable(', '.join(absent))}",
        )


def write_stores(
    catalogue: Catalogue,
    checks: list[Check],
    streams: Streams,
) -> None:
    from spillview.cli.tables import Cell, Column, write_table

    columns = [
        Column("HARNESS"),
        Column("ROOT", least=20),
        Column("ARTIFACTS", right=True),
        Column("BYTES", right=True),
        Column("LOGS", right=True, drop=3),
        Column("BOUNDARY", least=12, drop=2),
        Column("RETENTION", least=10, drop=1),
        Column("CONFIDENCE", drop=4),
    ]
    table = []
    for store in catalogue.stores:
        gates = _boundaries(catalogue, store.harness)
        main = gates[-1][1] if gates else None
        table.append(
            [
                Cell(store.harness, "name"),
                Cell(printable(path_text(store.root)), path=True),
                Cell(human_count(store.artifacts)),
                Cell(size_words(store.bytes, store.disk)),
                Cell(human_count(store.transcripts)),
                Cell(str(main) if main else ""),
                Cell(_retention(catalogue, store.harness)),
                Cell(_confidence(catalogue, store)),
            ]
        )
    if not table:
        _paragraph(streams, "No store was found.")
    write_table(streams, columns, table)
    streams.line()
    _write_absent(catalogue, streams)
    _write_elsewhere(catalogue, streams)
    _write_profiles(catalogue, streams)
    for harness in dict.fromkeys(store.harness for store in catalogue.stores):
        gates = _boundaries(catalogue, harness)
        if len(gates) > 1:
            alike = len({tool for tool, _ in gates}) == 1
            named = (("" if alike else f"{tool} ") + str(each) for tool, each in gates)
            listed = "; ".join(named)
            _paragraph(streams, f"{harness}: {listed}")
    for check in checks:
        line = f"{check.name}: {printable(path_text(check.text))}"
        _paragraph(streams, line)
        if check.problem:
            told = printable(check.problem)
            _paragraph(streams, f"  {told}", styled=len(told) + 2)
    streams.line()


def write_problems(told: list[Told], streams: Streams, *, every: bool) -> None:
    """A line for each kind with its first example; with `every` each problem."""
    if not told:
        _paragraph(streams, "No problems were found.")
    kinds: dict[str, list[Told]] = {}
    for number, each in enumerate(told):
        key = str(number) if every or not each.kind else each.kind
        kinds.setdefault(key, []).append(each)
    for kind, members in kinds.items():
        first = _one_line(members[0].problem)
        if len(members) > 1:
            total = human_count(sum(each.number for each in members))
            many = kind.format(total)
            first = f"{many}; {len(members)} places (--all), the first: {first}"
        _paragraph(streams, f"problem: {first}", styled=len("problem:"))


def _one_line(problem: Problem) -> str:
    path = printable(path_text(problem.path))
    text = printable(path_text(problem.sentence))
    return text if not path or path in text else f"{path}: {text}"


def _paragraph(streams: Streams, text: str, *, styled: int = 0) -> None:
    """A printable text, folded between words on a terminal; its beginning in colour."""
    if not streams.terminal:
        streams.line(text)
        return
    from spillview.layout.cells import fold

    indent = " " * (len(text) - len(text.lstrip()))
    for number, part in enumerate(fold(text.strip(), streams.width - len(indent) - 2)):
        line = indent + ("  " if number else "") + part
        own = line[:styled] if not number else line if styled > len("problem:") else ""
        streams.line(streams.styled(own, "unseen") + line[len(own) :])
