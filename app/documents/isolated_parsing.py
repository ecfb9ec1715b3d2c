"""Parse and chunk submitted bytes in a child process, so that hostile input can harm nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from app.documents import language, token_counts
from app.documents.chunker import split_into_chunks
from app.documents.document_dates import DATE_KEY, parse_first_date
from app.documents.format_registry import FORMATS
from app.documents.language import detect_language
from app.documents.parsers import encoding_guesses, parse_errors
from app.documents.parsers.limits import DEFAULT_LIMITS, ParseLimits
from app.documents.parsing import parse_document
from app.documents.shapes import IN_REPLY_TO, MESSAGE_ID, ChunkDraft, ParsedDocument
from app.errors import CitegraphError, InvalidInput, UnsupportedFormat
from app.sandbox.process_sandbox import Session, do_nothing
from app.sandbox.shapes import Fault, FaultKind

Result = TypeVar("Result")

DEFAULT_SECONDS = 60


@dataclass(frozen=True)
class UnparsedDocument:
    """A document's bytes, with what its submitter said of them and the bounds on what they may hold."""

    raw: bytes
    format: str
    language: str | None = None
    date: str | None = None
    max_tokens: int = 400
    max_chunks: int = 20_000
    limits: ParseLimits = field(default=DEFAULT_LIMITS)


@dataclass(frozen=True)
class ReadText:
    """A document as plain text, split into chunks, with metadata found in its text."""

    text: str
    title: str | None
    language: str | None
    dated_at: datetime | None
    drafts: tuple[ChunkDraft, ...]
    dropped_marks: int
    encoding: str | None = None
    left_out: tuple[str, ...] = ()
    # Of a mail: its id, and the id of the mail that it answers.
    message_id: str | None = None
    in_reply_to: str | None = None


def preload_parsers_and_models() -> None:
    """Import every parser, and load the language model and the token vocabulary."""
    for format in FORMATS.values():
        format.import_libraries()
    encoding_guesses.preload_encoding_models()
    language.preload_language_model()
    token_counts.preload_token_vocabulary()


def parse_and_split_document(_shared: None, source: UnparsedDocument) -> ReadText:
    """Parse the document and split it into chunks. Raises InvalidInput and UnsupportedFormat."""
    parsed_document = _parse_document_in_child(None, source)
    drafts = split_into_chunks(parsed_document, max_tokens=source.max_tokens, max_chunks=source.max_chunks)
    return ReadText(
        parsed_document.text,
        parsed_document.title,
        source.language or detect_language(parsed_document.text),
        parse_first_date([source.date, parsed_document.metadata.get(DATE_KEY)]),
        tuple(drafts),
        parsed_document.dropped_marks,
        parsed_document.encoding,
        parsed_document.left_out,
        parsed_document.metadata.get(MESSAGE_ID),
        parsed_document.metadata.get(IN_REPLY_TO),
    )


def _parse_document_in_child(_shared: None, source: UnparsedDocument) -> ParsedDocument:
    try:
        return parse_document(source.raw, source.format, source.limits)
    except RecursionError:
        raise parse_errors.build_recursion_error() from None


def parse_and_split_document_in_child(
    session: Session,
    source: UnparsedDocument,
    *,
    seconds: int = DEFAULT_SECONDS,
    while_waiting: Callable[[], None] = do_nothing,
) -> ReadText:
    """Return the document's text in chunks, read in a child within `seconds` of processor time.

    Most formats have a lower limit of 15 seconds. Raises what `parse_and_split_document` raises, what
    `while_waiting` raises, and InvalidInput `parse_timeout`, `too_large_to_parse`,
    `damaged_document` if the child crashed, or `unreadable_document` for an internal error.
    """
    return _run_in_child(session, parse_and_split_document, source, seconds, while_waiting)


def parse_document_in_child(
    session: Session, source: UnparsedDocument, *, seconds: int = DEFAULT_SECONDS
) -> ParsedDocument:
    """Return the parsed document, not split into chunks. Raises what `parse_and_split_document_in_child`
    raises.
    """
    return _run_in_child(session, _parse_document_in_child, source, seconds, do_nothing)


def _run_in_child(
    session: Session,
    read: Callable[[None, UnparsedDocument], Result],
    source: UnparsedDocument,
    seconds: int,
    while_waiting: Callable[[], None],
) -> Result:
    seconds = min(seconds, FORMATS[source.format].seconds)
    (result,) = session.map(read, None, [(source, seconds)], while_waiting=while_waiting)
    if isinstance(result, Fault):
        raise build_error_of_child_fault(result, seconds)
    return result


class UnreadableDocument(InvalidInput):
    """An internal error while reading a document; `trace` is for the log."""

    def __init__(self, trace: str) -> None:
        super().__init__(
            "The document could not be read: save it in another format.", code="unreadable_document"
        )
        self.trace = trace


def build_error_of_child_fault(fault: Fault, seconds: int) -> CitegraphError:
    """Return the exception for a fault of the child."""
    match fault.kind:
        case FaultKind.TIME:
            return parse_errors.build_parse_timeout_error(seconds)
        case FaultKind.MEMORY:
            return parse_errors.build_too_large_to_parse_error()
        case FaultKind.CRASH:
            return parse_errors.build_damaged_document_error("The document is damaged: reading it failed")
        case FaultKind.RAISED:
            return UnreadableDocument(fault.trace)
    if fault.code == UnsupportedFormat.code:
        return UnsupportedFormat(fault.message)
    return InvalidInput(fault.message, code=fault.code)
