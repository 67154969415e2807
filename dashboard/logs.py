"""Logs as JSON lines. What people type is a value in them, never a part of their form."""

import logging
import sys
from typing import TextIO, cast

import structlog
from structlog.tracebacks import ExceptionDictTransformer

_SHARED: list[structlog.typing.Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    # Without the values of variables: a password, a token or a key is among them.
    structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
]
# One list for the life of the process: a logger that has been used keeps the list it was used with.
_RENDERED: list[structlog.typing.Processor] = [*_SHARED, structlog.processors.JSONRenderer()]


class _Lasting:
    """A file for logs, and the process's own stderr once that file is closed: loggers keep for
    good what they were given at first, and a notebook or a test takes its stderr away again."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._open().write(text)

    def flush(self) -> None:
        self._open().flush()

    def _open(self) -> TextIO:
        if self._file.closed and sys.__stderr__ is not None:
            return sys.__stderr__
        return self._file


def configure_logs(level: int = logging.INFO) -> None:
    """Send everything, also what libraries log, to stderr as one JSON object a line."""
    stderr = cast(TextIO, _Lasting(sys.stderr))
    structlog.configure(
        processors=_RENDERED,
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
            foreign_pre_chain=_SHARED,
        )
    )
    logging.basicConfig(handlers=[handler], level=level, force=True)
    # What they do in passing, every second, would hide what the league has to say.
    for chatty in ("alembic", "celery"):
        logging.getLogger(chatty).setLevel(max(level, logging.WARNING))
    # Our own middleware logs every request, with more than uvicorn knows.
    logging.getLogger("uvicorn.access").disabled = True
