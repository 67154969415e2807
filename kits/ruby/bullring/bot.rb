# frozen_string_literal: true

module Bullring
  # The rules of a pass: their name, every option by its name, and the version of the rules.
  Rules = Struct.new(:name, :options, :version)

  # The legal turns of 11 nimmt!: `plays` has for each pile the cards that fit, by ascending gap.
  TurnOptions = Struct.new(:plays, :max_piles, :many, :takes) do
    # The most cards this turn can get rid of, or nil when no card fits.
    def widest_play
      left = plays.transform_values(&:dup)
      chosen = {}
      until left.empty? || chosen.size >= max_piles
        pile, cards = left.min_by { |number, fits| [-fits.size, number] }
        break if cards.empty?

        chosen[pile] = many ? cards : cards.first(1)
        left.delete(pile)
        left.transform_values! { |fits| fits - chosen[pile] }
      end
      chosen.empty? ? nil : { play: chosen }
    end
  end

  # The time of one message of asks, shared by all bots that are asked in it.
  Clock = Struct.new(:free_ms, :bank_ms, :asks_left, :came) do
    def left_ms
      free_ms + bank_ms - (Process.clock_gettime(Process::CLOCK_MONOTONIC) - came) * 1000.0
    end
  end

  # Bullheads printed on a card.
  def self.bulls(card)
    return 7 if card == 55
    return 5 if (card % 11).zero?
    return 3 if (card % 10).zero?

    (card % 5).zero? ? 2 : 1
  end

  # Bullheads on all the cards together.
  def self.heads(cards)
    cards.sum { |card| bulls(card) }
  end

  # How far a card lies above a top card of 11 nimmt!, where 1 follows 100.
  def self.gap(card, top)
    (card - top) % 100
  end

  # One bot in one game: a fresh instance plays each game, so its variables remember that game
  # alone. Override the decisions you care about; the others are made as the house would make them.
  class Bot
    # What is played, with all options.
    attr_accessor :rules
    attr_accessor :game_no, :seat, :players
    # A Random, seeded for this game. Draw all chance from it, and your games can be reproduced.
    attr_accessor :rng
    # The legal choices of the current ask (all kinds but a turn of 11 nimmt!).
    attr_accessor :legal
    # The legal turns of the current ask (11 nimmt!).
    attr_accessor :turns
    # Set by the client before every ask.
    attr_accessor :bullring_clock, :bullring_note

    # A game begins; `rules`, `seat`, `players` and `rng` are set.
    def on_game_start; end

    # Something happened at the table. Events are sent only to bots that override this.
    def on_event(event); end

    # The game is over; both lists are by seat.
    def on_game_over(points, places); end

    # Which card of `view.hand` to lay.
    def choose_card(_view)
      legal.min
    end

    # Which row to take: an index into `view.rows`.
    def choose_row(view)
      legal.min_by { |row| [Bullring.heads(view.rows[row]), row] }
    end

    # Which card of `view.pool` to draft (advanced game).
    def choose_draft(_view)
      legal.min
    end

    # Which card of `view.taken` to put into the own X row.
    def choose_x_card(_view)
      legal.min
    end

    # From which seat of `legal` to steal a bull card.
    def choose_steal(_view)
      legal.min
    end

    # `{take: pile}` or `{play: {pile => [cards]}}`: what is possible is in `turns`.
    def choose_turn(view)
      return { take: turns.takes.min } if turns.plays.empty?

      tops = view.piles.to_h { |pile| [pile.number, pile.top] }
      # Cards stand by ascending gap, so the first of each pile is its closest.
      pile, cards = turns.plays.min_by { |number, fits| [Bullring.gap(fits.first, tops[number]), number] }
      { play: { pile => cards.first(1) } }
    end

    # Say a word (up to 200 bytes) on the choice you are making; only you will read it.
    def note(text)
      self.bullring_note = text.to_s
    end

    # Time left for all asks of the current message together, the whole bank included.
    def time_left_ms
      bullring_clock.left_ms
    end

    # Time left for all asks of the current message before the bank is touched.
    def free_time_ms
      bullring_clock.left_ms - bullring_clock.bank_ms
    end

    # How many asks share that time, this one included.
    def asks_left
      bullring_clock.asks_left
    end
  end
end
