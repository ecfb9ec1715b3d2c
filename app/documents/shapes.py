"""Shapes of the documents domain: plain values, no database, no HTTP."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from app.domain.places import ChunkPlaces, place_of_range
from app.ids import ChunkId, DocumentId, JobId


class SourceKind(StrEnum):
    """Where a document came from; weighs its facts when answers are ranked (requirement 9.4)."""

    USER_EDIT = "user_edit"
    FILE = "file"
    SYSTEM = "system"
    CONVERSATION = "conversation"


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of the document's text under one heading path.

    `start` and `end` are character offsets in `ParsedDocument.text`; sections are in order,
    do not overlap, and heading lines themselves belong to the section that they open.
    """

    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    # A record or a conversation turn is never joined with its neighbour in one chunk.
    indivisible: bool = False
    speaker: str | None = None
    said_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the file the text from `start` on stands, in words: "page 7", "sheet Prices, row 12"."""

    start: int
    name: str


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A document as plain text with its sections; every character range points into `text`."""

    text: str
    sections: tuple[Section, ...]
    title: str | None = None
    metadata: Mapping[str, str] = field(default_factory=dict)
    # Each section is one chunk as it stands: whoever made the document has cut it already.
    sections_are_chunks: bool = False
    # Combining marks that were left out because too many stood in a row.
    dropped_marks: int = 0
    # In order; the text before the first, or all where there is none, is found by its range alone.
    places: tuple[Place, ...] = ()
    # How the bytes were taken for text, where they were.
    encoding: str | None = None
    # What of the file is no part of the text, in sentences for people.
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """One chunk to be stored. `text == document.text[char_start:char_end]`, always."""

    ordinal: int
    text: str
    char_start: int
    char_end: int
    heading_path: tuple[str, ...]
    token_count: int
    speaker: str | None = None
    said_at: datetime | None = None
    # Where in the file it stands, in order: the first character of each part, from 0, and its place.
    places: tuple[tuple[int, str], ...] = ()

    @property
    def place(self) -> str | None:
        """Where in the file it begins, and where it ends if that is elsewhere."""
        return place_of_range(self.places, 0, len(self.text))

    @property
    def several_places(self) -> str | None:
        """The places of its parts as JSON where it stands in several; None where `place` says all."""
        return json.dumps(self.places) if len(self.places) > 1 else None


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A range of a document's text that stands in no chunk, without the white space around it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Submission:
    """A document as somebody hands it in; `raw` is what `parse` will read."""

    raw: bytes
    # The name of one of `app.documents.format_registry`.
    format: str
    title: str
    source_kind: SourceKind = SourceKind.FILE
    source_uri: str | None = None
    language: str | None = None
    metadata: Mapping[str, object] = field(default_factory=dict)
    # At most this, and at most what the space's settings say of its kind and of who hands it in.
    trust: float = 1.0
    # The document of which this is a new version, where its address does not say so.
    replaces: DocumentId | None = None


@dataclass(frozen=True, slots=True)
class InnerFile:
    """A file inside of another: its name from there on, its bytes and the name of its format."""

    name: str
    raw: bytes
    format: str


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file inside of another that is no document: its name from there on, and why."""

    name: str
    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class UnpackedFile:
    """All that a file holds inside."""

    files: tuple[InnerFile, ...]
    refused: tuple[RefusedFile, ...]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A document that came from a file, as the comparison with its folder needs it."""

    id: DocumentId
    source_uri: str
    content_hash: str
    state: str
    failure_code: str | None = None
    failure_reason: str | None = None
    # That which last took it in, or will.
    job_id: JobId | None = None


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """The documents that a list shows; `words` stand in the title or address, in either case of letters, and
    addresses begin with `below`.
    """

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
    """A document that a job has yet to take in."""

    id: DocumentId
    byte_size: int
    crash_count: int


@dataclass(frozen=True)
class RawDocument:
    """A document's bytes with what reading them needs to know."""

    id: DocumentId
    raw: bytes
    format: str
    title: str
    language: str | None
    version: int
    # Chunks of which no graph could be drawn: where there are any, the others have been read to the end.
    quarantined_chunks: int
    file_name: str
    date: str | None
    trust: float = 1.0
    # The title of the oldest other document of the same content, if there is one.
    twin_title: str | None = None


@dataclass(frozen=True)
class StoredChunk:
    """A chunk row as the chunking stage needs to know it."""

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

    def is_same_place(self, draft: ChunkDraft) -> bool:
        """Return whether the chunk stands where this draft of it does."""
        places = draft.place if draft.several_places is None else [list(part) for part in draft.places]
        return (self.ordinal, self.char_start, self.char_end, self.heading_path, self.places) == (
            draft.ordinal,
            draft.char_start,
            draft.char_end,
            tuple(draft.heading_path),
            places,
        )


@dataclass(frozen=True)
class NewChunk:
    """A chunk to store: its draft, hash and vector as pgvector writes it."""

    id: ChunkId
    document_id: DocumentId
    draft: ChunkDraft
    content_hash: str
    embedding: str | None


@dataclass(frozen=True, slots=True)
class TextWindow:
    """A part of a document's text, its place in it, and the chunks that lie in that part, in order.

    Of each chunk: its id and its range in the document's text.
    """

    text: str
    char_start: int
    char_end: int
    length: int
    chunks: tuple[tuple[ChunkId, int, int], ...]


@dataclass(frozen=True)
class QuarantinedChunk:
    """A chunk of which no graph could be drawn, why, and since which version of its document that is so."""

    chunk_id: ChunkId
    ordinal: int
    code: str
    reason: str
    since_version: int


@dataclass(frozen=True)
class Requeued:
    """A job's documents that were queued again, and how many of the others need nothing."""

    documents: int
    read: int


@dataclass(frozen=True)
class JobDocuments:
    """The documents that a job takes in: how many, up to a bound, and the ids and titles of the first.

    `unread` of them failed or have quarantined chunks.
    """

    count: int
    unread: int
    first: tuple[tuple[DocumentId, str], ...]
