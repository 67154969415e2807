"""11 nimmt!: lays the card that has the fewest other places to go, before that place is gone."""

from botkit import Bot, ElevenNimmtView, Play, Take, run
from nimmt.choices import gap


class UrgentBot(Bot):
    """A card that fits on many piles can wait; one that fits on a single pile cannot."""

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        if not self.turns.plays:
            return super().choose_turn(view)
        most = self.turns.widest_play()
        if self.turns.many and most is not None:
            return most
        tops = {pile.number: pile.top for pile in view.piles}
        single = [(pile, card) for pile, cards in self.turns.plays.items() for card in cards]
        places = [card for _, card in single]
        # Of equally urgent cards the one with the smallest gap, which spoils the least.
        pile, card = min(single, key=lambda one: (places.count(one[1]), gap(one[1], tops[one[0]])))
        return Play({pile: (card,)})


if __name__ == "__main__":
    run(UrgentBot, rules=["eleven-nimmt"])
