"""The values that extraction takes and gives: the one form that `rules`, a model and an import all share."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, runtime_checkable

from app.graph.validity import DatePoint, Polarity
from app.ids import ChunkId, DocumentId
from app.space_settings import AttributeKind


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A chunk as an extractor reads it.

    `wanted` is False for a chunk that stands there only as context (an unchanged part of a
    changed document): nothing is returned for it, nor for a quarantined one, which no code may read again: a
    model may see it as context. `language` is that of its document, where it is known.
    `is_record`: it is a row or an object in lines of `key: value`, perhaps with prose below them.
    """

    id: ChunkId
    document_id: DocumentId
    document_title: str
    text: str
    heading_path: tuple[str, ...] = ()
    speaker: str | None = None
    wanted: bool = True
    language: str | None = None
    is_record: bool = False
    # The title under which a model read the same text before, at another address: it is not asked again.
    asked_title: str | None = None
    # The date of the turn in a conversation, else of the document: "last year" counts from it.
    dated_at: datetime | None = None
    is_quarantined: bool = False


@dataclass(frozen=True, slots=True)
class Surface:
    """One place where a chunk names an entity: `text == chunk.text[start:end]`."""

    text: str
    start: int
    end: int


NOT_WRITTEN = Surface("", 0, 0)
"""The one surface of what a chunk's document is about by its title, where the chunk does not name it."""


@dataclass(frozen=True, slots=True)
class FoundAttribute:
    """A value that a chunk states of an entity, besides its relations (requirement 5.6), or a statement.

    `value` is a text as an extractor gives it, and once grounded what the attribute's kind makes of it; the
    words that state it are then `quote`. `stated_at` is the date that the sentence gives it, else of what
    states it. A statement has a `confidence`: its `name` is a predicate, `value` what follows that, and
    `subject` what stands before it where that is not the entity's name alone.
    """

    name: str
    value: str | float | bool
    quote: Surface
    stated_at: datetime | None = None
    confidence: float | None = None
    subject: str = ""

    @property
    def is_asked(self) -> bool:
        """True for an attribute that the space asks for, and no statement."""
        return self.confidence is None


@dataclass(frozen=True, slots=True)
class FoundEntity:
    """One entity of one chunk (pass 1, requirement 5.1).

    `name` is its fullest name. `aliases` are other names that identify it everywhere (an acronym
    that the text itself explains, an "also known as"); they merge nodes. `short_names` mean it only
    in this document (a surname); they are stored for look-ups and never merge. `type_certain` is
    False where the type is a default and not read from the text. `surfaces` are in order of `start`
    and hold at least one, `NOT_WRITTEN` for a document's topic that the chunk does not name. `sense` says
    which of several things of this name is meant ("planet"), where the text says it. `is_background`: it is
    such a topic, kept only where a statement of the chunk is about it.
    """

    name: str
    node_type: str
    surfaces: tuple[Surface, ...]
    aliases: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    type_certain: bool = True
    confidence: float = 1.0
    attributes: tuple[FoundAttribute, ...] = ()
    sense: str = ""
    is_background: bool = False


@dataclass(frozen=True, slots=True)
class StatingWords:
    """The words of a quote on which a model says that its claim rests; "" where it points at none.

    `source` and `target` stand for an end that the quote calls by none of its names ("she"), `denial` are
    those that deny or end the claim, `dates` those that say since when or until when it holds, `reporter`
    those that name who claims it where the text itself does not.
    """

    source: str = ""
    target: str = ""
    denial: str = ""
    dates: str = ""
    reporter: str = ""


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """One directed, typed claim of one chunk (pass 2, requirement 5.2).

    `from_entity` and `to_entity` are positions in the chunk's own list of entities.
    `times_seen` counts the sentences of the chunk that state the same triple. A `polarity` of denied says
    that the claim does not hold from `valid_from` on ("no longer", "formerly", "sold"); an asserted one with
    a `valid_to` held until then ("until 2019"). Dates are those of the sentence itself, else None.
    `words` are those that a model points at; None of what rules or an import give. The verb of a statement is
    kept whatever the vocabulary. `role` is what a model says that one alone is at a time, "" where several
    can be it, None where nobody was asked.
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
    words: StatingWords | None = None
    is_statement: bool = False
    role: str | None = None


@dataclass(frozen=True, slots=True)
class FoundPhrase:
    """A statement about one entity, by its position in the chunk's list, that no other entity ends.

    `names` are the entities that it names where it says nothing else ("to Oslo"), else None.
    """

    entity: int
    statement: FoundAttribute
    names: frozenset[int] | None = None


@dataclass(frozen=True, slots=True)
class ChunkStatements:
    """Statements of one chunk in the words of its clauses: about two of its entities, and about one."""

    relations: tuple[FoundRelation, ...] = ()
    phrases: tuple[FoundPhrase, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The types that a space allows, of nodes and relations, and whether other verbs may be kept: those that
    a model gives, and those of statements.

    A model reads a turn of a conversation with the `turns_before` it, looks `gleanings` times again for what
    it missed, and for these attributes of nodes: type → name → kind (requirement 5.6).
    """

    node_types: frozenset[str]
    relation_types: frozenset[str]
    open_relations: bool = False
    min_confidence: float = 0.5
    gleanings: int = 0
    turns_before: int = 3
    attributes: Mapping[str, Mapping[str, AttributeKind]] = field(default_factory=dict)
    statements: bool = False


@dataclass(frozen=True, slots=True)
class ChunkFailure:
    """A chunk that an extractor could not read, to be quarantined on the job (requirement 5.3)."""

    chunk_id: ChunkId
    code: str
    message: str


class Extractor(Protocol):
    """The two passes. Implementations hold no database session and may be called again for free.

    `model` and `prompt_version` go into each edge's `extraction_key`: the same chunk read by the
    same model and prompt gives the same keys, so that a retry never doubles a weight.
    `separates_homonyms`: whether two entities of one name and different types are two nodes
    (a model can tell), or one node whose type is the one most chunks gave it (`rules` cannot).
    `reads_lone_names`: whether pass 2 reads chunks with one entity too, for what ends it (a death): of a
    model that would be a call for each.
    `failures` and `drops` collect what could not be read and what was left out, by reason; the
    caller takes them out after each pass.
    """

    model: str
    prompt_version: str
    separates_homonyms: bool
    reads_lone_names: bool
    failures: list[ChunkFailure]
    drops: Counter[str]

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """The entities of each chunk, in the order of `chunks`; empty for an unwanted chunk.

        All chunks of a document come in one call, in order, so that a short name can be tied
        to the full one further up.
        """
        ...

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundRelation, ...]]:
        """The relations of each chunk, in the order of `chunks`, quotes as the extractor gives them.

        `grounding` checks the quotes afterwards; nothing here is trusted.
        """
        ...


@runtime_checkable
class StatingExtractor(Extractor, Protocol):
    """An extractor that also reads what clauses say in their own words."""

    def extract_statements(
        self,
        chunk: ChunkText,
        entities: Sequence[FoundEntity],
        claims: Sequence[FoundRelation],
        vocabulary: Vocabulary,
    ) -> ChunkStatements:
        """The statements of one chunk beside its claims, those that `extract_relations` gives of it."""
        ...


@runtime_checkable
class AskingExtractor(Extractor, Protocol):
    """An extractor that asks a model. What it learnt comes back as an extractor of plain values that asks
    nobody, so that its work on the text may run in another process.
    """

    def ask_entities(self, chunks: Sequence[ChunkText], vocabulary: Vocabulary) -> Extractor:
        """Ask for pass 1 of the wanted chunks."""
        ...

    def ask_attributes(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundEntity, ...]]:
        """The entities with what the model says of their attributes, which nobody has checked yet."""
        ...

    def ask_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> Extractor:
        """Ask for pass 2 of these chunks."""
        ...
