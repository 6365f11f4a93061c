"""`grep --secrets`: where credentials are, and whether the model received them."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING, Any
from spillview.model import Artifact
from spillview.secrets.kept import SEEN_WORDS
from spillview.text import human_count, path_text, printable

if TYPE_CHECKING:
    from spillview.catalogue.catalogue import Catalogue
    from spillview.cli.streams import Streams, Style

STYLES: dict[str, Style | None] = {"seen": "unseen", "in part": "unseen"}
"""What reached a model is what is bad here."""


def check(args: argparse.Namespace) -> None:
    """Raise `BadInput` for options that mean nothing here."""
    given = [
        name
        for name, value in (
            ("-e", args.regexp),
            ("-v", args.invert_match),
            ("-o", args.only_matching),
            ("-m", args.max_count is not None),
            ("-c", args.count),
        )
        if value
    ]
    if given:
        raise BadInput(f"--secrets looks by its own rules: leave out {given[0]}")


def run(
    catalogue: Catalogue,
    artifacts: Sequence[Artifact],
    args: argparse.Namespace,
    streams: Streams,
) -> tuple[bool, set[str]]:
    """Look, and print the places; whether there are any, and ids that were printed."""
    from spillview.secrets.kept import look_through, states
    from spillview.secrets.telling import holders

    left = look_through(
        catalogue.cache,
        artifacts,
        huge=True,
        progress=lambda done, total: streams.progress("looked through", done, total),
        cancelled=streams.closed,
    ).left
    catalogue.learn_secrets()
    kinds: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    printed: set[str] = set()
    for artifact in holders(catalogue, artifacts):
        assert artifact.secrets is not None
        places = [
            (secret, state)
            for secret, state in states(artifact, artifact.secrets)
            if args.seen is None or (state in ("seen", "in part")) is args.seen
        ]
        if not places:
            continue
        printed.add(artifact.id)
        kinds.update(secret.words for secret, _ in places)
        seen.update(state for _, state in places)
        if args.files_with_matches and not args.json:
            streams.line(printable(path_text(artifact.found.place)))
            continue
        if not args.json and streams.terminal:
            _head(artifact, streams)
        for secret, state in places:
            if args.json:
                streams.json(_row(artifact, secret, state))
            else:
                _line(artifact, secret, state, streams)
        if not artifact.secrets.complete:
            streams.note(
                f"{path_text(artifact.found.place)}: there may be more than the first"
                f" {human_count(len(artifact.secrets.items))}"
            )
    if args.json:
        streams.json(_summary(printed, kinds, seen, left))
    else:
        _tell(printed, kinds, seen, streams)
        looked = len(artifacts) - left
        if not printed and looked:
            streams.note(_none(looked, args.seen))
    if left:
        streams.note(
            f"not looked for in {human_count(left)}"
            f" artifact{'' if left == 1 else 's'} that grow or could not be read"
        )
    return bool(printed), printed


def _head(artifact: Artifact, streams: Streams) -> None:
    from spillview.cli.listing_tables import project_name, subject
    from spillview.cli.tables import clip
    from spillview.secrets.showing import shown

    words = [
        artifact.found.harness,
        project_name(artifact.project, artifact.found.project_slug),
        subject(shown(artifact)),
    ]
    text = clip("  ".join(w for w in words if w), streams.width - 10)
    ident = streams.styled(artifact.id[:8], "name")
    streams.line(f"{ident}  {streams.styled(text, 'title')}")


def _line(artifact: Artifact, secret: Any, state: str, streams: Streams) -> None:
    told = SEEN_WORDS[state]
    if not streams.terminal:
        path = printable(path_text(artifact.found.place))
        streams.line(f"{path}:{secret.line}:{secret.words}:{told}")
        return
    number = streams.styled(f"{secret.line:>8,}", "dim")
    streams.line(f"{number}  {secret.words}  {streams.styled(told, STYLES.get(state))}")


def _tell(
    printed: set[str], kinds: Counter[str], seen: Counter[str], streams: Streams
) -> None:
    if not printed:
        return
    told = ", ".join(
        words if number == 1 else f"{human_count(number)} × {words}"
        for words, number in kinds.most_common()
    )
    states = ", ".join(
        f"{human_count(seen[state])} {word}"
        for state, word in (
            ("seen", "seen by the model"),
            ("in part", "in part"),
            ("unseen", "never seen"),
            ("unknown", "not known"),
        )
        if seen[state]
    )
    noun = "artifact" if len(printed) == 1 else "artifacts"
    streams.note(f"{human_count(len(printed))} {noun}: {told} ({states})")


def _none(looked: int, seen: bool | None) -> str:
    """That none was found, and in how many artifacts was looked."""
    of = {
        None: "",
        True: " that a model received",
        False: " that no model received",
    }[seen]
    noun = "artifact" if looked == 1 else "artifacts"
    return f"no credential{of} was found in {human_count(looked)} {noun}"


def _row(artifact: Artifact, secret: Any, state: str) -> dict[str, Any]:
    return {
        "type": "secret",
        "data": {
            "artifact": artifact.id,
            "path": path_text(artifact.found.place),
            "rule": secret.rule,
            "words": secret.words,
            "line_number": secret.line,
            "byte_range": [secret.start, secret.end],
            "seen": {"seen": True, "unseen": False}.get(state),
            "seen_in_part": state == "in part",
        },
    }


def _summary(
    printed: set[str], kinds: Counter[str], seen: Counter[str], left: int
) -> dict[str, Any]:
    return {
        "type": "summary",
        "data": {
            "artifacts": len(printed),
            "secrets": sum(kinds.values()),
            "kinds": dict(kinds),
            "seen": seen["seen"],
            "seen_in_part": seen["in part"],
            "unseen": seen["unseen"],
            "unknown": seen["unknown"],
            "not_looked_for": left,
        },
    }
