"""What is refused: a game that cannot be set up, an illegal choice, a replay that is not true."""


class RulesError(ValueError):
    """Unknown rules, bad options, a wrong number of players, or a deal that is no deal."""


class IllegalChoice(ValueError):
    """A choice that the rules do not allow; the state it was given to is untouched."""

    def __init__(self, seat: int | None, kind: str, got: object, expected: str) -> None:
        self.seat = seat
        self.kind = kind
        self.got = shorten(got)
        self.expected = expected
        where = f"seat {seat}" if seat is not None else "the table"
        super().__init__(f"illegal {kind} for {where}: got {self.got}, expected {expected}")


class ReplayError(ValueError):
    """The first thing in a replay that is not as it must be."""

    def __init__(
        self, message: str, round_no: int | None = None, decision: int | None = None
    ) -> None:
        self.round_no = round_no
        self.decision = decision
        where = "" if round_no is None else f"round {round_no}"
        where += "" if decision is None else f", decision {decision}"
        super().__init__(f"{where}: {message}" if where else message)


def shorten(value: object, limit: int = 120) -> str:
    """A `repr` that is safe to print whatever the value is: never long, never raising."""
    # An int too long to print raises in repr, and a bot may send one.
    if type(value) is int and abs(value) >= 1 << 256:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"
