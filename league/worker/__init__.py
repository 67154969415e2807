"""The processes behind a league: the worker, its queue, the bells, and the turn of the clock."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.worker.broker import make_celery, ring
    from league.worker.tick import Due
    from league.worker.worker import Worker, worker_name
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
