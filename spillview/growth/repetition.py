"""Stub."""


class Repetition: ...
