"""Artifacts and calls as people are shown them: without the credentials in them.

Rows of `--json` are made of the facts themselves; whatever is drawn, printed or mailed
is made of these.
"""

from __future__ import annotations

from spillview.frozen import Frozen, replace
from spillview.hints import TYPE_CHECKING, TypeVar
from spillview.secrets.masking import (
    MaskedContent,
    concealed,
    cut_pieces,
    masked_text,
)

if TYPE_CHECKING:
    from spillview.model import Artifact, Line, Mention, Missing
    from spillview.seen.envelope import EnvelopeFacts

_Facts = TypeVar("_Facts", bound=Frozen)


def _changed(facts: _Facts, **fields: object) -> _Facts:
    """The facts with these fields, or themselves where they have them already."""
    new = {name: v for name, v in fields.items() if getattr(facts, name) != v}
    return replace(facts, **new) if new else facts


def _text(text: str | None) -> str | None:
    return masked_text(text) if text else text


def shown_line(line: Line | None) -> Line | None:
    """A line whose text has no credentials."""
    return None if line is None else _changed(line, text=masked_text(line.text))


def shown_mention(mention: Mention) -> Mention:
    """A mention whose command, label and sequel have no credentials."""
    following = mention.next
    if following is not None:
        following = _changed(
            following, text=_text(following.text), command=_text(following.command)
        )
    return _changed(
        mention,
        command=_text(mention.command),
        label=_text(mention.label),
        next=following,
    )


def shown(artifact: Artifact) -> Artifact:
    """The artifact with no credentials in its texts; its names and paths are its own.

    The same object where there are none.
    """
    found, counts, link = artifact.found, artifact.counts, artifact.link
    if found.command is not None:
        found = _changed(found, command=_text(found.command))
    if counts is not None and counts.verdict is not None:
        counts = _changed(counts, verdict=shown_line(counts.verdict))
    if link is not None:
        conclusion = link.conclusion
        if conclusion is not None:
            conclusion = _changed(conclusion, line=shown_line(conclusion.line))
        mentions = tuple(map(shown_mention, link.mentions))
        reads = tuple(_changed(r, command=_text(r.command)) for r in link.reads)
        same = all(a is b for a, b in zip(mentions, link.mentions, strict=True))
        link = _changed(
            link,
            conclusion=conclusion,
            mentions=link.mentions if same else mentions,
            reads=reads,
        )
    if found is artifact.found and counts is artifact.counts and link is artifact.link:
        return artifact
    return replace(artifact, found=found, counts=counts, link=link)


def shown_call(call: Missing) -> Missing:
    """A missing call with no credentials in its texts."""
    mention = shown_mention(call.mention)
    return call if mention is call.mention else replace(call, mention=mention)


def shown_envelope(facts: EnvelopeFacts) -> EnvelopeFacts:
    """An envelope and its artifact with no credentials.

    Those that its end or a gap cut in two are known by the artifact's own bytes, which
    are read around the edges of what was seen.
    """
    artifact = facts.artifact
    pieces = edge_pieces(artifact)
    records = tuple(
        replace(
            each,
            mention=shown_mention(each.mention),
            text=concealed(each.text, pieces) if each.text is not None else None,
        )
        for each in facts.shown
    )
    return replace(facts, artifact=shown(artifact), shown=records)


def edge_pieces(artifact: Artifact) -> list[bytes]:
    """What an envelope shows of credentials that are cut by the edge of what was seen.

    Nothing where the artifact cannot be read.
    """
    seen = artifact.link.seen if artifact.link is not None else None
    if seen is None or not artifact.has_content:
        return []
    from spillview.errors import SpillError
    from spillview.stored.stored import open_artifact

    try:
        with open_artifact(artifact.found, root=artifact.found.root) as content:
            masks = MaskedContent(content)
            return cut_pieces(content, seen.ranges, masks.ranges)
    except SpillError:
        return []
