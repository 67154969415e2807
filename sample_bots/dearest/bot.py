"""11 nimmt!: counts heads, not cards. It lays the dearest card and takes the cheapest pile."""

from botkit import Bot, ElevenNimmtView, Event, Play, Take, heads, run
from nimmt.choices import gap
from nimmt.search import Memory


class DearestBot(Bot):
    """What is left in the hand costs its heads, so the dear cards go first."""

    memory: Memory

    def on_game_start(self) -> None:
        self.memory = Memory(self.rules, self.players, self.seat)

    def on_event(self, event: Event) -> None:
        self.memory.see(event)

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        tops = {pile.number: pile.top for pile in view.piles}
        plays = [(pile, cards) for pile, cards in self.turns.plays.items()]
        if not plays:
            return Take(min(self.turns.takes, key=self._price))
        if self.turns.many:
            # With a bull card all that fits on a pile may go: the pile that sheds the most heads.
            pile, cards = max(plays, key=lambda play: heads(play[1]))
            return Play({pile: cards})
        single = [(pile, card) for pile, cards in plays for card in cards]
        pile, card = min(single, key=lambda one: (-heads([one[1]]), gap(one[1], tops[one[0]])))
        return Play({pile: (card,)})

    def _price(self, pile: int) -> int:
        """The heads of a whole pile; a view shows only its top."""
        return heads(self.memory.table.zones[f"pile:{pile}"])


if __name__ == "__main__":
    run(DearestBot, rules=["eleven-nimmt"])
