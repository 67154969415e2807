"""Message <-> nimmt type, both ways. Knows no clock, no connection and no fault.

What a bot sends is read by `choice_from_wire`, which raises BadChoice for whatever is no choice of
the kind that was asked; whether the choice is legal is for the rules to say.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from nimmt import choices as kinds
from nimmt import events as ev
from nimmt.choices import Choice, Play, Take, TurnOptions
from nimmt.views import ElevenNimmtView, Pile, SixNimmtView, View, XNimmtView
from wire.v1 import bot_pb2 as pb

PROTOCOL = 1
"""The version of the contract in proto/wire/v1/bot.proto."""

NOTE_BYTES = 200
ANSWER_BYTES = 4096
"""How much of a message each ask may be answered with."""

MAX_BATCH = 256

Legal: TypeAlias = Sequence[int] | TurnOptions

KIND_TO_WIRE: dict[str, pb.Kind] = {
    kinds.CARD: pb.CARD,
    kinds.ROW: pb.ROW,
    kinds.DRAFT: pb.DRAFT,
    kinds.X_CARD: pb.X_CARD,
    kinds.STEAL: pb.STEAL,
    kinds.TURN: pb.TURN,
}
KIND_FROM_WIRE: dict[int, str] = {number: kind for kind, number in KIND_TO_WIRE.items()}


class BadChoice(ValueError):
    """An answer that holds no choice of the kind that was asked; `sent` is what it holds."""

    def __init__(self, message: str, sent: Any = None) -> None:
        super().__init__(message)
        self.sent = sent


def _cards(piles: Iterable[Sequence[int]]) -> list[pb.Cards]:
    return [pb.Cards(cards=cards) for cards in piles]


def _tuples(piles: Iterable[pb.Cards]) -> tuple[tuple[int, ...], ...]:
    return tuple([tuple(pile.cards) for pile in piles])


def fill_view(ask: pb.Ask, view: View) -> None:
    """Put a view into an ask."""
    if isinstance(view, SixNimmtView):
        _fill_six(ask.six_nimmt, view)
    elif isinstance(view, ElevenNimmtView):
        _fill_eleven(ask.eleven_nimmt, view)
    else:
        _fill_x(ask.x_nimmt, view)


def _fill_six(message: pb.SixNimmtView, view: SixNimmtView) -> None:
    message.seat = view.seat
    message.players = view.players
    message.round_no = view.round_no
    message.turn = view.turn
    message.start_seat = view.start_seat
    message.hand.extend(view.hand)
    message.rows.extend(_cards(view.rows))
    message.revealed.extend(view.revealed)
    message.bull_piles.extend(_cards(view.bull_piles))
    message.points.extend(view.points)
    message.totals.extend(view.totals)
    message.pool.extend(view.pool)
    message.hands.extend(_cards(view.hands))


def _fill_eleven(message: pb.ElevenNimmtView, view: ElevenNimmtView) -> None:
    message.seat = view.seat
    message.players = view.players
    message.round_no = view.round_no
    message.turn = view.turn
    message.start_seat = view.start_seat
    message.hand.extend(view.hand)
    message.piles.extend([pb.Pile(number=pile.number, top=pile.top) for pile in view.piles])
    message.hand_sizes.extend(view.hand_sizes)
    message.bull_cards.extend(view.bull_cards)
    message.bull_pool = view.bull_pool
    message.draw = view.draw
    message.totals.extend(view.totals)


def _fill_x(message: pb.XNimmtView, view: XNimmtView) -> None:
    message.seat = view.seat
    message.players = view.players
    message.round_no = view.round_no
    message.turn = view.turn
    message.hand.extend(view.hand)
    message.rows.extend(_cards(view.rows))
    message.revealed.extend(view.revealed)
    message.taken.extend(view.taken)
    message.x_rows.extend(_cards(view.x_rows))
    message.x_pile.extend(view.x_pile)
    message.x_pile_sizes.extend(view.x_pile_sizes)
    message.hand_sizes.extend(view.hand_sizes)
    message.totals.extend(view.totals)


def view_from_wire(ask: pb.Ask) -> View:
    """The view that an ask carries."""
    name = ask.WhichOneof("view")
    if name == "six_nimmt":
        return _six_from_wire(ask.six_nimmt)
    if name == "eleven_nimmt":
        return _eleven_from_wire(ask.eleven_nimmt)
    if name == "x_nimmt":
        return _x_from_wire(ask.x_nimmt)
    raise ValueError("an ask came without a view that this botkit knows; use a newer botkit")


def _six_from_wire(m: pb.SixNimmtView) -> SixNimmtView:
    return SixNimmtView(
        seat=m.seat,
        players=m.players,
        round_no=m.round_no,
        turn=m.turn,
        start_seat=m.start_seat,
        hand=tuple(m.hand),
        rows=_tuples(m.rows),
        revealed=tuple(m.revealed),
        bull_piles=_tuples(m.bull_piles),
        points=tuple(m.points),
        totals=tuple(m.totals),
        pool=tuple(m.pool),
        hands=_tuples(m.hands),
    )


def _eleven_from_wire(m: pb.ElevenNimmtView) -> ElevenNimmtView:
    return ElevenNimmtView(
        seat=m.seat,
        players=m.players,
        round_no=m.round_no,
        turn=m.turn,
        start_seat=m.start_seat,
        hand=tuple(m.hand),
        piles=tuple([Pile(pile.number, pile.top) for pile in m.piles]),
        hand_sizes=tuple(m.hand_sizes),
        bull_cards=tuple(m.bull_cards),
        bull_pool=m.bull_pool,
        draw=m.draw,
        totals=tuple(m.totals),
    )


def _x_from_wire(m: pb.XNimmtView) -> XNimmtView:
    return XNimmtView(
        seat=m.seat,
        players=m.players,
        round_no=m.round_no,
        turn=m.turn,
        hand=tuple(m.hand),
        rows=_tuples(m.rows),
        revealed=tuple(m.revealed),
        taken=tuple(m.taken),
        x_rows=_tuples(m.x_rows),
        x_pile=tuple(m.x_pile),
        x_pile_sizes=tuple(m.x_pile_sizes),
        hand_sizes=tuple(m.hand_sizes),
        totals=tuple(m.totals),
    )


def fill_legal(ask: pb.Ask, legal: Legal) -> None:
    """Put what may be answered into an ask."""
    if isinstance(legal, TurnOptions):
        turn = ask.turn
        turn.plays.extend([pb.PileCards(pile=pile, cards=c) for pile, c in legal.plays.items()])
        turn.max_piles = legal.max_piles
        turn.many = legal.many
        turn.takes.extend(legal.takes)
    else:
        ask.legal.extend(legal)


def legal_from_wire(ask: pb.Ask) -> tuple[int, ...] | TurnOptions:
    """What may be answered to an ask."""
    if ask.kind != pb.TURN:
        return tuple(ask.legal)
    turn = ask.turn
    plays = {part.pile: tuple(part.cards) for part in turn.plays}
    return TurnOptions(plays, turn.max_piles, turn.many, tuple(turn.takes))


def fill_choice(answer: pb.Answer, kind: str, choice: Choice) -> None:
    """Put a choice into an answer; TypeError or ValueError when it is none that can be sent."""
    if kind != kinds.TURN:
        setattr(answer, kind, choice)
    elif isinstance(choice, Take):
        answer.take = choice.pile
    elif isinstance(choice, Play):
        # An empty play must arrive as a play too, so that the rules can say what is wrong with it.
        answer.play.SetInParent()
        for pile, cards in choice.cards.items():
            answer.play.piles.add(pile=pile, cards=cards)
    else:
        raise TypeError(f"a turn is Take(pile) or Play({{pile: [card, …]}}), got {choice!r:.80}")


_FIELDS_OF_KIND: dict[str, tuple[str, ...]] = {
    **{kind: (kind,) for kind in kinds.KINDS},
    kinds.TURN: ("take", "play"),
}


def choice_from_wire(kind: str, answer: pb.Answer) -> Choice:
    """The choice in an answer to an ask of this kind, or BadChoice."""
    name = answer.WhichOneof("choice")
    if name == kind:
        number: int = getattr(answer, kind)
        return number
    if name is None:
        raise BadChoice(f"the answer holds no choice, expected a {kind}")
    if name not in _FIELDS_OF_KIND[kind]:
        raise BadChoice(f"the answer holds a {name}, expected a {kind}", {name: _sent(answer)})
    if name == "play":
        return _play_from_wire(answer)
    return Take(answer.take)


def _sent(answer: pb.Answer) -> Any:
    name = answer.WhichOneof("choice")
    if name == "play":
        piles = answer.play.piles[:10]
        return [[part.pile, list(part.cards[:20])] for part in piles]
    return None if name is None else getattr(answer, name)


def _play_from_wire(answer: pb.Answer) -> Play:
    cards: dict[int, tuple[int, ...]] = {}
    for part in answer.play.piles:
        if part.pile in cards:
            raise BadChoice(f"pile {part.pile} is played on twice", {"play": _sent(answer)})
        cards[part.pile] = tuple(part.cards)
    return Play(cards)


def options_to_wire(options: Mapping[str, Any]) -> dict[str, pb.OptionValue]:
    """The options of the rules as they stand in Welcome."""
    found: dict[str, pb.OptionValue] = {}
    for name, value in options.items():
        if isinstance(value, bool):
            found[name] = pb.OptionValue(flag=value)
        elif isinstance(value, int):
            found[name] = pb.OptionValue(number=value)
        else:
            found[name] = pb.OptionValue(text=value)
    return found


def options_from_wire(options: Mapping[str, pb.OptionValue]) -> dict[str, Any]:
    """The options that Welcome names."""
    return {
        name: getattr(value, value.WhichOneof("value") or "number")
        for name, value in options.items()
    }


_EVENT_FIELD: dict[type, tuple[str, Callable[..., Any]]] = {
    ev.RoundStart: ("round_start", pb.RoundStart),
    ev.Turn: ("turn", pb.Turn),
    ev.Reveal: ("reveal", pb.Reveal),
    ev.Move: ("move", pb.Move),
    ev.BullCard: ("bull_card", pb.BullCard),
    # Both are one message; the later one is what a message becomes again.
    ev.HandPoints: ("points", pb.Points),
    ev.Points: ("points", pb.Points),
    ev.RoundEnd: ("round_end", pb.RoundEnd),
    ev.GameEnd: ("game_end", pb.GameEnd),
}
_EVENT_TYPE: dict[str, Callable[..., ev.Event]] = {
    name: kind for kind, (name, _) in _EVENT_FIELD.items()
}


def event_to_wire(event: ev.Event) -> pb.Event:
    """An event as a message; redact it with `nimmt.seen_by` first."""
    name, message = _EVENT_FIELD[type(event)]
    return pb.Event(**{name: message(**event._asdict())})


def event_from_wire(message: pb.Event) -> ev.Event | None:
    """The event in a message, or None for one that is newer than this code."""
    name = message.WhichOneof("event")
    if name is None:
        return None
    part = getattr(message, name)
    fields: dict[str, Any] = {}
    for field in part.DESCRIPTOR.fields:
        value = getattr(part, field.name)
        if field.has_presence and not part.HasField(field.name):
            value = None
        elif not isinstance(value, int | str):
            value = tuple(value)
        fields[field.name] = value
    return _EVENT_TYPE[name](**fields)
