"""What a profile is checked for: its regexes, its samples, its patterns' roots."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spillview.errors import BadProfile
from spillview.profiles.patterns import BadPattern, parts_of, split_root
from spillview.profiles.profile import Profile


def check_profile(profile: Profile) -> None:
    """Compile every regex and run every sample. Raises `BadProfile`."""
    for number, rule in enumerate(profile.names, 1):
        where = f"{profile.source}: name_rule {number}"
        check_regex(rule.regex, f"{where}: regex", whole_names=True)
        for sample in rule.samples:
            found = rule.pattern.fullmatch(sample.get("name", ""))
            if found is None:
                raise BadProfile(f"{where}: regex does not fit its sample {sample}")
            _check_groups(found, sample, where, skip=("name",))
    for number, regex in enumerate(profile.frames, 1):
        check_regex(regex, f"{profile.source}: frames {number}")
    check_regex(profile.resume.id, f"{profile.source}: resume.id", whole_names=True)
    for notice in profile.notices:
        where = f"{profile.source}: notice {notice.id!r}"
        check_regex(notice.regex, f"{where}: regex")
        if notice.preview.gap is not None:
            check_regex(notice.preview.gap, f"{where}: preview.gap")
        if notice.preview.behind is not None:
            check_regex(notice.preview.behind, f"{where}: preview.behind")
        for number, regex in enumerate(notice.words, 1):
            check_regex(regex, f"{where}: words {number}")
        groups = {**notice.pattern.groupindex}
        if notice.preview.opening is not None:
            check_regex(notice.preview.opening, f"{where}: preview.opening", begin=True)
            groups |= re.compile(notice.preview.opening).groupindex
        if notice.extent == "counted" and "size" not in groups:
            raise BadProfile(
                f"{where}: extent is 'counted', but the regex has no group 'size': add"
                " it, or choose another extent"
            )
        for claim in notice.claims:
            if claim.group not in groups:
                raise BadProfile(
                    f"{where}: claims.{claim.group}: the regex has no such group: "
                    f"name one of {', '.join(groups) or 'none'}"
                )
        wanted = {"path": "path", "id": "id", "call_id": "call_id"}
        wanted |= {"row": "id", "virtual": "path"}
        group = wanted.get(notice.resolve.by)
        if group is not None and group not in groups and not notice.cut:
            raise BadProfile(
                f"{where}: resolve.by is {notice.resolve.by!r}, but the regex has no "
                f"group {group!r}: add it, or choose another resolve.by"
            )
        for sample_text in notice.samples:
            if notice.needle not in sample_text.text:
                raise BadProfile(f"{where}: needle is not in its sample: fix one")
            match = notice.pattern.search(sample_text.text)
            if match is None or notice.opens(sample_text.text) is None:
                raise BadProfile(f"{where}: regex does not match its sample: fix one")
            _check_groups(match, sample_text.expect, where)
    for key in ("handle", "capped"):
        if key in profile.pointer:
            check_regex(profile.pointer[key], f"{profile.source}: pointer.{key}")
    for number, transcript in enumerate(profile.transcripts, 1):
        for key, regex in transcript.evidence.items():
            where = f"{profile.source}: transcript {number}: evidence.{key}"
            check_regex(regex, where, whole_names=True)


def _check_groups(
    match: re.Match[str],
    expect: Mapping[str, str],
    where: str,
    skip: tuple[str, ...] = (),
) -> None:
    said = match.groupdict()
    for key, value in expect.items():
        if key not in skip and said.get(key) != value:
            raise BadProfile(
                f"{where}: group {key!r} gives {said.get(key)!r} on its sample, "
                f"not {value!r}: fix the regex or the sample"
            )


def check_regex(
    regex: str, where: str, *, whole_names: bool = False, begin: bool = False
) -> None:
    """Check that a regex may be run on any text; `where` names it in `BadProfile`.

    `whole_names`: on names alone. `begin`: at a text's beginning alone.
    """
    # Only profiles of users are checked at run time.
    from spillview.profiles import regexes

    try:
        # What is matched at a text's beginning alone may be nothing at all.
        regexes.check_regex(
            f"\\A(?:{regex})x" if begin else regex, short_text=whole_names
        )
    except regexes.UnsafeRegex as error:
        raise BadProfile(f"{where}: {error}") from None


def check_roots(profile: Profile, source: str) -> None:
    """Check that every pattern begins with a root of this profile, and parses.

    Raises `BadProfile`.
    """
    ids = {root.id for root in profile.roots}
    patterns: list[tuple[str, str]] = []
    for number, glob in enumerate(profile.globs, 1):
        patterns.append((f"glob {number}: path", glob.path))
        if glob.transcript is not None:
            patterns.append((f"glob {number}: transcript", glob.transcript))
    for number, rule in enumerate(profile.transcripts, 1):
        patterns.append((f"transcript {number}: path", rule.path))
    for number, project in enumerate(profile.projects, 1):
        for key, text in (("marker", project.marker), ("listed", project.listed)):
            if text is not None:
                patterns.append((f"project {number}: {key}", text))
    for notice in profile.notices:
        if notice.resolve.path is not None:
            patterns.append(
                (f"notice {notice.id!r}: resolve.path", notice.resolve.path)
            )
    for where, pattern in patterns:
        try:
            root, rest = split_root(pattern)
            parts_of(rest)
        except BadPattern as error:
            raise BadProfile(f"{source}: {where} {pattern!r}: {error}") from None
        if root not in ids:
            known = ", ".join(sorted(ids)) or "none"
            raise BadProfile(
                f"{source}: {where}: {{{root}}} is no root here: "
                f"name one of {known}, or add [[root]] with that id"
            )
