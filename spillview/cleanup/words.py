"""Sentences of which very many are alike: each is kept once, and known by a number."""

from __future__ import annotations


class Words:
    """Texts by their numbers."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def add(self, text: str) -> int:
        """The number of a text."""
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number

    def __getitem__(self, number: int) -> str:
        return self._texts[number]
