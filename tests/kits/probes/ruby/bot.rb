# frozen_string_literal: true

# The probe of the conformance suite in Ruby: the first argument says how it behaves.

require "bullring"
require "json"

$stdout.sync = true

class Slow < Bullring::Bot
  def choose_card(view)
    sleep(0.03)
    view.hand.min
  end
end

class Nonsense < Bullring::Bot
  def choose_card(_view)
    "nonsense"
  end

  def choose_turn(_view)
    { play: 3 }
  end
end

class Throws < Bullring::Bot
  def choose_card(_view)
    raise "no idea"
  end
end

class ThrowsAtStart < Bullring::Bot
  def on_game_start
    raise "no start"
  end
end

# Prints everything it hears.
class Mirror < Bullring::Bot
  def tell(**what)
    puts JSON.generate({ game_no: game_no, **what })
  end

  def on_game_start
    tell(rules: { name: rules.name, options: rules.options }, seat: seat, players: players)
  end

  def on_event(event)
    tell(kind: event.delete(:kind), event: event)
  end

  def on_game_over(points, places)
    tell(points: points, places: places)
  end

  %i[card row draft x_card steal turn].each do |kind|
    define_method("choose_#{kind}") do |view|
      plain = view.to_h
      plain[:piles] = plain[:piles].map(&:to_h) if plain.key?(:piles)
      tell(ask: kind, view: plain, legal: kind == :turn ? turns.to_h : legal, asks_left: asks_left)
      note("ä" * 150)
      super(view)
    end
  end
end

STYLES = { "plain" => Bullring::Bot, "slow" => Slow, "nonsense" => Nonsense, "throws" => Throws,
           "throws-at-start" => ThrowsAtStart }.freeze
if ARGV[0] == "mirror"
  Bullring.run(Mirror, rules: %w[six-nimmt eleven-nimmt x-nimmt], max_batch: 7)
else
  Bullring.run(STYLES.fetch(ARGV[0]))
end
