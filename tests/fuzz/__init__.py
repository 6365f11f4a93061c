"""Very many inputs, each compared with an independent oracle.

`python -m tests.fuzz TARGET [--minutes N] [--seed N]` runs one target by hand. Targets
of pure byte functions (`bytewise`) go through all short inputs and then made ones, many
a call. Those of readers (`readers`) are led by coverage where atheris is installed, and
by hypothesis where it is not.
"""
