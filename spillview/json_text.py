"""Reading the JSON that we wrote ourselves, without a slow start for a little of it."""

from __future__ import annotations

import json
import sys

from spillview.hints import Any

ENOUGH = 1 << 19
"""Bytes that `json` reads in the time that the import of `orjson` takes."""

_read = 0


def loads(data: bytes) -> Any:
    """The value in `data`; raises ValueError when it is no JSON.

    `orjson` reads four times as fast and brings a dozen modules along, so it comes in
    once much was read. Lone surrogates, which it refuses, are read all the same.
    """
    global _read
    _read += len(data)
    if _read > ENOUGH or "orjson" in sys.modules:
        import orjson

        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass
    return json.loads(data)
