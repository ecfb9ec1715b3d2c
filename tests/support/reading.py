"""Reads documents in a real sandbox, whose template is started once in a test process."""

import atexit
from functools import cache

from app.documents import isolated_reading
from app.documents.isolated_reading import PRELOADED, Unread
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.shapes import DocumentFormat, ParsedDocument
from app.sandbox.service import ProcessSandbox, Template


@cache
def template() -> Template:
    """The template of this process, with every parser imported."""
    started = Template((PRELOADED,))
    atexit.register(started.close)
    return started


def parse_isolated(
    raw: bytes,
    format: DocumentFormat,
    *,
    seconds: int = isolated_reading.DEFAULT_SECONDS,
    memory_bytes: int = 1 << 29,
    limits: ParseLimits = DEFAULT_LIMITS,
) -> ParsedDocument:
    """The document as a child parses it."""
    sandbox = ProcessSandbox(memory_bytes=memory_bytes, template=template())
    with sandbox.open() as session:
        return isolated_reading.parse_isolated(session, Unread(raw, format, limits=limits), seconds=seconds)
