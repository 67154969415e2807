"""The one place that builds concrete parts: which sandbox stands behind the boundary, which
database, and the worker that uses them.

Whoever plays at home needs a sandbox and nothing else. Database, broker and Docker take seconds to
import, so the functions that need them import them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.wiring.checks import registry_check, worker_checks
    from league.wiring.sandboxes import (
        docker_engine,
        docker_sandbox,
        local_sandbox,
        process_sandbox,
    )
    from league.wiring.slots import home_slot, make_slots, share_cores
    from league.wiring.stores import enter_store, join_store, open_store, start_store
    from league.wiring.workers import make_clock, make_worker, spectators
    from league.wiring.workshop import make_workshop
else:
    from league.faces import lazy

    __getattr__, __all__ = lazy(__name__, __file__)
