"""The league: what to play next and what the results mean.

Its rooms are drawn in docs/architecture.md; what others may use of a room is in its `__init__`.
Beside them lies what all rooms share: errors, audited acts, settings, words, bounds of plans.
"""
