"""The events of a game cut into moments: what is seen, and counted, as one thing that happens."""

from collections.abc import Iterable, Sequence

from nimmt.events import BullCard, Event, Move, Reveal, RoundEnd, RoundStart


def parted(events: Sequence[Event]) -> list[Sequence[Event]]:
    """The events of a step, a new deal apart from the end of the round before it."""
    cut = next((at for at, event in enumerate(events) if isinstance(event, RoundStart)), None)
    return [events[:cut], events[cut:]] if cut else [events]


def moments_of(events: Iterable[Event]) -> list[list[Event]]:
    """Cut events into what happens at one moment; only some kinds begin a new one."""
    parts: list[list[Event]] = []
    for event in events:
        if parts and not _begins(event, parts[-1]):
            parts[-1].append(event)
        else:
            parts.append([event])
    return parts


def _begins(event: Event, part: Sequence[Event]) -> bool:
    if isinstance(event, Move):
        if isinstance(part[0], RoundStart):
            # A deal is one moment, however many hands it fills.
            return False
        last = next((one for one in reversed(part) if isinstance(one, Move)), None)
        if last is None:
            return True
        # Cards that leave one place for one reason go together: a play on two piles, new piles.
        together = (last.why, last.src) == (event.why, event.src)
        # A row that is taken is started again by the card that took it.
        return not together and not (last.why == "take" and last.src == event.dst)
    return isinstance(event, Reveal | BullCard | RoundStart | RoundEnd)
