"""First pass by rules: extract the entities of one document and link them across its chunks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from app.extraction.reader.languages import load_pipeline
from app.extraction.rules.document_entities import DocumentEntities, Mention
from app.extraction.rules.document_words import classify_words_by_spelling
from app.extraction.rules.english.lexicon import COMPANIES, PLACES, TECHNOLOGIES
from app.extraction.rules.entity_resolution import resolve_entities
from app.extraction.rules.name_kinds import decide_kind
from app.extraction.rules.names.named_entities import NamedEntity
from app.extraction.rules.names.reader_names import ReaderName, find_person_of_title, list_titles, read_names
from app.extraction.rules.sentences import read_sentences
from app.extraction.shapes import SURFACE_OF_UNNAMED_TOPIC, ChunkText, FoundEntity, Surface, Vocabulary
from app.graph.names import clean_name, may_node_have_name, normalise_name

_ALIAS_CONFIDENCE = 0.95
_KNOWN_NAMES = PLACES | COMPANIES | TECHNOLOGIES


def _build_found_entity(
    entity: NamedEntity, mentions: list[Mention], text: str, vocabulary: Vocabulary
) -> FoundEntity | None:
    kind, is_certain = decide_kind(entity.votes)
    if kind not in vocabulary.node_types:
        if "Concept" not in vocabulary.node_types:
            return None
        kind, is_certain = "Concept", False
    aliases: dict[str, None] = {}
    short_names: dict[str, None] = {}
    for mention in mentions:
        surface = clean_name(text[mention.start : mention.end])
        if mention.is_adjective:
            continue
        described_name = clean_name(text[mention.start : mention.description_end])
        if described_name and entity.key not in _KNOWN_NAMES:
            aliases[described_name] = None
        if mention.entity is entity:
            if surface != entity.name and may_node_have_name(surface):
                aliases[surface] = None
            continue
        if may_node_have_name(surface):
            (aliases if mention.entity.is_unambiguous else short_names)[surface] = None
    return FoundEntity(
        name=entity.name,
        node_type=kind,
        surfaces=tuple(
            Surface(
                text[mention.start : mention.end],
                mention.start,
                mention.end,
            )
            for mention in mentions
        )
        or (SURFACE_OF_UNNAMED_TOPIC,),
        aliases=tuple(alias for alias in aliases if normalise_name(alias) != entity.key),
        short_names=tuple(short_names),
        is_type_certain=is_certain,
        likely_type=entity.likely_kind if entity.likely_kind in vocabulary.node_types else "",
        confidence=_ALIAS_CONFIDENCE if is_certain else 0.7,
    )


def _does_any_sentence_name_entity(entity: NamedEntity, document_title_key: str) -> bool:
    """Return whether a sentence of the text names the entity; a title that is not a topic is only a
    heading."""
    return entity.is_strong or (
        entity.is_in_prose and decide_kind(entity.votes)[1] and entity.key != document_title_key
    )


def _read_names_of_chunks(chunks: Sequence[ChunkText]) -> list[list[dict[int, ReaderName]]]:
    """Return the names that the reader finds in each sentence of each chunk; all are read as one batch."""
    sentences_by_chunk = [read_sentences(chunk.text) for chunk in chunks]
    pipeline = load_pipeline("en")
    if pipeline is None:
        return [[{} for _ in sentences] for sentences in sentences_by_chunk]
    names_by_sentence = iter(
        read_names(
            [
                (chunk.text, sentence)
                for chunk, sentences in zip(chunks, sentences_by_chunk, strict=True)
                for sentence in sentences
            ],
            pipeline,
        )
    )
    return [list(islice(names_by_sentence, len(sentences))) for sentences in sentences_by_chunk]


def _find_title(chunks: Sequence[ChunkText]) -> str:
    """Return the title of the chunks' document, or the person behind a title or label in it."""
    title = chunks[0].document_title if chunks else ""
    pipeline = load_pipeline("en")
    if not title or pipeline is None:
        return title
    return find_person_of_title(title, pipeline) or title


def _collect_titles(
    chunks: Sequence[ChunkText], names_by_chunk: Sequence[Sequence[Mapping[int, ReaderName]]]
) -> frozenset[str]:
    """Return the titles in front of people's names in a document."""
    return frozenset(
        title
        for chunk, names_by_sentence in zip(chunks, names_by_chunk, strict=True)
        for sentence, sentence_names in zip(read_sentences(chunk.text), names_by_sentence, strict=True)
        for title in list_titles(sentence, sentence_names.values())
    )


class CollectedEntities(NamedTuple):
    """The entities of a document before they are resolved, and the mentions of each of its chunks."""

    document_entities: DocumentEntities
    mentions_by_chunk: list[list[Mention]]


def collect_entities_of_document(chunks: Sequence[ChunkText]) -> CollectedEntities:
    """Return what the chunks of one document name, and what their sentences say of each name."""
    title = _find_title(chunks)
    document_entities = DocumentEntities(
        classify_words_by_spelling((chunk.text for chunk in chunks), title), title
    )
    names_by_chunk = _read_names_of_chunks(chunks)
    document_entities.document_words.titles_of_people = _collect_titles(chunks, names_by_chunk)
    mentions_by_chunk = list(map(document_entities.collect_mentions_of_chunk, chunks, names_by_chunk))
    return CollectedEntities(document_entities, mentions_by_chunk)


def extract_entities_of_document(
    chunks: Sequence[ChunkText], vocabulary: Vocabulary
) -> list[tuple[FoundEntity, ...]]:
    """Return the entities of each chunk of one document, in order; () for an unwanted chunk.

    Unwanted chunks are read too: they may contain the full name for a surname.
    """
    document_entities, mentions_by_chunk = collect_entities_of_document(chunks)
    resolve_entities(document_entities)
    topic = document_entities.topic.root() if document_entities.topic is not None else None
    entities_by_chunk: list[tuple[FoundEntity, ...]] = []
    for index, (chunk, chunk_mentions) in enumerate(zip(chunks, mentions_by_chunk, strict=True)):
        mentions_by_key: dict[str, tuple[NamedEntity, list[Mention]]] = {}
        if chunk.is_wanted:
            for mention in chunk_mentions:
                entity = mention.entity.root()
                if entity is topic or _does_any_sentence_name_entity(
                    entity, document_entities.document_title_key
                ):
                    mentions_by_key.setdefault(entity.key, (entity, []))[1].append(mention)
            # The first chunk is about the topic even if it does not name it.
            if index == 0 and topic is not None:
                mentions_by_key.setdefault(topic.key, (topic, []))
        entities = [
            _build_found_entity(entity, mentions, chunk.text, vocabulary)
            for entity, mentions in mentions_by_key.values()
        ]
        if (
            chunk.is_wanted
            and vocabulary.statements
            and topic is not None
            and topic.key not in mentions_by_key
        ):
            background_entity = _build_found_entity(topic, [], chunk.text, vocabulary)
            entities.append(
                None if background_entity is None else replace(background_entity, is_background=True)
            )
        entities_by_chunk.append(tuple(entity for entity in entities if entity is not None))
    return entities_by_chunk
