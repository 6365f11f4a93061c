"""What no agent's own log tells of: an outbox, and spillview's own store."""

from __future__ import annotations

import hashlib
import json
import os

from spillview.demo import go_output, python_output, rust_output
from spillview.demo.dsh import bounded
from spillview.demo.night import HOUR, Dice, Night, iso
from spillview.demo.words import sentence, subject
from spillview.places import Places

SHOWN = 14_000
"""Bytes of an output that our own envelope shows, its notice included."""


def write(night: Night) -> None:
    """An outbox: one output changed after it was named, one that all may read."""
    dice = Dice("outbox")
    texts = (
        ("workspace-tests", rust_output.suite_run(dice, [("ledger-core", 900)], ())),
        ("heap-profile", go_output.profile(dice, 900)),
        ("station-load", python_output.load_log(dice, 2_600)),
        ("nightly-tests", python_output.pytest_run(dice, 700, 0)),
    )
    for number, (label, text) in enumerate(texts):
        data = text.encode()
        name = f"{label}-{hashlib.sha256(data).hexdigest()[:12]}.txt"
        if label == "nightly-tests":
            data += b"(cut here by hand)\n"
        when = night.now - (2 + number) * HOUR
        mode = 0o644 if label == "heap-profile" else 0o600
        night.write(night.path("tmp", "outbox", name), data, when, mode)
    index = python_output.catalogue(dice, 320, 20).encode()
    name = f"json-{hashlib.sha256(index).hexdigest()[:12]}.json"
    night.write(night.path("tmp", "outbox", name), index, night.now - 3.5 * HOUR)
    _own_store(night)


def _own_store(night: Night) -> None:
    """Two folded commands of a nightly job, each with the facts beside it."""
    dice = Dice("spills")
    pages = "".join(
        f"{n:05d} {subject(dice)}/{subject(dice)}.html  {sentence(dice)}\n"
        for n in range(2_600)
    )
    links = "".join(
        f"{n:05d} https://{subject(dice)}.example.org/{subject(dice)}  "
        f"{dice.pick((200, 200, 200, 301, 404))}  {sentence(dice)}\n"
        for n in range(2_300)
    )
    dead = links.count("  404  ")
    outputs = (
        ("make site", "site", f"{pages}2600 pages written\n", 0),
        ("make linkcheck", "linkcheck", f"{links}FAILED: {dead} links are dead\n", 1),
    )
    owner = "nightly-site"
    session = f"session-{hashlib.sha256(owner.encode()).hexdigest()[:12]}"
    folder = os.path.join(Places.of_home(night.home).state_dir, "spills", session)
    for number, (command, label, text, code) in enumerate(outputs):
        when = night.now - (4 - number * 0.2) * HOUR
        name = f"{dice.hex(12)}-{label}.txt"
        path = os.path.join(folder, name)
        data = text.encode()
        facts = {
            "session": owner,
            "tool": "wrap",
            "label": label,
            "command": command,
            "created": iso(when),
            "cwd": night.project("site"),
            "exit_code": code,
            "bytes": len(data),
            "chars": len(text),
            "lines": text.count("\n"),
            "sha256": hashlib.sha256(data).hexdigest(),
            "envelope": {"text": bounded(text, path, SHOWN)},
        }
        night.write(path, data, when)
        sidecar = os.path.join(folder, f".{name}.json")
        night.write(sidecar, json.dumps(facts).encode(), when)
