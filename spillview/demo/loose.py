"""Files that no session record points at: an outbox."""

from __future__ import annotations

import hashlib

from spillview.demo import go_output, python_output, rust_output
from spillview.demo.night import HOUR, Dice, Night


def write(night: Night) -> None:
    """An outbox: one output changed after it was named, one that all may read."""
    dice = Dice("outbox")
    texts = (
        ("workspace-tests", rust_output.suite_run(dice, [("ledger-core", 900)])),
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
