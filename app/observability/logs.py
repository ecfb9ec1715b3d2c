"""Logging for every process: to stderr, with secrets redacted in the finished line."""

import logging
import re
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any, TextIO
from urllib.parse import urlsplit

import structlog

from app.errors import ConfigurationError
from app.observability.tracing import add_trace_id
from app.settings import Settings

# Libraries that log every ordinary step at INFO.
_VERBOSE_LOGGERS = ("alembic", "app.db.engine", "celery", "httpx2", "kombu", "mcp")
_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
# API keys keep their public id, so that an operator can find them; addresses keep the user name.
_SECRET_PATTERNS = (
    (re.compile(r"\b(cg_[a-z]{2,8}_[0-9a-z]{8}_)[A-Za-z0-9_-]{8,}"), r"\1***"),
    (re.compile(r"\bcg_(?![a-z]{2,8}_[0-9a-z]{8}_\*\*\*)[A-Za-z0-9_-]{8,}"), "cg_***"),
    (re.compile(r"\bsk-[A-Za-z0-9_-]{8,}"), "sk-***"),
    (re.compile(r"(?i)\b(bearer\s+)(?!cg_|sk-)[A-Za-z0-9._~+/=-]{8,}"), r"\1***"),
    (re.compile(r"([a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s@/]+@"), r"\1***@"),
)
# Libraries whose error messages repeat their input.
_LIBRARIES_REPEATING_INPUT = frozenset({"psycopg", "sqlalchemy", "pydantic", "pydantic_core"})
_BROKER_EVENTS = frozenset({"broker_silent", "rate_limits_local", "heartbeat_not_noted"})


def redact_secrets(line: str) -> str:
    """Return the line without API keys, model keys, bearer tokens and passwords in addresses."""
    for pattern, replacement in _SECRET_PATTERNS:
        line = pattern.sub(replacement, line)
    return line


class _RedactingFormatter(structlog.stdlib.ProcessorFormatter):
    """Redacts the finished line, so that messages, values and tracebacks are all covered."""

    def format(self, record: logging.LogRecord) -> str:
        return redact_secrets(super().format(record))


class _OwnHandler(logging.StreamHandler[Any]):
    """Writes to the current stderr; a second configuration replaces it and keeps other handlers."""

    @property
    def stream(self) -> Any:
        """The stream that lines are written to."""
        return sys.stderr

    @stream.setter
    def stream(self, _value: Any) -> None:
        pass


def _format_address(url: str | None) -> str | None:
    """Return host, port and path of an address, without the folder of a socket; None for one that cannot be
    parsed.
    """
    if url is None:
        return None
    try:
        url_parts = urlsplit(url)
        port_suffix = f":{url_parts.port}" if url_parts.port else ""
    except ValueError:
        # Whoever connects to it says what is wrong.
        return None
    return f"{url_parts.hostname or 'socket'}{port_suffix}{url_parts.path if url_parts.hostname else ''}"


class _AddressProcessor:
    """Adds the address of the database or the broker to lines about it, never its password."""

    def __init__(self, settings: Settings) -> None:
        self._database = _format_address(settings.database_url)
        self._broker = _format_address(settings.redis_url)

    def __call__(self, _logger: object, _method: str, event: MutableMapping[str, Any]) -> Any:
        if "sqlstate" in event and self._database:
            event["database"] = self._database
        if event.get("event") in _BROKER_EVENTS and self._broker:
            event["broker"] = self._broker
        return event


def describe_exception(exc_info: Any) -> str:
    """Return the traceback of an exception and its causes, without text of a document.

    Libraries repeat their input in error messages: rows, values, parameters. Of these errors only the type is
    given, and the SQLSTATE of database errors.
    """
    error = exc_info[1]
    lines: list[str] = []
    visited_ids: set[int] = set()
    while error is not None and id(error) not in visited_ids:
        visited_ids.add(id(error))
        error_class = type(error)
        library = error_class.__module__.split(".")[0]
        message = f"{error_class.__name__}: {error}" if str(error) else error_class.__name__
        if library in _LIBRARIES_REPEATING_INPUT:
            sqlstate = getattr(getattr(error, "orig", error), "sqlstate", None)
            message = f"{library}.{error_class.__name__}" + (f" (sqlstate {sqlstate})" if sqlstate else "")
        traceback_text = "".join(traceback.format_tb(error.__traceback__))
        lines.append(f"Traceback (most recent call last):\n{traceback_text}{message}")
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\nThe above came from:\n\n".join(lines)


def _write_exception(out: TextIO, exc_info: Any) -> None:
    out.write("\n" + describe_exception(exc_info))


def configure_logging(settings: Settings) -> None:
    """Send the log lines of structlog and of libraries to stderr, as text or JSON; may be called again.

    Raises ConfigurationError for an unknown level.
    """
    log_level = settings.log_level.upper()
    if log_level not in _LEVELS:
        raise ConfigurationError(f"CITEGRAPH_LOG_LEVEL is one of {', '.join(_LEVELS)}.")
    shared_processors: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        _AddressProcessor(settings),
        add_trace_id,
    ]
    if settings.log_json:
        renderers: list[Any] = [
            structlog.processors.ExceptionRenderer(describe_exception),
            structlog.processors.JSONRenderer(),
        ]
    else:
        colors = sys.stderr.isatty()
        renderers = [structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=_write_exception)]
    handler = _OwnHandler()
    handler.setFormatter(
        _RedactingFormatter(
            foreign_pre_chain=shared_processors,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *renderers],
        )
    )
    root = logging.getLogger()
    for old_handler in [
        root_handler for root_handler in root.handlers if isinstance(root_handler, _OwnHandler)
    ]:
        root.removeHandler(old_handler)
    root.addHandler(handler)
    root.setLevel(log_level)
    for name in _VERBOSE_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING if log_level == "INFO" else log_level)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared_processors,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )
