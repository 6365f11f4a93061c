"""Invented names that outputs are made of."""

from __future__ import annotations

from spillview.demo.night import Dice


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


_SUBJECTS = words(
    "account balance batch booking branch carry cent chart chunk column cursor daybook "
    "deposit draft entry export fee field float folio header import invoice journal "
    "ledger line locale margin memo mirror month note offset order owner page payer "
    "period posting quote rate receipt refund report reserve row sheet split statement "
    "stub sum tariff teller total transfer unit voucher window year"
)
_TRAITS = words(
    "accepts adds applies bounds carries checks clears closes compares copies counts "
    "drops extends finds folds groups holds ignores joins keeps limits links loads "
    "marks matches merges moves names opens orders parses passes prints refuses "
    "repeats restores returns rounds scales skips sorts splits stores sums trims"
)
_WAYS = words(
    "after_close at_midnight by_currency by_owner for_empty_input for_leap_years "
    "for_negative_amounts in_any_order in_one_pass on_the_boundary once_only "
    "per_account twice_without_effect under_load when_full when_missing with_gaps "
    "with_tabs with_two_decimals without_header"
)


def subject(dice: Dice) -> str:
    """One noun."""
    return dice.pick(_SUBJECTS)


def case_name(dice: Dice) -> str:
    """`rounds_total_with_gaps`"""
    return f"{dice.pick(_TRAITS)}_{dice.pick(_SUBJECTS)}_{dice.pick(_WAYS)}"


def camel(name: str) -> str:
    """`rounds_total` as `RoundsTotal`."""
    return "".join(part.capitalize() for part in name.split("_"))


def sentence(dice: Dice) -> str:
    """`rounds the total with gaps`"""
    way = dice.pick(_WAYS).replace("_", " ")
    return f"{dice.pick(_TRAITS)} the {dice.pick(_SUBJECTS)} {way}"
