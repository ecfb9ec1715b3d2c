"""Documents, their chunks, and the receipts of submission and removal."""

from datetime import date, datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import AliasChoices, Field

from app.documents.shapes import SubmissionOutcome
from app.ingest.estimate import MeasuredIn
from app.views.jobs import JobAnswer
from app.views.view import View


class DocumentBrief(View):
    """A document and how far it was read."""

    id: UUID
    title: str
    source_uri: str | None
    state: Literal["queued", "processing", "ready", "failed"]
    failure_reason: str | None
    version: int = Field(description="Increases when new content replaces old.")
    chunk_count: int
    quarantined_chunks: int = Field(
        description="Chunks from which no graph could be extracted; they are still searched and quoted."
    )


class DocumentAnswer(DocumentBrief):
    """A document."""

    format: str
    failure_code: str | None
    source_kind: str
    trust: float = Field(description="From 0.01 to 1: it cannot end a claim of a document with more trust.")
    uploader: str | None = Field(
        description="Who handed in the current version: `key:` and a public id, `account:` and an id, or"
        " `operator:`. Null if not known. Documents of one uploader are no independent sources."
    )
    language: str | None
    encoding: str | None = Field(description="The encoding of its bytes, if they are text.")
    warnings: list[str] = Field(description="Sentences on the parts of its file that are not in its text.")
    message_id: str | None = Field(description="Of a mail: its Message-ID.")
    in_reply_to: str | None = Field(description="Of a mail: the Message-ID of the mail that it answers.")
    # SQLAlchemy reserves the attribute name `metadata`.
    metadata: dict[str, Any] = Field(validation_alias=AliasChoices("meta", "metadata"))
    byte_size: int
    content_hash: str = Field(
        description="SHA-256 of its bytes and its format's name, each preceded by its length in 8 bytes."
    )
    job_id: UUID | None = Field(description="The job that last ingested it, or will ingest it.")
    created_at: datetime
    updated_at: datetime


class QuarantinedChunkAnswer(View):
    """A chunk from which no graph could be extracted, and why; a retry reads it again."""

    chunk_id: UUID
    ordinal: int = Field(description="Its position in the document, from 0.")
    code: str
    reason: str
    since_version: int = Field(description="The first version of the document in which this was so.")


class DocumentDetailAnswer(DocumentAnswer):
    """A document with the first hundred of its quarantined chunks."""

    quarantined: list[QuarantinedChunkAnswer]
    answered_document_id: UUID | None = Field(
        description="The document of the mail `in_reply_to`, if the space holds it."
    )
    answered_chunk_id: UUID | None = Field(
        description="The chunk with which that mail begins, if it is one of several mails in that document."
    )


class SubmittedAnswer(View):
    """The outcome of one submission."""

    id: UUID
    outcome: SubmissionOutcome
    title: str
    format: str
    source_uri: str | None
    version: int
    state: Literal["queued", "processing", "ready", "failed"]
    job_id: UUID | None = Field(description="The job that will ingest it, or last did.")


class RefusedAnswer(View):
    """One document of several that was not accepted; the others were."""

    index: int = Field(description="Its position in the request, from 0.")
    name: str | None = Field(description="Its file name or address, if it can be shown.")
    code: str = Field(description="Stable code for programs.")
    detail: str = Field(description="One sentence for people.")


class SubmissionAnswer(View):
    """The outcome of every submission of a request, in its order, and the job that ingests them, if there is
    work.
    """

    documents: list[SubmittedAnswer]
    refused: list[RefusedAnswer] = Field(description="Documents that were not accepted, and why.")
    job: JobAnswer | None


class EstimateAnswer(View):
    """The estimate of an ingest; nothing was stored and no model was called."""

    documents: int
    unchanged: int
    refused: list[RefusedAnswer] = Field(description="Documents that would not be accepted, and why.")
    unreadable: int = Field(description="Documents that could not be read.")
    chunks: int
    known_chunks: int = Field(description="Chunks that the space already has, which are not read again.")
    chunk_tokens: int
    model: str | None = Field(
        description="The server's model, otherwise the one that last read the space; null: rules."
    )
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None = Field(description="Null if the price is not known: see `unpriced`.")
    measured_in: MeasuredIn = Field(
        description=(
            "Whose calls say how many tokens are received: this space's, those of another space of the tenant"
            " that the key may read, or nothing's, with fewer than 20 calls of this model: then a fixed upper"
            " bound is used."
        )
    )
    measured_calls: int
    completion_tokens_low: int | None = Field(
        description="A tenth of the text had shorter answers, and a tenth longer ones than"
        " `completion_tokens`. Null if nothing is measured."
    )
    cost_usd_low: float | None
    later_calls: int = Field(
        description="Maximum calls for reports and summaries after the ingest; the next three likewise."
    )
    later_prompt_tokens: int
    later_completion_tokens: int
    later_cost_usd: float | None
    embedding_model: str
    embedding_tokens: int = Field(description="0 if embeddings are computed locally, which costs nothing.")
    embedding_cost_usd: float | None
    unpriced: list[str] = Field(
        description="Models without a known price; with a budget they are not called."
    )
    prices_as_of: date | None = Field(description="The date of the built-in prices.")


class RetryAnswer(View):
    """The number of documents that were queued again, and their job."""

    documents: int
    job: JobAnswer


class RemovalAnswer(View):
    """The receipt of a removal, which the audit log keeps; with dry_run, the changes it would make."""

    chunks: int
    unlinked_edges: int = Field(
        description="Edges for which it was the only evidence; they are now unsupported."
    )
    pruned_edges: int = Field(description="Those of them that were removed.")
    pruned_nodes: int
    forgotten_nodes: int = Field(description="Nodes that only it named, of which only edges are left.")
    renamed_nodes: int = Field(description="Nodes that lost a name which only it had given.")
    lost_weight: float = Field(description="Weight of the edges for which it was the only evidence.")
    weight_after: float = Field(
        description="Weight of the remaining edges with evidence between the same nodes."
    )
    texts_queued: int = Field(description="Nodes whose generated texts are removed and written again.")
    rows: dict[str, int] = Field(description="Deleted rows by table.")


class ChunkAnswer(View):
    """A part of a document. Ranges count characters of the document's text, from 0."""

    id: UUID
    document_id: UUID
    ordinal: int
    text: str
    char_start: int
    char_end: int
    heading_path: list[str]
    token_count: int
    speaker: str | None
    said_at: datetime | None
    place: str | None = Field(description="Its location in the file: page 7; sheet Prices, row 12; slide 3.")
    message_id: str | None = Field(description="If a mail begins here: its Message-ID.")
    in_reply_to: str | None = Field(
        description="If a mail begins here: the Message-ID of the mail that it answers."
    )
    answered_document_id: UUID | None = Field(
        description="The document of the mail `in_reply_to`, if the space holds it."
    )
    answered_chunk_id: UUID | None = Field(
        description="The chunk with which that mail begins, if it is one of several mails in that document."
    )
