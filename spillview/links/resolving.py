"""Artifacts by what a notice says instead of their path: ids, handles, call ids."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice, takewhile

from spillview.hints import TYPE_CHECKING
from spillview.model import Found, Mention
from spillview.profiles.patterns import BadPattern, Part, parts_of, split_root
from spillview.regexes import late
from spillview.transcripts.addressing import Ending, artifact_endings, split
from spillview.transcripts.calls import handle_of

if TYPE_CHECKING:
    from spillview.links.addresses import Addresses
    from spillview.profiles.profile import Profile, Resolve
    from spillview.transcripts.facts import Touch

_CAPTURE = late(r"<([a-z_][a-z0-9_]*)(?::(?:[^<>\\]|\\.)+)?>")
_NAMING = frozenset(("id", "name", "call_id"))
_UNSAFE = late(r"[^A-Za-z0-9_.-]")
_SPECIAL = frozenset("<>*?{}/\\\0")
_SHORTEST_ROW = 6
"""Chars of a row's key that may stand for all of it."""


def is_flat(item: Found) -> bool:
    """Whether an artifact's place does not say of which session it is."""
    return os.path.isabs(item.session)


class Resolving:
    """The artifacts of one harness by the rules of its notices."""

    def __init__(
        self, found: Sequence[Found], profile: Profile, addresses: Addresses
    ) -> None:
        self.found = found
        self.profile = profile
        self.addresses = addresses
        self.rules = {notice.id: notice.resolve for notice in profile.notices}
        self.every = tuple(
            dict.fromkeys(
                notice.resolve
                for notice in profile.notices
                if not notice.cut and notice.resolve.by not in ("path", "none")
            )
        )
        self._known: dict[object, tuple[Found, ...]] = {}
        self._fitting: dict[str, list[Found]] = {}

    def candidates(self, mention: Mention) -> Sequence[Found]:
        """The artifacts that a mention may mean by its notice's rule."""
        rule = self.rules.get(mention.notice)
        rules = self.every if rule is None else (rule,)
        for each in rules:
            key = (
                each,
                mention.path,
                mention.ident,
                mention.call_id,
                mention.session,
                mention.agent,
            )
            if key not in self._known:
                self._known[key] = tuple(self._by_rule(each, mention))
            if self._known[key]:
                return self._known[key]
        return ()

    def handled(self, handle: str, touch: Touch) -> Sequence[Found]:
        """The artifacts that a call named by a handle: `artifact://3`."""
        found = handle_of(self.profile, handle)
        if found is None:
            return ()
        return self.candidates(
            Mention(
                touch.transcript,
                touch.session,
                touch.record,
                touch.offset,
                touch.length,
                place="result",
                notice="",
                path=None,
                ident=found["id"],
                agent=touch.agent,
            )
        )

    def moved(self, path: str) -> Found | None:
        """The artifact of a flat store whose root is now elsewhere, by what its
        pattern says of its name."""
        parts = split(path)
        for ending in artifact_endings(self.profile):
            if ending.match(parts) is not None and not ending.deep:
                item = self._by_ending.get("/".join(parts[-len(ending.parts) :]))
                if item is not None:
                    return item
        return None

    def _by_rule(self, rule: Resolve, mention: Mention) -> Iterable[Found]:
        if rule.by == "row":
            return self._rows(mention.ident)
        if rule.path is not None:
            return self._by_pattern(rule.path, mention)
        if rule.by == "call_id":
            return self._flat_calls.get(mention.call_id or "", ())
        if rule.by == "id":
            return self._by_stem.get(mention.ident or "", ())
        return ()

    def _rows(self, key: str | None) -> Iterable[Found]:
        """The row of that key, or the only one whose key begins so."""
        if not key:
            return ()
        exact = self._by_row.get(key)
        if exact is not None or len(key) < _SHORTEST_ROW:
            return exact or ()
        keys = self._row_keys
        first = bisect_left(keys, key)
        near = takewhile(lambda row: row.startswith(key), islice(keys, first, None))
        return [item for row in near for item in self._by_row[row]]

    def _by_pattern(self, pattern: str, mention: Mention) -> Iterable[Found]:
        _, rest = split_root(pattern)
        ident = mention.ident or (split(mention.path)[-1] if mention.path else None)
        values = {
            "id": ident,
            "name": ident,
            "call_id": mention.call_id,
            "session": mention.session,
            "parent": mention.session,
            "agent": mention.agent,
        }
        found: dict[str, Found] = {}
        plain = {key: value for key, value in values.items() if value}
        if not _NAMING & set(_CAPTURE.findall(rest)) <= set(plain):
            return ()  # what tells it from its neighbours is not known
        safe = {key: _UNSAFE.sub("_", value) for key, value in plain.items()}
        for said in (plain, safe):
            filled = _filled(rest, said)
            if filled is None:
                continue
            try:
                ending = Ending(parts_of(filled), 0)
            except BadPattern:
                continue
            for item in self._near(ending):
                if ending.match(split(item.path)) is not None:
                    found[item.id] = item
            if found:
                break
        return found.values()

    def _near(self, ending: Ending) -> Sequence[Found]:
        """The artifacts among which those that fit are."""
        last = ending.parts[-1]
        if last.literal is not None:
            return self.addresses.named(last.literal)
        if len(ending.parts) > 1 and ending.parts[-2].literal is not None:
            return self._by_folder.get(ending.parts[-2].literal, ())
        if len(ending.parts) > 1 and ending.parts[-2].shaped:
            return self._in_folders(ending.parts[-2])
        return self.found

    def _in_folders(self, part: Part) -> Sequence[Found]:
        """The artifacts in folders whose name fits `part`."""
        if part.text not in self._fitting:
            self._fitting[part.text] = [
                item
                for name, items in self._by_folder.items()
                if part.match(name) is not None
                for item in items
            ]
        return self._fitting[part.text]

    @cached_property
    def _by_stem(self) -> dict[str, list[Found]]:
        """By whole names and by what stands before the first dot of each."""
        known: dict[str, list[Found]] = {}
        for item in self.found:
            for name in {item.name, item.name.partition(".")[0]}:
                known.setdefault(name, []).append(item)
        return known

    @cached_property
    def _by_row(self) -> dict[str, list[Found]]:
        known: dict[str, list[Found]] = {}
        for item in self.found:
            if item.row:
                known.setdefault(item.row, []).append(item)
        return known

    @cached_property
    def _row_keys(self) -> list[str]:
        return sorted(self._by_row)

    @cached_property
    def _by_folder(self) -> dict[str, list[Found]]:
        known: dict[str, list[Found]] = {}
        for item in self.found:
            folder = os.path.basename(os.path.dirname(item.path))
            known.setdefault(folder, []).append(item)
        return known

    @cached_property
    def _flat_calls(self) -> dict[str, list[Found]]:
        known: dict[str, list[Found]] = {}
        for item in self.found:
            if item.call_id is not None and is_flat(item):
                known.setdefault(item.call_id, []).append(item)
        return known

    @cached_property
    def _by_ending(self) -> dict[str, Found | None]:
        known: dict[str, Found | None] = {}
        endings = [e for e in artifact_endings(self.profile) if not e.deep]
        for item in self.found:
            parts = split(item.path)
            keys = {
                "/".join(parts[-len(ending.parts) :])
                for ending in endings
                if ending.match(parts) is not None
            }
            for key in keys:
                # Two files of one name in two copies of a store: it names neither.
                known[key] = item if known.get(key, item) is item else None
        return known


def _filled(pattern: str, values: dict[str, str]) -> str | None:
    """A pattern with what is known put in; None where that cannot be in a name."""
    usable = True

    def value(found: re.Match[str]) -> str:
        nonlocal usable
        text = values.get(found[1])
        if text is None:
            return found[0]
        usable = usable and not _SPECIAL & set(text) and text not in (".", "..")
        return text

    filled = _CAPTURE.sub(value, pattern)
    return filled if usable else None
