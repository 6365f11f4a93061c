"""The part of an envelope that is the artifact's own text, by its notice's rule."""

from __future__ import annotations

import re

from spillview.hints import TYPE_CHECKING
from spillview.transcripts.notices import find

if TYPE_CHECKING:
    from spillview.profiles.profile import Notice, Preview

LEAD = 600
"""Chars after a notice in which the words that open its preview are looked for."""


def preview_of(text: str, notice: Notice) -> str | None:
    """The part of an envelope that is the artifact's own text.

    None when the notice no longer stands in it.
    """
    match = find(text, notice)
    if match is None:
        return None
    rule = notice.preview
    if rule.form == "none":
        return ""
    if rule.field is not None:
        member = _member(text, rule.field)
        return member if member is None or not rule.opens else _within(member, rule)
    if rule.form == "blocks":
        from spillview.envelopes.reading import shown_text

        return shown_text(text)
    before, after = text[: match.start()], text[match.end() :]
    if rule.place != "after" and rule.opening:
        opening = notice.opens(text)
        before = before[opening.end() :] if opening is not None else before
    if rule.place == "before":
        return _closed(_behind_last(before, rule), rule, match.group())
    if rule.place == "around":
        return "".join(_halves(before, after, rule, match.group()))
    return _within(after, rule)


def _halves(before: str, after: str, rule: Preview, notice: str) -> tuple[str, str]:
    """What stands before and after a notice, without what belongs to it."""
    return _closed(before, rule, notice), _opened(after, rule) if rule.opens else after


def _within(text: str, rule: Preview) -> str:
    """A preview between the words that open it and those that close it."""
    shown = _opened(text, rule)
    if rule.behind is not None:
        last = re.search(rule.behind, shown)
        shown = shown[: last.start()] if last is not None else shown
    return _closed(shown, rule, "")


def _member(text: str, name: str) -> str | None:
    """A text inside the JSON object that an envelope is."""
    from spillview.transcripts.facts import load

    try:
        value = load(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        return None
    shown = value.get(name) if isinstance(value, dict) else None
    return shown if isinstance(shown, str) else None


def _opened(text: str, rule: Preview) -> str:
    """What follows the words that open a preview."""
    for words in rule.opens:
        at = text.find(words, 0, LEAD + len(words))
        if at >= 0:
            return text[at + len(words) :]
    return text.lstrip("\n") if not rule.opens else ""


def _behind_last(text: str, rule: Preview) -> str:
    """What follows the last words that open a preview, where it stands before."""
    for words in rule.opens:
        at = text.rfind("\n" + words)
        if at >= 0:
            return text[at + 1 + len(words) :]
        if text.startswith(words):
            return text[len(words) :]
    return text


def _closed(text: str, rule: Preview, notice: str) -> str:
    """What stands before the words that close a preview."""
    for words in sorted(rule.closes, key=len, reverse=True):
        if notice.startswith(words):
            return text  # the notice itself begins with them
        if text.endswith(words):
            return text[: len(text) - len(words)]
    return text


def split(text: str, notice: Notice) -> tuple[str, str] | None:
    """Head and tail of an envelope whose notice stands between the two."""
    rule, match = notice.preview, find(text, notice)
    if (rule.place, rule.form) != ("around", "head+tail") or match is None:
        return None
    opening = notice.opens(text) if rule.opening else None
    before = text[opening.end() if opening is not None else 0 : match.start()]
    return _halves(before, text[match.end() :], rule, match.group())
