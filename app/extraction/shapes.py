"""The input and output values of extraction, shared by `rules`, models and imports."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from app.graph.validity import DatePoint, Polarity
from app.ids import ChunkId, DocumentId
from app.space_settings import AttributeKind, ClaimCheck


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as the input of an extractor.

    `is_wanted` is False for a chunk that is only context (an unchanged part of a changed document): no
    results are returned for it. The same holds for a quarantined chunk, which no code may read again; a model
    may see it as context. `language` is that of its document, if known. `is_record`: the chunk is a row or an
    object in lines of `key: value`, perhaps followed by prose.
    """

    id: ChunkId
    document_id: DocumentId
    document_title: str
    text: str
    heading_path: tuple[str, ...] = ()
    speaker: str | None = None
    is_wanted: bool = True
    language: str | None = None
    is_record: bool = False
    # The title with which a model read the same text at another address, so that it is not called again.
    asked_title: str | None = None
    # The date of the conversation turn, else of the document, to which "last year" is relative.
    dated_at: datetime | None = None
    is_quarantined: bool = False


@dataclass(frozen=True, slots=True)
class Surface:
    """One occurrence of an entity's name in a chunk: `text == chunk.text[start:end]`."""

    text: str
    start: int
    end: int


SURFACE_OF_UNNAMED_TOPIC = Surface("", 0, 0)
"""The only surface of a document's topic, by its title, in a chunk that does not name it."""


@dataclass(frozen=True, slots=True)
class FoundAttribute:
    """A value that a chunk states about an entity, besides its relations (requirement 5.6), or a statement.

    `value` is the extractor's text, and after grounding a value of the attribute's kind; `quote` are then the
    words that state it. `stated_at` is the date in the sentence, else that of the source. A statement has a
    `confidence`: its `name` is a predicate, `value` the words after it, and `subject` the words before it if
    they are more than the entity's name.
    """

    name: str
    value: str | float | bool
    quote: Surface
    stated_at: datetime | None = None
    confidence: float | None = None
    subject: str = ""

    @property
    def is_asked(self) -> bool:
        """Return whether this is an attribute that the space asks for, not a statement."""
        return self.confidence is None


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """One entity of one chunk (pass 1, requirement 5.1).

    `name` is its fullest name. `aliases` are other names that identify it everywhere (an acronym that the
    text itself explains, an "also known as"); they merge nodes. `short_names` refer to it in this document
    only (a surname); they are stored for look-ups and never merge. `is_type_certain` is False if the type is
    a default and not read from the text; `likely_type` is then what it may be, "" if nothing is likely, and
    nothing is claimed because of it. `surfaces` are in order of `start` and not empty,
    `SURFACE_OF_UNNAMED_TOPIC` for a document's topic that the chunk does not name. `sense` distinguishes
    things of this name ("planet"), if the text states one. `is_background`: the entity is such a topic, kept
    only if a statement of the chunk is about it.
    """

    name: str
    node_type: str
    surfaces: tuple[Surface, ...]
    aliases: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    is_type_certain: bool = True
    likely_type: str = ""
    confidence: float = 1.0
    attributes: tuple[FoundAttribute, ...] = ()
    sense: str = ""
    is_background: bool = False

    @property
    def voted_type(self) -> str | None:
        """Return the type that its node gets, if its chunks agree; None if they show none."""
        return self.node_type if self.is_type_certain else self.likely_type or None


@dataclass(frozen=True, slots=True)
class StatingWords:
    """The words of a quote on which a model bases its claim; "" where it indicates none.

    `source` and `target` refer to an end that the quote does not name ("she"), `denial` deny or end the
    claim, `dates` state when it begins or ends, `reporter` name the claimant if that is not the text itself,
    `change` say that the claim takes the place of an earlier one.
    """

    source: str = ""
    target: str = ""
    denial: str = ""
    dates: str = ""
    reporter: str = ""
    change: str = ""


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """One directed, typed claim of one chunk (pass 2, requirement 5.2).

    `from_entity` and `to_entity` are positions in the chunk's list of entities. `times_seen` counts the
    sentences of the chunk that state the same triple. A denied `polarity` means that the claim does not hold
    from `valid_from` on ("no longer", "formerly", "sold"); an asserted one with a `valid_to` held until then
    ("until 2019"). Dates are those of the sentence itself, else None. `stating_words` are indicated by a
    model; None from rules or an import. The verb of a statement is kept whatever the vocabulary. `role` is a
    role that a model names and that one entity has at a time, "" if several can have it, None if no model was
    asked. With `replaces_earlier` the sentence says that the claim takes the place of an earlier one ("moved
    to").
    """

    from_entity: int
    to_entity: int
    relation_type: str
    confidence: float
    quote: str
    times_seen: int = 1
    polarity: Polarity = Polarity.ASSERTED
    valid_from: DatePoint | None = None
    valid_to: DatePoint | None = None
    stating_words: StatingWords | None = None
    is_statement: bool = False
    role: str | None = None
    replaces_earlier: bool = False


@dataclass(frozen=True, slots=True)
class FoundPhrase:
    """A statement about one entity, by its position in the chunk's list, that joins no other entity.

    `end_entities` are the entities in a phrase that contains nothing else ("to Oslo"), else None.
    """

    entity: int
    statement: FoundAttribute
    end_entities: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class ChunkStatements:
    """Statements of one chunk in the words of its clauses: about two of its entities, and about one."""

    relations: tuple[FoundRelation, ...] = ()
    phrases: tuple[FoundPhrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The node and relation types that a space allows, and whether other verbs of models and statements are
    kept.

    A model reads a conversation turn with the `turns_before` it, makes `gleanings` additional passes for
    missed entities, and reads these attributes of nodes: type → name → kind (requirement 5.6). It is asked
    about the claims in `claim_check` once more; `claim_check_model` is asked if it is named.
    """

    node_types: frozenset[str]
    relation_types: frozenset[str]
    open_relations: bool = False
    min_confidence: float = 0.5
    gleanings: int = 0
    turns_before: int = 3
    attributes: Mapping[str, Mapping[str, AttributeKind]] = field(default_factory=dict)
    statements: bool = False
    claim_check: ClaimCheck = ClaimCheck.AUTO
    claim_check_model: str | None = None


@dataclass(frozen=True, slots=True)
class ChunkFailure:
    """A chunk that an extractor could not read, to be quarantined on the job (requirement 5.3)."""

    chunk_id: ChunkId
    code: str
    message: str


class Extractor(Protocol):
    """The two passes. Implementations hold no database session, and repeated calls are free.

    `model` and `prompt_version` are part of each edge's `extraction_key`: the same chunk, model and prompt
    give the same keys, so that a retry does not double a weight. `separates_homonyms`: two entities of one
    name and different types are two nodes (a model can distinguish them), or one node with the type of most
    chunks (`rules` cannot). `reads_lone_names`: pass 2 also reads chunks with one entity, for its end (a
    death); with a model that would be one call each. `failures` and `drop_counts` collect unread chunks and
    dropped entries, by reason; the caller clears them after each pass.
    """

    model: str
    prompt_version: str
    separates_homonyms: bool
    reads_lone_names: bool
    failures: list[ChunkFailure]
    drop_counts: Counter[str]

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the entities of each chunk, in the order of `chunks`; () for an unwanted chunk.

        All chunks of a document are passed in one call, in order, so that a short name can be linked to the
        full name in an earlier chunk.
        """
        ...

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundRelation, ...]]:
        """Return the relations of each chunk, in the order of `chunks`, with the extractor's quotes.

        The quotes are not trusted: `grounding` checks them afterwards.
        """
        ...


@runtime_checkable
class StatingExtractor(Extractor, Protocol):
    """An extractor that also reads clauses in their own words."""

    def extract_statements(
        self,
        chunk: ChunkText,
        entities: Sequence[FoundEntity],
        claims: Sequence[FoundRelation],
        vocabulary: Vocabulary,
    ) -> ChunkStatements:
        """Return the statements of one chunk in addition to `claims`, its relations from
        `extract_relations`.
        """
        ...


@runtime_checkable
class AskingExtractor(Extractor, Protocol):
    """An extractor that calls a model.

    The answers are returned as an extractor of plain values that makes no calls, so that the work on the text
    can run in another process.
    """

    def ask_entities(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> Extractor:
        """Call the model for pass 1 of the wanted chunks."""
        ...

    def ask_attributes(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the entities with the attributes from the model, not yet verified."""
        ...

    def ask_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> Extractor:
        """Call the model for pass 2 of these chunks."""
        ...
