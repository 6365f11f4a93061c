"""What several mentions and reads of one artifact say together."""

from __future__ import annotations

from collections.abc import Sequence

from spillview.frozen import replace
from spillview.hints import TYPE_CHECKING
from spillview.model import Found, Link, Mention, Read
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.transcripts.facts import Touch


def with_end(mentions: list[Mention]) -> list[Mention]:
    """The first mention with the outcome that a later notification tells."""
    if not mentions or mentions[0].exit_code is not None:
        return mentions
    for later in mentions[1:]:
        if later.call_id == mentions[0].call_id and (
            later.exit_code is not None or later.failed
        ):
            first = replace(mentions[0], failed=later.failed, exit_code=later.exit_code)
            return [first, *mentions[1:]]
    return mentions


def read_of(touch: Touch, own: bool) -> Read:
    """The read that a call was; `own`: of the artifact's own session."""
    return Read(
        touch.tool,
        touch.call_id,
        touch.transcript,
        touch.record,
        touch.session,
        own,
        None,
        offset=touch.offset,
        length=touch.length,
        command=touch.command,
        failed=touch.failed,
        named=bool(touch.names),
    )


def foreign_read(mention: Mention) -> Read:
    """An envelope in another session: there it was read, not made."""
    return Read(
        mention.tool,
        mention.call_id,
        mention.transcript,
        mention.record,
        mention.session,
        False,
        None,
        offset=mention.offset,
        length=mention.length,
        command=mention.command,
        failed=mention.failed,
    )


def distinct(mentions: list[Mention]) -> list[Mention]:
    """Without what a second transcript of the same session repeats: one that was
    written in another form stays beside the new one."""
    if len({mention.transcript for mention in mentions}) < 2:
        return mentions
    best: dict[object, str] = {}
    for mention in mentions:
        key = _told(mention)
        best[key] = max(best.get(key, ""), mention.transcript)
    kept = [
        mention
        for mention in mentions
        if mention.call_id is None or best[_told(mention)] == mention.transcript
    ]
    gates = next((m.boundaries for m in mentions if m.boundaries), ())
    if gates and not any(mention.boundaries for mention in kept):
        kept[0] = replace(kept[0], boundaries=gates)
    return kept


def _told(mention: Mention) -> tuple[object, ...]:
    return (
        mention.session,
        mention.call_id,
        mention.notice,
        mention.path,
        mention.ident,
        mention.start,
        mention.end,
    )


def copy_note(mentions: Sequence[Mention]) -> str | None:
    """A sentence about a whole copy in the records; None where they hold none."""
    copied = 0
    for mention in mentions:
        copied = max(copied, mention.copy_chars)
    if not copied:
        return None
    if not any(mention.end for mention in mentions):
        return (
            f"The record holds the whole result, {copied:,} chars; what the model was "
            "given in its place is not kept."
        )
    return f"The record also embeds a copy of {copied:,} chars beside the preview."


def tie_chains(found: Sequence[Found], links: dict[str, Link]) -> None:
    """Tie artifacts together whose reading was spilled again: A → B → C."""
    made_by: dict[tuple[str, str], str] = {}
    for item_id, link in links.items():
        for mention in link.mentions:
            if mention.call_id is not None:
                made_by.setdefault((mention.transcript, mention.call_id), item_id)
    after: dict[str, str] = {}
    for item_id, link in links.items():
        for read in link.reads:
            made = made_by.get((read.transcript, read.call_id or ""))
            if made is not None and made != item_id and made not in after.values():
                after.setdefault(item_id, made)
    names = {item.id: printable(path_text(item.name)) for item in found}
    before = {later: earlier for earlier, later in after.items()}
    for item_id in {*after, *before}:
        chain = [item_id]
        while chain[0] in before and before[chain[0]] not in chain:
            chain.insert(0, before[chain[0]])
        while chain[-1] in after and after[chain[-1]] not in chain:
            chain.append(after[chain[-1]])
        said = [links[item_id].note] if links[item_id].note else []
        if item_id in before:
            said.append(f"It is what a read of {names[before[item_id]]} returned.")
        if item_id in after:
            said.append(f"A later read of it was spilled to {names[after[item_id]]}.")
        links[item_id] = replace(
            links[item_id], note=" ".join(filter(None, said)), chain=tuple(chain)
        )
