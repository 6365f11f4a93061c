"""Two artifacts of the same command: what is new in the later one, and what is gone.

`facts` puts everything together; `ordering` and `cancelling` compare lines in bounded
memory, `items` compares JSON by key, `pairing` offers the earlier run.
"""
