"""`config`: the settings there are, those that are set, and the keys by their names."""

from __future__ import annotations

import argparse
import os

from spillview.errors import BadInput
from spillview.hints import TYPE_CHECKING, Any
from spillview.text import path_text, printable

if TYPE_CHECKING:
    from spillview.cli.streams import Streams

DESCRIPTION = """\
Shows the settings as TOML with the file they are in, which is read and never written,
and what counts where nothing is set. A key or a harness it does not know is an error
that names the nearest one.

  mkdir -p ~/.config/spillview
  spillview config --example > ~/.config/spillview/config.toml"""

_EXAMPLE = """\
# Settings of spillview. All are optional; without the first # a line takes effect.

# Colours: night, day, contrast (7 to 1), ansi (the terminal's own sixteen).
#theme = "day"

# The queue opens as it was left on the same stores: order, filter, kind, the artifact
# under the cursor; and an artifact at the place where it was left. false: as at first.
#remember = false

# More places to look in: a container's home, a configured spill folder. The layout
# tells the harness, or its name does.
#roots = ["~/old-home", {path = "/mnt/box/.claude", harness = "claude-code"}]

# A clean-up in the trash is deleted for good by the next one after this age. Without it
# everything stays there until `trash --empty`.
#trash_keep = "14d"

# Boundaries where the harness was told others: by harness, then by tool (* for all).
#[boundaries.claude-code]
#Bash = "60000chars"
#"mcp__*" = ["50000chars", "25000tokens"]

# What `prune --policy` removes. The most specific policy decides, alone.
{policies}
# Limits of `watch`.
#[watch]
#max_file = "1GB"
#min_free = "5%"

# Other keys, by the names that `spillview config --keys` lists.
#[keys]
#"home.review" = "v,space"
"""


def example() -> str:
    """A settings file with every setting, commented out."""
    from spillview.cleanup.policy_file import EXAMPLE

    policies = "".join(f"#{line}\n" if line else "\n" for line in EXAMPLE.splitlines())
    return _EXAMPLE.replace("{policies}", policies)


def describe(name: str, parser: argparse.ArgumentParser) -> None:
    """The options of `config`."""
    parser.description = DESCRIPTION
    options = parser.add_argument_group("options")
    options.add_argument(
        "--example", action="store_true", help="print a commented file to start from"
    )
    options.add_argument(
        "--keys", action="store_true", help="list every key by its name for [keys]"
    )


def run(name: str, args: argparse.Namespace, streams: Streams) -> int:
    """Print what was asked for; gives the exit code."""
    from spillview.config import (
        KEYS,
        config_path,
        load_settings,
        unknown_harnesses,
    )
    from spillview.config_text import UNSET, lines
    from spillview.places import Places
    from spillview.profiles.profile import load_profiles

    if args.words:
        raise BadInput("config takes no words; see `spillview config --help`")
    if args.example:
        streams.write(example().encode())
        return 0
    places = Places.here()
    settings = load_settings(places)
    path = config_path(places)
    if args.keys:
        return _keys(settings.keys, path, args, streams)
    data = _data(path)
    if settings.keys:
        from spillview.tui.keymap import check_keys

        check_keys(settings.keys, path)
    profiles, _ = load_profiles(places)
    if wrong := unknown_harnesses(settings, places, profiles):
        raise BadInput(wrong[0])
    if args.json:
        for key in KEYS:
            row = {"setting": key, "value": data.get(key), "set": key in data}
            streams.json(row | ({} if key in data else {"default": UNSET[key]}))
        return 0
    there = os.path.isfile(path)
    streams.line(f"# {printable(path_text(path))}{'' if there else ' (not there)'}")
    for line in lines(data):
        streams.line(printable(path_text(line)))
    streams.line()
    if not data:
        streams.line(
            "# Nothing is set; `spillview config --example` shows what can be."
        )
    for key in KEYS:
        if key not in data:
            streams.line(f"# {key} is not set: {UNSET[key]}")
    return 0


def _data(path: str) -> dict[str, Any]:
    import tomllib

    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        return tomllib.load(file)


def _keys(chosen: Any, path: str, args: argparse.Namespace, streams: Streams) -> int:
    from spillview.cli.tables import Cell, Column, write_table
    from spillview.tui.keymap import bindings, check_keys

    check_keys(chosen, path)
    rows = sorted(bindings().items())
    if args.json:
        for name, binding in rows:
            keys = chosen.get(name, binding.key)
            about = binding.description
            streams.json({"name": name, "keys": keys, "does": about})
        return 0
    columns = [Column("NAME"), Column("KEYS"), Column("DOES")]
    table = [
        [Cell(name), Cell(chosen.get(name, b.key)), Cell(b.tooltip or b.description)]
        for name, b in rows
    ]
    write_table(streams, columns, table)
    return 0
