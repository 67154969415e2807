"""11 nimmt!: gets rid of as many cards as it can in every turn."""

from botkit import Bot, ElevenNimmtView, Play, Take, run


class GreedyBot(Bot):
    """Lays the most cards at once; with single cards it keeps the gaps small."""

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        most = self.turns.widest_play()
        if most is not None and sum(map(len, most.cards.values())) > 1:
            return most
        return super().choose_turn(view)


if __name__ == "__main__":
    run(GreedyBot, rules=["eleven-nimmt"])
