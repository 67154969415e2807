"""Plays at random, in every rules. The weakest bot that is worth measuring against."""

from botkit import Bot, ElevenNimmtView, Play, SixNimmtView, Take, XNimmtView, run


class RandomBot(Bot):
    """Every choice is drawn from `self.rng`, so a game can be reproduced."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return self.rng.choice(view.hand)

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        return self.rng.choice(self.legal)

    def choose_draft(self, view: SixNimmtView) -> int:
        return self.rng.choice(view.pool)

    def choose_x_card(self, view: XNimmtView) -> int:
        return self.rng.choice(view.taken)

    def choose_steal(self, view: ElevenNimmtView) -> int:
        return self.rng.choice(self.legal)

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        # Taking piles for no reason would drag the round on for ever, so play when a card fits.
        plays = list(self.turns.single_plays())
        return self.rng.choice(plays) if plays else Take(self.rng.choice(self.turns.takes))


if __name__ == "__main__":
    run(RandomBot)
