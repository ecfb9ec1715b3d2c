"""Parsing a stranger's bytes where a crash, a bomb or an endless loop hurts nobody (rule A12).

Run as `python -m app.documents.sandbox FORMAT SECONDS MEMORY LIMITS` this module is the child:
document on standard input, JSON on standard output. A plain subprocess and not
`multiprocessing`, because Celery's worker processes may not have such children.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import astuple
from datetime import datetime
from pathlib import Path
from typing import Any

from app.documents.parsers import faults, load_parser, parse
from app.documents.parsers.combining import holds_long_runs
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.shapes import DocumentFormat, ParsedDocument, Section
from app.errors import CitegraphError, InvalidInput, UnsupportedFormat

DEFAULT_SECONDS = 60
DEFAULT_MEMORY_BYTES = 512 * 1024 * 1024
# Text, CSV and JSON within their limits are read in a fraction of this, on a slow machine too.
_TEXT_SECONDS = 15
_ALWAYS_ISOLATED = frozenset({DocumentFormat.PDF, DocumentFormat.DOCX})
# Small documents take less time than a child takes to start (0.35 s of a processor). Large pages may be
# nested or bracketed so that their libraries, quadratic in depth, would hold a worker for minutes; of large
# text and JSON the child bounds the memory.
_PAGES = frozenset({DocumentFormat.HTML, DocumentFormat.MARKDOWN})
_LARGE_PAGE_BYTES, _LARGE_TEXT_BYTES = 64 * 1024, 256 * 1024
_ROOT = Path(__file__).resolve().parents[2]


# Seconds between two questions whether somebody else needs the time.
_POLL_SECONDS = 0.5


class ParseInterrupted(Exception):
    """Whoever asked for the text has no time for it now; nothing is wrong with the document."""


def parse_isolated(
    raw: bytes,
    format: DocumentFormat,
    *,
    seconds: int = DEFAULT_SECONDS,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    limits: ParseLimits = DEFAULT_LIMITS,
    is_interrupted: Callable[[], bool] = lambda: False,
) -> ParsedDocument:
    """The same as `parse`, with PDF, DOCX, and what is large or suspicious read in a child process.

    `seconds` bounds both the wall clock and the processor time (15 at most but for PDF and DOCX),
    `memory_bytes` the child's address space. Suspicious is a text with long runs of combining marks. Raises
    what `parse` raises, and InvalidInput `parse_timeout`, `too_large_to_parse` or, where the child crashed,
    `damaged_document`; ParseInterrupted soon after `is_interrupted`.
    """
    if not _needs_a_child(raw, format):
        return parse(raw, format, limits)
    if format not in _ALWAYS_ISOLATED:
        seconds = min(seconds, _TEXT_SECONDS)
    bounds = (str(seconds), str(memory_bytes), ",".join(map(str, astuple(limits))))
    command = [sys.executable, "-m", __name__, format.value, *bounds]
    # The child gets no environment of ours: no keys, no database address.
    environment = {"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
    # A file and no pipe: asked again after a time-out, `communicate` would never send the rest of its input.
    with tempfile.TemporaryFile() as source:
        source.write(raw)
        source.seek(0)
        with subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env=environment,
        ) as child:
            try:
                output = _await_answer(child, seconds, is_interrupted)
            except BaseException:
                child.kill()
                raise
    return _read_answer(child.returncode, output, seconds)


def _await_answer(child: subprocess.Popen[bytes], seconds: int, is_interrupted: Callable[[], bool]) -> bytes:
    deadline = time.monotonic() + seconds
    while True:
        try:
            output, _ = child.communicate(timeout=max(0.0, min(_POLL_SECONDS, deadline - time.monotonic())))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= deadline:
                raise faults.parse_timeout(seconds) from None
            if is_interrupted():
                raise ParseInterrupted from None
        else:
            return output


def _needs_a_child(raw: bytes, format: DocumentFormat) -> bool:
    if format in _ALWAYS_ISOLATED or len(raw) > (
        _LARGE_PAGE_BYTES if format in _PAGES else _LARGE_TEXT_BYTES
    ):
        return True
    return not raw.isascii() and holds_long_runs(raw.decode("utf-8", "ignore"))


def _read_answer(returncode: int, output: bytes, seconds: int) -> ParsedDocument:
    if returncode == -signal.SIGXCPU:
        raise faults.parse_timeout(seconds)
    if returncode == -signal.SIGKILL:
        # Nobody but the kernel's memory guard kills the child this way while we wait.
        raise faults.too_large_to_parse()
    try:
        answer = json.loads(output) if returncode == 0 else None
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise faults.damaged_document("The document is damaged: reading it failed.")
    if "code" in answer:
        if answer["code"] == UnsupportedFormat.code:
            raise UnsupportedFormat(answer["message"])
        raise InvalidInput(answer["message"], code=answer["code"])
    return _decode(answer)


def _encode(document: ParsedDocument) -> dict[str, Any]:
    sections = [
        (
            section.start,
            section.end,
            section.heading_path,
            section.indivisible,
            section.speaker,
            section.said_at.isoformat() if section.said_at else None,
        )
        for section in document.sections
    ]
    return {
        "text": document.text,
        "sections": sections,
        "title": document.title,
        "metadata": dict(document.metadata),
        "sections_are_chunks": document.sections_are_chunks,
        "dropped_marks": document.dropped_marks,
    }


def _decode(answer: dict[str, Any]) -> ParsedDocument:
    sections = tuple(
        Section(start, end, tuple(path), indivisible, speaker, datetime.fromisoformat(at) if at else None)
        for start, end, path, indivisible, speaker, at in answer["sections"]
    )
    return ParsedDocument(
        answer["text"],
        sections,
        answer["title"],
        answer["metadata"],
        answer["sections_are_chunks"],
        answer["dropped_marks"],
    )


def _answer(raw: bytes, format: DocumentFormat, limits: ParseLimits) -> dict[str, Any]:
    try:
        return _encode(parse(raw, format, limits))
    except MemoryError:
        fault: CitegraphError = faults.too_large_to_parse()
    except CitegraphError as error:
        fault = error
    except RecursionError:
        fault = faults.damaged_document("The document is damaged: it is nested without end.")
    return {"code": fault.code, "message": fault.message}


def main(arguments: list[str]) -> None:
    """Be the child: limit this process, parse standard input, write the answer."""
    format, seconds, memory_bytes = DocumentFormat(arguments[0]), int(arguments[1]), int(arguments[2])
    limits = ParseLimits(*map(int, arguments[3].split(",")))
    load_parser(format)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    if sys.platform != "darwin":
        # macOS knows this limit and cannot set it; the clocks still hold there.
        resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    raw = sys.stdin.buffer.read()
    # Whatever a library prints must not end up inside the answer.
    answer_pipe = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with os.fdopen(answer_pipe, "wb") as pipe:
        pipe.write(json.dumps(_answer(raw, format, limits)).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
