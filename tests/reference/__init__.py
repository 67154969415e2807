"""A second engine of the three games, to be compared with the real one: slow, plain, written
from the rules alone. It shares no code with the product and must never import it."""

from collections.abc import Callable
from typing import Any

from . import eleven, six, x
from .asking import Choose, Question, Situation
from .cards import Deal, Options, heads, places_of
from .chance import random_choice, random_deal

__all__ = [
    "Choose",
    "Deal",
    "Dealer",
    "Question",
    "Situation",
    "heads",
    "play",
    "random_choice",
    "random_deal",
]

# A dealer gets the number of the round, from 0, and {"start_seat": …, "totals": […]}.
Dealer = Callable[[int, dict[str, Any]], Deal]

GAMES = {"six-nimmt": six, "eleven-nimmt": eleven, "x-nimmt": x}


def play(
    rules: str, options: Options, players: int, deals: Dealer | list[Deal], choose: Choose
) -> dict[str, Any]:
    """Play one game to its places; ValueError for anything the rules do not allow.

    `choose` gets a dict for every decision, in the order of a replay: `seat`, `kind`, `legal`
    (a list; for `turn` a dict with `plays`, `max_piles`, `several`, `takes`) and `situation`."""
    if rules not in GAMES:
        raise ValueError(f"unknown rules {rules!r}; expected one of {list(GAMES)}")
    game = GAMES[rules]
    full = game.complete_options(options)
    game.check_players(full, players)
    totals = [0] * players
    rounds: list[dict[str, Any]] = []
    start: int | None = None
    while not game.is_over(full, players, len(rounds), totals):
        number = len(rounds)
        start = game.start_seat(full, players, number, totals, start)
        deal = next_deal(deals, number, {"start_seat": start, "totals": list(totals)})
        done = game.play_round(full, players, number, list(totals), deal, start, choose)
        rounds.append(done)
        totals = [before + now for before, now in zip(totals, done["points"], strict=True)]
    if isinstance(deals, list) and len(deals) > len(rounds):
        raise ValueError(f"{len(deals)} deals given; the game was over after {len(rounds)}")
    return {"rounds": rounds, "points": totals, "places": places_of(totals)}


def next_deal(deals: Dealer | list[Deal], number: int, known: dict[str, Any]) -> Deal:
    """The deal of one round, out of the list or from the dealer."""
    if not isinstance(deals, list):
        return deals(number, known)
    if number >= len(deals):
        raise ValueError(f"{len(deals)} deals given; the game needs one for round {number}")
    return deals[number]
