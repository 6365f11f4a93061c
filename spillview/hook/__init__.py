"""The hook that sends an agent's big commands through `spillview wrap`.

The harness starts it for every shell command of its agent, so nothing here imports
what is not needed for the answer. Data classes, `typing` and the TOML reader take
longer to load than all the rest, so what is asked each time does without them.
"""
