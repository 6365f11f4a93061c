"""A catalogue made of facts alone, so that a screen can be tested without any store."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from textual.pilot import Pilot

from spillview.catalogue.cache import Cache
from spillview.catalogue.catalogue import Catalogue, Query
from spillview.catalogue.finds import Finds
from spillview.catalogue.gists import Gists
from spillview.catalogue.known_gists import Said
from spillview.catalogue.listing import Listing, Table
from spillview.config import Settings
from spillview.crews import Crew
from spillview.discovery.entries import StoreFound
from spillview.model import (
    Artifact,
    Boundary,
    Counts,
    Found,
    Line,
    Link,
    LinkState,
    Mention,
    Missing,
    Next,
    Problem,
    Seen,
    Session,
)
from spillview.places import Places
from spillview.review.notes import Note
from spillview.tui.review.marks import Marks

NOW = 1_780_000_000.0
HOUR = 3600.0
CHARS = Boundary(30_000, "chars")


@dataclass
class Facts:
    """What a made artifact is to be; everything else follows from it."""

    name: str
    session: str = "s1"
    harness: str = "claude-code"
    tool: str | None = "Bash"
    command: str | None = "make test"
    chars: int = 45_000
    lines: int = 900
    verdict: str = "all good"
    verdict_seen: bool | None = True
    failed: bool | None = False
    exit_code: int | None = None
    said: str | None = "Done."
    called: tuple[str, str] | None = ("Bash", "git commit -m done")
    ago: float = HOUR
    boundary: Boundary | None = CHARS
    project: str | None = "/srv/app"
    state: LinkState = "linked"
    flags: tuple[str, ...] = ()
    error: str | None = None
    reviewed: float | None = None


def mention_of(facts: Facts) -> Mention:
    """The record that would carry the artifact's envelope."""
    tool, command = facts.called or (None, None)
    following = None
    if facts.said is not None or facts.called is not None:
        following = Next(facts.said, tool, command, 12)
    return Mention(
        transcript=f"/home/.claude/projects/app/{facts.session}.jsonl",
        session=facts.session,
        record=11,
        offset=0,
        length=100,
        place="result",
        notice="claude.persisted",
        path=f"/home/{facts.name}",
        tool=facts.tool,
        command=facts.command,
        failed=facts.failed,
        exit_code=facts.exit_code,
        time=NOW - facts.ago,
        next=following,
    )


def whole(facts: Facts, number: int = 0) -> Artifact:
    """An artifact with everything counted and linked."""
    stamp = f"{number:08x}{abs(hash(facts.name)) & 0xFFFFFFFF:08x}"
    found = Found(
        id=stamp,
        harness=facts.harness,
        path=f"/home/.claude/projects/app/{facts.session}/tool-results/{facts.name}",
        name=facts.name,
        session=facts.session,
        root="/home/.claude",
        size=facts.chars,
        mtime_ns=int((NOW - facts.ago) * 1e9),
    )
    verdict = Line(facts.lines, facts.chars - 20, facts.chars, facts.verdict)
    counts = Counts(
        facts.chars,
        facts.chars,
        facts.chars,
        facts.lines,
        "utf-8",
        "text",
        False,
        verdict,
    )
    link = Link("orphan")
    if facts.state != "orphan":
        link = Link(
            facts.state,
            (mention_of(facts),),
            seen=Seen(((0, 2000),)),
            verdict_seen=facts.verdict_seen,
            verdict="fail" if facts.failed else "unknown",
        )
    return Artifact(
        found,
        None if facts.error else counts,
        link,
        (facts.boundary,) if facts.boundary else (),
        project=facts.project,
        session=facts.session,
        error=facts.error,
        flags=facts.flags,
        reviewed=facts.reviewed,
    )


@dataclass
class Title:
    """What a made session is called."""

    title: str | None = None
    project: str | None = "/srv/app"
    live: bool = False


@dataclass
class FakeState:
    """Reviewed marks in memory."""

    marks: dict[str, float] = field(default_factory=dict)
    last: float | None = None
    noted: dict[str, Note] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    mended: list[Problem] = field(default_factory=list)
    lasts: bool = True

    def notes(self) -> dict[str, Note]:
        return {key: note for key, note in self.noted.items() if note.text}

    def set_note(self, note: Note) -> None:
        self.noted[note.id] = note

    def reviewed(self) -> dict[str, float]:
        return dict(self.marks)

    def close(self) -> None: ...


def listing_of(artifacts: Sequence[Artifact]) -> Listing:
    """These, in this order, as a scan gives them."""
    known = {artifact.id: artifact for artifact in artifacts}
    table = Table(
        Finds(artifact.found for artifact in artifacts),
        array("d", [artifact.created for artifact in artifacts]),
        [artifact.session for artifact in artifacts],
        lambda found: [known[item.id] for item in found],
    )
    return Listing(table)


class FakeCatalogue(Catalogue):
    """Gives what it was given; `hold` keeps completion from going on."""

    def __init__(
        self,
        artifacts: Sequence[Artifact] = (),
        *,
        titles: dict[str, Title] | None = None,
        missing: Sequence[Missing] = (),
        problems: Sequence[Problem] = (),
        bare: bool = False,
        last_review: float | None = None,
    ) -> None:
        self.places = replace(Places.of_home("/home"), confined=False)
        self.settings = Settings(remember=False)
        self.cache = Cache(None)
        self.profiles = {}
        self.now = lambda: NOW
        self.given = list(artifacts)
        self.titles = titles or {}
        self.lost = list(missing)
        self.faults = list(problems)
        self.broken: list[Problem] = []
        self.bare = bare
        self.memory = FakeState(last=last_review)
        self.state = self.memory  # type: ignore[assignment] # the part that is used
        self.hold: Callable[[], None] | None = None
        self.changed = False
        self.scans = 0

    @property
    def problems(self) -> list[Problem]:
        return list(self.faults)

    def broken_records(self) -> list[Problem]:
        return list(self.broken)

    def scan(
        self,
        query: Query | None = None,
        *,
        bare: bool = False,
        entries: bool = True,
    ) -> Listing:
        self.scans += 1
        self.changed = False
        marked = [
            replace(a, reviewed=self.memory.marks.get(a.id, a.reviewed))
            for a in self.given
        ]
        self.given = marked
        if not (self.bare or bare):
            return listing_of(marked)
        return listing_of([replace(a, counts=None, link=None) for a in marked])

    @property
    def stores(self) -> list[StoreFound]:
        return []

    def complete(
        self,
        artifacts: Iterable[Artifact],
        *,
        huge: bool = False,
        progress: Callable[[int, int], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
        crew: Crew | None = None,
    ) -> Iterator[Artifact]:
        known = {artifact.id: artifact for artifact in self.given}
        for artifact in list(artifacts):
            if cancelled is not None and cancelled():
                return
            if self.hold is not None:
                self.hold()
            yield known[artifact.id]

    def gists(
        self,
        listing: Listing,
        shelve: Callable[[Artifact], object] = lambda made: None,
        expect: Callable[[int], object] = lambda number: None,
    ) -> tuple[Gists, set[tuple[str, str]]]:
        expect(len(listing))
        gists = Gists(listing.table.sessions)
        for place, artifact in zip(listing.order, listing, strict=True):
            gists.take(place, artifact)
            gists.review(place, artifact.reviewed, NOW)
            shelve(artifact)
        return gists, set()

    def keep_gists(
        self,
        gists: Gists,
        groups: Iterable[tuple[str, str]],
        said: Callable[[Sequence[int]], Iterable[Said]],
    ) -> set[tuple[str, str]]:
        return set()

    def session_of(
        self,
        key: tuple[str, str],
        artifacts: Sequence[Artifact],
        changed: float,
        *,
        growing: bool,
    ) -> Session:
        title = self.titles.get(key[1], Title())
        start = changed - HOUR
        return Session(
            *key, title.project, title.title, start, changed, title.live, artifacts
        )

    def missing(
        self,
        query: Query | None = None,
        *,
        cancelled: Callable[[], bool] | None = None,
    ) -> list[Missing]:
        return list(self.lost)

    def refresh(self) -> bool:
        return self.changed

    def mark_reviewed(self, ids: Iterable[str], when: float | None) -> None:
        for artifact_id in ids:
            if when is None:
                self.memory.marks.pop(artifact_id, None)
            else:
                self.memory.marks[artifact_id] = when

    def last_review(self, paths: Sequence[str] = ()) -> float | None:
        return self.memory.last

    def set_last_review(self, when: float, paths: Sequence[str] = ()) -> None:
        self.memory.last = when

    def close(self) -> None: ...


def lost_call(state: str = "dangling", session: str = "s1") -> Missing:
    """A call whose file is gone, or that was cut with nothing saved."""
    mention = mention_of(Facts("gone.txt", session=session, command="cat big.log"))
    if state == "cut":
        mention = replace(mention, path=None)
    return Missing(
        "claude-code",
        session,
        "/srv/app",
        "cut" if state == "cut" else "dangling",
        mention,
    )


def a_night() -> list[Artifact]:
    """Three sessions: a failed build nobody saw, an unseen verdict, and the rest."""
    made = [
        Facts(
            "toolu_build.txt",
            "build",
            command="npm run build",
            chars=64_120,
            lines=1204,
            verdict="ERROR: 3 modules failed to compile",
            verdict_seen=False,
            failed=True,
            exit_code=2,
            said="The build passes. Committing the checkout fix.",
            called=("Bash", "git commit -am 'Fix checkout totals'"),
        ),
        Facts(
            "toolu_grep.txt", "build", tool="Grep", command="合計 src/", chars=41_000
        ),
        Facts("toolu_ls.txt", "build", command="ls -R", chars=31_000, ago=2 * HOUR),
        Facts(
            "toolu_test.txt",
            "tests",
            command="pytest -q",
            verdict="412 passed in 31.2s",
            verdict_seen=False,
            chars=33_000,
        ),
        Facts("toolu_cat.txt", "tests", command="cat data.json", chars=28_500),
        Facts(
            "abc-result.txt",
            "notes",
            harness="dsh",
            tool=None,
            command=None,
            state="orphan",
            boundary=Boundary(50_000, "bytes"),
            chars=12_000,
        ),
    ]
    return [whole(facts, number) for number, facts in enumerate(made)]


NIGHT_TITLES = {
    "build": Title("Fix the checkout build", "/srv/shop"),
    "tests": Title("Speed up the tests", "/srv/ledger", live=True),
    "notes": Title(None, None),
}


def taken_back(marks: Marks) -> list[str]:
    """Take the last mark back as a screen does; the ids that it was of."""
    batch = marks.pop()
    if batch is None:
        return []
    marks.settle(marks.take_back(batch))
    return batch.ids


async def settle(pilot: Pilot[None]) -> None:
    """Wait until every worker has ended, and for what they posted."""
    while not all(worker.is_finished for worker in pilot.app.workers):
        await pilot.pause(0.005)
    await pilot.pause()
    await pilot.pause()
