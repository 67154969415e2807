# frozen_string_literal: true

# Write a bot: subclass `Bullring::Bot`, override what you want to decide, and call `Bullring.run`.
#
#   require "bullring"
#
#   class MyBot < Bullring::Bot
#     def choose_card(view)
#       view.hand.max
#     end
#   end
#
#   Bullring.run(MyBot)

require_relative "bullring/bot"
require_relative "bullring/client"
