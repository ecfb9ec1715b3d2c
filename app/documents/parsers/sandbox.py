"""Parsing a stranger's bytes where a crash, a bomb or an endless loop hurts nobody (rule A12).

Run as `python -m app.documents.parsers.sandbox FORMAT SECONDS MEMORY` this module is the child:
document on standard input, JSON on standard output. A plain subprocess and not
`multiprocessing`, because Celery's worker processes may not have such children.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

from app.documents.parsers import faults, parse
from app.documents.shapes import DocumentFormat, ParsedDocument, Section
from app.errors import CitegraphError, InvalidInput, UnsupportedFormat

DEFAULT_SECONDS = 60
DEFAULT_MEMORY_BYTES = 1024 * 1024 * 1024
# Above this a text would fill the caller's memory; ten times the largest upload's honest text.
_MAX_CHARACTERS = 50_000_000
_ALWAYS_ISOLATED = frozenset({DocumentFormat.PDF, DocumentFormat.DOCX})
# Small pages take less time than a child takes to start (0.7 s). Large ones may be nested or
# bracketed so that their libraries, quadratic in depth, would hold a worker for minutes.
_ISOLATED_WHEN_LARGE = frozenset({DocumentFormat.HTML, DocumentFormat.MARKDOWN})
_LARGE_BYTES = 64 * 1024
_ROOT = Path(__file__).resolve().parents[3]


def parse_isolated(
    raw: bytes,
    format: DocumentFormat,
    *,
    seconds: int = DEFAULT_SECONDS,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
) -> ParsedDocument:
    """The same as `parse`, with PDF, DOCX and large HTML or Markdown read in a child process.

    `seconds` bounds both the wall clock and the processor time, `memory_bytes` the child's
    address space. Raises what `parse` raises, and InvalidInput `parse_timeout`,
    `too_large_to_parse` or, where the child crashed, `damaged_document`.
    """
    large = format in _ISOLATED_WHEN_LARGE and len(raw) > _LARGE_BYTES
    if format not in _ALWAYS_ISOLATED and not large:
        return parse(raw, format)
    command = [sys.executable, "-m", __name__, format.value, str(seconds), str(memory_bytes)]
    # The child gets no environment of ours: no keys, no database address.
    environment = {"PYTHONPATH": str(_ROOT), "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(
            command,
            input=raw,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            cwd=_ROOT,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise faults.parse_timeout(seconds) from None
    return _read_answer(done.returncode, done.stdout, seconds)


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
    }


def _decode(answer: dict[str, Any]) -> ParsedDocument:
    sections = tuple(
        Section(start, end, tuple(path), indivisible, speaker, datetime.fromisoformat(at) if at else None)
        for start, end, path, indivisible, speaker, at in answer["sections"]
    )
    return ParsedDocument(answer["text"], sections, answer["title"], answer["metadata"])


def _answer(raw: bytes, format: DocumentFormat) -> dict[str, Any]:
    try:
        document = parse(raw, format)
        if len(document.text) > _MAX_CHARACTERS:
            raise faults.too_large_to_parse()
        return _encode(document)
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
        pipe.write(json.dumps(_answer(raw, format)).encode())


if __name__ == "__main__":
    main(sys.argv[1:])
