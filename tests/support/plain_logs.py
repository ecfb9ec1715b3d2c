"""Log lines of tests that run without the application's own configuration of logs."""

from typing import TextIO

import structlog


def configure_plain_logs(stream: TextIO | None = None) -> None:
    """Have structlog print lines to the stream, or to the current standard output.

    By default it formats an exception with rich and all variables: seconds of processor time. These lines
    have the standard library's traceback. Whatever was configured before is replaced whole.
    """
    structlog.reset_defaults()
    structlog.configure(
        processors=[
            *structlog.get_config()["processors"][:-1],
            structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
        ],
        logger_factory=structlog.PrintLoggerFactory(stream),
    )
