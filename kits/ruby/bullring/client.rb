# frozen_string_literal: true

module Bullring
  SDK = "ruby kit 0.1.0"
  PROTOCOL = 1
  # A batch that takes longer is answered in parts, so that others need not wait for all of it.
  FLUSH_SECONDS = 0.02
  # How long to wait for the referee to have heard our last words.
  LAST_WORDS_SECONDS = 1.0

  # How a bot's process ends.
  module Exit
    FINE = 0 # The referee said Goodbye.
    AUTHOR = 1 # The author's code raised; the backtrace is on stderr.
    NOT_CONNECTED = 2 # There is no referee at the address, or no address.
    TOO_NEW = 3 # The referee speaks a newer protocol than this kit.
    LOST = 4 # The connection broke in the middle of a pass.
  end

  # The author's code raised while it was at an ask (0 for none); the error itself is the cause.
  class AuthorError < StandardError
    attr_reader :ask_id

    def initialize(ask_id)
      @ask_id = ask_id
      super("the bot's own code raised")
    end
  end

  # Play everything the referee asks, then exit. A fresh `bot.new` is made for every game.
  # `rules` names the rules the bot can play (none means all); `max_batch` is how many asks may come
  # in one message, 1 to 256.
  def self.run(bot, rules: [], max_batch: 64)
    address = ENV.fetch("BULLRING_REFEREE", "")
    if address.empty?
      quit(Exit::NOT_CONNECTED,
           "BULLRING_REFEREE is not set: a bot is started by a referee. To play with it at home, " \
           "type\n    ./bullring play six-nimmt #{File.dirname(File.expand_path($PROGRAM_NAME))} " \
           "random random random")
    end
    load_contract
    events = bot.instance_method(:on_event).owner != Bot
    hello = V1::Hello.new(sdk: SDK, rules: rules, max_batch: max_batch, events: events,
                          protocol: PROTOCOL)
    Client.new(bot, address).play(hello)
  end

  def self.quit(code, text = nil)
    warn("bullring kit: #{text}") if text
    $stdout.flush
    # Threads of gRPC may still wait for a referee that will not answer; they must not hold us.
    exit!(code)
  end

  # gRPC and the generated classes, loaded late so that a bot's own tests need neither.
  def self.load_contract
    kit = File.expand_path("..", __dir__)
    require "grpc"
    $LOAD_PATH.unshift(File.join(kit, "build"))
    require "bot_services_pb"
    require_relative "messages"
  rescue LoadError => e
    quit(Exit::NOT_CONNECTED,
         "#{e.message}. It needs Debian's packages ruby-grpc and ruby-grpc-tools, and then\n" \
         "    make -C \"#{kit}\"")
  end

  # What we send, as gRPC wants it: something with `each` that waits for the next message.
  class Outbox
    # gRPC reports the end of a call only when this side is done, so the end is looked for.
    LOOK_SECONDS = 0.25

    attr_writer :call

    def initialize
      @messages = []
      @closed = false
      @mutex = Mutex.new
      @news = ConditionVariable.new
    end

    def send(**message)
      @mutex.synchronize do
        @messages << V1::FromBot.new(**message)
        @news.signal
      end
    end

    def close
      @mutex.synchronize do
        @closed = true
        @news.signal
      end
    end

    def each
      while (message = take)
        yield message
      end
    end

    private

    def take
      @mutex.synchronize do
        while @messages.empty?
          return if @closed || @call&.status

          @news.wait(@mutex, LOOK_SECONDS)
        end
        @messages.shift
      end
    end
  end

  # One pass of one bot.
  class Client
    KINDS = { CARD: :card, ROW: :row, DRAFT: :draft, X_CARD: :x_card, STEAL: :steal, TURN: :turn }.freeze

    def initialize(kind, address)
      @kind = kind
      @address = address
      @games = {}
      @rules = nil
      @failed = false
      @outbox = Outbox.new
    end

    # Speak with the referee until Goodbye.
    def play(hello)
      options = { "grpc.max_receive_message_length" => 64 << 20, "grpc.enable_http_proxy" => 0 }
      stub = V1::Referee::Stub.new(@address, :this_channel_is_insecure, channel_args: options)
      token = ENV.fetch("BULLRING_TOKEN", nil)
      @outbox.send(hello: hello)
      metadata = token ? { "bullring-token" => token } : {}
      call = stub.play(@outbox, metadata: metadata, return_op: true)
      @outbox.call = call
      call.execute.each { |message| take(message) unless @failed }
      # After a failure the referee ends the call when it has heard of it.
      Bullring.quit(Exit::AUTHOR) if @failed
      Bullring.quit(Exit::LOST, "the referee closed the connection without Goodbye")
    rescue GRPC::BadStatus => e
      @failed ? Bullring.quit(Exit::AUTHOR) : broken(e)
    end

    private

    def broken(error)
      detail = "#{error.class.name.split("::").last}: #{error.details}"
      Bullring.quit(Exit::NOT_CONNECTED, "cannot talk to a referee at '#{@address}' (#{detail})") unless @rules
      Bullring.quit(Exit::LOST, "the connection to the referee broke (#{detail})")
    end

    def take(message)
      return unless handle(message)

      @outbox.close
      Bullring.quit(Exit::FINE)
    rescue AuthorError => e
      failed(e)
    end

    # All parts of one message in their order; says whether it was the last one.
    def handle(message)
      welcome(message.welcome) if message.welcome
      message.game_starts.each { |start| start_game(start) }
      message.events.each { |events| watch(events) }
      message.game_overs.each do |over|
        bot = @games.delete(over.game_no)
        author { bot.on_game_over(over.points.to_a, over.places.to_a) }
      end
      answer(message.asks) if message.asks && !message.asks.asks.empty?
      return false unless message.goodbye

      warn("bullring kit: out of this pass: #{message.goodbye.text}") if message.goodbye.reason == :OUT
      true
    end

    def welcome(welcome)
      if welcome.protocol > PROTOCOL
        Bullring.quit(Exit::TOO_NEW, "the referee speaks protocol #{welcome.protocol}, this kit " \
                                     "knows up to #{PROTOCOL}. Get a newer kit.")
      end
      @rules = Messages.rules(welcome)
    end

    def start_game(start)
      bot = author { @kind.new }
      bot.rules = @rules
      bot.game_no = start.game_no
      bot.seat = start.seat
      bot.players = start.players
      bot.rng = Random.new(start.bot_seed)
      @games[start.game_no] = bot
      author { bot.on_game_start }
    end

    def watch(events)
      bot = @games.fetch(events.game_no)
      events.events.each do |message|
        event = Messages.event(message)
        author { bot.on_event(event) } if event
      end
    end

    def answer(message)
      asks = message.asks.to_a
      flushed = now
      clock = Clock.new(asks.sum(&:move_ms), message.bank_ms, asks.size, flushed)
      answers = []
      asks.each do |ask|
        answers << decide(ask, clock)
        clock.asks_left -= 1
        next unless clock.asks_left.positive? && now - flushed > FLUSH_SECONDS

        send_answers(answers)
        answers = []
        flushed = now
      end
      send_answers(answers)
    end

    def send_answers(answers)
      @outbox.send(answers: V1::Answers.new(answers: answers))
    end

    def decide(ask, clock)
      kind = KINDS[ask.kind]
      bot = @games.fetch(ask.game_no)
      bot.bullring_clock = clock
      bot.bullring_note = ""
      kind == :turn ? bot.turns = Messages.turns(ask.turn) : bot.legal = ask.legal.to_a
      choice = author(ask.ask_id) do
        raise "this kit knows no ask of kind #{ask.kind}" unless kind

        bot.public_send("choose_#{kind}", Messages.view(ask))
      end
      fields = Messages.choice_fields(kind, choice)
      # It goes out without a choice, which the referee counts as an illegal one.
      warn("bullring kit: choose_#{kind} returned #{choice.inspect[0, 80]}, which is no choice") unless fields
      V1::Answer.new(ask_id: ask.ask_id, note: Messages.cut(bot.bullring_note), **(fields || {}))
    end

    # Run the author's code; what it raises is known as the author's.
    def author(ask_id = 0)
      yield
    rescue StandardError, NotImplementedError, SystemStackError, NoMemoryError
      raise AuthorError, ask_id
    end

    # Tell the referee which ask failed; the process ends when it has heard, or a little later.
    def failed(wrapper)
      @failed = true
      error = wrapper.cause
      warn(error.full_message(highlight: false))
      warn("bullring kit: the bot's own code raised #{error.class}, see above")
      spot = error.backtrace_locations&.first
      place = spot ? " (#{File.basename(spot.path)}:#{spot.lineno})" : ""
      text = "#{error.class}: #{error.message}"[0, 300].scrub("?")
      @outbox.send(failure: V1::Failure.new(ask_id: wrapper.ask_id, error: text + place))
      @outbox.close
      Thread.new do
        sleep(LAST_WORDS_SECONDS)
        Bullring.quit(Exit::AUTHOR)
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
