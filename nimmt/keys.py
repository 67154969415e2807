"""Keys, and everything chance decides, derived from them by `hmac-sha256/1`.

The method is language-neutral and written down in docs/rules.md; golden digests hold it.
"""

import hashlib
import hmac
import secrets
import struct
from collections.abc import Sequence

from nimmt.cards import HIGHEST

DEAL_METHOD = "hmac-sha256/1"
KEY_BYTES = 32
_WORDS = struct.Struct(">16H")
# By the number of cards left: the words below this favour none of them.
_FAIR_BELOW = (0, *(65536 - 65536 % span for span in range(1, HIGHEST + 1)))


def new_key() -> bytes:
    """A fresh secret key for a match."""
    return secrets.token_bytes(KEY_BYTES)


def key_from_seed(seed: int) -> bytes:
    """The key of a small integer seed: for local play only, anyone can guess it."""
    return hashlib.sha256(b"bullring-seed/%d" % seed).digest()


def commitment(key: bytes) -> str:
    """What is published before the match; the key itself follows when the match is over."""
    return "sha256:" + hashlib.sha256(key).hexdigest()


def bot_seed(key: bytes, board: int, seat: int) -> int:
    """The 64-bit seed sent to a bot at game start, so that an honest bot can be reproducible."""
    digest = hmac.digest(key, b"bot/%d/%d" % (board, seat), "sha256")
    return int.from_bytes(digest[:8], "big")


def shuffled(key: bytes, board: int, round_no: int, cards: Sequence[int], take: int) -> list[int]:
    """The first `take` cards of the deck as this key, board and round shuffle it.

    A forward Fisher-Yates shuffle. Its numbers are big-endian 16-bit words of the stream
    SHA-256(seed + 0) SHA-256(seed + 1) …, with seed = HMAC(key, "deal/<board>/<round>") and
    counters of four bytes; a word that would make some cards likelier than others is skipped.
    """
    seed = hmac.digest(key, b"deal/%d/%d" % (board, round_no), "sha256")
    deck = list(cards)
    span = len(deck)
    i = block = 0
    while i < take:
        for word in _WORDS.unpack(hashlib.sha256(seed + block.to_bytes(4, "big")).digest()):
            # The words left over in the last block only mix what is not taken.
            if word < _FAIR_BELOW[span]:
                j = i + word % span
                deck[i], deck[j] = deck[j], deck[i]
                i += 1
                span -= 1
        block += 1
    del deck[take:]
    return deck
