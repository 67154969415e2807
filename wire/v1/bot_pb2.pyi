from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Kind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    KIND_UNSPECIFIED: _ClassVar[Kind]
    CARD: _ClassVar[Kind]
    ROW: _ClassVar[Kind]
    DRAFT: _ClassVar[Kind]
    X_CARD: _ClassVar[Kind]
    STEAL: _ClassVar[Kind]
    TURN: _ClassVar[Kind]
KIND_UNSPECIFIED: Kind
CARD: Kind
ROW: Kind
DRAFT: Kind
X_CARD: Kind
STEAL: Kind
TURN: Kind

class FromBot(_message.Message):
    __slots__ = ("hello", "answers", "failure")
    HELLO_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    hello: Hello
    answers: Answers
    failure: Failure
    def __init__(self, hello: _Optional[_Union[Hello, _Mapping]] = ..., answers: _Optional[_Union[Answers, _Mapping]] = ..., failure: _Optional[_Union[Failure, _Mapping]] = ...) -> None: ...

class ToBot(_message.Message):
    __slots__ = ("welcome", "game_starts", "events", "game_overs", "asks", "goodbye")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    GAME_STARTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    GAME_OVERS_FIELD_NUMBER: _ClassVar[int]
    ASKS_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    game_starts: _containers.RepeatedCompositeFieldContainer[GameStart]
    events: _containers.RepeatedCompositeFieldContainer[Events]
    game_overs: _containers.RepeatedCompositeFieldContainer[GameOver]
    asks: Asks
    goodbye: Goodbye
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., game_starts: _Optional[_Iterable[_Union[GameStart, _Mapping]]] = ..., events: _Optional[_Iterable[_Union[Events, _Mapping]]] = ..., game_overs: _Optional[_Iterable[_Union[GameOver, _Mapping]]] = ..., asks: _Optional[_Union[Asks, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("sdk", "rules", "max_batch", "events", "protocol")
    SDK_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    MAX_BATCH_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    sdk: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    max_batch: int
    events: bool
    protocol: int
    def __init__(self, sdk: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ..., max_batch: _Optional[int] = ..., events: bool = ..., protocol: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("protocol", "rules", "options", "rules_version", "time")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: OptionValue
        def __init__(self, key: _Optional[str] = ..., value: _Optional[_Union[OptionValue, _Mapping]] = ...) -> None: ...
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    protocol: int
    rules: str
    options: _containers.MessageMap[str, OptionValue]
    rules_version: int
    time: TimeControl
    def __init__(self, protocol: _Optional[int] = ..., rules: _Optional[str] = ..., options: _Optional[_Mapping[str, OptionValue]] = ..., rules_version: _Optional[int] = ..., time: _Optional[_Union[TimeControl, _Mapping]] = ...) -> None: ...

class OptionValue(_message.Message):
    __slots__ = ("number", "flag", "text")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FLAG_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    number: int
    flag: bool
    text: str
    def __init__(self, number: _Optional[int] = ..., flag: bool = ..., text: _Optional[str] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("move_ms", "bank_ms")
    MOVE_MS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    move_ms: int
    bank_ms: int
    def __init__(self, move_ms: _Optional[int] = ..., bank_ms: _Optional[int] = ...) -> None: ...

class GameStart(_message.Message):
    __slots__ = ("game_no", "seat", "players", "bot_seed")
    GAME_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    BOT_SEED_FIELD_NUMBER: _ClassVar[int]
    game_no: int
    seat: int
    players: int
    bot_seed: int
    def __init__(self, game_no: _Optional[int] = ..., seat: _Optional[int] = ..., players: _Optional[int] = ..., bot_seed: _Optional[int] = ...) -> None: ...

class GameOver(_message.Message):
    __slots__ = ("game_no", "points", "places")
    GAME_NO_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    game_no: int
    points: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, game_no: _Optional[int] = ..., points: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ...) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ("reason", "text")
    class Reason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REASON_UNSPECIFIED: _ClassVar[Goodbye.Reason]
        PASS_OVER: _ClassVar[Goodbye.Reason]
        OUT: _ClassVar[Goodbye.Reason]
        STOPPED: _ClassVar[Goodbye.Reason]
    REASON_UNSPECIFIED: Goodbye.Reason
    PASS_OVER: Goodbye.Reason
    OUT: Goodbye.Reason
    STOPPED: Goodbye.Reason
    REASON_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    reason: Goodbye.Reason
    text: str
    def __init__(self, reason: _Optional[_Union[Goodbye.Reason, str]] = ..., text: _Optional[str] = ...) -> None: ...

class Asks(_message.Message):
    __slots__ = ("asks", "bank_ms")
    ASKS_FIELD_NUMBER: _ClassVar[int]
    BANK_MS_FIELD_NUMBER: _ClassVar[int]
    asks: _containers.RepeatedCompositeFieldContainer[Ask]
    bank_ms: int
    def __init__(self, asks: _Optional[_Iterable[_Union[Ask, _Mapping]]] = ..., bank_ms: _Optional[int] = ...) -> None: ...

class Ask(_message.Message):
    __slots__ = ("ask_id", "game_no", "kind", "six_nimmt", "eleven_nimmt", "x_nimmt", "legal", "turn", "move_ms")
    ASK_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_NO_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SIX_NIMMT_FIELD_NUMBER: _ClassVar[int]
    ELEVEN_NIMMT_FIELD_NUMBER: _ClassVar[int]
    X_NIMMT_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    MOVE_MS_FIELD_NUMBER: _ClassVar[int]
    ask_id: int
    game_no: int
    kind: Kind
    six_nimmt: SixNimmtView
    eleven_nimmt: ElevenNimmtView
    x_nimmt: XNimmtView
    legal: _containers.RepeatedScalarFieldContainer[int]
    turn: TurnOptions
    move_ms: int
    def __init__(self, ask_id: _Optional[int] = ..., game_no: _Optional[int] = ..., kind: _Optional[_Union[Kind, str]] = ..., six_nimmt: _Optional[_Union[SixNimmtView, _Mapping]] = ..., eleven_nimmt: _Optional[_Union[ElevenNimmtView, _Mapping]] = ..., x_nimmt: _Optional[_Union[XNimmtView, _Mapping]] = ..., legal: _Optional[_Iterable[int]] = ..., turn: _Optional[_Union[TurnOptions, _Mapping]] = ..., move_ms: _Optional[int] = ...) -> None: ...

class Cards(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, cards: _Optional[_Iterable[int]] = ...) -> None: ...

class SixNimmtView(_message.Message):
    __slots__ = ("seat", "players", "round_no", "turn", "start_seat", "hand", "rows", "revealed", "bull_piles", "points", "totals", "pool", "hands")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    START_SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    BULL_PILES_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    players: int
    round_no: int
    turn: int
    start_seat: int
    hand: _containers.RepeatedScalarFieldContainer[int]
    rows: _containers.RepeatedCompositeFieldContainer[Cards]
    revealed: _containers.RepeatedScalarFieldContainer[int]
    bull_piles: _containers.RepeatedCompositeFieldContainer[Cards]
    points: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    pool: _containers.RepeatedScalarFieldContainer[int]
    hands: _containers.RepeatedCompositeFieldContainer[Cards]
    def __init__(self, seat: _Optional[int] = ..., players: _Optional[int] = ..., round_no: _Optional[int] = ..., turn: _Optional[int] = ..., start_seat: _Optional[int] = ..., hand: _Optional[_Iterable[int]] = ..., rows: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ..., revealed: _Optional[_Iterable[int]] = ..., bull_piles: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ..., points: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ..., pool: _Optional[_Iterable[int]] = ..., hands: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ...) -> None: ...

class Pile(_message.Message):
    __slots__ = ("number", "top")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    number: int
    top: int
    def __init__(self, number: _Optional[int] = ..., top: _Optional[int] = ...) -> None: ...

class ElevenNimmtView(_message.Message):
    __slots__ = ("seat", "players", "round_no", "turn", "start_seat", "hand", "piles", "hand_sizes", "bull_cards", "bull_pool", "draw", "totals")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    START_SEAT_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    PILES_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    BULL_CARDS_FIELD_NUMBER: _ClassVar[int]
    BULL_POOL_FIELD_NUMBER: _ClassVar[int]
    DRAW_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    players: int
    round_no: int
    turn: int
    start_seat: int
    hand: _containers.RepeatedScalarFieldContainer[int]
    piles: _containers.RepeatedCompositeFieldContainer[Pile]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    bull_cards: _containers.RepeatedScalarFieldContainer[int]
    bull_pool: int
    draw: int
    totals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., players: _Optional[int] = ..., round_no: _Optional[int] = ..., turn: _Optional[int] = ..., start_seat: _Optional[int] = ..., hand: _Optional[_Iterable[int]] = ..., piles: _Optional[_Iterable[_Union[Pile, _Mapping]]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., bull_cards: _Optional[_Iterable[int]] = ..., bull_pool: _Optional[int] = ..., draw: _Optional[int] = ..., totals: _Optional[_Iterable[int]] = ...) -> None: ...

class XNimmtView(_message.Message):
    __slots__ = ("seat", "players", "round_no", "turn", "hand", "rows", "revealed", "taken", "x_rows", "x_pile", "x_pile_sizes", "hand_sizes", "totals")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    X_ROWS_FIELD_NUMBER: _ClassVar[int]
    X_PILE_FIELD_NUMBER: _ClassVar[int]
    X_PILE_SIZES_FIELD_NUMBER: _ClassVar[int]
    HAND_SIZES_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    players: int
    round_no: int
    turn: int
    hand: _containers.RepeatedScalarFieldContainer[int]
    rows: _containers.RepeatedCompositeFieldContainer[Cards]
    revealed: _containers.RepeatedScalarFieldContainer[int]
    taken: _containers.RepeatedScalarFieldContainer[int]
    x_rows: _containers.RepeatedCompositeFieldContainer[Cards]
    x_pile: _containers.RepeatedScalarFieldContainer[int]
    x_pile_sizes: _containers.RepeatedScalarFieldContainer[int]
    hand_sizes: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, seat: _Optional[int] = ..., players: _Optional[int] = ..., round_no: _Optional[int] = ..., turn: _Optional[int] = ..., hand: _Optional[_Iterable[int]] = ..., rows: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ..., revealed: _Optional[_Iterable[int]] = ..., taken: _Optional[_Iterable[int]] = ..., x_rows: _Optional[_Iterable[_Union[Cards, _Mapping]]] = ..., x_pile: _Optional[_Iterable[int]] = ..., x_pile_sizes: _Optional[_Iterable[int]] = ..., hand_sizes: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ...) -> None: ...

class PileCards(_message.Message):
    __slots__ = ("pile", "cards")
    PILE_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    pile: int
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, pile: _Optional[int] = ..., cards: _Optional[_Iterable[int]] = ...) -> None: ...

class TurnOptions(_message.Message):
    __slots__ = ("plays", "max_piles", "many", "takes")
    PLAYS_FIELD_NUMBER: _ClassVar[int]
    MAX_PILES_FIELD_NUMBER: _ClassVar[int]
    MANY_FIELD_NUMBER: _ClassVar[int]
    TAKES_FIELD_NUMBER: _ClassVar[int]
    plays: _containers.RepeatedCompositeFieldContainer[PileCards]
    max_piles: int
    many: bool
    takes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, plays: _Optional[_Iterable[_Union[PileCards, _Mapping]]] = ..., max_piles: _Optional[int] = ..., many: bool = ..., takes: _Optional[_Iterable[int]] = ...) -> None: ...

class Answers(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    def __init__(self, answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("ask_id", "card", "row", "draft", "x_card", "steal", "take", "play", "note")
    ASK_ID_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    ROW_FIELD_NUMBER: _ClassVar[int]
    DRAFT_FIELD_NUMBER: _ClassVar[int]
    X_CARD_FIELD_NUMBER: _ClassVar[int]
    STEAL_FIELD_NUMBER: _ClassVar[int]
    TAKE_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    ask_id: int
    card: int
    row: int
    draft: int
    x_card: int
    steal: int
    take: int
    play: Play
    note: str
    def __init__(self, ask_id: _Optional[int] = ..., card: _Optional[int] = ..., row: _Optional[int] = ..., draft: _Optional[int] = ..., x_card: _Optional[int] = ..., steal: _Optional[int] = ..., take: _Optional[int] = ..., play: _Optional[_Union[Play, _Mapping]] = ..., note: _Optional[str] = ...) -> None: ...

class Play(_message.Message):
    __slots__ = ("piles",)
    PILES_FIELD_NUMBER: _ClassVar[int]
    piles: _containers.RepeatedCompositeFieldContainer[PileCards]
    def __init__(self, piles: _Optional[_Iterable[_Union[PileCards, _Mapping]]] = ...) -> None: ...

class Failure(_message.Message):
    __slots__ = ("ask_id", "error")
    ASK_ID_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    ask_id: int
    error: str
    def __init__(self, ask_id: _Optional[int] = ..., error: _Optional[str] = ...) -> None: ...

class Events(_message.Message):
    __slots__ = ("game_no", "events")
    GAME_NO_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    game_no: int
    events: _containers.RepeatedCompositeFieldContainer[Event]
    def __init__(self, game_no: _Optional[int] = ..., events: _Optional[_Iterable[_Union[Event, _Mapping]]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("round_start", "turn", "reveal", "move", "bull_card", "points", "round_end", "game_end")
    ROUND_START_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    REVEAL_FIELD_NUMBER: _ClassVar[int]
    MOVE_FIELD_NUMBER: _ClassVar[int]
    BULL_CARD_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    ROUND_END_FIELD_NUMBER: _ClassVar[int]
    GAME_END_FIELD_NUMBER: _ClassVar[int]
    round_start: RoundStart
    turn: Turn
    reveal: Reveal
    move: Move
    bull_card: BullCard
    points: Points
    round_end: RoundEnd
    game_end: GameEnd
    def __init__(self, round_start: _Optional[_Union[RoundStart, _Mapping]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., reveal: _Optional[_Union[Reveal, _Mapping]] = ..., move: _Optional[_Union[Move, _Mapping]] = ..., bull_card: _Optional[_Union[BullCard, _Mapping]] = ..., points: _Optional[_Union[Points, _Mapping]] = ..., round_end: _Optional[_Union[RoundEnd, _Mapping]] = ..., game_end: _Optional[_Union[GameEnd, _Mapping]] = ...) -> None: ...

class RoundStart(_message.Message):
    __slots__ = ("round_no", "start_seat", "bull_pool")
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    START_SEAT_FIELD_NUMBER: _ClassVar[int]
    BULL_POOL_FIELD_NUMBER: _ClassVar[int]
    round_no: int
    start_seat: int
    bull_pool: int
    def __init__(self, round_no: _Optional[int] = ..., start_seat: _Optional[int] = ..., bull_pool: _Optional[int] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("number", "seat")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    number: int
    seat: int
    def __init__(self, number: _Optional[int] = ..., seat: _Optional[int] = ...) -> None: ...

class Reveal(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, cards: _Optional[_Iterable[int]] = ...) -> None: ...

class Move(_message.Message):
    __slots__ = ("why", "cards", "src", "dst")
    WHY_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SRC_FIELD_NUMBER: _ClassVar[int]
    DST_FIELD_NUMBER: _ClassVar[int]
    why: str
    cards: _containers.RepeatedScalarFieldContainer[int]
    src: str
    dst: str
    def __init__(self, why: _Optional[str] = ..., cards: _Optional[_Iterable[int]] = ..., src: _Optional[str] = ..., dst: _Optional[str] = ...) -> None: ...

class BullCard(_message.Message):
    __slots__ = ("seat", "source")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    source: int
    def __init__(self, seat: _Optional[int] = ..., source: _Optional[int] = ...) -> None: ...

class Points(_message.Message):
    __slots__ = ("points",)
    POINTS_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, points: _Optional[_Iterable[int]] = ...) -> None: ...

class RoundEnd(_message.Message):
    __slots__ = ("points", "totals")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    totals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, points: _Optional[_Iterable[int]] = ..., totals: _Optional[_Iterable[int]] = ...) -> None: ...

class GameEnd(_message.Message):
    __slots__ = ("points", "places")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    points: _containers.RepeatedScalarFieldContainer[int]
    places: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, points: _Optional[_Iterable[int]] = ..., places: _Optional[_Iterable[int]] = ...) -> None: ...
