"""What a notice states, read from its words: sizes with the slack of their rounding."""

import re

from spillview.model import Claim
from spillview.named import NamedTuple

LARGEST = 2**63 - 1
"""No file is larger: a notice that states more states nothing."""


class ClaimRule(NamedTuple):
    """How one group of a notice's regex is to be read."""

    group: str
    unit: str
    """`bytes`, `omitted_bytes`, `chars`, `utf16`, `lines`, `tokens` or `sha256`."""
    base: int = 1024
    """What k means in a size such as `64.8KB`."""
    decimals: int = 1
    """The decimals the notice prints at most: the exact count lies that close."""
    slack: int = 0
    """How far an exact count may lie from the number for other reasons: a harness
    may count the nothing after a last line's end as a line of its own."""


def read_claim(text: str, rule: ClaimRule) -> Claim | None:
    """The number (or digest) that a notice's words `text` state; None if they do not.

    Knows `822,582`, `1.234.567`, `1 234`, `64.8KB`, `0.12 MB`, `1.8 GiB`, hex digests.
    """
    if rule.unit == "sha256":
        return Claim("sha256", text.lower())
    found = re.fullmatch(
        r"[^\d]{0,3}(?P<number>\d[\d.,'\u00a0\u202f ]{0,30}?)"
        r"\s{0,2}(?P<unit>bytes?|[kKMGT]i?B?|B)?",
        text.strip(),
    )
    if found is None:
        return None
    number, unit = found["number"], found["unit"] or ""
    scale = 1
    if unit[:1].upper() in ("K", "M", "G", "T"):
        base = 1024 if "i" in unit else rule.base
        scale = base ** ("KMGT".index(unit[0].upper()) + 1)
    whole, point, part = number, "", ""
    if scale > 1:
        cut = max(number.rfind("."), number.rfind(","))
        if cut >= 0 and len(number) - cut - 1 <= max(rule.decimals, 2):
            whole, point, part = number[:cut], ".", number[cut + 1 :]
    digits = re.sub(r"\D", "", whole) or "0"
    value = float(f"{digits}{point}{part}") * scale if scale > 1 else int(digits)
    if value > LARGEST:
        return None
    slack = 0.5 * scale / 10**rule.decimals if scale > 1 else 0.0
    return Claim(rule.unit, round(value), slack + rule.slack)
