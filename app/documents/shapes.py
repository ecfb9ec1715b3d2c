"""Plain values of the documents domain."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from app.domain.file_locations import ChunkPlaces, format_place_of_range
from app.ids import ChunkId, DocumentId, JobId


class SourceKind(StrEnum):
    """The origin of a document, which weights its facts when answers are ranked (requirement 9.4)."""

    USER_EDIT = "user_edit"
    FILE = "file"
    SYSTEM = "system"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class MailIds:
    """The Message-ID of a mail, and that of the mail that it answers; None if it names none."""

    message_id: str | None
    in_reply_to: str | None


@dataclass(frozen=True, slots=True)
class Section:
    """A range of the document's text under one heading path.

    `start` and `end` are character offsets in `ParsedDocument.text`. Sections are in order and do not
    overlap; a heading line belongs to the section that it opens.
    """

    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    # A record or a conversation turn, which is never joined with its neighbours in one chunk.
    indivisible: bool = False
    speaker: str | None = None
    said_at: datetime | None = None
    # Of the mail that begins here.
    mail_ids: MailIds | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The place in the file of the text from `start` on: "page 7", "sheet Prices, row 12"."""

    start: int
    name: str


MESSAGE_ID, IN_REPLY_TO = "message_id", "in_reply_to"
"""The keys, in the metadata of a parsed mail, of its id and of the id of the mail that it answers."""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as plain text with its sections; every character range refers to `text`."""

    text: str
    sections: tuple[Section, ...]
    title: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    # Each section is one chunk, because the submitter has divided the document.
    sections_are_chunks: bool = False
    # Number of combining marks dropped because too many were in a row.
    dropped_marks: int = 0
    # In order; text before the first place is located only by its range.
    places: tuple[Place, ...] = ()
    # The encoding of the bytes, if they were text.
    encoding: str | None = None
    # What of the file is not in the text, in sentences for people.
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk to be stored. Invariant: `text == document.text[char_start:char_end]`."""

    ordinal: int
    text: str
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    token_count: int
    speaker: str | None = None
    said_at: datetime | None = None
    # Its places in the file, in order: the first character of each part, from 0, and the name.
    places: tuple[tuple[int, str], ...] = ()
    # Of the mail that begins here.
    mail_ids: MailIds | None = None

    @property
    def place(self) -> str | None:
        """The place where it begins, and where it ends if that is another."""
        return format_place_of_range(self.places, 0, len(self.text))

    @property
    def several_places(self) -> str | None:
        """The places of its parts as JSON if there are several; None if `place` is sufficient."""
        return json.dumps(self.places) if len(self.places) > 1 else None


@dataclass(frozen=True, slots=True)
class UnchunkedRange:
    """A range of a document's text that is in no chunk, without surrounding white space."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Submission:
    """A submitted document; `raw` is what `parse` will read."""

    raw: bytes
    # The name of one of `app.documents.format_registry`.
    format: str
    title: str
    source_kind: SourceKind = SourceKind.FILE
    source_uri: str | None = None
    language: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    # An upper limit, besides the space's settings for the source kind and the submitter.
    trust: float = 1.0
    # The document that this is a new version of, if the address does not tell.
    replaces: DocumentId | None = None


@dataclass(frozen=True, slots=True)
class InnerFile:
    """A file inside another: its path in it, its bytes and the name of its format."""

    name: str
    raw: bytes
    format: str


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A refused file inside another: its path in it, and why."""

    name: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnpackedFile:
    """The files inside a file."""

    files: tuple[InnerFile, ...]
    refused_files: tuple[RefusedFile, ...]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A document that came from a file, for the comparison with its folder."""

    id: DocumentId
    source_uri: str
    content_hash: str
    state: str
    failure_code: str | None = None
    failure_reason: str | None = None
    # The last job that read it or will read it.
    job_id: JobId | None = None


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """The documents to list: `words` are in title or address, in any case; addresses begin with `below`."""

    state: str | None = None
    format: str | None = None
    words: str | None = None
    job_id: JobId | None = None
    below: str | None = None


EVERY_DOCUMENT = DocumentFilter()


class SubmissionOutcome(StrEnum):
    """The outcome of a submission (requirement 2.3)."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class PendingDocument:
    """A document that a job has yet to ingest."""

    id: DocumentId
    byte_size: int
    crash_count: int


@dataclass(frozen=True)
class RawDocument:
    """A document's bytes, with the metadata needed to read them."""

    id: DocumentId
    raw: bytes
    format: str
    title: str
    language: str | None
    version: int
    # If there are any, all other chunks were completely read.
    quarantined_chunks: int
    file_name: str
    date: str | None
    trust: float = 1.0
    # The title of the oldest other document with the same content, if there is one.
    twin_title: str | None = None


@dataclass(frozen=True)
class DocumentText:
    """The text of a document that was read, and its properties found in reading."""

    document_id: DocumentId
    text: str
    title: str
    language: str | None
    encoding: str | None
    warnings: Sequence[str]
    message_id: str | None = None
    in_reply_to: str | None = None


@dataclass(frozen=True)
class StoredChunk:
    """A stored chunk, as the chunking stage needs it."""

    id: ChunkId
    document_id: DocumentId
    content_hash: str
    extracted_by: str | None
    ordinal: int
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    is_quarantined: bool = False
    places: ChunkPlaces = None
    mail_ids: MailIds | None = None

    def has_same_position(self, draft: ChunkDraft) -> bool:
        """Return whether the chunk has the same position as this draft, and begins the same mail."""
        places = draft.place if draft.several_places is None else [list(part) for part in draft.places]
        return (
            self.ordinal,
            self.char_start,
            self.char_end,
            self.heading_path,
            self.places,
            self.mail_ids,
        ) == (
            draft.ordinal,
            draft.char_start,
            draft.char_end,
            tuple(draft.heading_path),
            places,
            draft.mail_ids,
        )


@dataclass(frozen=True)
class NewChunk:
    """A chunk to insert: its draft, hash, and vector in pgvector's text format."""

    id: ChunkId
    document_id: DocumentId
    draft: ChunkDraft
    content_hash: str
    embedding: str | None


class ChunkRange(NamedTuple):
    """The range of a chunk in its document's text."""

    id: ChunkId
    char_start: int
    char_end: int


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A part of a document's text, its position, and its chunks in order."""

    text: str
    char_start: int
    char_end: int
    length: int
    chunks: tuple[ChunkRange, ...]


@dataclass(frozen=True, slots=True)
class MailLocation:
    """A mail that the space holds: its document, and within a larger file the chunk with which it begins."""

    document_id: DocumentId
    title: str
    source_uri: str | None
    chunk_id: ChunkId | None
    # Its place in the file; None if the mail is a document by itself.
    place: str | None


@dataclass(frozen=True)
class QuarantinedChunk:
    """A chunk that could not be read into the graph, why, and since which version of its document."""

    chunk_id: ChunkId
    ordinal: int
    code: str
    reason: str
    since_version: int


@dataclass(frozen=True)
class RequeueCounts:
    """The number of a job's documents queued again, and of the others, which need nothing."""

    documents: int
    read: int


@dataclass(frozen=True)
class JobDocuments:
    """The documents of a job: their number, up to a bound, and ids and titles of the first.

    `unread_count` of them failed or have quarantined chunks.
    """

    count: int
    unread_count: int
    first_documents: tuple[tuple[DocumentId, str], ...]
