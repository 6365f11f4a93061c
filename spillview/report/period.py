"""Which period a report covers, and how that is said."""

from __future__ import annotations

from datetime import datetime, timedelta

from spillview.catalogue.triage import EVENING_HOUR, evening
from spillview.model import Missing
from spillview.report.findings import Period
from spillview.text import when


def period_of(
    last_review: float | None,
    now: float,
    since: float | None = None,
    until: float | None = None,
) -> Period:
    """Since the last review, else since 18:00 of yesterday; or what a person asks for.

    Yesterday's evening it is at any hour: whoever looks at eleven at night has not
    seen the night before either.
    """
    end, opened = (now, True) if until is None else (until, False)
    if since is not None:
        asked = since if since > 0 else None
        return Period(asked, end, "asked" if asked is not None else "all", opened)
    start = night_start(last_review, now)
    if end <= start:
        return Period(None, end, "all", opened)
    # While some of a first night is left, the period still begins at an evening.
    reviewed = last_review is not None and start != evening(start)
    return Period(start, end, "review" if reviewed else "evening", opened)


def night_start(last_review: float | None, now: float) -> float:
    """Where the period begins that nobody asked for, in seconds since the epoch."""
    return last_review if last_review is not None else evening_before(now)


def evening_before(now: float) -> float:
    """18:00 of the day before, local time, in seconds since the epoch."""
    local = datetime.fromtimestamp(now)  # noqa: DTZ006 - local, as people say it
    evening = (local - timedelta(days=1)).replace(
        hour=EVENING_HOUR, minute=0, second=0, microsecond=0
    )
    return evening.timestamp()


def holds_times(period: Period, created: float, changed: float, *, dated: bool) -> bool:
    """Whether an artifact of these times was made or last changed in the period.

    What has no time at all (it is not `dated`) is never left out.
    """
    if not dated:
        return True
    if period.since is not None and max(created, changed) < period.since:
        return False
    return created <= period.until or period.open


def holds_call(period: Period, call: Missing) -> bool:
    """Whether the call lies in the period; one without a time is never left out."""
    at = call.mention.time
    if at is None:
        return True
    if period.since is not None and at < period.since:
        return False
    return at <= period.until or period.open


def words(period: Period, now: float) -> str:
    """The period for people: `from 18:00 yesterday to 07:31 today (your …)`."""
    end = when(period.until, now)
    if period.since is None:
        return f"everything up to {end}"
    said = f"from {when(period.since, now)} to {end}"
    if period.origin == "review":
        return f"{said}, since your last review"
    return said
