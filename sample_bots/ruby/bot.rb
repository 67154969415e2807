# frozen_string_literal: true

# Plays the card that lies closest above a row's end, as the Python sample `gap` does.

require "bullring"

# Small gaps leave little room for other cards to get in between.
class GapBot < Bullring::Bot
  # How many cards a resting row holds; the next one takes it.
  ROW_HOLDS = { "six-nimmt" => [5, 5, 5, 5], "x-nimmt" => [2, 3, 4] }.freeze

  def choose_card(view)
    view.hand.min_by { |card| risk(card, view) }
  end

  # First what the card would cost if nobody else played, then its gap.
  def risk(card, view)
    below = view.rows.each_index.select { |index| view.rows[index].last < card }
    return [view.rows.map { |row| Bullring.heads(row) }.min, card] if below.empty?

    index = below.max_by { |candidate| view.rows[candidate].last }
    row = view.rows[index]
    full = row.size >= ROW_HOLDS.fetch(rules.name)[index]
    [full ? Bullring.heads(row) : 0, card - row.last]
  end

  def choose_draft(view)
    # A hand that is spread out has an answer to most rows, so take what lies farthest from it.
    held = view.hand.empty? ? [0] : view.hand
    view.pool.max_by { |card| held.map { |other| (card - other).abs }.min }
  end

  def choose_x_card(view)
    # The X row must rise. The card just above its end leaves the most room for later ones.
    last = view.x_rows[view.seat].last || 0
    view.taken.select { |card| card > last }.min || view.taken.min
  end

  def choose_turn(view)
    turns.many && turns.widest_play || super
  end
end

Bullring.run(GapBot) if $PROGRAM_NAME == __FILE__
