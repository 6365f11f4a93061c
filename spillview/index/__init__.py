"""An index of artifacts that tells which of them a search need not read.

It is a pure prefilter: a signature says that a pattern's fixed parts are nowhere in a
file, never that they are. Whatever it leaves is searched as it would be without it, so
the results are the same with an index, with part of one, and with none.
"""
