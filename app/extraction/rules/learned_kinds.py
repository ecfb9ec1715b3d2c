"""The likely kinds of names whose kind the rules leave open, by the trained classifier."""

from collections.abc import Iterator, Mapping, Sequence

from app.domain.node_types import PROPER_NAME_TYPES
from app.extraction.reader.kind_classifier import OTHER_KIND
from app.extraction.reader.languages import load_kind_classifier
from app.extraction.reader.names_in_documents import CONTEXT_SIZE, NameInDocument, NameUse, NeighborName
from app.extraction.rules.document_entities import DocumentEntities, EntityUse
from app.extraction.rules.name_kinds import decide_kind
from app.extraction.rules.names.named_entities import NamedEntity

MIN_PROBABILITY = 0.7
"""Minimum probability of a likely kind, which becomes the type of the node."""
MIN_PROBABILITY_AMONG_PROGRAMS = 0.95
"""The same for one word in a document that names programs, which it takes for people or places."""
_READER_WEIGHT = 0.5
"""Exponent of the reader's probabilities, which know the whole sentence, beside the classifier's."""
_LEAST_READER_PROBABILITY = 0.01
_MAX_USES = 20
"""Number of uses of a name that are looked at: the first ones."""
_MAX_WORDS_TO_NEIGHBOR = 3
_KINDS_OF_PROGRAMS = ("Technology", "API")


def set_likely_kinds(entities: DocumentEntities) -> None:
    """Set the likely kind of each name in prose whose kind is open.

    The classifier was trained on texts with few programs: where a document names some, a name with a sign of
    another kind than person, organization and place gets none.
    """
    classifier = load_kind_classifier()
    if classifier is None:
        return
    entities_and_decisions = [
        (entity, decide_kind(entity.votes)) for entity in entities.entity_by_key.values()
    ]
    names_programs = any(
        decision.is_certain and decision.kind in _KINDS_OF_PROGRAMS for _, decision in entities_and_decisions
    )
    open_entities = [
        entity
        for entity, decision in entities_and_decisions
        if entity.is_in_prose
        and not decision.is_certain
        and not (names_programs and _has_sign_of_other_kind(entity))
        and not entities.was_thing_given_up_by_company(entity)
    ]
    names = describe_names(entities, open_entities)
    for entity, classifier_kinds in zip(open_entities, classifier.compute_probabilities(names), strict=True):
        probability_by_kind = _combine_with_reader(classifier_kinds, entities.average_reader_kinds(entity))
        named_kinds = [kind for kind in probability_by_kind if kind != OTHER_KIND]
        kind = max(named_kinds, key=probability_by_kind.__getitem__)
        probability = probability_by_kind[kind]
        is_doubtful = names_programs and len(entity.words) == 1
        min_probability = MIN_PROBABILITY_AMONG_PROGRAMS if is_doubtful else MIN_PROBABILITY
        if probability >= min_probability:
            entity.likely_kind = kind


def _combine_with_reader(
    probability_by_kind: Mapping[str, float], reader_kinds: Mapping[str, float]
) -> Mapping[str, float]:
    """Return the classifier's probabilities times a power of the reader's mean ones, if it knows the name."""
    if not reader_kinds:
        return probability_by_kind
    other_probability = 1.0 - sum(reader_kinds.values())
    weight_by_kind = {
        kind: probability
        * max(reader_kinds.get(kind, other_probability), _LEAST_READER_PROBABILITY) ** _READER_WEIGHT
        for kind, probability in probability_by_kind.items()
    }
    total_weight = sum(weight_by_kind.values())
    return {kind: weight / total_weight for kind, weight in weight_by_kind.items()}


def _has_sign_of_other_kind(entity: NamedEntity) -> bool:
    """Return whether rules see a sign, too weak by itself, of a kind that the classifier hardly knows."""
    return not entity.votes.keys() <= PROPER_NAME_TYPES


def describe_names(
    entities: DocumentEntities, described_entities: Sequence[NamedEntity]
) -> list[NameInDocument]:
    """Return what the document shows of some of its names, for the classifier."""
    lower_case_words = entities.document_words.lower_case_words
    title_words = entities.document_title_key.split()
    return [
        NameInDocument(
            entity.written_words,
            title_words,
            entity.words[-1] in lower_case_words,
            entity.votes,
            [_describe_use(use) for use in entities.uses_by_name_key[entity.key][:_MAX_USES]],
        )
        for entity in described_entities
    ]


def _describe_use(use: EntityUse) -> NameUse:
    lower_words, span = use.sentence.lower, use.spans[use.name_index]
    return NameUse(
        lower_words[max(0, span.first - CONTEXT_SIZE) : span.first],
        lower_words[span.last : span.last + CONTEXT_SIZE],
        list(_list_neighbors(use)),
    )


def _list_neighbors(use: EntityUse) -> Iterator[NeighborName]:
    """Yield the names right before and after a name that at most a few words separate from it."""
    for index in (use.name_index - 1, use.name_index + 1):
        neighbor = use.entities[index] if 0 <= index < len(use.entities) else None
        if neighbor is None:
            continue
        left_span, right_span = use.spans[min(index, use.name_index)], use.spans[max(index, use.name_index)]
        words_between = use.sentence.lower[left_span.last : right_span.first]
        if len(words_between) <= _MAX_WORDS_TO_NEIGHBOR:
            kind, is_certain = decide_kind(neighbor.votes)
            yield NeighborName(index < use.name_index, " ".join(words_between), kind if is_certain else "")
