"""The shapes of answers. Written by `make client` from the OpenAPI document; not edited."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal, TypeAlias
from uuid import UUID

from pydantic import Field

from citegraph_client.shape import Shape

ChangeKind: TypeAlias = Literal["same", "changed", "removed", "added"] | str
ConflictStatus: TypeAlias = Literal["current", "contested", "superseded", "decided"] | str
ContextFormat: TypeAlias = Literal["narrative", "entity_list"] | str
DeletionState: TypeAlias = Literal["done", "deleting"] | str
EndedBy: TypeAlias = Literal["person", "source", "replaced"] | str
Eviction: TypeAlias = Literal["none", "ttl", "capacity", "recall_based", "hybrid"] | str
EvictionReason: TypeAlias = Literal["expired", "little_recalled", "over_capacity"] | str
JobState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"] | str
Layer: TypeAlias = Literal["claim", "statement", "named_together"] | str
MeasuredIn: TypeAlias = Literal["space", "tenant", "nothing"] | str
Mode: TypeAlias = Literal["model", "extractive", "nothing"] | str
Origin: TypeAlias = Literal["person", "rules", "model"] | str
RemovalReason: TypeAlias = Literal["not_in_context", "gone"] | str
Scoring: TypeAlias = (
    Literal["walk", "hybrid", "text_overlap", "graph_distance", "temporal", "reference"] | str
)
SpanKind: TypeAlias = Literal["name", "date", "number"] | str
Strategy: TypeAlias = Literal["hybrid", "knowledge_only", "graph_only"] | str
SubmissionOutcome: TypeAlias = Literal["created", "replaced", "unchanged"] | str


class AnchorAnswer(Shape):
    """A node where the explanation enters the graph, and the words that led to it."""

    node: NodeAnswer
    matched: str


class AnswerCitationAnswer(Shape):
    """Citation [number]: a chunk of this space, and the position of the quote in its document's text,
    from 0.
    """

    number: int
    chunk_id: UUID
    document_id: UUID
    document_title: str
    quote: str
    char_start: int
    char_end: int
    place: str | None = Field(default=None)
    """Its location in the file, if the format has locations: page 7."""


class AnswerSpanAnswer(Shape):
    """The short answer: `text` is at `start` to `end` in the text of sentence `sentence`, from 0."""

    kind: SpanKind
    text: str
    sentence: int
    start: int
    end: int


class AnswerUsageAnswer(Shape):
    """The sum of the answer's calls to a model."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class AskAnswer(Shape):
    """An answer in sentences; `answer` is all of them with their marks.

    `mode` says what produced them: model, extractive (quotes only) or nothing. `complete` is false if the
    model stopped early.
    """

    question: str
    mode: Mode
    model: str | None
    answer: str
    answer_span: AnswerSpanAnswer | None
    """The short answer in the first sentence, if the question asks for a name, a date or a number and one can be identified; null otherwise."""
    complete: bool
    sentences: list[SentenceAnswer]
    citations: list[AnswerCitationAnswer]
    removed: list[RemovedCitationAnswer]
    context: ContextAnswer
    graph_revision: int
    """The revision of the graph that was read."""
    usage: AnswerUsageAnswer
    warnings: list[str]
    truncated: list[str]


class AttributeAnswer(Shape):
    """An attribute of a node as one chunk states it, besides the node's relations."""

    name: str
    value: str | float | bool
    """A date as YYYY, YYYY-MM or YYYY-MM-DD."""
    holds: bool
    """Whether the latest source states it (without dates: most chunks), as in the metadata."""
    evidence: EvidenceAnswer
    stated_at: dt.datetime | None
    """The date of the sentence, otherwise of its source."""
    ended_at: dt.datetime | None
    """Since when it does not hold, if a person ended it."""
    ended_by: str | None
    ended_reason: str | None


class AuditAnswer(Shape):
    """One action in the audit log."""

    id: UUID
    actor: str
    """A key's public id, a member's address, operator, cli or worker."""
    actor_kind: str
    """account, key, operator, job; unknown for old entries."""
    action: str
    """Object and verb, such as document.delete; a name never changes its meaning."""
    outcome: str
    """done or refused. A failed action changed nothing and has no entry."""
    space_id: UUID | None
    target_id: UUID | None
    """The object of the action."""
    other_ids: list[UUID]
    """Further objects of the action, at most 1,000 ids."""
    details: dict[str, Any]
    """Numbers, flags and codes; never text of a document."""
    door: str
    """api, mcp, dashboard, cli or worker."""
    address: str | None
    """The network address that it came from."""
    request_id: str | None
    created_at: dt.datetime


class AuditPage(Shape):
    """A AuditPage."""

    items: list[AuditAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class ChunkAnswer(Shape):
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
    said_at: dt.datetime | None
    place: str | None
    """Its location in the file: page 7; sheet Prices, row 12; slide 3."""
    message_id: str | None
    """If a mail begins here: its Message-ID."""
    in_reply_to: str | None
    """If a mail begins here: the Message-ID of the mail that it answers."""
    answered_document_id: UUID | None
    """The document of the mail `in_reply_to`, if the space holds it."""
    answered_chunk_id: UUID | None
    """The chunk with which that mail begins, if it is one of several mails in that document."""


class ChunkChangeAnswer(Shape):
    """A pair of chunks that differ, with their words; or a run of `count` unchanged chunks."""

    kind: ChangeKind
    old_ordinal: int | None
    new_ordinal: int | None
    count: int
    old: list[WordsAnswer]
    new: list[WordsAnswer]


class ChunkPage(Shape):
    """A ChunkPage."""

    items: list[ChunkAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class CitationAnswer(Shape):
    """Source [number] of the narrative, and the edges that it supports; none if it supports only values."""

    number: int
    evidence: EvidenceAnswer
    edge_ids: list[UUID]


class CommunityAnswer(Shape):
    """Nodes that are closely connected, with the report on them."""

    id: UUID
    level: int
    """0 is the coarsest; each further level divides the communities of the previous one."""
    parent_id: UUID | None
    member_count: int
    title: str
    summary: str
    findings: list[FindingAnswer]
    reported_by: str | None
    """rules or the model's name; null before the first report."""
    reported_at: dt.datetime | None
    stale: bool
    """Whether members or facts changed since the report."""
    created_at: dt.datetime
    updated_at: dt.datetime


class CommunityDetailAnswer(Shape):
    """A community with its hundred most central members, the communities it divides into, and its history."""

    id: UUID
    level: int
    """0 is the coarsest; each further level divides the communities of the previous one."""
    parent_id: UUID | None
    member_count: int
    title: str
    summary: str
    findings: list[FindingAnswer]
    reported_by: str | None
    """rules or the model's name; null before the first report."""
    reported_at: dt.datetime | None
    stale: bool
    """Whether members or facts changed since the report."""
    created_at: dt.datetime
    updated_at: dt.datetime
    members: list[CommunityMemberAnswer]
    parts: list[CommunityAnswer]
    history: list[CommunityEventAnswer]


class CommunityEventAnswer(Shape):
    """An event of a run: a community is new, split (from `other_ids`), merged (into them) or gone."""

    change: str
    other_ids: list[UUID]
    created_at: dt.datetime


class CommunityMemberAnswer(Shape):
    """A node of a community; `weight` is the weight of its edges within its community of level 0."""

    node_id: UUID
    canonical_name: str
    node_type: str
    mention_count: int
    weight: float


class CommunityPage(Shape):
    """A CommunityPage."""

    items: list[CommunityAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class CommunityRunAnswer(Shape):
    """One run of the detection, with the numbers of communities that it found new, split, merged and gone."""

    id: UUID
    created_at: dt.datetime
    nodes: int
    pairs: int
    """Pairs of nodes that are connected closely enough to count."""
    communities: int
    modularity: float
    """Of level 0, at most 1."""
    partials: int | None
    """Partial runs since the last complete run; 0 for a complete run."""
    new: int
    split: int
    merged: int
    gone: int
    """Communities that no longer exist."""


class ConflictAnswer(Shape):
    """Edges that cannot all hold: `single_valued`, `opposite` or `denied`; nothing decides between them."""

    reason: str
    edge_ids: list[UUID]


class ConflictSetAnswer(Shape):
    """A node for which several values of a single-valued relation are stated."""

    from_node_id: UUID
    from_name: str
    relation_type: str
    status: ConflictStatus
    """contested, superseded or decided."""
    values: list[ConflictValueAnswer]
    """At most 100 rows in total, those that hold first."""
    truncated: bool


class ConflictSetPage(Shape):
    """A ConflictSetPage."""

    items: list[ConflictSetAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class ConflictValueAnswer(Shape):
    """One value with the rows that state it."""

    node_id: UUID
    name: str
    status: ConflictStatus
    """current (it holds), superseded (by a later source) or decided (by a person)."""
    rows: list[StatedValueAnswer]


class ContextAnswer(Shape):
    """All that the answer may be based on; `facts` states the graph's facts, with [n] for source n.

    `contested` has the numbers of sources that contradict one another, a list for each contradiction.
    """

    format: ContextFormat
    contested: list[list[int]]
    facts: str
    sources: list[SourceAnswer]


class CurrentTagAnswer(Shape):
    """A tag that the node has, and who set it."""

    tag: str
    origin: Origin


class DayUseAnswer(Shape):
    """The space's counters of one day, in UTC."""

    day: dt.date
    documents: int
    chunks: int
    queries: int
    cost_usd: float


class DecisionAnswer(Shape):
    """All edges that one decision ended or restored."""

    items: list[InvalidationAnswer]


class DeletionAnswer(Shape):
    """The receipt of a deletion, which the audit log keeps.

    While the state is `deleting`, the object can no longer be found and workers remove its rows. When they
    have finished, the audit log has the receipt as `space.erase` or `tenant.erase`.
    """

    id: UUID
    state: DeletionState
    rows: dict[str, int]
    """Deleted rows by table."""


class DeliveryAnswer(Shape):
    """A message and the state of its delivery."""

    id: UUID
    """The Webhook-Id header, the same at every attempt."""
    event: str
    data: dict[str, Any]
    state: Literal["pending", "delivered", "failed"] | str
    attempts: int
    next_at: dt.datetime
    last_status: int | None
    last_error: str | None
    """address_refused, unknown_host, unreachable, tls, timeout, no_http, refused."""
    ended_at: dt.datetime | None
    created_at: dt.datetime


class DeliveryPage(Shape):
    """A DeliveryPage."""

    items: list[DeliveryAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class DenialAnswer(Shape):
    """A claim that a source denies or says has ended, `edge` has the quote that says so; or one that a person
    ended (`is_ended_by_person`), `edge` has the quote that states it.

    `since` is the date from which it does not hold, as precisely as stated; `asserted` is a row that states
    the claim; `contested` is true if such a row holds beside the denial.
    """

    claim: str
    since: str | None
    contested: bool
    is_ended_by_person: bool
    edge: EdgeAnswer
    asserted: EdgeAnswer | None


class DocumentAnswer(Shape):
    """A document."""

    id: UUID
    title: str
    source_uri: str | None
    state: Literal["queued", "processing", "ready", "failed"] | str
    failure_reason: str | None
    version: int
    """Increases when new content replaces old."""
    chunk_count: int
    quarantined_chunks: int
    """Chunks from which no graph could be extracted; they are still searched and quoted."""
    format: str
    failure_code: str | None
    source_kind: str
    trust: float
    """From 0.01 to 1: it cannot end a claim of a document with more trust."""
    uploader: str | None
    """Who handed in the current version: `key:` and a public id, `account:` and an id, or `operator:`. Null if not known. Documents of one uploader are no independent sources."""
    language: str | None
    encoding: str | None
    """The encoding of its bytes, if they are text."""
    warnings: list[str]
    """Sentences on the parts of its file that are not in its text."""
    message_id: str | None
    """Of a mail: its Message-ID."""
    in_reply_to: str | None
    """Of a mail: the Message-ID of the mail that it answers."""
    metadata: dict[str, Any]
    byte_size: int
    content_hash: str
    """SHA-256 of its bytes and its format's name, each preceded by its length in 8 bytes."""
    job_id: UUID | None
    """The job that last ingested it, or will ingest it."""
    created_at: dt.datetime
    updated_at: dt.datetime


class DocumentDetailAnswer(Shape):
    """A document with the first hundred of its quarantined chunks."""

    id: UUID
    title: str
    source_uri: str | None
    state: Literal["queued", "processing", "ready", "failed"] | str
    failure_reason: str | None
    version: int
    """Increases when new content replaces old."""
    chunk_count: int
    quarantined_chunks: int
    """Chunks from which no graph could be extracted; they are still searched and quoted."""
    format: str
    failure_code: str | None
    source_kind: str
    trust: float
    """From 0.01 to 1: it cannot end a claim of a document with more trust."""
    uploader: str | None
    """Who handed in the current version: `key:` and a public id, `account:` and an id, or `operator:`. Null if not known. Documents of one uploader are no independent sources."""
    language: str | None
    encoding: str | None
    """The encoding of its bytes, if they are text."""
    warnings: list[str]
    """Sentences on the parts of its file that are not in its text."""
    message_id: str | None
    """Of a mail: its Message-ID."""
    in_reply_to: str | None
    """Of a mail: the Message-ID of the mail that it answers."""
    metadata: dict[str, Any]
    byte_size: int
    content_hash: str
    """SHA-256 of its bytes and its format's name, each preceded by its length in 8 bytes."""
    job_id: UUID | None
    """The job that last ingested it, or will ingest it."""
    created_at: dt.datetime
    updated_at: dt.datetime
    quarantined: list[QuarantinedChunkAnswer]
    answered_document_id: UUID | None
    """The document of the mail `in_reply_to`, if the space holds it."""
    answered_chunk_id: UUID | None
    """The chunk with which that mail begins, if it is one of several mails in that document."""


class DocumentPage(Shape):
    """A DocumentPage."""

    items: list[DocumentAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class DocumentTextAnswer(Shape):
    """A part of a document's text. All ranges count characters of the whole text, from 0.

    A range is listed with the part in which it begins.
    """

    text: str
    char_start: int
    char_end: int
    length: int
    """Characters of the whole text."""
    next_start: int | None
    """Pass it as start= for the next part; null at the end."""
    mentions: list[MentionRangeAnswer]
    evidence: list[EvidenceRangeAnswer]
    truncated: list[str]
    """Limits that cut something off, in sentences."""


class DuplicateAnswer(Shape):
    """Two nodes that may be the same thing, about which nobody has decided."""

    a: PairSideAnswer
    b: PairSideAnswer
    similarity: float
    """The similarity of their names, 0 to 1."""
    why: str
    """In what way they are similar."""


class DuplicatesAnswer(Shape):
    """Pairs of nodes that may be the same thing, the most similar first."""

    items: list[DuplicateAnswer]


class EdgeAnswer(Shape):
    """One claim or statement from one chunk; `unsupported`, without evidence and quote, if its document is
    gone.
    """

    id: UUID
    from_node_id: UUID
    to_node_id: UUID
    relation_type: str
    weight: float
    confidence: float
    status: str
    evidence: EvidenceAnswer | None
    unsupported: bool
    quote: str | None
    valid_from: dt.datetime | None
    invalidated_at: dt.datetime | None
    polarity: str
    """asserted; denied if the quote says that it does not hold; reported if it only says that somebody claims it."""
    layer: Layer
    """claim: a known relation type; statement: the verb of its sentence."""


class EdgeDetailAnswer(Shape):
    """An edge, ended or not, with the decisions about it, newest first, at most 200."""

    id: UUID
    from_node_id: UUID
    to_node_id: UUID
    relation_type: str
    weight: float
    confidence: float
    status: str
    evidence: EvidenceAnswer | None
    unsupported: bool
    quote: str | None
    valid_from: dt.datetime | None
    invalidated_at: dt.datetime | None
    polarity: str
    """asserted; denied if the quote says that it does not hold; reported if it only says that somebody claims it."""
    layer: Layer
    """claim: a known relation type; statement: the verb of its sentence."""
    extraction: ExtractionAnswer | None
    """null for an edge that no extractor produced."""
    history: list[InvalidationAnswer]


class EdgePage(Shape):
    """A EdgePage."""

    items: list[EdgeAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class EmbeddingPlanAnswer(Shape):
    """The size of a change of the embedding model: numbers for a decision, not a bill."""

    from_model: str
    from_dimensions: int
    model: str
    dimensions: int
    unchanged: bool
    """Whether the space already has that model."""
    chunks: int
    nodes: int
    facts: int
    texts: int
    """Texts that would be embedded; identical texts count once."""
    tokens: int
    """Counted for chunks, estimated for names and facts."""
    cost_usd: float | None
    """By CITEGRAPH_LLM_PRICES; null if the price is not known."""


class EndedByDateAnswer(Shape):
    """The number of edges ended in one page of conflict sets; `next_after` is null on the last page."""

    ended: int
    next_after: str | None


class EndingClaimAnswer(Shape):
    """A claim whose only evidence is in chunks that the new version removes."""

    edge_id: UUID
    chunk_id: UUID
    from_name: str
    relation_type: str
    to_name: str
    quote: str
    confidence: float
    restated: bool
    """Whether rules extract it again from the new text."""


class EstimateAnswer(Shape):
    """The estimate of an ingest; nothing was stored and no model was called."""

    documents: int
    unchanged: int
    refused: list[RefusedAnswer]
    """Documents that would not be accepted, and why."""
    unreadable: int
    """Documents that could not be read."""
    chunks: int
    known_chunks: int
    """Chunks that the space already has, which are not read again."""
    chunk_tokens: int
    model: str | None
    """The server's model, otherwise the one that last read the space; null: rules."""
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    """Null if the price is not known: see `unpriced`."""
    measured_in: MeasuredIn
    """Whose calls say how many tokens are received: this space's, those of another space of the tenant that the key may read, or nothing's, with fewer than 20 calls of this model: then a fixed upper bound is used."""
    measured_calls: int
    completion_tokens_low: int | None
    """A tenth of the text had shorter answers, and a tenth longer ones than `completion_tokens`. Null if nothing is measured."""
    cost_usd_low: float | None
    later_calls: int
    """Maximum calls for reports and summaries after the ingest; the next three likewise."""
    later_prompt_tokens: int
    later_completion_tokens: int
    later_cost_usd: float | None
    embedding_model: str
    embedding_tokens: int
    """0 if embeddings are computed locally, which costs nothing."""
    embedding_cost_usd: float | None
    unpriced: list[str]
    """Models without a known price; with a budget they are not called."""
    prices_as_of: dt.date | None
    """The date of the built-in prices."""


class EvictableChunkAnswer(Shape):
    """A chunk that the policy evicts, and its value by the callers' recalls."""

    place: int
    """Position in the order of eviction, from 1."""
    chunk_id: UUID
    document_id: UUID
    document_title: str
    ordinal: int
    """Position in its document, from 0."""
    value: float
    """ln(1 + recalls), average score and recency by recall_weights: 0.3, 0.5 and 0.2."""
    recall_count: int
    last_recalled_at: dt.datetime | None
    created_at: dt.datetime
    reason: EvictionReason


class EvictionPlanAnswer(Shape):
    """A page of the chunks to evict, the first to go first; the totals are those of the whole space, unless
    `truncated` says otherwise.
    """

    items: list[EvictableChunkAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""
    eviction: Eviction
    """The space's policy."""
    including_last_evidence: bool
    chunks: int
    """Chunks of the space; 0 if it has no policy."""
    evictable: int
    """Chunks that would be evicted."""
    protected: int
    """Chunks that would be evicted if they were not the last evidence of an edge."""
    truncated: list[str]
    """Limits that cut something off, in sentences."""


class EvidenceAnswer(Shape):
    """The passage that supports an edge; the range counts characters of the document's text, from 0."""

    chunk_id: UUID
    document_id: UUID
    document_title: str
    quote: str | None
    char_start: int
    char_end: int
    place: str | None = Field(default=None)
    """Its location in the file, if the format has locations: page 7."""


class EvidenceRangeAnswer(Shape):
    """The words that state a claim that holds; the whole chunk if there is no quote."""

    edge_id: UUID
    from_name: str
    relation_type: str
    to_name: str
    confidence: float
    chunk_id: UUID
    char_start: int
    char_end: int


class ExplanationAnswer(Shape):
    """How anchors are connected, with every edge's evidence; `narrative` describes it, with [n] for citation
    n.
    """

    question: str | None
    anchors: list[AnchorAnswer]
    paths: list[PathAnswer]
    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    citations: list[CitationAnswer]
    contested: list[ConflictAnswer]
    denials: list[DenialAnswer]
    reported: list[ReportedAnswer]
    """Claims about the anchors that sources only attribute to somebody; they are not facts."""
    attributes: list[NodeAttributeAnswer]
    """Values of its nodes, if the space configures any; those named by the question first."""
    narrative: str
    statements: list[StatementAnswer]
    """Statements about the anchors in the words of the texts, at most ten each. For a question, those that name another anchor or a word of the question come first; for two ends, those that name the other end."""
    named_together: list[NamedTogetherAnswer]
    """If nothing was found: passages of any date that name two of the anchors. They are not claims."""
    truncated: list[str]
    warnings: list[str]
    why_not: list[str]


class ExtractionAnswer(Shape):
    """The extractor that read the edge from its text, and when."""

    extractor: str
    """The model, or the version of the rules."""
    at: dt.datetime | None
    stated_at: dt.datetime | None
    """The date of the source, if it has one."""
    said_by: str | None
    """For an edge with polarity reported: who claims it, in the words of the quote."""


class Fault(Shape):
    """One value that cannot be accepted."""

    loc: str
    """Its location, such as body.documents.0.title."""
    type: str
    """Stable code."""
    msg: str
    """One sentence; it never contains the value."""


class FindingAnswer(Shape):
    """One sentence of a report and the edges that support it."""

    text: str
    edge_ids: list[UUID]


class GateDecisionAnswer(Shape):
    """A decision of the gate about one node, with its criteria."""

    number: int
    at: dt.datetime
    refreshed: bool
    reason: str
    fact_added: bool
    """Whether facts were added."""
    fact_removed: bool
    """Whether facts were removed."""
    denial_added: bool
    """Whether an added fact is a denial."""
    drift: float | None
    """Cosine distance of the facts from those of the summary; null if one had no vector."""
    threshold: float
    """The limit for drift, by the current settings."""


class GateReportAnswer(Shape):
    """The space's gate so far; one in fifty skips is kept, the newest 200."""

    counts: list[ReasonCountAnswer]
    skipped_share: float
    """Share of decisions that left the summary unchanged, 0 to 1."""
    skips: list[SkipAnswer]


class GoldenAddedAnswer(Shape):
    """The numbers of questions that were added, and of those whose expected result was changed."""

    added: int
    changed: int


class GoldenOutcomeAnswer(Shape):
    """The outcome of one question in a run; the text of the answer is not kept."""

    question_id: UUID
    question: str
    passed: bool
    reply: Literal["answered", "refused", "failed"] | str
    answer_matched: bool | None
    """Whether the answer contains an expected text; null if none is expected."""
    source_cited: bool | None
    """null if no source is expected."""
    seconds: float
    cost_usd: float
    change: Literal["worse", "better", "same"] | str
    """Compared with the other run."""


class GoldenQuestionAnswer(Shape):
    """A golden question."""

    id: UUID
    question: str
    answers: list[str]
    sources: list[str]
    expects_refusal: bool
    created_at: dt.datetime


class GoldenQuestionsAnswer(Shape):
    """The space's golden questions, oldest first."""

    items: list[GoldenQuestionAnswer]


class GoldenReportAnswer(Shape):
    """The outcomes of a run by question, compared with an earlier run."""

    run: GoldenRunAnswer
    against: GoldenRunAnswer | None
    questions: int
    passed: int
    worse: int
    better: int
    seconds: float
    cost_usd: float
    outcomes: list[GoldenOutcomeAnswer]


class GoldenRunAnswer(Shape):
    """A run."""

    id: UUID
    """The id of its job."""
    settings: dict[str, Any]
    """The changed settings; if empty, the space's own."""
    state: Literal["queued", "running", "done", "failed", "cancelled", "parked"] | str
    progress: float
    error: str | None
    created_at: dt.datetime
    counts: dict[str, int]
    """When it is done: questions, passed, refused, failed."""


class GoldenRunsAnswer(Shape):
    """The space's runs, newest first."""

    items: list[GoldenRunAnswer]


class Health(Shape):
    """The process responds."""

    status: Literal["ok"] | str = Field(default="ok")


class ImportAnswer(Shape):
    """The imported rows by kind, and the job that embeds them; until it is done, only word search finds
    them.
    """

    rows: dict[str, int]
    """documents, chunks and so on, by the kinds of the lines."""
    job: JobAnswer


class InvalidationAnswer(Shape):
    """One edge that a decision ended; `undone_at` is null while it holds."""

    decision_id: UUID
    """Shared by all edges that the decision ended."""
    edge_id: UUID
    kind: EndedBy
    decided_by: str
    reason: str
    invalidated_at: dt.datetime
    claim_dated_at: dt.datetime | None
    """The date of the claim that a later source ended."""
    source_edge_id: UUID | None
    source_chunk_id: UUID | None
    created_at: dt.datetime
    undone_at: dt.datetime | None
    undone_by: str | None
    undone_kind: EndedBy | None


class JobAnswer(Shape):
    """A job in its current state."""

    id: UUID
    kind: str
    state: JobState
    stage: str
    """Its current stage, in words."""
    progress: float
    """Per cent done."""
    elapsed_seconds: float | None
    """From its first claim until its end."""
    seconds_left: float | None
    """Estimated from the speed so far; null without an estimate."""
    counts: dict[str, Any]
    """documents, chunks, nodes, edges, and dropped items by reason."""
    attempt: int
    crash_count: int
    cancel_requested: bool
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    error_code: str | None
    error_message: str | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finalized_at: dt.datetime | None


class JobDetailAnswer(Shape):
    """A job with the first hundred documents and chunks that it skipped because they failed."""

    id: UUID
    kind: str
    state: JobState
    stage: str
    """Its current stage, in words."""
    progress: float
    """Per cent done."""
    elapsed_seconds: float | None
    """From its first claim until its end."""
    seconds_left: float | None
    """Estimated from the speed so far; null without an estimate."""
    counts: dict[str, Any]
    """documents, chunks, nodes, edges, and dropped items by reason."""
    attempt: int
    crash_count: int
    cancel_requested: bool
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    error_code: str | None
    error_message: str | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finalized_at: dt.datetime | None
    errors: list[JobErrorAnswer]


class JobErrorAnswer(Shape):
    """A document or chunk that the job skipped because it failed, with the reason."""

    document_id: UUID | None
    chunk_id: UUID | None
    chunk_ordinal: int | None
    """The chunk's position in its document at that time, from 0."""
    code: str
    message: str
    created_at: dt.datetime


class JobPage(Shape):
    """A JobPage."""

    items: list[JobAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class KeptApartAnswer(Shape):
    """A pair that somebody decided is not the same thing."""

    a: NameAndTypeAnswer
    b: NameAndTypeAnswer
    decided_by: str
    decided_at: dt.datetime


class KeptApartListAnswer(Shape):
    """Pairs that were kept apart, the newest first."""

    items: list[KeptApartAnswer]


class KeyAnswer(Shape):
    """A key without its secret, which is not stored."""

    id: UUID
    key_id: str
    """The public part of the token, which identifies the key in logs."""
    name: str
    scopes: list[str]
    space_ids: list[UUID] | None
    expires_at: dt.datetime | None
    revoked_at: dt.datetime | None
    last_used_at: dt.datetime | None
    created_at: dt.datetime


class KeyPage(Shape):
    """A KeyPage."""

    items: list[KeyAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class LedgerRowAnswer(Shape):
    """The same with the claim in words; its names are null if the edge is gone."""

    decision_id: UUID
    """Shared by all edges that the decision ended."""
    edge_id: UUID
    kind: EndedBy
    decided_by: str
    reason: str
    invalidated_at: dt.datetime
    claim_dated_at: dt.datetime | None
    """The date of the claim that a later source ended."""
    source_edge_id: UUID | None
    source_chunk_id: UUID | None
    created_at: dt.datetime
    undone_at: dt.datetime | None
    undone_by: str | None
    undone_kind: EndedBy | None
    from_name: str | None
    relation_type: str | None
    to_name: str | None


class LedgerRowPage(Shape):
    """A LedgerRowPage."""

    items: list[LedgerRowAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class MentionAnswer(Shape):
    """A chunk that mentions the node: the words used, and up to 90 characters on each side.

    The range counts characters of the document's text, from 0.
    """

    chunk_id: UUID
    document_id: UUID
    document_title: str
    surface_form: str
    before: str
    after: str
    char_start: int
    char_end: int
    place: str | None = Field(default=None)
    """Its location in the file, if the format has locations: page 7."""


class MentionPage(Shape):
    """A MentionPage."""

    items: list[MentionAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class MentionRangeAnswer(Shape):
    """The words of a chunk that first name a node."""

    node_id: UUID
    name: str
    node_type: str
    chunk_id: UUID
    char_start: int
    char_end: int


class MergeAnswer(Shape):
    """A row of the ledger: which node became part of which, why and by whom; `undone_at` is null while it
    holds.
    """

    id: UUID
    winner_id: UUID
    winner_name: str | None
    """The winner's current name; null if it was deleted."""
    loser_id: UUID
    """The node returns under this id when the merge is undone."""
    loser_name: str
    loser_type: str
    reason: str
    """exact, alias, string, embedding, model or person."""
    decided_by: str
    confidence: float
    created_at: dt.datetime
    undone_at: dt.datetime | None
    undone_by: str | None


class MergePage(Shape):
    """A MergePage."""

    items: list[MergeAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class MergePreviewAnswer(Shape):
    """The changes that a merge would make; nothing is changed."""

    winner_id: UUID
    winner_name: str
    winner_type: str
    loser_id: UUID
    loser_name: str
    loser_type: str
    name: str
    """The name that the node would have."""
    node_type: str
    new_names: list[str]
    """Names of the loser that the winner would gain."""
    shared_names: list[str]
    """Names that both have."""
    mentions: int
    """Mentions of the loser."""
    shared_chunks: int
    """Chunks that mention both; they count once."""
    edges_leaving: int
    edges_entering: int
    edges_between: int
    """Edges that leave the graph while the merge holds."""
    shared_claims: int
    """Claims about both nodes with the same other end."""
    overrides_decision: bool
    """Whether it would override a decision that the two are different."""


class MonthCostAnswer(Shape):
    """US dollars of this month (UTC) and the budgets; null is no budget."""

    space_usd: float
    space_budget: float | None
    tenant_usd: float
    tenant_budget: float | None
    is_nearly_reached: bool
    """Whether four fifths of a budget are used."""


class MovedAnswer(Shape):
    """The number of documents that were moved."""

    documents: int


class NameAndTypeAnswer(Shape):
    """A normalised name and a node type."""

    name: str
    node_type: str


class NamedTogetherAnswer(Shape):
    """Two nodes that one passage names, where no claim says how they are related.

    The quote is the sentence that names both; if there is none (`in_sentence` is false), it is the text of
    the passage from one name to the other.
    """

    from_node_id: UUID
    to_node_id: UUID
    in_sentence: bool
    evidence: EvidenceAnswer


class NamedWithAnswer(Shape):
    """A node that chunks name near another one. This is not a claim: nothing says how the two are related.

    `count` is the number of such chunks, `weight` how closely they connect the two, 0 to 1. The quote is the
    sentence that names both. If there is none (`in_sentence` is false), it is the text from one name to the
    other; `evidence` is null if that is too long.
    """

    node_id: UUID
    canonical_name: str
    node_type: str
    count: int
    weight: float
    in_sentence: bool
    evidence: EvidenceAnswer | None


class NeighborhoodAnswer(Shape):
    """Nodes around a node or a list of nodes, and all edges among them.

    `truncated` has a sentence for each limit that cut something off; `missing` lists the requested ids that
    are not nodes of the space.
    """

    center: NodeAnswer | None
    nodes: list[ScoredNodeAnswer]
    edges: list[EdgeAnswer]
    truncated: list[str]
    missing: list[UUID]


class NewClaimAnswer(Shape):
    """A claim that rules extract from a new chunk."""

    from_name: str
    relation_type: str
    to_name: str
    quote: str
    confidence: float


class NewKeyAnswer(Shape):
    """A key that was just created. `token` is shown only this once."""

    id: UUID
    key_id: str
    """The public part of the token, which identifies the key in logs."""
    name: str
    scopes: list[str]
    space_ids: list[UUID] | None
    expires_at: dt.datetime | None
    revoked_at: dt.datetime | None
    last_used_at: dt.datetime | None
    created_at: dt.datetime
    token: str


class NewTenantAnswer(Shape):
    """A tenant that was just created, with its first key, which is shown only this once."""

    id: UUID
    name: str
    max_running_jobs: int
    """Maximum number of its jobs that run at once."""
    quotas: dict[str, int]
    """Its own limits; for others the platform's apply."""
    budget_usd: float | None = Field(default=None)
    """US dollars a month that model calls may cost; null: no limit."""
    created_at: dt.datetime
    api_key: NewKeyAnswer


class NewWebhookAnswer(Shape):
    """A webhook with its secret, which is shown only this once."""

    id: UUID
    url: str
    events: list[str]
    failing_since: dt.datetime | None
    """Since when every message has failed; null: it works."""
    retry_at: dt.datetime | None
    """Time until which nothing is sent after a failure."""
    disabled_at: dt.datetime | None
    """Since when it receives no messages; null: it is enabled."""
    disabled_reason: Literal["request", "failing", "gone"] | str | None
    """request: by you; failing: after a week of failures; gone: its server answered 410."""
    dropped: int
    """Messages that were not stored, because 5,000 were already waiting."""
    dropped_at: dt.datetime | None
    """When the last of them was dropped."""
    created_at: dt.datetime
    secret: str
    """whsec_ and base64: the key of Standard Webhooks' signatures."""


class NodeAnswer(Shape):
    """One thing that the texts mention."""

    id: UUID
    canonical_name: str
    node_type: str
    aliases: list[str]
    mention_count: int
    """Chunks that name it."""
    out_degree: int
    in_degree: int
    confidence: float
    established: bool
    """Whether enough chunks name it (promotion threshold)."""
    source: str
    first_seen_at: dt.datetime
    last_seen_at: dt.datetime
    metadata: dict[str, Any]


class NodeAttributeAnswer(Shape):
    """A value that a chunk states for an attribute of a node, with the words that state it."""

    node_id: UUID
    name: str
    value: str | float | bool
    """A date as YYYY, YYYY-MM or YYYY-MM-DD."""
    holds: bool
    """Whether the latest source states it (without dates: most chunks)."""
    stated_at: dt.datetime | None
    """The date of its sentence, otherwise of its source."""
    evidence: EvidenceAnswer


class NodeCommunitiesAnswer(Shape):
    """The communities of a node, finest first."""

    items: list[NodeCommunityAnswer]


class NodeCommunityAnswer(Shape):
    """A community that holds the node; level 0 is the coarsest."""

    community_id: UUID
    level: int
    title: str


class NodeDetailAnswer(Shape):
    """A node with its summary, its tags, its attributes and the claims about it, heaviest first, at most 200
    each; and the ten nodes that are named together with it most closely.
    """

    id: UUID
    canonical_name: str
    node_type: str
    aliases: list[str]
    mention_count: int
    """Chunks that name it."""
    out_degree: int
    in_degree: int
    confidence: float
    established: bool
    """Whether enough chunks name it (promotion threshold)."""
    source: str
    first_seen_at: dt.datetime
    last_seen_at: dt.datetime
    metadata: dict[str, Any]
    tags: list[str]
    """At most eight, the most relevant first."""
    attributes: list[AttributeAnswer]
    """The attributes that the space configures (`node_attributes`)."""
    relations: list[RelationAnswer]
    statements: list[StatementAnswer]
    """Statements about it in the words of the texts, the most certain first, at most 50."""
    named_together: list[NamedWithAnswer]
    summary: SummaryAnswer | None
    """Null if it has none (yet)."""


class NodePage(Shape):
    """A NodePage."""

    items: list[NodeAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class NodeSummaryAnswer(Shape):
    """The summary of a node, with the history of its gate."""

    text: str
    citations: list[SummaryCitationAnswer]
    written_by: str
    """rules or the model's name."""
    at: dt.datetime
    """When it was written."""
    node_id: UUID
    canonical_name: str
    node_type: str
    last_reason: str
    """The reason of the gate's last decision."""
    checked_at: dt.datetime
    refreshed: int
    """How many times it was written."""
    skipped: int
    """How many times a check left the summary unchanged."""


class NodeSummaryPage(Shape):
    """A NodeSummaryPage."""

    items: list[NodeSummaryAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class NodeTagsAnswer(Shape):
    """The tags that the node has now, at most eight, and their number."""

    tags: list[str]
    count: int


class OverviewAnswer(Shape):
    """A space at a glance."""

    totals: SpaceTotalsAnswer
    queue: SpaceQueueAnswer
    month: MonthCostAnswer
    days: list[DayUseAnswer]
    """The earliest first, today last, including days without use."""


class OwnTenantAnswer(Shape):
    """The tenant that a key acts for."""

    id: UUID
    name: str
    max_running_jobs: int
    """Maximum number of its jobs that run at once."""
    budget_usd: float | None = Field(default=None)
    """US dollars a month that model calls may cost; null: no limit."""
    created_at: dt.datetime


class PairSideAnswer(Shape):
    """One of two nodes that may be the same thing."""

    node_id: UUID
    name: str
    node_type: str
    mention_count: int


class PassageAnswer(Shape):
    """A chunk that answers; `facts` are the edges of this answer that it states, `why` explains how it was
    found.
    """

    chunk_id: UUID
    document_id: UUID
    document_title: str
    place: str | None = Field(default=None)
    """Its location in the file, if the format has locations: page 7."""
    heading_path: list[str]
    text: str
    score: float
    trust: float
    """The trust in its document, from 0.01 to 1."""
    why: list[str]
    char_start: int
    char_end: int
    source_kind: str
    created_at: dt.datetime
    breakdown: dict[str, float]
    """Each part of the score by name."""
    facts: list[UUID]


class PathAnswer(Shape):
    """Nodes in walking order and the edges between them, in either direction.

    With `attribute` it ends in that value of its last node, which may be its only node.
    """

    nodes: list[NodeAnswer]
    edges: list[EdgeAnswer]
    hops: int
    score: float
    attribute: NodeAttributeAnswer | None


class ProblemDocument(Shape):
    """An RFC 9457 problem document (application/problem+json)."""

    type: str = Field(default="about:blank")
    title: str
    """The status in words."""
    status: int
    code: (
        Literal[
            "already_ended",
            "already_invalidated",
            "already_undone",
            "answer_not_kept",
            "archive_bomb",
            "archive_refused",
            "bad_budget",
            "bad_day",
            "bad_email",
            "bad_golden_question",
            "bad_name",
            "bad_outcome",
            "bad_quota",
            "bad_relation_type",
            "bad_request",
            "bad_trust",
            "bad_value",
            "bad_vector",
            "blank",
            "budget_exhausted",
            "busy",
            "chunk_ids_out_of_range",
            "configuration",
            "conflict",
            "damaged_document",
            "database_busy",
            "database_unavailable",
            "delivery_pending",
            "depth_out_of_range",
            "document_not_failed",
            "document_not_read",
            "document_too_large",
            "duplicate_document",
            "duplicate_name",
            "duplicate_parameter",
            "duplicate_source_uri",
            "edge_ids_out_of_range",
            "embedder_missing",
            "embedding_behind",
            "embedding_change_running",
            "embedding_dimensions",
            "embedding_overtaken",
            "embedding_unchanged",
            "empty_document",
            "empty_list",
            "empty_name",
            "encrypted_document",
            "entities_refused",
            "estimate_timeout",
            "examination_running",
            "expires_in_the_past",
            "expires_too_late",
            "fan_out_out_of_range",
            "forged_request",
            "headers_too_large",
            "idempotency_key_reused",
            "if_match_unsupported",
            "import_bad_line",
            "import_chunk_mismatch",
            "import_incomplete",
            "import_ledger_mismatch",
            "import_out_of_order",
            "import_quote_mismatch",
            "import_repeated_row",
            "import_too_large",
            "import_unknown_id",
            "internal_error",
            "invalid_address",
            "invalid_arguments",
            "invalid_character",
            "invalid_characters",
            "invalid_cursor",
            "invalid_id",
            "invalid_idempotency_key",
            "invalid_input",
            "invalid_number",
            "invalid_time",
            "invalid_value",
            "is_denial",
            "job_ended",
            "job_not_retryable",
            "last_admin",
            "less_trusted",
            "limit_out_of_range",
            "malformed_body",
            "malformed_if_match",
            "malformed_json",
            "malformed_reply",
            "malformed_request",
            "max_edges_out_of_range",
            "max_hops_out_of_range",
            "max_nodes_out_of_range",
            "mentions_nothing",
            "merged_again",
            "method_not_allowed",
            "min_confidence_out_of_range",
            "min_score_out_of_range",
            "model_dimensions",
            "model_key_refused",
            "model_not_offered",
            "model_parked",
            "model_rate_limited",
            "model_refused",
            "model_unavailable",
            "model_unknown",
            "naive_time",
            "name_taken",
            "needs_communities",
            "no_document_accepted",
            "no_eviction_policy",
            "no_file",
            "no_given_name",
            "no_golden_question",
            "no_model",
            "no_psql_login",
            "node_gone",
            "node_ids_out_of_range",
            "not_a_pack",
            "not_ended",
            "not_evaluated",
            "not_found",
            "not_invalidated",
            "not_migrated",
            "not_signed_in",
            "not_single_valued",
            "not_triable",
            "not_tried_by_questions",
            "nothing_left",
            "nothing_to_decide",
            "nothing_to_try",
            "nothing_would_stay",
            "one_address_each",
            "one_document_only",
            "one_file_only",
            "opened_out_of_range",
            "parse_timeout",
            "password_length",
            "payload_too_large",
            "pooled_migration",
            "price_unknown",
            "privileged_login",
            "question_or_ends",
            "quota_exceeded",
            "rate_limited",
            "request_not_recorded",
            "request_timeout",
            "request_under_way",
            "reread_running",
            "run_under_way",
            "same_address",
            "same_content",
            "same_name",
            "same_node",
            "scope_missing",
            "sense_missing",
            "shown_out_of_range",
            "sign_in_refused",
            "space_not_empty",
            "stale_version",
            "superseding_off",
            "symbolic_link",
            "time_to_come",
            "too_deep",
            "too_few_vectors",
            "too_large_to_parse",
            "too_long",
            "too_many_chunks",
            "too_many_estimates",
            "too_many_exports",
            "too_many_failures",
            "too_many_golden_questions",
            "too_many_jobs",
            "too_many_keys",
            "too_many_marks",
            "too_many_mentions",
            "too_many_nodes",
            "too_many_pages",
            "too_many_questions",
            "too_many_requests",
            "too_many_rows",
            "too_many_streams",
            "too_many_tags",
            "too_many_turns",
            "too_many_uploads",
            "too_many_values",
            "too_many_without_key",
            "too_slow",
            "top_k_out_of_range",
            "trial_running",
            "trial_size",
            "trial_unfinished",
            "unauthenticated",
            "unavailable",
            "unknown_embedding",
            "unknown_event",
            "unknown_parameter",
            "unknown_quota",
            "unknown_scope",
            "unknown_set",
            "unreadable_document",
            "unreadable_pack",
            "unsafe_login",
            "unsupported_format",
            "webhook_address_refused",
            "webhook_disabled",
            "webhook_full",
            "winner_gone",
            "words_out_of_range",
            "worse_answers",
        ]
        | str
    )
    """Stable code for programs; docs/errors.md says what to do. New codes may be added."""
    detail: str
    """One sentence for people."""
    request_id: str
    """The id of the request in the logs."""
    errors: list[Fault] | None = Field(default=None)
    """With 422: the values that cannot be accepted."""
    quota: str | None = Field(default=None)
    """With quota_exceeded and too_many_jobs: the quota that is exceeded."""
    used: int | None = Field(default=None)
    """With these: the amount that the tenant has."""
    limit: int | None = Field(default=None)
    """With these: the amount that it may have."""
    remaining: int | None = Field(default=None)
    """With these: the amount for which there is room."""
    added: int | None = Field(default=None)
    """With these: the amount that was asked for, if it is known before reading."""


class PromotionAnswer(Shape):
    """The changes that a promoted trial makes, and the job that reads the documents again."""

    settings: dict[str, Any]
    """The settings of the space that it changes, by name."""
    job_id: UUID | None
    """The job that reads the documents again; null without one."""
    gated: bool
    """Whether that job changes the settings, when the golden questions are answered no worse with what it read; otherwise they are changed at once."""


class QuarantinedChunkAnswer(Shape):
    """A chunk from which no graph could be extracted, and why; a retry reads it again."""

    chunk_id: UUID
    ordinal: int
    """Its position in the document, from 0."""
    code: str
    reason: str
    since_version: int
    """The first version of the document in which this was so."""


class QuotaAnswer(Shape):
    """How much of one quota the tenant has used."""

    quota: str
    """documents, bytes, chunks, nodes, spaces, queued_jobs or tokens."""
    used: int
    """For tokens: those that models used in this month (UTC)."""
    limit: int | None
    """null: tokens without a limit."""


class Readiness(Shape):
    """The service can do its work. The other fields are informative: without a broker jobs start some seconds
    later, without a worker they wait, and without a replica the primary is read.
    """

    status: Literal["ready"] | str = Field(default="ready")
    schema_revision: str
    broker: Literal["ok", "silent"] | str
    workers: int | None
    """Worker processes seen within a minute; null if the broker does not respond."""
    replicas: ReplicaStates | None
    """Replicas by state, as this process sees them; null if none is configured."""


class ReasonCountAnswer(Shape):
    """How often the gate decided for one reason, and whether that wrote the summary."""

    reason: str
    refreshed: bool
    decisions: int
    last_at: dt.datetime


class RefusedAnswer(Shape):
    """One document of several that was not accepted; the others were."""

    index: int
    """Its position in the request, from 0."""
    name: str | None
    """Its file name or address, if it can be shown."""
    code: str
    """Stable code for programs."""
    detail: str
    """One sentence for people."""


class RelationAnswer(Shape):
    """All edges of one claim combined: `weight` is their sum, `mention_count` their number."""

    from_node_id: UUID
    from_name: str
    to_node_id: UUID
    to_name: str
    relation_type: str
    layer: Layer
    weight: float
    mention_count: int
    notes: str | None
    """The quote of the strongest of them."""


class RelationCountsAnswer(Shape):
    """The numbers of claims of one relation type on both sides."""

    relation_type: str
    in_graph: int
    """In the graph."""
    in_trial: int
    """In the trial."""
    same: int
    """In both."""
    added: int
    """Only in the trial."""
    lost: int
    """Only in the graph."""
    retyped: int
    """Claims of the graph to which the trial gives another type."""


class RelationTypeAnswer(Shape):
    """One relation type over the whole space."""

    relation_type: str
    layer: Layer
    edges: int
    avg_weight: float
    avg_confidence: float
    with_evidence: int


class RelationTypesAnswer(Shape):
    """Every relation type of the space, most frequent first."""

    items: list[RelationTypeAnswer]


class RemovalAnswer(Shape):
    """The receipt of a removal, which the audit log keeps; with dry_run, the changes it would make."""

    chunks: int
    unlinked_edges: int
    """Edges for which it was the only evidence; they are now unsupported."""
    pruned_edges: int
    """Those of them that were removed."""
    pruned_nodes: int
    forgotten_nodes: int
    """Nodes that only it named, of which only edges are left."""
    renamed_nodes: int
    """Nodes that lost a name which only it had given."""
    lost_weight: float
    """Weight of the edges for which it was the only evidence."""
    weight_after: float
    """Weight of the remaining edges with evidence between the same nodes."""
    texts_queued: int
    """Nodes whose generated texts are removed and written again."""
    rows: dict[str, int]
    """Deleted rows by table."""


class RemovalsAnswer(Shape):
    """The receipt for the removal of each document, in the order of the request."""

    removals: list[RemovalAnswer]


class RemovedCitationAnswer(Shape):
    """A citation that was removed from sentence `sentence`: not_in_context is made up, gone was deleted."""

    sentence: int
    mark: str
    reason: RemovalReason


class ReplicaStates(Shape):
    """The numbers of replicas that are up to date, too far behind the primary, and not responding."""

    in_sync: int
    lagging: int
    unreachable: int


class ReportedAnswer(Shape):
    """A claim that no source states itself; one source says that somebody makes it, and `edge` has the quote.

    `said_by` is who makes it, in the words of the quote; `since` is the date from which it is said to hold.
    """

    claim: str
    said_by: str
    since: str | None
    edge: EdgeAnswer


class RetrievedAnswer(Shape):
    """The results of one query, best first; `narrative` states the facts, with [n] for citation n."""

    query: str
    strategy: Strategy
    scoring: Scoring
    anchors: list[AnchorAnswer]
    passages: list[PassageAnswer]
    facts: list[ScoredFactAnswer]
    nodes: list[NodeAnswer]
    paths: list[PathAnswer]
    citations: list[CitationAnswer]
    contested: list[ConflictAnswer]
    attributes: list[NodeAttributeAnswer]
    """Values of the nodes, as explain has them."""
    narrative: str
    graph_revision: int
    """The revision of the graph that was read; it increases with each change."""
    cached: bool
    """Whether the result of an identical query of the last minute was reused."""
    truncated: list[str]
    warnings: list[str]


class RetryAnswer(Shape):
    """The number of documents that were queued again, and their job."""

    documents: int
    job: JobAnswer


class RetypedAnswer(Shape):
    """A claim of the graph, and the different claim of the trial about the same two nodes in that chunk."""

    graph_claim: TrialClaimAnswer
    """The claim in the graph."""
    trial_claim: TrialClaimAnswer
    """The claim in the trial."""


class RunEventAnswer(Shape):
    """A community that a run found new, split (from `other_ids`), merged (into them) or gone."""

    id: UUID
    change: str
    community_id: UUID
    level: int
    title: str
    other_ids: list[UUID]
    exists: bool
    """Whether it still exists."""


class RunEventPage(Shape):
    """A RunEventPage."""

    items: list[RunEventAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class ScoredFactAnswer(Shape):
    """An edge with its current score, and its distance from the anchors in hops."""

    edge: EdgeAnswer
    score: float
    hop: int
    breakdown: dict[str, float]
    """Each factor of the score by name."""


class ScoredNodeAnswer(Shape):
    """A node `distance` hops away; `score` is 1 / (1 + distance)."""

    node: NodeAnswer
    distance: int
    score: float


class SentenceAnswer(Shape):
    """A sentence and the numbers of its citations.

    `supported` is true if the cited texts state it, false if they do not or no citation is left, and null if
    that cannot be decided: the texts use other words, or a language that is not supported.
    """

    index: int
    text: str
    citations: list[int]
    supported: bool | None


class SkipAnswer(Shape):
    """A refresh that the gate skipped: the new facts, their distance from the summary, and the unchanged
    summary.
    """

    node_id: UUID
    canonical_name: str
    node_type: str
    at: dt.datetime
    reason: str
    drift: float
    """Cosine distance of the facts from those of the summary, 0 to 2."""
    new_facts: list[str]
    summary: str


class SourceAnswer(Shape):
    """Source `number` of the context: a part of a chunk; the range counts characters of the document's
    text.
    """

    number: int
    chunk_id: UUID
    document_id: UUID
    document_title: str
    heading_path: list[str]
    text: str
    char_start: int
    char_end: int
    place: str | None = Field(default=None)
    """Its location in the file, if the format has locations: page 7."""
    trust: float
    """The trust in its document, from 0.01 to 1."""


class SpaceAnswer(Shape):
    """A space. `graph_revision` rises with every change of its graph."""

    id: UUID
    name: str
    description: str
    settings: dict[str, Any]
    embedding_model: str
    embedding_dimensions: int
    graph_revision: int
    created_at: dt.datetime
    updated_at: dt.datetime


class SpacePage(Shape):
    """A SpacePage."""

    items: list[SpaceAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class SpaceQueueAnswer(Shape):
    """The space's part of the queue."""

    waiting: int
    delayed: int
    """Jobs that wait for a later time: parked, or to be retried."""
    running: int
    oldest_seconds: float | None
    """How long the first ready job has waited."""


class SpaceTotalsAnswer(Shape):
    """The amounts that the space holds: its part of the tenant's quotas."""

    documents: int
    bytes: int
    chunks: int
    nodes: int


class SplitAnswer(Shape):
    """A row of the ledger: which node was split, why and by whom; `undone_at` is null while it holds."""

    id: UUID
    node_id: UUID
    name: str | None
    """The node's current name; null if it was deleted."""
    new_node_id: UUID
    new_name: str | None
    mentions: int
    """Number of mentions that were moved to the new node."""
    reason: str
    """sense (stated by the texts) or person."""
    decided_by: str
    created_at: dt.datetime
    undone_at: dt.datetime | None
    undone_by: str | None


class SplitPage(Shape):
    """A SplitPage."""

    items: list[SplitAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class StatedValueAnswer(Shape):
    """A row that states a value, and the decision that ended it."""

    edge: EdgeAnswer
    claim_dated_at: dt.datetime | None
    """The date that its text or its document states."""
    decision_id: UUID | None
    kind: EndedBy | None
    decided_by: str | None
    reason: str | None
    source_edge_id: UUID | None


class StatementAnswer(Shape):
    """A statement about a node in the words of its clause.

    `text` is what follows the `predicate` to the end of the clause; `subject` is what precedes it, or null if
    that is only the node's name; `evidence` is the whole sentence.
    """

    node_id: UUID
    subject: str | None
    predicate: str
    text: str
    confidence: float
    """How likely the clause was parsed correctly, 0 to 1."""
    stated_at: dt.datetime | None
    """The date of its source."""
    evidence: EvidenceAnswer


class SubmissionAnswer(Shape):
    """The outcome of every submission of a request, in its order, and the job that ingests them, if there is
    work.
    """

    documents: list[SubmittedAnswer]
    refused: list[RefusedAnswer]
    """Documents that were not accepted, and why."""
    job: JobAnswer | None


class SubmittedAnswer(Shape):
    """The outcome of one submission."""

    id: UUID
    outcome: SubmissionOutcome
    title: str
    format: str
    source_uri: str | None
    version: int
    state: Literal["queued", "processing", "ready", "failed"] | str
    job_id: UUID | None
    """The job that will ingest it, or last did."""


class SuggestedTagsAnswer(Shape):
    """Tags for a node, at most eight, the most relevant first; nothing is written."""

    node_id: UUID
    tags: list[str]
    by: Origin
    """Also rules if the model failed, as `warnings` then say."""
    current: list[CurrentTagAnswer]
    warnings: list[str]


class SummaryAnswer(Shape):
    """The summary of a node, with citations for each sentence."""

    text: str
    citations: list[SummaryCitationAnswer]
    written_by: str
    """rules or the model's name."""
    at: dt.datetime
    """When it was written."""


class SummaryCitationAnswer(Shape):
    """A range of the summary's characters, from 0, and the edges that support it."""

    char_start: int
    char_end: int
    edge_ids: list[UUID]


class TagAnswer(Shape):
    """A tag and how many nodes have it."""

    tag: str
    nodes: int


class TagsAnswer(Shape):
    """Tags with the given prefix, the most used first."""

    items: list[TagAnswer]


class TenantAnswer(Shape):
    """A tenant."""

    id: UUID
    name: str
    max_running_jobs: int
    """Maximum number of its jobs that run at once."""
    quotas: dict[str, int]
    """Its own limits; for others the platform's apply."""
    budget_usd: float | None = Field(default=None)
    """US dollars a month that model calls may cost; null: no limit."""
    created_at: dt.datetime


class TenantPage(Shape):
    """A TenantPage."""

    items: list[TenantAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class TrialAnswer(Shape):
    """A trial: its model and settings, progress and cost."""

    id: UUID
    """The id of its job."""
    model: str | None
    """Null: the space's own."""
    settings: dict[str, Any]
    state: Literal["queued", "running", "done", "failed"] | str
    progress: float
    error: str | None
    created_at: dt.datetime
    counts: dict[str, int]
    """When it is done: chunks, same, added, lost, retyped."""
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float


class TrialClaimAnswer(Shape):
    """A claim with the sentence that states it."""

    chunk_id: UUID
    document_id: UUID
    document_title: str
    from_name: str
    relation_type: str
    to_name: str
    polarity: str
    confidence: float
    quote: str


class TrialReportAnswer(Shape):
    """A trial compared with what the graph has from the same chunks."""

    trial: TrialAnswer
    chunks: int
    """Chunks read so far."""
    failures: dict[str, int]
    """Chunks that could not be read, by code; not compared."""
    read_by: dict[str, int]
    """Chunks by what extracted them for the graph: model/prompt."""
    seconds: float
    """Time for its documents; cached answers take none."""
    seconds_per_chunk: float
    cost_usd_per_chunk: float
    same: int
    added: int
    lost: int
    retyped: int
    by_relation: list[RelationCountsAnswer]
    added_claims: list[TrialClaimAnswer]
    """At most 200, as for the next two."""
    lost_claims: list[TrialClaimAnswer]
    retyped_claims: list[RetypedAnswer]


class TrialsAnswer(Shape):
    """The space's trials, newest first."""

    items: list[TrialAnswer]


class UsageAnswer(Shape):
    """The usage of one space on one day."""

    day: dt.date
    space_id: UUID
    documents: int
    chunks: int
    bytes: int
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    queries: int


class UsagePage(Shape):
    """A UsagePage."""

    items: list[UsageAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class ValuesAnswer(Shape):
    """All values that chunks state for this attribute of the node, the one that holds first."""

    items: list[AttributeAnswer]


class VersionPreviewAnswer(Shape):
    """The changes that a new version would make."""

    content_hash: str
    version: int
    """The current version."""
    is_current: bool
    """Whether the content is that of the current version, so that nothing would change."""
    unchanged: int
    """Unchanged chunks."""
    removed: int
    """Removed chunks."""
    added: int
    """New chunks."""
    changes: list[ChunkChangeAnswer]
    """At most 60; `hidden_changes` more are not shown."""
    hidden_changes: int
    ending_claims: list[EndingClaimAnswer]
    """At most 200."""
    new_claims: list[NewClaimAnswer] | None
    """What rules extract from the new chunks; null if there are too many. No model is called."""


class WaitingSummaryAnswer(Shape):
    """A summary whose facts changed, and when its gate next checks it."""

    text: str
    citations: list[SummaryCitationAnswer]
    written_by: str
    """rules or the model's name."""
    at: dt.datetime
    """When it was written."""
    node_id: UUID
    canonical_name: str
    node_type: str
    last_reason: str
    """The reason of the gate's last decision."""
    checked_at: dt.datetime
    refreshed: int
    """How many times it was written."""
    skipped: int
    """How many times a check left the summary unchanged."""
    due_at: dt.datetime | None


class WebhookAnswer(Shape):
    """A webhook, without its secret."""

    id: UUID
    url: str
    events: list[str]
    failing_since: dt.datetime | None
    """Since when every message has failed; null: it works."""
    retry_at: dt.datetime | None
    """Time until which nothing is sent after a failure."""
    disabled_at: dt.datetime | None
    """Since when it receives no messages; null: it is enabled."""
    disabled_reason: Literal["request", "failing", "gone"] | str | None
    """request: by you; failing: after a week of failures; gone: its server answered 410."""
    dropped: int
    """Messages that were not stored, because 5,000 were already waiting."""
    dropped_at: dt.datetime | None
    """When the last of them was dropped."""
    created_at: dt.datetime


class WebhookPage(Shape):
    """A WebhookPage."""

    items: list[WebhookAnswer]
    next_cursor: str | None = Field(default=None)
    """Pass it as cursor= for the next page; null at the end."""


class WordsAnswer(Shape):
    """Some words of a chunk, and whether the other version lacks them."""

    text: str
    differs: bool
