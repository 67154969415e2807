"""Plays one match with connected bots: asks, clocks, faults, house choices, replays.

`plan` says what to play and `result` what came of it; `python -m referee` is the process between.
It holds no Docker, no database and no credentials, and trusts nothing that a bot sends.
"""
