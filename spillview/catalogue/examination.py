"""What reading one artifact tells: its counts, and what its envelope showed of it.

A plain function of one artifact and what is known of it, which needs neither cache nor
records, so that any process can do it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from spillview.errors import Unreadable
from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Counts, Found, Link
from spillview.named import NamedTuple

if TYPE_CHECKING:
    from spillview.content.content import BytesContent, Content, FileContent
    from spillview.discovery.ways import Ways
    from spillview.profiles.profile import Profile
    from spillview.stored.stored import StoredContent

HUGE = 1 << 30
"""Files over 1 GiB are counted only when asked (flag `uncounted`)."""

Cancelled = Callable[[], bool]


class Task(NamedTuple):
    """One artifact, what is known of it, and what is to be found out."""

    found: Found
    counts: Counts | None
    """As far as they are known."""
    link: Link
    """What the records say, without what needs the content."""
    error: str | None
    """Why it cannot be read, if that is known."""
    growing: bool
    """Whether another process writes to it."""
    look: bool
    """Whether it is to be looked at, and not only counted."""
    huge: bool
    """Whether it is counted whatever its size, and while it grows."""

    @property
    def uncounted(self) -> bool:
        """Whether it is to be counted."""
        return self.counts is None and self.found.type == "file" and self.error is None

    @property
    def idle(self) -> bool:
        """Whether there is nothing to read for it."""
        looking = self.look and self.counts is not None and not self.growing
        return not looking and not self.uncounted


class Look(NamedTuple):
    """What looking at an artifact changes in its link."""

    changes: Mapping[str, Any]
    mark: str = ""
    packed: bytes | None = None
    """What the cache keeps of it under its mark; None where it is not to be kept."""


class Examined(NamedTuple):
    """What came of a task."""

    counts: Counts | None
    error: str | None
    grown: bool
    """Whether it changed while it was looked at, or was known to."""
    look: Look | None
    """None where it was not looked at."""


def examine(
    task: Task,
    profile: Profile,
    ways: Ways | None = None,
    cancelled: Cancelled | None = None,
) -> Examined:
    """Count an artifact and look at its envelope, as far as its task asks for it.

    What cannot be read is told in `error` or the link's note. Raises `Cancelled`.
    """
    found, counts, error, grown = task.found, task.counts, task.error, task.growing
    content: FileContent | StoredContent | BytesContent | None = None
    try:
        if task.uncounted:
            small = _small(task, ways, cancelled)
            if small is not None:
                content, counts = small
            else:
                from spillview.stored.stored import open_artifact

                try:
                    content = open_artifact(
                        found, root=found.root, cancelled=cancelled, ways=ways
                    )
                    counts, grown = _counted(task, content, cancelled)
                except Unreadable as failure:
                    error = str(failure)
        look = None
        if task.look and counts is not None and not grown:
            look = _look(task, counts, profile, content, ways)
    finally:
        if content is not None:
            content.close()
    return Examined(counts, error, grown, look)


def _small(
    task: Task, ways: Ways | None, cancelled: Cancelled | None
) -> tuple[BytesContent, Counts] | None:
    """The content of a small file that is what was found, and its counts."""
    found = task.found
    if ways is None or found.stored is not None or task.growing or found.size > HUGE:
        return None
    from spillview.content.unchanged import counted_unchanged

    return counted_unchanged(found.path, found.root, found.key, ways, cancelled)


def _counted(
    task: Task, content: FileContent | StoredContent, cancelled: Cancelled | None
) -> tuple[Counts | None, bool]:
    """Counts, unless it is huge or grows unasked; and whether it grows."""
    from spillview.content.counts import count

    found, counts = task.found, None
    grown = task.growing or content.key != found.key
    if (found.size <= HUGE and not grown) or task.huge:
        counted = count(content, cancelled=cancelled)
        grown = grown or content.changed() is not None
        if task.huge or not grown:
            counts = counted
    return counts, grown


def _look(
    task: Task,
    counts: Counts,
    profile: Profile,
    content: Content | None,
    ways: Ways | None,
) -> Look:
    # imported no sooner: a list of what is known already should start at once
    from spillview.catalogue import looks
    from spillview.seen.envelope import has_digest
    from spillview.seen.seen import look

    found, link = task.found, task.link
    try:
        looked = look(found, counts, link, profile, content=content, ways=ways)
        if found.digest is not None:
            looked = replace(looked, intact=has_digest(found))
    except Unreadable as failure:
        return Look({"note": str(failure)})
    changes: dict[str, Any] = {
        name: value
        for name in Link.__match_args__
        if (value := getattr(looked, name)) is not getattr(link, name)
    }
    return Look(changes, looks.token(found, link, profile), looks.pack(looked))


# In another process


def examine_all(
    profiles: Mapping[str, Profile], tasks: Sequence[Task]
) -> list[Examined | None]:
    """What came of each task, in their order."""
    from spillview.discovery.ways import Ways
    from spillview.processes import unwanted

    ways = Ways()
    try:
        return [
            examine(task, profiles[task.found.harness], ways, unwanted)
            for task in tasks
        ]
    finally:
        ways.close()


def ready() -> None:
    """Load what examining takes: the process is ready when it answers."""
    import orjson  # noqa: F401

    import spillview.content.counts
    import spillview.seen.envelope
    import spillview.seen.seen
    import spillview.stored.stored
    import spillview.transcripts.envelopes  # noqa: F401
