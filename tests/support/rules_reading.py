"""A document read by rules as a job reads it, without a database: parsed, cut, extracted, resolved."""

import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

from app.documents.chunker import find_unchunked_ranges, split_into_chunks
from app.documents.language import detect_language
from app.documents.parsing import parse_document
from app.documents.shapes import ChunkDraft, ParsedDocument
from app.domain.node_types import DEFAULT_NODE_TYPES
from app.extraction.attributes import (
    build_entities_with_statements,
    list_positions_of_related_entities,
    remove_unused_background_topic,
)
from app.extraction.chunk_extraction import extract_grounded_statements
from app.extraction.grounding import GroundedRelation, keep_entities_named_in_chunk
from app.extraction.rules.english.words.date_verbs import DATE_VERBS
from app.extraction.rules.english.words.value_words import (
    CAPACITY_VERBS,
    DESCRIPTION_ATTRIBUTES,
    WORDING_BY_ATTRIBUTE,
)
from app.extraction.rules.extractor import RulesExtractor
from app.extraction.sense_detection import build_entities_with_senses
from app.extraction.shapes import SURFACE_OF_UNNAMED_TOPIC, ChunkText, FoundEntity, Vocabulary
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.graph.resolution.entity_resolver import Candidate, CandidateGroup, group_candidates
from app.ids import ChunkId, DocumentId, create_id
from app.ingest.parts import PART_CHUNKS
from app.space_settings import AttributeKind

CONTEXT = 3
"""Chunks before a part that are read with it."""
RECORDS = ("csv", "json", "jsonl")
_ATTRIBUTES = {
    **dict.fromkeys(WORDING_BY_ATTRIBUTE, AttributeKind.NUMBER),
    **dict.fromkeys((*DESCRIPTION_ATTRIBUTES, *CAPACITY_VERBS, "motto", "client"), AttributeKind.TEXT),
    **{name: AttributeKind.DATE for row in DATE_VERBS.values() for name in row.attributes},
}
VOCABULARY = replace(
    DEFAULT_VOCABULARY,
    attributes=dict.fromkeys(DEFAULT_NODE_TYPES, _ATTRIBUTES),
    open_relations=True,
    statements=True,
)
"""All that rules can be asked for: the default types, any verb, statements, attributes of each kind."""


class TooManySteps(BaseException):
    """Reading has executed more lines of Python than it may; no handler of errors takes it for one."""


@contextmanager
def at_most(steps: int) -> Iterator[None]:
    """Raise TooManySteps in the block beyond so many lines: the same on every machine, however busy."""
    left = steps

    def count(_frame: FrameType, event: str, _argument: Any) -> Any:
        nonlocal left
        if event == "line":
            left -= 1
            if left < 0:
                raise TooManySteps(f"more than {steps:,} lines")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


class TooSlow(BaseException):
    """Reading takes more processor than it may; no handler of errors takes it for one."""


@contextmanager
def processor_seconds(seconds: float) -> Iterator[None]:
    """Raise TooSlow in the block after so many seconds of this process' processor; for the main thread."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"more than {seconds:g} s of processor")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@dataclass(frozen=True)
class Reading:
    """All that reading one document gives."""

    document: ParsedDocument
    drafts: list[ChunkDraft]
    chunks: list[ChunkText]
    entities: list[tuple[FoundEntity, ...]]
    relations: list[list[GroundedRelation]]
    groups: list[CandidateGroup]


def read_by_rules(
    raw: bytes,
    format: str,
    title: str = "",
    *,
    max_tokens: int = 256,
    vocabulary: Vocabulary = VOCABULARY,
) -> Reading:
    """The document as a job reads it, a large one in parts. Raises as parsers do."""
    document = parse_document(raw, format)
    drafts = split_into_chunks(document, max_tokens=max_tokens)
    document_id = DocumentId(create_id())
    language = detect_language(document.text)
    chunks = [
        ChunkText(
            ChunkId(create_id()),
            document_id,
            title or document.title or "",
            draft.text,
            draft.heading_path,
            draft.speaker,
            language=language,
            is_record=format in RECORDS,
        )
        for draft in drafts
    ]
    entities: list[tuple[FoundEntity, ...]] = []
    relations: list[list[GroundedRelation]] = []
    for begin in range(0, len(chunks), PART_CHUNKS):
        context = [replace(text, is_wanted=False) for text in chunks[max(0, begin - CONTEXT) : begin]]
        part = [*context, *chunks[begin : begin + PART_CHUNKS]]
        named, stated = _read_part(part, vocabulary)
        entities += named[len(context) :]
        relations += stated[len(context) :]
    candidates = [
        Candidate(text.id, entity) for text, found in zip(chunks, entities, strict=True) for entity in found
    ]
    groups = group_candidates(candidates, [], separates_homonyms=RulesExtractor.separates_homonyms)
    return Reading(document, drafts, chunks, entities, relations, groups)


def _read_part(
    chunks: Sequence[ChunkText], vocabulary: Vocabulary
) -> tuple[list[tuple[FoundEntity, ...]], list[list[GroundedRelation]]]:
    """Both passes over the chunks, grounded."""
    extractor = RulesExtractor()
    found = extractor.extract_entities(chunks, vocabulary)
    grounded = [
        tuple(keep_entities_named_in_chunk(text, entities, vocabulary)[0])
        for text, entities in zip(chunks, found, strict=True)
    ]
    entities = build_entities_with_senses(chunks, grounded)
    stated = [
        extract_grounded_statements((extractor, vocabulary), (text, named))[0]
        for text, named in zip(chunks, entities, strict=True)
    ]
    described = [
        remove_unused_background_topic(
            build_entities_with_statements(named, phrases), list_positions_of_related_entities(relations)
        )
        for named, (relations, phrases) in zip(entities, stated, strict=True)
    ]
    return described, [list(relations) for relations, _ in stated]


def assert_whole(reading: Reading) -> None:
    """Every character stands in a chunk, and every finding at its place (requirements 2.2, 4.4 and 18.2)."""
    text = reading.document.text
    assert find_unchunked_ranges(text, reading.drafts) == []
    for draft in reading.drafts:
        assert draft.text == text[draft.char_start : draft.char_end]
    for chunk_text, entities, relations in zip(
        reading.chunks, reading.entities, reading.relations, strict=True
    ):
        for entity in entities:
            for surface in entity.surfaces:
                assert (
                    surface == SURFACE_OF_UNNAMED_TOPIC
                    or surface.text == chunk_text.text[surface.start : surface.end]
                )
        for relation in relations:
            assert relation.quote == chunk_text.text[relation.quote_start : relation.quote_end]
    assert sum(len(group.candidate_indices) for group in reading.groups) == sum(map(len, reading.entities))
