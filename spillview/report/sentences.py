"""One sentence for each finding: who, what, and what followed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from spillview.model import Artifact, Line, Missing
from spillview.report.findings import Finding, Run
from spillview.report.items import Items
from spillview.seen.endings import ending_line, ending_seen
from spillview.text import human_bytes, legible, path_text, plural

if TYPE_CHECKING:
    from spillview.report.finding_list import Findings

QUOTED = 300
"""Chars of a text that a sentence quotes."""


def quoted(text: str) -> str:
    """A text as one line in quotes, cut with an ellipsis."""
    line = " ".join(text[: 4 * QUOTED].split())
    cut = len(line) > QUOTED or len(text) > 4 * QUOTED
    return f"“{line[:QUOTED]}…”" if cut else f"“{line}”"


RULES = "=-_*#~ "
"""What a verdict is often framed with."""


def verdict_text(line: Line | None) -> str:
    """A verdict as a terminal would leave it, without a frame around it."""
    if line is None:
        return "it has no line of text"
    text = path_text(legible(line.text))
    return text.strip(RULES) or text


def name_of(run: Run | None) -> str:
    """A session's title, else its id."""
    if run is None:
        return "?"
    return run.title or path_text(run.id)


def session_words(run: Run | None) -> str:
    """The session and its project, for a sentence."""
    project = f" in {path_text(run.project)}" if run is not None and run.project else ""
    return f"{quoted(name_of(run))}{project}"


def subject(artifact: Artifact) -> str:
    """What the artifact is of: its command, else its label or its file's name."""
    text = artifact.command or artifact.label or path_text(artifact.found.name)
    return " ".join(text.split())


def looked(section: str, artifact: Artifact, run: Run, went_on: bool) -> str:
    """What is to be said of what the model saw of an artifact."""
    verdict = quoted(verdict_text(ending_line(artifact)))
    command = quoted(subject(artifact))
    match section:
        case "failed_unseen":
            did = "went on" if went_on else "said nothing more"
            text = (
                f"{session_words(run)} {did} after {command} failed, and never saw:"
                f" {verdict}"
            )
            return text + (_followed(artifact) if went_on else "")
        case "verdict_unseen":
            concluded = artifact.conclusion_seen is not False
            what = "last line" if concluded else "verdict"
            text = f"the {what} of {command} was never seen: {verdict}"
        case "signals_unseen":
            text = f"{command} tells of errors only where the model did not look"
        case _:
            saw = ending_seen(artifact)
            how = "and the model saw it" if saw else "whether it was seen is not known"
            text = f"{command} failed, {how}: {verdict}"
    unseen = signals_unseen(artifact)
    if unseen and section != "failed":
        text += f"; {_lines(unseen)} of errors were never seen"
    return text


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"


def signals_unseen(artifact: Artifact) -> int | None:
    """Lines that tell of errors and were never seen; None where it is not known."""
    signals = artifact.link.signals if artifact.link is not None else None
    return signals.unseen if signals is not None else None


def _followed(artifact: Artifact) -> str:
    mention = artifact.envelope
    following = mention.next if mention is not None else None
    if following is None:
        return ""
    parts = []
    if following.text:
        parts.append(f"said {quoted(path_text(following.text))}")
    if following.tool:
        command = f" {quoted(following.command)}" if following.command else ""
        parts.append(f"called {path_text(following.tool)}{command}")
    return f"; it then {' and '.join(parts)}" if parts else ""


def items_text(artifact: Artifact, items: Items) -> str:
    """How many items were received."""
    least = "" if items.certain else "at least "
    where = f" at {path_text(items.path)}" if items.path else ""
    noun = "records" if items.path else "items"
    return (
        f"the model saw {least}{items.seen:,} of {items.total:,} {noun}{where}"
        f" of {quoted(subject(artifact))}"
    )


def call_text(call: Missing) -> str:
    """Why a call's full result is not on disk."""
    said = call.mention
    what = quoted(path_text(said.command or said.tool or "a call"))
    if call.removal is not None:
        return f"the full result of {what} is {call.removal.words}"
    if call.swept is not None:
        return f"the full result of {what} is gone, as expected: {call.swept}"
    if call.state == "cut":
        return f"the result of {what} was cut, and nothing of it was saved"
    name = path_text(os.path.basename(said.path)) if said.path else "its file"
    return f"the full result of {what} is gone: {name} is not there"


def expected_texts(findings: Iterable[Finding], *, more: bool) -> list[str]:
    """How many results are gone as expected, a sentence for each reason."""
    also = " more" if more else ""
    calls = [each.call for each in findings if each.call is not None and each.swept]
    told = []
    for reason, number in Counter(call.swept for call in calls).items():
        call = next(call for call in calls if call.swept == reason)
        if call.removal is not None:
            told.append(f"{number:,}{also} removed in a clean-up: {reason}")
        else:
            told.append(f"{number:,}{also} {call.state}, as expected: {reason}")
    return told


def growing_text(artifact: Artifact, growth: str) -> str:
    """What grows, how large it is by now, and what more is known of its growth."""
    found = artifact.found
    size = found.target_size if found.target_size is not None else found.size
    told = f"{human_bytes(size)} by now" + (f", {growth}" if growth else "")
    return f"{quoted(subject(artifact))} grows: {told}"


def _credentials(artifact: Artifact) -> str:
    """What looks like a credential in it, where, and whether the model received it."""
    if artifact.secrets is None:
        return "something in it looks like a secret"
    from spillview.secrets.telling import kinds, seen_words

    return f"it holds {kinds(artifact)}, and {seen_words([artifact])}"


def open_text(findings: Findings) -> str:
    """How many artifacts everybody may read, and what to do about it."""
    stores = len(findings.stores())
    return (
        f"{len(findings):,} artifacts in {plural(stores, 'store')} can be read by every"
        " user of this machine: `spillview doctor --fix-modes` takes that right away"
    )


def exposed_text(artifact: Artifact, owner: str | None, leads_out: bool) -> str:
    """Who may read it, or where it leads."""
    reasons = []
    if "world-readable" in artifact.flags:
        reasons.append("every user of this machine can read it")
    if "secret-like" in artifact.flags:
        reasons.append(_credentials(artifact))
    if owner is not None:
        reasons.append(f"it belongs to {owner}")
    if leads_out:
        target = path_text(artifact.found.target or "?")
        reasons.append(f"it is a link out of every store, to {target}")
    return f"{', and '.join(reasons)}: {path_text(artifact.found.place)}"
