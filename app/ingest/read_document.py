"""A document that an ingest has parsed and cut into chunks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from app.documents.format_detection import describe_misleading_file_name
from app.documents.format_registry import FORMATS
from app.documents.shapes import ChunkDraft, DocumentText, RawDocument, UnchunkedRange
from app.extraction.shapes import ChunkText, Extractor
from app.ids import ChunkId

# Gaps of one document that are listed individually.
_MAX_GAPS = 20


@dataclass
class ReadDocument:
    """A document that was parsed and chunked, with the ids of its new and existing chunks."""

    source: RawDocument
    text: str
    title: str
    language: str | None
    extractor: Extractor
    dated_at: datetime | None = None
    chunks: list[ChunkText] = field(default_factory=list)
    drafts: dict[ChunkId, ChunkDraft] = field(default_factory=dict)
    hashes: dict[ChunkId, str] = field(default_factory=dict)
    new_chunk_ids: list[ChunkId] = field(default_factory=list)
    moved_chunk_ids: list[ChunkId] = field(default_factory=list)
    removed_chunk_ids: list[ChunkId] = field(default_factory=list)
    dropped_marks: int = 0
    unchunked_ranges: Sequence[UnchunkedRange] = ()
    # Sentences about parts of the file that are not in its text, and the encoding with which it was decoded.
    omission_notes: Sequence[str] = ()
    encoding: str | None = None
    # Of a mail: its id, and the id of the mail that it answers.
    message_id: str | None = None
    in_reply_to: str | None = None

    def add_chunk(
        self,
        chunk_id: ChunkId,
        draft: ChunkDraft,
        content_hash: str,
        *,
        is_wanted: bool,
        is_quarantined: bool,
    ) -> None:
        """Add the next chunk of the document."""
        self.drafts[chunk_id] = draft
        self.hashes[chunk_id] = content_hash
        self.chunks.append(
            ChunkText(
                chunk_id,
                self.source.id,
                self.title,
                draft.text,
                draft.heading_path,
                draft.speaker,
                is_wanted=is_wanted,
                is_quarantined=is_quarantined,
                language=self.language,
                is_record=FORMATS[self.source.format].is_record,
                asked_title=self.source.twin_title,
                dated_at=draft.said_at or self.dated_at,
            )
        )

    def to_document_text(self) -> DocumentText:
        """Return the text and properties to store."""
        return DocumentText(
            self.source.id,
            self.text,
            self.title,
            self.language,
            self.encoding,
            self.describe_omissions(),
            self.message_id,
            self.in_reply_to,
        )

    def describe_omissions(self) -> list[str]:
        """Return sentences that describe the parts of the document that are in no chunk; [] if there are
        none.
        """
        sentences = [
            f"Characters {gap.start:,} to {gap.end:,} of the text are in no chunk."
            for gap in self.unchunked_ranges[:_MAX_GAPS]
        ]
        if further_gap_count := len(self.unchunked_ranges) - len(sentences):
            sentences.append(f"{further_gap_count:,} further parts of the text are in no chunk.")
        if self.dropped_marks:
            sentences.append(
                f"{self.dropped_marks:,} combining marks were left out: too many follow each other."
            )
        if (note := describe_misleading_file_name(self.source.file_name, self.source.format)) is not None:
            sentences.append(note)
        sentences += self.omission_notes[:_MAX_GAPS]
        if further_omission_count := len(self.omission_notes[_MAX_GAPS:]):
            sentences.append(f"{further_omission_count:,} further parts of the file are not in its text.")
        return sentences


class DocumentChunk(NamedTuple):
    """A chunk of a document that was read."""

    document: ReadDocument
    chunk_id: ChunkId
