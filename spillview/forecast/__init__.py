"""Which commands are about to cross their boundary, and what their results cost.

Sizes of every command's output over time (`series`), grouped by a normalised command
(`normalising`); how fast they grow (`rates`) and when they cross (`crossing`); what
earlier forecasts said and what became of it (`kept`); what a result costs on every
later turn (`cost`).
"""
