"""Envelopes: what a model receives in the place of an output that is too large.

`text`, `document` and `table` each hold one form, with a public function for data in
memory and an inner one that works on a file of any size; `reading` finds in such an
envelope which bytes of the file it shows.
"""
