# frozen_string_literal: true

module Bullring
  # A pile of 11 nimmt!; its number is never used again.
  Pile = Struct.new(:number, :top)

  SixNimmtView = Struct.new(:seat, :players, :round_no, :turn, :start_seat, :hand, :rows, :revealed,
                            :bull_piles, :points, :totals, :pool, :hands)
  ElevenNimmtView = Struct.new(:seat, :players, :round_no, :turn, :start_seat, :hand, :piles,
                               :hand_sizes, :bull_cards, :bull_pool, :draw, :totals)
  XNimmtView = Struct.new(:seat, :players, :round_no, :turn, :hand, :rows, :revealed, :taken,
                          :x_rows, :x_pile, :x_pile_sizes, :hand_sizes, :totals)

  # Messages of the contract as plain Ruby, and choices as messages.
  module Messages
    VIEWS = { six_nimmt: SixNimmtView, eleven_nimmt: ElevenNimmtView, x_nimmt: XNimmtView }.freeze
    # Fields of views that hold piles of cards.
    NESTED = %i[rows bull_piles hands x_rows].freeze
    NOTE_BYTES = 200

    module_function

    def view(ask)
      type = VIEWS[ask.view] or
        raise "an ask came without a view that this kit knows; use a newer kit"
      message = ask[ask.view.to_s]
      type.new(*type.members.map { |name| plain(name, message[name.to_s]) })
    end

    def plain(name, value)
      return value.map { |pile| pile.cards.to_a } if NESTED.include?(name)
      return value.map { |pile| Pile.new(pile.number, pile.top) } if name == :piles

      value.is_a?(Integer) ? value : value.to_a
    end

    def turns(options)
      plays = options.plays.to_h { |part| [part.pile, part.cards.to_a] }
      TurnOptions.new(plays, options.max_piles, options.many, options.takes.to_a)
    end

    def rules(welcome)
      # Not to_h with a block: a map of protobuf does not call it.
      options = welcome.options.map { |name, option| [name, option[option.value.to_s]] }.to_h
      Rules.new(welcome.rules, options, welcome.rules_version)
    end

    # An event as a hash with its `:kind`, what is not there left out; nil for one that is newer than
    # this kit.
    def event(message)
      return unless message.event

      part = message[message.event.to_s]
      there = part.to_h.select { |name, _| !part.respond_to?("has_#{name}?") || part.public_send("has_#{name}?") }
      there.merge(kind: message.event)
    end

    # The choice as fields of an Answer, or nil when it is none that can be sent.
    def choice_fields(kind, choice)
      return number?(choice) ? { kind => choice } : nil unless kind == :turn
      return unless choice.is_a?(Hash) && choice.size == 1
      return { take: choice[:take] } if number?(choice[:take])

      play = choice[:play]
      fine = play.is_a?(Hash) && play.all? do |pile, cards|
        number?(pile) && cards.is_a?(Array) && cards.all? { |card| number?(card) }
      end
      return unless fine

      piles = play.map { |pile, cards| V1::PileCards.new(pile: pile, cards: cards) }
      { play: V1::Play.new(piles: piles) }
    end

    def number?(value)
      value.is_a?(Integer) && value.abs < 2**31
    end

    # A note cut to what the referee keeps, never in the middle of a character.
    def cut(note)
      note.encode("UTF-8", invalid: :replace, undef: :replace).byteslice(0, NOTE_BYTES).scrub("")
    end
  end
end
