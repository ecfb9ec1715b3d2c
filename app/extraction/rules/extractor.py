"""The extractor that needs no model, no key and no download."""

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from app.documents.language import detect_language_unless_read_by_rules
from app.domain.layers import list_claim_relation_types
from app.domain.relation_types import RELATION_TYPE_BY_NAME
from app.extraction.drop_reasons import NAMES_ONLY, OTHER_LANGUAGE
from app.extraction.reader.entities import find_named_entities
from app.extraction.reader.languages import load_pipeline
from app.extraction.rules.date_attributes import build_entities_with_stated_dates
from app.extraction.rules.english.past.former_states import RELATIONS_THAT_CAN_END
from app.extraction.rules.english.phrase_patterns import AMBIGUOUS_PHRASES
from app.extraction.rules.english.relation_ends import WORDING_ENDS
from app.extraction.rules.entities import extract_entities_of_document
from app.extraction.rules.parsed_chunks import ParsedChunk, parse_chunk
from app.extraction.rules.records.chunk_records import (
    build_record_graphs,
    list_row_names,
    merge_record_and_prose_entities,
    replace_record_lines_by_spaces,
)
from app.extraction.rules.relations import extract_relations
from app.extraction.rules.statements import extract_statements
from app.extraction.rules.syntax import ENGLISH
from app.extraction.rules.value_attributes import build_entities_with_stated_values
from app.extraction.rules.verb_clauses import can_main_verbs_be_found_in_language, find_verb_clauses
from app.extraction.shapes import (
    ChunkFailure,
    ChunkStatements,
    ChunkText,
    FoundEntity,
    FoundPhrase,
    FoundRelation,
    Vocabulary,
)
from app.extraction.vocabulary import Direction, find_meaning_of_verb
from app.graph.names import normalise_name
from app.ids import ChunkId, DocumentId

MIN_CLAIM_CONFIDENCE = 0.8
"""Minimum confidence of a statement whose words express a relation type."""


class RulesExtractor:
    """Read English by capitals, cue words and verb patterns: deterministic, and simpler than a model.

    The result for a chunk depends only on the chunk's own document: not on other documents, nor on how chunks
    are grouped into calls. Homonyms are not distinguished.
    """

    model: str = "rules"
    prompt_version: str = "rules-37"
    separates_homonyms: bool = False
    reads_lone_names: bool = True

    def __init__(self) -> None:
        # Rules never fail; the two attributes exist for the interface of all extractors.
        self.failures: list[ChunkFailure] = []
        self.drop_counts: Counter[str] = Counter()
        self._parsed_chunks: dict[ChunkId, ParsedChunk] = {}

    def extract_entities(
        self, chunks: Sequence[ChunkText], vocabulary: Vocabulary
    ) -> list[tuple[FoundEntity, ...]]:
        """Return the entities of each chunk, in the order of `chunks`; () for an unwanted chunk.

        For a chunk in another language than English, names are extracted if a pipeline for the language
        exists. Pronouns never become entities, a default type ("Concept") is marked as not certain, and each
        surface is an exact slice of its chunk.
        """
        chunk_indexes_by_document: dict[DocumentId, list[int]] = {}
        for position, chunk in enumerate(chunks):
            chunk_indexes_by_document.setdefault(chunk.document_id, []).append(position)
        entities_by_chunk: list[tuple[FoundEntity, ...]] = [()] * len(chunks)
        for chunk_indexes in chunk_indexes_by_document.values():
            row_names = list_row_names([chunks[index] for index in chunk_indexes])
            prose_chunks = [replace_record_lines_by_spaces(chunks[index]) for index in chunk_indexes]
            languages = [
                detect_language_unless_read_by_rules(chunk.text, chunk.language) for chunk in prose_chunks
            ]
            readable_chunks = [
                chunk if language is None else replace(chunk, text="", is_wanted=False)
                for chunk, language in zip(prose_chunks, languages, strict=True)
            ]
            document_entities = extract_entities_of_document(readable_chunks, vocabulary)
            for position, chunk_index in enumerate(chunk_indexes):
                if not chunks[chunk_index].is_wanted:
                    continue
                language = languages[position]
                if language is None:
                    dated_entities = build_entities_with_stated_dates(
                        readable_chunks[position], document_entities[position], vocabulary
                    )
                    entities_by_chunk[chunk_index] = build_entities_with_stated_values(
                        readable_chunks[position], dated_entities, vocabulary
                    )
                else:
                    entities_by_chunk[chunk_index] = self._extract_names_of_other_language_and_count_drop(
                        prose_chunks[position], language, vocabulary
                    )
                entity_names = {normalise_name(entity.name) for entity in entities_by_chunk[chunk_index]}
                for graph in build_record_graphs(chunks[chunk_index], row_names | entity_names, vocabulary):
                    entities_by_chunk[chunk_index] = merge_record_and_prose_entities(
                        graph, entities_by_chunk[chunk_index]
                    )
        return entities_by_chunk

    def _extract_names_of_other_language_and_count_drop(
        self, chunk: ChunkText, language: str, vocabulary: Vocabulary
    ) -> tuple[FoundEntity, ...]:
        """Return the entities of a chunk in another language, found by that language's pipeline."""
        pipeline = load_pipeline(language)
        self.drop_counts[OTHER_LANGUAGE if pipeline is None else NAMES_ONLY] += 1
        return () if pipeline is None else find_named_entities(chunk, pipeline, vocabulary)

    def extract_relations(
        self,
        chunks: Sequence[ChunkText],
        entities: Sequence[tuple[FoundEntity, ...]],
        vocabulary: Vocabulary,
    ) -> list[tuple[FoundRelation, ...]]:
        """Return the relations of each chunk, in the order of `chunks`; each quote is a whole sentence.

        Confidence decreases with the weakness of the pattern: 0.9 for "X created Y", 0.55 to 0.6 if a pronoun
        is one of the ends. Two names that no verb or phrase of the tables joins are not related. Sentences
        are parsed here for the statements too, if these are wanted: a larger batch takes less time.
        """
        prose_chunks = [replace_record_lines_by_spaces(chunk) for chunk in chunks]
        self._parsed_chunks = {
            chunk.id: parsed_chunk
            for chunk, chunk_entities in zip(prose_chunks, entities, strict=True)
            if vocabulary.statements and (parsed_chunk := _parse_english(chunk, chunk_entities)) is not None
        }
        relations_by_chunk = [
            extract_relations(chunk, chunk_entities, vocabulary)
            for chunk, chunk_entities in zip(prose_chunks, entities, strict=True)
        ]
        relations_with_records: list[tuple[FoundRelation, ...]] = []
        for chunk, chunk_entities, relations in zip(chunks, entities, relations_by_chunk, strict=True):
            # The first pass has kept the other rows that this one refers to.
            entity_names = {normalise_name(entity.name) for entity in chunk_entities}
            graphs = build_record_graphs(chunk, entity_names, vocabulary) if chunk.is_wanted else []
            relations_with_records.append(
                (
                    *relations,
                    *(relation for graph in graphs for relation in graph.list_relations(chunk_entities)),
                )
            )
        return relations_with_records

    def extract_statements(
        self,
        chunk: ChunkText,
        entities: Sequence[FoundEntity],
        claims: Sequence[FoundRelation],
        vocabulary: Vocabulary,
    ) -> ChunkStatements:
        """Return the statements of an English chunk beside its claims, in the words of its clauses, and those
        of the rows of a record or table that a clause opens.

        A phrase is dropped if a claim or statement of the same sentence joins all the names in it.
        """
        if not (chunk.is_wanted and entities):
            return ChunkStatements()
        entity_names = {normalise_name(entity.name) for entity in entities}
        graphs = build_record_graphs(chunk, entity_names, vocabulary)
        row_phrases = tuple(phrase for graph in graphs for phrase in graph.list_phrases(entities))
        row_statements = [statement for graph in graphs for statement in graph.list_statements(entities)]
        prose_chunk = replace_record_lines_by_spaces(chunk)
        parsed_chunk = self._parsed_chunks.pop(chunk.id, None)
        if parsed_chunk is None or parsed_chunk[:2] != (prose_chunk, entities):
            parsed_chunk = _parse_english(prose_chunk, entities)
        if parsed_chunk is None:
            return ChunkStatements(
                tuple(_list_statements_without_claim(row_statements, claims, entities, vocabulary)),
                (*_find_clauses_of_other_language(prose_chunk, entities), *row_phrases),
            )
        statements = extract_statements(parsed_chunk)
        relations = tuple(
            _list_statements_without_claim(
                [*statements.relations, *row_statements], claims, entities, vocabulary
            )
        )
        joined_ends = {
            (relation.from_entity, relation.to_entity, relation.quote) for relation in (*claims, *relations)
        }
        return ChunkStatements(
            relations,
            (
                *(
                    phrase
                    for phrase in statements.phrases
                    if not _is_phrase_joined_by_claim(phrase, joined_ends)
                ),
                *row_phrases,
            ),
        )


def _parse_english(chunk: ChunkText, entities: Sequence[FoundEntity]) -> ParsedChunk | None:
    """Return the sentences of a chunk with their syntax; None if it is not wanted, names nothing or is not
    English.
    """
    pipeline = load_pipeline(ENGLISH) if chunk.is_wanted and entities else None
    if pipeline is None or detect_language_unless_read_by_rules(chunk.text, chunk.language) is not None:
        return None
    return parse_chunk(chunk, entities, pipeline)


def _find_clauses_of_other_language(
    chunk: ChunkText, entities: Sequence[FoundEntity]
) -> tuple[FoundPhrase, ...]:
    """Return the statements of a chunk in another language than English, if its clauses can be read."""
    language = detect_language_unless_read_by_rules(chunk.text, chunk.language)
    pipeline = load_pipeline(language) if language is not None else None
    if language is None or pipeline is None or not can_main_verbs_be_found_in_language(language, pipeline):
        return ()
    return find_verb_clauses(chunk, entities, pipeline)


_JoinedEnds = tuple[int, int, str]
"""Two entities that a claim joins, and its quote."""


def _is_phrase_joined_by_claim(phrase: FoundPhrase, joined_ends: Set[_JoinedEnds]) -> bool:
    """Return whether the same sentence joins all names of a phrase to the phrase's entity."""
    return bool(phrase.end_entities) and all(
        (phrase.entity, name, phrase.statement.quote.text) in joined_ends
        for name in phrase.end_entities or ()
    )


def _list_statements_without_claim(
    statements: Sequence[FoundRelation],
    claims: Sequence[FoundRelation],
    entities: Sequence[FoundEntity],
    vocabulary: Vocabulary,
) -> Iterator[FoundRelation]:
    """Yield the statements of a chunk about ends that no claim of the same sentence joins.

    A statement whose words express a relation type becomes a claim, and needs the confidence and the ends of
    one.
    """
    quotes_by_ends: dict[frozenset[int], set[str]] = {}
    for claim in claims:
        quotes_by_ends.setdefault(frozenset((claim.from_entity, claim.to_entity)), set()).add(claim.quote)
    closed_vocabulary = replace(
        vocabulary,
        open_relations=False,
        relation_types=vocabulary.relation_types | list_claim_relation_types(()),
    )
    for statement in statements:
        quotes = quotes_by_ends.get(frozenset((statement.from_entity, statement.to_entity)))
        verb_meaning = find_meaning_of_verb(statement.relation_type, closed_vocabulary)
        if verb_meaning is None:
            is_new = quotes is None or statement.quote not in quotes
        else:
            # A relation type that the space excludes is not stored as a statement either.
            is_allowed_type = verb_meaning.relation_type in vocabulary.relation_types
            # "worked for" does not say that the relation still holds.
            may_have_ended = (
                verb_meaning.relation_type in RELATIONS_THAT_CAN_END
                and not _is_in_present_tense(statement.relation_type)
            )
            is_sure = statement.confidence >= MIN_CLAIM_CONFIDENCE
            ends = (entities[statement.from_entity], entities[statement.to_entity])
            source_and_target = ends if verb_meaning.direction is Direction.FORWARD else ends[::-1]
            ends_fit = _do_ends_fit(statement.relation_type, verb_meaning.relation_type, source_and_target)
            is_new = quotes is None and is_allowed_type and is_sure and ends_fit and not may_have_ended
        if is_new:
            yield statement


def _do_ends_fit(predicate: str, relation_type: str, ends: Sequence[FoundEntity]) -> bool:
    """Return whether the words of a predicate state the relation of a source and a target of these kinds.

    "Ann Lee directed the film" says that she created it, "Ann Lee directed the laboratory" does not, nor does
    "Ann Lee joins Eva" say that she works for it, whose kind is unknown.
    """
    allowed_ends = RELATION_TYPE_BY_NAME[relation_type].ends
    if _is_ambiguous(predicate) and any(
        kinds is not None and not entity.is_type_certain
        for entity, kinds in zip(ends, (allowed_ends.sources, allowed_ends.targets), strict=True)
    ):
        return False
    return all(
        entity.node_type in kinds or not entity.is_type_certain
        for word in predicate.split()
        for entity, kinds in zip(ends, WORDING_ENDS.get((relation_type, word), ()), strict=False)
    )


def _is_ambiguous(predicate: str) -> bool:
    """Return whether the verb of a predicate states one of several relations, by its ends: "joins"."""
    verb = predicate.split(maxsplit=1)[0]
    stem = verb.removesuffix("s")
    return not AMBIGUOUS_PHRASES.isdisjoint((verb, f"{stem}ed", f"{stem}d"))


def _is_in_present_tense(predicate: str) -> bool:
    """Return whether the verb at the beginning of a predicate is in the present tense: "works", "is",
    "are".
    """
    verb = predicate.split(maxsplit=1)[0]
    return (verb.endswith("s") and verb != "was") or verb == "are"
