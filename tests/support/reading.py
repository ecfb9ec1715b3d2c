"""Reads documents in a real sandbox, whose fork server is started once in a test process."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from app import wiring
from app.documents import isolated_parsing
from app.documents.isolated_parsing import UnparsedDocument
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.shapes import ParsedDocument
from app.sandbox.process_sandbox import ForkServer, ProcessSandbox


@cache
def get_fork_server() -> ForkServer:
    """The fork server of this process, with everything imported that children need."""
    return ForkServer(wiring.SANDBOX_MODULES)


@contextmanager
def shared_fork_server() -> Iterator[None]:
    """Have all services that are assembled in this process take their children from its one fork server.

    A fork server costs seconds of processor to start, as a worker's pool processes share one too.
    """
    make_sandbox = wiring.make_sandbox
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wiring, "make_sandbox", lambda settings: make_sandbox(settings, get_fork_server()))
        yield


def parse_isolated(
    raw: bytes,
    format: str,
    *,
    seconds: int = isolated_parsing.DEFAULT_SECONDS,
    memory_bytes: int = 1 << 29,
    limits: ParseLimits = DEFAULT_LIMITS,
) -> ParsedDocument:
    """The document as a child parses it."""
    sandbox = ProcessSandbox(memory_bytes=memory_bytes, fork_server=get_fork_server())
    with sandbox.open_session() as session:
        return isolated_parsing.parse_document_in_child(
            session, UnparsedDocument(raw, format, limits=limits), seconds=seconds
        )
