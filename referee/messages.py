"""What the referee says to a bot: Welcome, the news it has not heard, its asks, Goodbye.

Messages are only composed here; when they are sent, and what follows, is decided in `play.py`.
"""

import nimmt
from nimmt import SixNimmtView
from referee.bot_state import BotState, OpenAsk
from referee.plan import TimeControl
from wire import codec, fast
from wire.v1 import bot_pb2 as pb


def welcome(rules: nimmt.Rules, time: TimeControl) -> pb.ToBot:
    """The answer to Hello: what is played, and on which clock."""
    welcome = pb.Welcome(
        protocol=codec.PROTOCOL,
        rules=rules.name,
        options=codec.options_to_wire(rules.options),
        rules_version=rules.version,
        time=pb.TimeControl(move_ms=time.move_ms, bank_ms=time.bank_ms),
    )
    return pb.ToBot(welcome=welcome)


def take_news(state: BotState) -> pb.ToBot:
    """A message with all pending news of a bot; none is pending afterwards."""
    events = [pb.Events(game_no=no, events=what) for no, what in state.events.items()]
    message = pb.ToBot(game_starts=state.starts, events=events, game_overs=state.overs)
    state.starts, state.events, state.overs = [], {}, []
    return message


def encoded_ask(ask_id: int, ask: OpenAsk, move_ms: int) -> bytes:
    """One ask with all that its seat may see, as it stands in an Asks message."""
    game, state = ask.game, ask.game.state
    view = state.view(ask.seat)
    # Made as a plain tuple is made: this runs for every decision.
    fields = (ask_id, game.planned.game_no, ask.kind, view, state.legal(ask.seat), move_ms)
    plain = tuple.__new__(fast.PlainAsk, fields)
    if not isinstance(view, SixNimmtView):
        return fast.message_ask(plain)
    if game.public is None:
        game.public = fast.six_public(view)
    return fast.six_ask(plain, game.public)


def goodbye(state: BotState, reason: pb.Goodbye.Reason, text: str) -> pb.ToBot:
    """The last message to a bot, with the news that it has not heard yet."""
    message = take_news(state)
    message.goodbye.reason = reason
    message.goodbye.text = text
    return message
