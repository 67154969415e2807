"""People at tables: opening one, sitting down, playing it against bots, going on elsewhere.

A table is played as a match by a worker; the pages and the worker meet in the database alone.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.people.answering import AlreadyAnswered, choose, find_ask
    from league.people.attempt import LEASE_SECONDS, TablePlayer
    from league.people.bell import BELL, CHOICES, FRAMES, LOOK_SECONDS
    from league.people.board import (
        NAME_LENGTH,
        BoardPerson,
        PeopleBoard,
        own_rating,
        people_boards,
        set_name,
    )
    from league.people.company import of_about_my_strength, pick_near
    from league.people.fits import BoardBot, fitted
    from league.people.hints import Asked, ask_hint, make_hint
    from league.people.old_boards import open_board, open_other_seat
    from league.people.opening import (
        GUEST,
        Asker,
        Opened,
        TableRequest,
        begin,
        close_abandoned,
        open_again,
        open_table,
    )
    from league.people.opponents import may_play
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
