"""11 nimmt!: takes a pile of three early on purpose, because a bull card pays for it later."""

from botkit import Bot, ElevenNimmtView, Event, Play, Take, heads, run
from nimmt.search import Memory

ENOUGH_BULLS = 2
"""With two bull cards two piles can be played on in every turn; more is rarely worth its price."""
EARLY = 0.6
"""Of the draw deck: below this share there is no time left to play the taken cards off."""
DEAREST = 6
"""Heads that a bull card may cost."""


class BullHunterBot(Bot):
    """Remembers what lies under the tops, which a view does not tell."""

    memory: Memory

    def on_game_start(self) -> None:
        self.memory = Memory(self.rules, self.players, self.seat)
        self.deck = 0

    def on_event(self, event: Event) -> None:
        self.memory.see(event)

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        if view.turn < view.players:
            self.deck = view.draw
        prey = self._prey(view)
        if prey is not None:
            self.note(f"hunting pile {prey}")
            return Take(prey)
        most = self.turns.widest_play()
        if most is not None and sum(map(len, most.cards.values())) > 1:
            return most
        if not self.turns.plays:
            return Take(self._cheapest())
        return super().choose_turn(view)

    def _prey(self, view: ElevenNimmtView) -> int | None:
        """The cheapest pile that brings a bull card, while it is early and bulls are few."""
        if view.bull_cards[view.seat] >= ENOUGH_BULLS or not view.bull_pool:
            return None
        if view.draw < EARLY * self.deck:
            return None
        piles = {number: self._cards(number) for number in self.turns.takes}
        worth = [n for n, cards in piles.items() if len(cards) >= 3 and heads(cards) <= DEAREST]
        return min(worth, key=lambda number: heads(piles[number]), default=None)

    def _cheapest(self) -> int:
        """Forced to take: a pile with a bull card first, then the one with the fewest heads."""
        return min(
            self.turns.takes,
            key=lambda n: (len(self._cards(n)) < 3, heads(self._cards(n)), len(self._cards(n))),
        )

    def _cards(self, pile: int) -> tuple[int, ...]:
        return self.memory.table.zones.get(f"pile:{pile}", ())


if __name__ == "__main__":
    run(BullHunterBot, rules=["eleven-nimmt"])
