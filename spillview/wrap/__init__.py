"""Running a command with its output kept: `spillview wrap` without its command line.

`starting` starts a command, `running` reads what it prints, `forwarding` passes signals
on, `ordering` keeps the two streams' order and their characters whole, `capture` holds
the output in memory and above the boundary in the store, `folding` makes the envelope,
and `history` notes every run.
"""
