"""Who meets whom in a season, and in which seat: pure, numbers in, tables out.

Nothing here reads the store; `league.seasons` freezes what is drawn here.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.schedule.balance import BalanceReport, count_balance
    from league.schedule.plan import Entrant, Schedule, make_schedule
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
