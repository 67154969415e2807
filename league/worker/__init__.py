"""The processes behind a league: the worker, its queue, the bells, and the turn of the clock."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.worker.admission import Admission, Check, Elsewhere
    from league.worker.bells import Bells, ring
    from league.worker.broker import FRIENDLIES, make_celery
    from league.worker.checks import (
        broker_check,
        database_check,
        disk_check,
        engine_checks,
        files_check,
        memory_check,
    )
    from league.worker.metrics import WorkerMetrics, shown
    from league.worker.other_work import (
        friendly_matches,
        match_reviews,
        people_tables,
        submission_checks,
    )
    from league.worker.standing import Standing
    from league.worker.tick import Due
    from league.worker.work import Work, WorkSlots
    from league.worker.worker import Worker, worker_name
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
