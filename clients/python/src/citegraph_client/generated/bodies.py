"""The shapes of what is sent. Written by `make client` from the OpenAPI document; not edited."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypeAlias, TypedDict
from uuid import UUID

AnswerScope: TypeAlias = Literal["local", "global"]
AttributeKind: TypeAlias = Literal["text", "number", "date", "boolean"]
ClaimCheck: TypeAlias = Literal["off", "endings", "all", "auto"]
ContextFormat: TypeAlias = Literal["narrative", "entity_list"]
Direction: TypeAlias = Literal["outgoing", "incoming", "both"]
Eviction: TypeAlias = Literal["none", "ttl", "capacity", "recall_based", "hybrid"]
InvalidationScope: TypeAlias = Literal["claim", "edge"]
JobState: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled"]
Layer: TypeAlias = Literal["claim", "statement", "named_together"]
Outcome: TypeAlias = Literal["done", "refused"]
Scoring: TypeAlias = Literal["walk", "hybrid", "text_overlap", "graph_distance", "temporal", "reference"]
Strategy: TypeAlias = Literal["hybrid", "knowledge_only", "graph_only"]
TagsAtIngest: TypeAlias = Literal["off", "rules", "model"]
WordMatch: TypeAlias = Literal["phrase", "all", "any"]


class DocumentBody(TypedDict, total=False):
    """One document as JSON, with its content in `text`, or in `content` as text or as JSON."""

    format: (
        Literal[
            "code",
            "conversation",
            "csv",
            "docx",
            "eml",
            "epub",
            "extraction",
            "html",
            "ics",
            "ipynb",
            "json",
            "jsonl",
            "markdown",
            "mbox",
            "mhtml",
            "odp",
            "ods",
            "odt",
            "pdf",
            "pptx",
            "rst",
            "rtf",
            "text",
            "vcf",
            "xlsx",
            "xml",
            "zip",
        ]
        | None
    )
    """By default detected from content and name. `code`: The text as it is, a section for each definition at the margin and each member of a long class; citations name the line. `conversation`: JSON turns with `speaker`, `text` and `time`: a chunk a turn, with who said it and when. `csv`: A chunk for each row, as lines of `column: value` by the names in the first row below the titles; citations name the row. `docx`: The text of a Word document in reading order under its headings, a table's rows as lines, text boxes and charts; beside it footnotes, comments by their authors, headers and footers, named as such; citations name the section, and the page where Word noted it. `eml`: Header and new text by its sender, quoted text apart; attachments are documents of their own; citations name the message. `epub`: Its chapters in reading order, headings as sections, those of chapters without one from the table of contents; citations name the chapter. `extraction`: Passages that somebody else extracted (docs/importing.md): a chunk a passage. `html`: The visible main text, without navigation, banners and footers: a paragraph a block, headings as sections, a table's rows as lines; citations name the section. `ics`: A chunk for each event or task: subject, times, place, those invited, description; citations name the event. `ipynb`: Prose as Markdown, code as it is, the text and errors that it printed; citations name the cell. `json`: A chunk for each object of the file, or for each item of its array, as lines of `key: value`. `jsonl`: A chunk for the object or other value on each line, as lines of `key: value`. `markdown`: The text without markup: links as their text, a table's rows as lines, headings as sections; citations name the line. `mbox`: Each of its mails as an EML is read, by its own sender and date, with the message that it answers; citations name the message. `mhtml`: The page in it as an HTML file is read; citations name the section. `odp`: Slide by slide, hidden ones called so: titles as headings, text, tables and charts, then its notes and the comments by their authors; citations name the slide. `ods`: A chunk for each row, as lines of `column: value` by the header of its table, hidden sheets called so; comments by their authors, charts and text boxes; citations name sheet and row. `odt`: The text of an OpenDocument text in reading order under its headings, lists, a table's rows as lines, text boxes and charts; beside it notes, comments by their authors, headers and footers; citations name the section, and the page where the program noted it. `pdf`: The text of its pages, at most 2,000, then notes on them and the fields of forms; a scan without a layer of text is refused. `pptx`: Slide by slide, hidden ones called so: titles as headings, text, tables, charts and diagrams, then its notes and the comments by their authors; citations name the slide. `rst`: The text as it is, underlined titles as sections; directives are text, and nothing is included; citations name the line. `rtf`: The text of a rich text in reading order under its headings, a table's rows as lines; beside it notes, comments by their authors, headers and footers; citations name the section. `text`: The text as it is; underlined lines are headings, the head of a mail gives date and title; citations name the line. `vcf`: A chunk for each contact: name, organization, job, addresses, note; citations name the contact. `xlsx`: A chunk for each row, as lines of `column: value` by the header of its table, hidden sheets called so; comments by their authors, charts and text boxes; citations name sheet and row. `xml`: A section for each child of the root, or of a group in it: lines of `field: value`, prose as text. Entities are refused; citations name the line. `zip`: Each file in it that can be read is a document of its own, also in archives inside of it."""
    title: str | None
    """By default read from the document, or its file name."""
    source_uri: str | None
    """Its address: new content at a known address replaces the old."""
    source_kind: Literal["user_edit", "file", "system", "conversation"] | None
    """By default file, or conversation."""
    language: str | None
    trust: float | None
    """The trust in it, from 0.01 to 1, by default 1; the space's `source_trust` and `uploader_trust` may limit it. It scales the weight of its claims; they end no claim of a document with more."""
    metadata: Mapping[str, Any]
    """Your own keys, at most 16,384 bytes as JSON."""
    text: str | None
    content: str | Sequence[Any] | Mapping[str, Any] | None


class FiltersBody(TypedDict, total=False):
    """Filters on the nodes and edges of a traversal; a field left out filters nothing."""

    relation_types: Sequence[str]
    node_types: Sequence[str]
    min_confidence: float | None
    as_of: dt.datetime | str | None
    """Only claims that held at that time."""
    layers: Sequence[Layer]
    """claim, statement or named_together (passages that are used if nothing else is found)."""


class GoldenQuestionBody(TypedDict, total=False):
    """A question with its expected result; without answers and sources, a refusal is expected."""

    question: Required[str]
    """The question; for an existing question the expected result is replaced."""
    answers: Sequence[str]
    """Texts, one of which the answer must contain."""
    sources: Sequence[str]
    """Ids, addresses or titles of documents, one of which the answer must cite."""


class MoveBody(TypedDict, total=False):
    """A document and its new address."""

    id: Required[UUID | str]
    source_uri: Required[str]


class NameAndTypeBody(TypedDict, total=False):
    """A node as decisions identify it: by its normalised name and its type."""

    name: Required[str]
    node_type: Required[str]


class QuotaBody(TypedDict, total=False):
    """A tenant's own limits; null resets one to the platform's, and those left out are unchanged."""

    documents: int | None
    bytes: int | None
    chunks: int | None
    nodes: int | None
    spaces: int | None
    queued_jobs: int | None
    tokens: int | None
    """Tokens that models may use in a month (UTC)."""


class SpaceSettingsBody(TypedDict, total=False):
    """The space's own settings; the platform's default applies to those left out."""

    extra_node_types: Sequence[str]
    extra_relation_types: Sequence[str]
    extraction_model: str | None
    """The model that reads documents of this space, one of CITEGRAPH_LLM_MODELS, or `rules`; null for the installation's own. Documents that were extracted before stay as they are until they are extracted again."""
    claim_check_model: str | None
    """The model that is asked about claims once more, one of CITEGRAPH_LLM_MODELS; null for the one that reads the documents."""
    specific_relations: bool
    """Whether the types for people's lives, groups and places (born_in, married_to, citizen_of and others) are in the vocabulary; without them such claims are left out."""
    single_valued_relations: Sequence[str]
    single_source_relations: Sequence[str]
    source_trust: Mapping[str, float]
    """Largest trust of a new document by its source kind, from 0.01 to 1; 1 for a kind that is not named. What a document states ends no claim of one that is trusted more."""
    uploader_trust: Mapping[str, float]
    """The same by who hands documents in: a key by its public id, an account by its address, or either by the `uploader` of its documents (`account:` and an id)."""
    supersede_by_date: bool
    """Whether a later dated source ends an earlier dated value of a single-valued relation, or an earlier source of one of `single_source_relations`; without such relations it does nothing."""
    open_relations: bool
    """Keep any verb that a model or a header of a table gives, in lower snake_case."""
    gleanings: int
    """Times a model looks again at each chunk for nodes it missed; each may cost half as many calls again (requirement 5.6)."""
    node_attributes: Mapping[str, Mapping[str, AttributeKind]]
    golden_gate: bool
    """Whether a change of settings that affect answers is refused if a golden question would be answered worse, or if that is not known, unless it is forced."""
    golden_every_hours: float | None
    """Hours after which the golden questions are asked again; null: never."""
    prune_deleted: bool
    """Whether deleting a document also removes the edges that this leaves without evidence, unless the request says otherwise (requirement 15.3)."""
    budget_usd: float | None
    """US dollars that model calls of this space may cost in a month."""
    eviction: Eviction
    """The eviction policy: none, ttl, capacity, recall_based or hybrid (requirement 12.2)."""
    eviction_ttl_days: float | None
    """Days after which a chunk is evicted, with ttl and hybrid."""
    eviction_max_chunks: int | None
    """Maximum number of chunks, with capacity, and optionally with hybrid and recall_based."""
    eviction_min_value: float | None
    """With recall_based: a chunk of a lower value is given up once it is past eviction_grace_days."""
    eviction_last_evidence: bool
    """Also evict chunks that are the last evidence of an edge, which then has none."""
    chunk_tokens: int | None
    """Largest chunk, in model tokens."""
    min_confidence: float | None
    """Edges with a lower confidence are dropped (requirement 5.2)."""
    claim_check: ClaimCheck | None
    """Claims that a model is asked about once more, beside their text, and that are refused unless it confirms them: off, endings (denials, ends and changes), all (about a third more tokens), or auto (all, if the model judges claims with known verdicts rightly, else none)."""
    statements: bool | None
    """Extract statements from English clauses when no model extracts: edges whose relation type is the verb of their sentence, distinguished from claims by their layer."""
    turns_before: int | None
    """Preceding turns of a conversation that a model reads with each turn (requirement 5.6)."""
    promotion_threshold: int | None
    """Mentions that make a node established (requirement 3.3)."""
    max_tags: int | None
    """Maximum number of tags of a node (requirement 11.1)."""
    tags_at_ingest: TagsAtIngest | None
    """How the nodes that an ingest mentions are tagged: off, rules, or model (rules if there is no model)."""
    fan_out: int | None
    """Strongest edges followed per node and direction (requirement 9.1)."""
    max_facts: int | None
    """Maximum number of facts in one answer (requirement 9.1)."""
    statement_weight: float | None
    """Weight of a statement in explanations, where a claim has weight 1."""
    context_tokens: int | None
    """Tokens of passages and facts that one answer may read."""
    verify_sentences: bool | None
    """After each answer that a model wrote, ask the model whether the quotes support every sentence, if the tenant's budget and token limit of the month allow the call."""
    similar_anchors: int | None
    """Maximum number of starting nodes for a question that names none (requirement 9.1)."""
    anchor_similarity: float | None
    """Minimum cosine similarity between the name of such a node and the question (requirement 9.1)."""
    hybrid_weights: Sequence[float] | None
    """Weights of text overlap, graph distance, time and references in the `hybrid` score; only their ratio matters (requirement 9.4)."""
    fact_source_weights: Any
    """Factor of a fact's score by the source kind of its document (requirement 9.4)."""
    fact_decay: float | None
    """Share of a fact's score that is lost in each week without access (requirement 9.4)."""
    fact_grace_days: float | None
    """Days after the last access without decay (requirement 9.4)."""
    fact_usage_boost: float | None
    """Amount that ten times as many accesses add to a fact's factor (requirement 9.4)."""
    fact_confirmed_weight: float | None
    """Factor of a confirmed fact (requirement 9.4)."""
    answer_cache_seconds: float | None
    """Seconds for which the same query gets the same answer from the cache; 0 turns the cache off (requirement 9.6)."""
    communities: bool | None
    """Detect communities after ingests."""
    community_min_weight: float | None
    """Minimum summed weight of a pair of nodes in a community (requirement 7.1)."""
    community_levels: int | None
    """Maximum number of levels of communities."""
    community_seed: int | None
    """Random seed of the detection."""
    summaries: bool | None
    """Refresh summaries of nodes after ingests."""
    summary_drift_threshold: float | None
    """Cosine distance up to which a node's facts count as unchanged since its summary; it is lower for nodes with many facts (requirement 6.1)."""
    summary_burst_window: float | None
    """Seconds within which several episodes form a burst, during which the refresh is deferred (requirement 6.1)."""
    summary_burst_episodes: int | None
    """Number of episodes that form a burst."""
    summary_burst_cap: int | None
    """Maximum number of episodes that a burst defers (requirement 6.1)."""
    summary_staleness_limit: float | None
    """Days after which a summary is refreshed even if little changed (requirement 6.1)."""
    recall_weights: Sequence[float] | None
    """Weights of ln(1 + recalls), their average score and recency in a chunk's value (requirement 12.1)."""
    recall_half_life_days: float | None
    """Days since the last recall that halve its recency (requirement 12.1)."""
    eviction_grace_days: float | None
    """Age in days below which recall_based does not evict a chunk (requirement 12.2)."""


class SpaceSettingsChanges(TypedDict, total=False):
    """Changes of settings: those left out are unchanged; null resets a setting to the platform's default."""

    extra_node_types: Sequence[str] | None
    extra_relation_types: Sequence[str] | None
    extraction_model: str | None
    """The model that reads documents of this space, one of CITEGRAPH_LLM_MODELS, or `rules`; null for the installation's own. Documents that were extracted before stay as they are until they are extracted again."""
    claim_check_model: str | None
    """The model that is asked about claims once more, one of CITEGRAPH_LLM_MODELS; null for the one that reads the documents."""
    specific_relations: bool | None
    single_valued_relations: Sequence[str] | None
    single_source_relations: Sequence[str] | None
    source_trust: Mapping[str, float] | None
    uploader_trust: Mapping[str, float] | None
    supersede_by_date: bool | None
    open_relations: bool | None
    gleanings: int | None
    node_attributes: Mapping[str, Mapping[str, AttributeKind]] | None
    golden_gate: bool | None
    golden_every_hours: float | None
    """Hours after which the golden questions are asked again; null: never."""
    prune_deleted: bool | None
    budget_usd: float | None
    """US dollars that model calls of this space may cost in a month."""
    eviction: Eviction | None
    eviction_ttl_days: float | None
    """Days after which a chunk is evicted, with ttl and hybrid."""
    eviction_max_chunks: int | None
    """Maximum number of chunks, with capacity, and optionally with hybrid and recall_based."""
    eviction_min_value: float | None
    """With recall_based: a chunk of a lower value is given up once it is past eviction_grace_days."""
    eviction_last_evidence: bool | None
    chunk_tokens: int | None
    """Largest chunk, in model tokens."""
    min_confidence: float | None
    """Edges with a lower confidence are dropped (requirement 5.2)."""
    claim_check: ClaimCheck | None
    """Claims that a model is asked about once more, beside their text, and that are refused unless it confirms them: off, endings (denials, ends and changes), all (about a third more tokens), or auto (all, if the model judges claims with known verdicts rightly, else none)."""
    statements: bool | None
    """Extract statements from English clauses when no model extracts: edges whose relation type is the verb of their sentence, distinguished from claims by their layer."""
    turns_before: int | None
    """Preceding turns of a conversation that a model reads with each turn (requirement 5.6)."""
    promotion_threshold: int | None
    """Mentions that make a node established (requirement 3.3)."""
    max_tags: int | None
    """Maximum number of tags of a node (requirement 11.1)."""
    tags_at_ingest: TagsAtIngest | None
    """How the nodes that an ingest mentions are tagged: off, rules, or model (rules if there is no model)."""
    fan_out: int | None
    """Strongest edges followed per node and direction (requirement 9.1)."""
    max_facts: int | None
    """Maximum number of facts in one answer (requirement 9.1)."""
    statement_weight: float | None
    """Weight of a statement in explanations, where a claim has weight 1."""
    context_tokens: int | None
    """Tokens of passages and facts that one answer may read."""
    verify_sentences: bool | None
    """After each answer that a model wrote, ask the model whether the quotes support every sentence, if the tenant's budget and token limit of the month allow the call."""
    similar_anchors: int | None
    """Maximum number of starting nodes for a question that names none (requirement 9.1)."""
    anchor_similarity: float | None
    """Minimum cosine similarity between the name of such a node and the question (requirement 9.1)."""
    hybrid_weights: Sequence[float] | None
    """Weights of text overlap, graph distance, time and references in the `hybrid` score; only their ratio matters (requirement 9.4)."""
    fact_source_weights: Any
    """Factor of a fact's score by the source kind of its document (requirement 9.4)."""
    fact_decay: float | None
    """Share of a fact's score that is lost in each week without access (requirement 9.4)."""
    fact_grace_days: float | None
    """Days after the last access without decay (requirement 9.4)."""
    fact_usage_boost: float | None
    """Amount that ten times as many accesses add to a fact's factor (requirement 9.4)."""
    fact_confirmed_weight: float | None
    """Factor of a confirmed fact (requirement 9.4)."""
    answer_cache_seconds: float | None
    """Seconds for which the same query gets the same answer from the cache; 0 turns the cache off (requirement 9.6)."""
    communities: bool | None
    """Detect communities after ingests."""
    community_min_weight: float | None
    """Minimum summed weight of a pair of nodes in a community (requirement 7.1)."""
    community_levels: int | None
    """Maximum number of levels of communities."""
    community_seed: int | None
    """Random seed of the detection."""
    summaries: bool | None
    """Refresh summaries of nodes after ingests."""
    summary_drift_threshold: float | None
    """Cosine distance up to which a node's facts count as unchanged since its summary; it is lower for nodes with many facts (requirement 6.1)."""
    summary_burst_window: float | None
    """Seconds within which several episodes form a burst, during which the refresh is deferred (requirement 6.1)."""
    summary_burst_episodes: int | None
    """Number of episodes that form a burst."""
    summary_burst_cap: int | None
    """Maximum number of episodes that a burst defers (requirement 6.1)."""
    summary_staleness_limit: float | None
    """Days after which a summary is refreshed even if little changed (requirement 6.1)."""
    recall_weights: Sequence[float] | None
    """Weights of ln(1 + recalls), their average score and recency in a chunk's value (requirement 12.1)."""
    recall_half_life_days: float | None
    """Days since the last recall that halve its recency (requirement 12.1)."""
    eviction_grace_days: float | None
    """Age in days below which recall_based does not evict a chunk (requirement 12.2)."""


class TurnBody(TypedDict, total=False):
    """One earlier turn of a conversation."""

    speaker: Required[Literal["user", "assistant"]]
    text: Required[str]
