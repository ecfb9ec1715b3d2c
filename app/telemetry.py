"""Log lines: one set-up for every process, to stderr, with secrets blotted out of the finished line."""

import logging
import re
import sys
from typing import Any

import structlog

from app.errors import ConfigurationError
from app.settings import Settings

# Libraries that tell of every ordinary step at INFO.
_TALKATIVE = ("alembic", "app.db.engine", "celery", "kombu", "mcp")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
# API keys keep their public id, by which an operator finds them; addresses keep their user.
_SECRETS = (
    (re.compile(r"\b(cg_[a-z]{2,8}_[0-9a-z]{8}_)[A-Za-z0-9_-]{8,}"), r"\1***"),
    (re.compile(r"\bcg_(?![a-z]{2,8}_[0-9a-z]{8}_\*\*\*)[A-Za-z0-9_-]{8,}"), "cg_***"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"), "sk-***"),
    (re.compile(r"(?i)\b(bearer\s+)(?!cg_|sk-)[A-Za-z0-9._~+/=-]{8,}"), r"\1***"),
    (re.compile(r"([a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s@/]+@"), r"\1***@"),
)


def redact(line: str) -> str:
    """The line without API keys, model keys, bearer tokens and passwords in addresses."""
    for pattern, replacement in _SECRETS:
        line = pattern.sub(replacement, line)
    return line


class _Redacting(structlog.stdlib.ProcessorFormatter):
    """Blots out at the very end, so that messages, values and tracebacks are all covered."""

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class _OwnHandler(logging.StreamHandler[Any]):
    """Writes to the stderr of the moment; a second set-up replaces it and leaves others' handlers alone."""

    @property
    def stream(self) -> Any:
        """Where lines go."""
        return sys.stderr

    @stream.setter
    def stream(self, _value: Any) -> None:
        pass


def configure_logging(settings: Settings) -> None:
    """Sends structlog's and the libraries' log lines to stderr, as text or JSON; may be called again.

    Raises ConfigurationError for a level that does not exist.
    """
    level = settings.log_level.upper()
    if level not in _LEVELS:
        raise ConfigurationError(f"CITEGRAPH_LOG_LEVEL is one of {', '.join(_LEVELS)}.")
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    if settings.log_json:
        last: list[Any] = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        plain = structlog.dev.plain_traceback
        last = [structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]
    handler = _OwnHandler()
    handler.setFormatter(
        _Redacting(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    for old in [each for each in root.handlers if isinstance(each, _OwnHandler)]:
        root.removeHandler(old)
    root.addHandler(handler)
    root.setLevel(level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING if level == "INFO" else level)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
