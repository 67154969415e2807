# frozen_string_literal: true

# Tests of the sample. `make test` runs them.

require "minitest/autorun"
require_relative "bot"

class GapBotTest < Minitest::Test
  Table = Struct.new(:hand, :rows)
  XTable = Struct.new(:seat, :taken, :x_rows)

  def bot(name)
    GapBot.new.tap { |made| made.rules = Bullring::Rules.new(name, {}, 1) }
  end

  def test_it_lays_the_card_closest_above_a_row_with_room
    view = Table.new([3, 25, 33, 50], [[10], [20, 21, 22, 23, 24], [30], [40]])
    assert_equal 33, bot("six-nimmt").choose_card(view)
  end

  def test_it_keeps_the_x_row_rising
    assert_equal 30, bot("x-nimmt").choose_x_card(XTable.new(1, [5, 30, 60], [[], [20]]))
  end
end
