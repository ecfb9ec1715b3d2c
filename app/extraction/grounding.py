"""Verification of extractor output: every name and every quote must be in the chunk."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import NamedTuple

from app.documents.language import guess_language
from app.domain.char_range import CharRange
from app.domain.node_types import DEFAULT_TYPE
from app.domain.possible_ends import has_reversed_ends
from app.domain.relation_types import CHANGES_SOURCE, CHANGES_TARGET, EXISTS, SINGLE_SOURCE
from app.extraction.alias_grounding import drop_aliases_that_name_others_and_count
from app.extraction.shapes import (
    SURFACE_OF_UNNAMED_TOPIC,
    ChunkText,
    FoundEntity,
    FoundRelation,
    Surface,
    Vocabulary,
)
from app.extraction.titular_mentions import is_named_by_title, list_normalised_titles
from app.extraction.validity_grounding import (
    does_quote_deny_or_end,
    does_quote_name_reporter,
    does_quote_state_replacement_of_claim,
    drop_unstated_dates_and_count,
    may_refer_to_entity,
)
from app.extraction.vocabulary import Direction, VerbMeaning, find_meaning_of_verb, to_node_type
from app.graph.name_forms import NameFinder, does_name_occur_in
from app.graph.names import clean_name, may_node_have_name, normalise_name
from app.graph.text_folding import FoldedText, fold_quote
from app.graph.validity import SYMMETRIC_RELATIONS, DatePoint, Polarity

MAX_ENTITIES = 50
"""Maximum number of entities per chunk (rule A13 of docs/reliability.md)."""
MAX_RELATIONS = 100
"""Maximum number of relations per chunk (rule A13 of docs/reliability.md)."""
MAX_SURFACES = 200
"""Maximum number of surfaces per entity and chunk; a chunk of a few hundred tokens has fewer."""
# Maximum number of entries checked per chunk; the rest counts as over the cap, so that an answer of 10,000
# wrong entries does not cost 10,000 searches (docs/reliability.md, bad input 55).
_MAX_CHECKED_ENTRIES = 1_000
_MAX_TIMES_SEEN = 1_000
# What a model may put around a quote besides the text: quotation marks, and the bars of a table's row.
_MARKS_AROUND_QUOTE = "\"'|"


@dataclass(frozen=True, slots=True)
class GroundedRelation:
    """A relation whose quote is exactly `chunk.text[quote_start:quote_end]`."""

    from_entity: int
    to_entity: int
    relation_type: str
    confidence: float
    quote: str
    quote_start: int
    quote_end: int
    times_seen: int = 1
    polarity: Polarity = Polarity.ASSERTED
    valid_from: DatePoint | None = None
    valid_to: DatePoint | None = None
    said_by: str | None = None
    """The claimant of a report, in the words of the quote."""
    role: str | None = None
    """The role that a model names for the relation, "" if several entities can have it at a time."""
    is_change: bool = False
    """It denies, of an entity with itself, all earlier claims of the relation that another one changed."""


@dataclass(frozen=True, slots=True)
class DropCounts:
    """The number of dropped entries by reason; merged duplicates are counted, although nothing is lost."""

    by_reason: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Return the number of dropped entries, without merged duplicates."""
        return self.by_reason.total() - self.by_reason["merged"]

    def add(self, reason: str, count: int = 1) -> None:
        """Count `count` more entries under this reason."""
        if count:
            self.by_reason[reason] += count


def _find_in_folded_text(needle: str, folded_text: FoldedText, search_start: int = 0) -> CharRange | None:
    """Return the range of the folded needle in the folded text, or None."""
    offset = folded_text.text.find(needle, search_start) if needle else -1
    return None if offset < 0 else (offset, offset + len(needle))


def _find_quote_in_folded_text(quote: str, folded_text: FoldedText) -> CharRange | None:
    if len(quote) > 4 * len(folded_text.text) + 64:
        return None
    needle = fold_quote(quote).text.strip()
    folded_range = _find_in_folded_text(needle, folded_text) or _find_in_folded_text(
        needle.strip(_MARKS_AROUND_QUOTE).strip(), folded_text
    )
    if folded_range is None:
        return None
    folded_start, folded_end = folded_range
    return folded_text.starts[folded_start], folded_text.ends[folded_end - 1]


def find_range_of_quote_in_chunk(quote: str, chunk_text: str) -> CharRange | None:
    """Return the range of the quote in the chunk's own text, or None (requirement 4.4).

    The comparison ignores white space, case, composition (NFC), the form of quotation marks, invisible
    characters, full stops and dashes, and quotation marks or bars around the quote. Linear in both lengths.
    """
    exact_quote = quote.strip()
    offset = chunk_text.find(exact_quote) if exact_quote else -1
    if offset >= 0:
        return offset, offset + len(exact_quote)
    return _find_quote_in_folded_text(quote, fold_quote(chunk_text))


class ChunkNames:
    """Locates names in one chunk, by the rules of its script and language."""

    def __init__(self, chunk: ChunkText) -> None:
        self._text = chunk.text
        self._finder = NameFinder(chunk.text, partial(guess_language, chunk.text, chunk.language))

    def find_occurrences(self, name: str) -> tuple[Surface, ...]:
        """Return the first 200 surfaces of this name, or a form of it, in the chunk, in order."""
        return tuple(
            Surface(self._text[start:end], start, end)
            for start, end in self._finder.find_ranges_of_name(name, MAX_SURFACES)
        )


def _find_surfaces_of_entity(
    entity: FoundEntity, chunk: ChunkText, chunk_names: ChunkNames
) -> tuple[Surface, ...]:
    surface_by_span: dict[CharRange, Surface] = {}
    searched_texts: set[str] = set()
    for surface in entity.surfaces[:MAX_SURFACES]:
        if 0 <= surface.start < surface.end and chunk.text[surface.start : surface.end] == surface.text:
            surface_by_span[(surface.start, surface.end)] = surface
        elif (
            surface.text not in searched_texts
            and len(searched_texts) < 8
            and may_node_have_name(surface.text)
        ):
            searched_texts.add(surface.text)
            for occurrence in chunk_names.find_occurrences(surface.text):
                surface_by_span[(occurrence.start, occurrence.end)] = occurrence
    is_acceptable_by_text = {
        text: may_node_have_name(text) for text in {surface.text for surface in surface_by_span.values()}
    }
    return tuple(
        surface_by_span[span]
        for span in sorted(surface_by_span)
        if is_acceptable_by_text[surface_by_span[span].text]
    )


class GroundedEntities(NamedTuple):
    """The entities that a chunk names, and the counts of dropped ones by reason."""

    entities: list[FoundEntity]
    drop_counts: DropCounts


def keep_entities_named_in_chunk(
    chunk: ChunkText, entities: Sequence[FoundEntity], vocabulary: Vocabulary
) -> GroundedEntities:
    """Return the entities that the chunk names, at most 50, and the drops (rule A13 of docs/reliability.md).

    A surface with wrong offsets is searched again; one that does not occur is dropped, and so is an entity
    without surfaces. Aliases must occur in the chunk too. `name` may be from elsewhere in the document.
    Reasons: over_cap, unacceptable_name, not_in_text, alias_of_another.
    """
    drop_counts = DropCounts()
    drop_counts.add("over_cap", max(0, len(entities) - _MAX_CHECKED_ENTRIES))
    chunk_names = ChunkNames(chunk)
    grounded_entities: list[FoundEntity] = []
    for entity in entities[:_MAX_CHECKED_ENTRIES]:
        if len(grounded_entities) >= MAX_ENTITIES:
            drop_counts.add("over_cap")
            continue
        if not may_node_have_name(entity.name):
            drop_counts.add("unacceptable_name")
            continue
        # An entity of a type that the space does not declare is kept without a type.
        node_type = to_node_type(entity.node_type, vocabulary)
        surfaces = _find_surfaces_of_entity(entity, chunk, chunk_names)
        if (
            not surfaces
            and SURFACE_OF_UNNAMED_TOPIC in entity.surfaces
            and is_named_by_title(entity, list_normalised_titles(chunk))
        ):
            surfaces = (SURFACE_OF_UNNAMED_TOPIC,)
        if not surfaces:
            drop_counts.add("not_in_text")
            continue
        aliases = tuple(
            dict.fromkeys(
                clean_name(alias)
                for alias in entity.aliases[:20]
                if may_node_have_name(alias) and chunk_names.find_occurrences(clean_name(alias))
            )
        )
        confidence = entity.confidence if math.isfinite(entity.confidence) else 0.0
        grounded_entities.append(
            replace(
                entity,
                name=clean_name(entity.name),
                node_type=node_type or DEFAULT_TYPE,
                is_type_certain=entity.is_type_certain and node_type is not None,
                surfaces=surfaces,
                aliases=aliases,
                short_names=tuple(
                    clean_name(name) for name in entity.short_names[:20] if may_node_have_name(name)
                ),
                confidence=min(1.0, max(0.0, confidence)),
            )
        )
    grounded_entities, alias_count = drop_aliases_that_name_others_and_count(grounded_entities)
    drop_counts.add("alias_of_another", alias_count)
    return GroundedEntities(grounded_entities, drop_counts)


def _has_name_in_quote(
    quote_range: CharRange, quote: str, entity: FoundEntity, get_language: Callable[[], str | None]
) -> bool:
    """Return whether the quote at this range contains a name of the entity."""
    surface_starts = [surface.start for surface in entity.surfaces]
    quote_start, quote_end = quote_range
    index = bisect_left(surface_starts, quote_start)
    if index < len(surface_starts) and entity.surfaces[index].end <= quote_end:
        return True
    padded_quote = f" {normalise_name(quote)} "
    names = (entity.name, *entity.aliases, *entity.short_names)
    return any(f" {normalise_name(name)} " in padded_quote for name in names) or any(
        does_name_occur_in(name, quote, get_language) for name in names
    )


def _list_names_of_entities(entities: Sequence[FoundEntity]) -> frozenset[str]:
    return frozenset(
        normalise_name(name)
        for entity in entities
        for name in (entity.name, *entity.aliases, *entity.short_names)
    )


def _find_reason_why_quote_lacks_relation(
    quote_range: CharRange,
    relation: FoundRelation,
    entities: Sequence[FoundEntity],
    typed_ends: tuple[str, FoundEntity, FoundEntity],
    get_language: Callable[[], str | None],
) -> str | None:
    """Return the reason why the quote at this range does not state the relation; None if it may.

    The quote must name one end; a model's quote must name both, or contain the words that the model indicates
    for them. `typed_ends` is the relation type with its source and target, whose types must not show that a
    model exchanged them.
    """
    ends = (relation.from_entity, relation.to_entity)
    ends_in_quote = [
        _has_name_in_quote(quote_range, relation.quote, entities[end], get_language) for end in ends
    ]
    names = _list_names_of_entities(entities) if relation.stating_words is not None else frozenset()
    if relation.stating_words is None:
        if not any(ends_in_quote):
            return "quote_names_neither"
    else:
        if _are_ends_reversed(*typed_ends):
            return "ends_reversed"
        end_words = (relation.stating_words.source, relation.stating_words.target)
        if not all(
            is_named or may_refer_to_entity(words, relation.quote, names)
            for is_named, words in zip(ends_in_quote, end_words, strict=True)
        ):
            return "end_not_in_quote"
    if not does_quote_name_reporter(relation):
        return "report_not_stated"
    return None if does_quote_deny_or_end(relation, names) else "denial_not_stated"


class _StatedTriple(NamedTuple):
    """A triple with its polarity; a period that has ended is a separate claim."""

    from_entity: int
    to_entity: int
    relation_type: str
    polarity: Polarity
    start_date: DatePoint | None
    end_date: DatePoint | None

    def inverted(self) -> "_StatedTriple":
        """Return the same claim, inverted, for a symmetric relation."""
        return self._replace(from_entity=self.to_entity, to_entity=self.from_entity)


class _EndedPeriod(NamedTuple):
    """The dates of a claim that has ended; both None for one that has not."""

    start_date: DatePoint | None
    end_date: DatePoint | None


def _get_period_if_ended(relation: FoundRelation) -> _EndedPeriod:
    has_ended = relation.valid_to is not None
    return _EndedPeriod(relation.valid_from, relation.valid_to) if has_ended else _EndedPeriod(None, None)


def _find_drop_reason(relation: FoundRelation, entity_count: int) -> str | None:
    if not (0 <= relation.from_entity < entity_count and 0 <= relation.to_entity < entity_count):
        return "unknown_entity"
    if relation.from_entity == relation.to_entity and not _ends_existence(relation):
        return "self_loop"
    if not math.isfinite(relation.confidence):
        return "bad_confidence"
    return None


def _are_ends_reversed(relation_type: str, source: FoundEntity, target: FoundEntity) -> bool:
    """Return whether the stated types of both ends show that they are exchanged."""
    return (
        source.is_type_certain
        and target.is_type_certain
        and has_reversed_ends(relation_type, source.node_type, target.node_type)
    )


def _find_reporter(relation: FoundRelation) -> str | None:
    if relation.polarity is not Polarity.REPORTED or relation.stating_words is None:
        return None
    return " ".join(relation.stating_words.reporter.split())


def _ends_existence(relation: FoundRelation) -> bool:
    """Return whether a relation is the end of a thing's existence."""
    return relation.relation_type == EXISTS and relation.polarity is Polarity.DENIED


def _merge_claim_stated_twice(
    earlier_relation: GroundedRelation, later_relation: GroundedRelation
) -> GroundedRelation:
    """Return a claim that was stated twice as one: with the more confident quote, and a start date if
    either has one.
    """
    surest_relation = (
        later_relation if later_relation.confidence > earlier_relation.confidence else earlier_relation
    )
    return replace(
        surest_relation,
        times_seen=min(_MAX_TIMES_SEEN, earlier_relation.times_seen + later_relation.times_seen),
        valid_from=surest_relation.valid_from or earlier_relation.valid_from or later_relation.valid_from,
    )


class _QuoteRanges:
    """Ranges of quotes in a chunk; each is located once, and the text is folded only if necessary."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folded_text: FoldedText | None = None
        self._range_by_quote: dict[str, CharRange | None] = {}

    def find_range_of_quote(self, quote: str) -> CharRange | None:
        """Return the range of the quote in the chunk's own text, or None."""
        if quote not in self._range_by_quote:
            offset = self._text.find(quote) if quote.strip() else -1
            if offset >= 0:
                self._range_by_quote[quote] = (offset, offset + len(quote))
            else:
                self._folded_text = self._folded_text or fold_quote(self._text)
                self._range_by_quote[quote] = _find_quote_in_folded_text(quote, self._folded_text)
        return self._range_by_quote[quote]


def _read_relation_verb(relation: FoundRelation, vocabulary: Vocabulary) -> VerbMeaning | None:
    """Return the relation type and direction of a relation; None if the vocabulary does not have it."""
    return (
        VerbMeaning(EXISTS, Direction.FORWARD)
        if _ends_existence(relation)
        else find_meaning_of_verb(relation.relation_type, vocabulary)
    )


class GroundedRelations(NamedTuple):
    """The relations that a chunk states, and the counts of dropped ones by reason."""

    relations: list[GroundedRelation]
    drop_counts: DropCounts


def keep_relations_stated_in_chunk(
    chunk: ChunkText,
    entities: Sequence[FoundEntity],
    relations: Sequence[FoundRelation],
    vocabulary: Vocabulary,
) -> GroundedRelations:
    """Return the relations that the chunk states literally, at most 100, and the drops.

    `entities` is the grounded list to which the relations refer. The quote becomes the chunk's own slice
    (requirement 4.4); a passive verb swaps the ends; a confidence above 1 counts as 1, one below
    `vocabulary.min_confidence` is dropped (requirement 5.2). A triple stated several times is one relation
    with the best quote and the summed `times_seen`; its denial is another relation. The quote of a model must
    contain both ends, by name or by the words that the model indicates; other quotes one end. Reasons:
    over_cap, unknown_entity, self_loop, bad_confidence, low_confidence, unknown_relation, ungrounded,
    ends_reversed, quote_names_neither, end_not_in_quote, denial_not_stated, report_not_stated,
    date_not_stated, date_of_other_calendar, change_not_stated, merged.

    A claim that takes the place of an earlier one gets a second relation beside it (`is_change`).
    """
    drop_counts = DropCounts()
    drop_counts.add("over_cap", max(0, len(relations) - _MAX_CHECKED_ENTRIES))
    quote_ranges = _QuoteRanges(chunk.text)
    get_language = partial(guess_language, chunk.text, chunk.language)
    open_vocabulary = replace(vocabulary, open_relations=True)
    grounded_relations: dict[_StatedTriple, GroundedRelation] = {}
    for claimed_relation in relations[:_MAX_CHECKED_ENTRIES]:
        relation = claimed_relation
        drop_reason = _find_drop_reason(relation, len(entities))
        if drop_reason is not None:
            drop_counts.add(drop_reason)
            continue
        confidence = min(1.0, relation.confidence)
        if confidence < vocabulary.min_confidence or confidence <= 0:
            drop_counts.add("low_confidence")
            continue
        type_and_direction = _read_relation_verb(
            relation, open_vocabulary if relation.is_statement else vocabulary
        )
        if type_and_direction is None:
            drop_counts.add("unknown_relation")
            continue
        relation_type, direction = type_and_direction
        quote_range = quote_ranges.find_range_of_quote(relation.quote)
        if quote_range is None:
            drop_counts.add("ungrounded")
            continue
        source, target = relation.from_entity, relation.to_entity
        if direction is Direction.REVERSED:
            source, target = target, source
        unstated_reason = _find_reason_why_quote_lacks_relation(
            quote_range,
            relation,
            entities,
            (relation_type, entities[source], entities[target]),
            get_language,
        )
        if unstated_reason is not None:
            drop_counts.add(unstated_reason)
            continue
        relation = drop_unstated_dates_and_count(relation, drop_counts.by_reason, chunk.dated_at)
        key = _StatedTriple(source, target, relation_type, relation.polarity, *_get_period_if_ended(relation))
        if relation_type in SYMMETRIC_RELATIONS and key.inverted() in grounded_relations:
            key = key.inverted()
        earlier_relation = grounded_relations.get(key)
        if earlier_relation is None and len(grounded_relations) >= MAX_RELATIONS:
            drop_counts.add("over_cap")
            continue
        quote_start, quote_end = quote_range
        grounded_relation = GroundedRelation(
            from_entity=key.from_entity,
            to_entity=key.to_entity,
            relation_type=relation_type,
            confidence=confidence,
            quote=chunk.text[quote_start:quote_end],
            quote_start=quote_start,
            quote_end=quote_end,
            times_seen=min(_MAX_TIMES_SEEN, max(1, relation.times_seen)),
            polarity=relation.polarity,
            valid_from=relation.valid_from,
            valid_to=relation.valid_to,
            said_by=_find_reporter(relation),
            role=relation.role if relation_type in SINGLE_SOURCE else None,
        )
        if earlier_relation is not None:
            drop_counts.add("merged")
            grounded_relation = _merge_claim_stated_twice(earlier_relation, grounded_relation)
        grounded_relations[key] = grounded_relation
        shared_end = _find_entity_of_claims_that_end(grounded_relation) if relation.replaces_earlier else None
        if shared_end is None:
            continue
        if not does_quote_state_replacement_of_claim(relation, _list_names_of_entities(entities)):
            drop_counts.add("change_not_stated")
            continue
        denial_of_earlier_claims = _build_denial_of_earlier_claims(grounded_relation, shared_end)
        grounded_relations[
            _StatedTriple(shared_end, shared_end, relation_type, Polarity.DENIED, None, None)
        ] = denial_of_earlier_claims
    return GroundedRelations(list(grounded_relations.values()), drop_counts)


def _find_entity_of_claims_that_end(relation: GroundedRelation) -> int | None:
    """Return the end that the earlier claims share with this one; None if a change does not end them."""
    if relation.polarity is not Polarity.ASSERTED:
        return None
    if relation.relation_type in CHANGES_TARGET:
        return relation.from_entity
    return relation.to_entity if relation.relation_type in CHANGES_SOURCE else None


def _build_denial_of_earlier_claims(relation: GroundedRelation, shared_end: int) -> GroundedRelation:
    """Return the denial of the earlier claims: of the end that they share, with itself, since the claim
    begins.
    """
    return replace(
        relation,
        from_entity=shared_end,
        to_entity=shared_end,
        times_seen=1,
        polarity=Polarity.DENIED,
        valid_to=None,
        role=None,
        is_change=True,
    )
