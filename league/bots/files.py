"""Files that come with Bullring and are no Python: the samples, the contract with bots.

A checkout and an installed wheel have them in the same places, except the contract.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "sample_bots"
_IN_CHECKOUT = ROOT / "proto" / "wire" / "v1" / "bot.proto"
CONTRACT = _IN_CHECKOUT if _IN_CHECKOUT.exists() else ROOT / "wire" / "v1" / "bot.proto"
"""The wheel of bullring-botkit has it beside what was generated from it."""
