"""Resolve the entities of a document: choose their kinds by votes, then merge the names of one thing."""

from functools import partial

from app.extraction.reader.languages import load_pipeline
from app.extraction.rules.document_entities import DocumentEntities
from app.extraction.rules.english.kind_votes import ADDRESS_STRENGTH, MIN_VOTES
from app.extraction.rules.english.lexicon import PLACES
from app.extraction.rules.english.nations import REGIONS
from app.extraction.rules.learned_kinds import set_likely_kinds
from app.extraction.rules.name_kinds import cannot_be_person, decide_kind
from app.extraction.rules.names.named_entities import (
    NamedEntity,
    are_of_different_kinds,
    join_first_name_with_surname,
    merge_acronyms_into_longer_names,
    merge_names_of_companies,
    merge_names_of_people,
    merge_short_name,
)
from app.extraction.rules.names.reader_names import MIN_KIND_PROBABILITY
from app.extraction.rules.short_forms import merge_short_forms_into_longer_names
from app.graph.names import choose_fuller_name
from app.graph.spellings import list_plain_forms


def resolve_entities(entities: DocumentEntities) -> None:
    """Give the entities collected from all chunks their kinds, and merge those that are one thing."""
    _apply_votes(entities)
    set_likely_kinds(entities)
    if entities.opening_person is not None and entities.topic is not None and not entities.topic.is_in_prose:
        entities.alias_pairs.append((entities.topic, entities.opening_person))
    for left_entity, right_entity in entities.alias_pairs:
        if frozenset(
            (left_entity.key, right_entity.key)
        ) not in entities.distinct_key_pairs and not are_of_different_kinds(
            left_entity.votes, right_entity.votes
        ):
            _merge_full_names(entities, left_entity, right_entity)
    _join_spellings(entities)
    merge_names_of_people(
        list(entities.entity_by_key.values()),
        partial(_merge_full_names, entities),
        entities.document_title_key,
        entities.opening_entity,
    )
    merge_names_of_companies(entities.entity_by_key, partial(_merge_full_names, entities))
    pipeline = load_pipeline("en")
    if pipeline is not None:
        merge_acronyms_into_longer_names(entities.entity_by_key.values(), pipeline.knows_word)
    merge_short_forms_into_longer_names(
        entities.entity_by_key.values(), entities.document_words.lower_case_words, pipeline
    )
    for short_entity, full_entity in entities.family_pairs:
        join_first_name_with_surname(entities.entity_by_key, short_entity, full_entity)
    for name, short_name in entities.short_name_pairs:
        # A place in front of a bracket belongs to the address of the party that it names.
        is_place = decide_kind(name.root().votes) == ("Location", True)
        if short_name.is_root and short_name is not name.root() and not is_place:
            merge_short_name(short_name, name)


def _join_spellings(entities: DocumentEntities) -> None:
    """Merge names that differ in accents or British and American spelling: "Peñalver", "Penalver"."""
    entities_by_form: dict[str, NamedEntity] = {}
    for entity in list(entities.entity_by_key.values()):
        for form in sorted(list_plain_forms(entity.key)):
            same_entity = entities_by_form.setdefault(form, entity)
            # The name with accents is the fuller one.
            merged_entity, surviving_entity = sorted(
                (same_entity.root(), entity.root()), key=lambda root: not root.name.isascii()
            )
            if merged_entity is not surviving_entity and not are_of_different_kinds(
                merged_entity.votes, surviving_entity.votes
            ):
                _merge_everywhere(merged_entity, surviving_entity)


def _apply_votes(entities: DocumentEntities) -> None:
    for entity in entities.entity_by_key.values():
        if _names_nobody(entities, entity):
            entity.votes.pop("Person", None)
        if not decide_kind(entity.votes)[1]:
            _vote_for_kind_by_reader(entities, entity)
    for left_entity, right_entity in reversed(entities.address_pairs):
        is_larger_place = right_entity.key in REGIONS or (
            decide_kind(right_entity.votes) == ("Location", True) and right_entity.key not in PLACES
        )
        if is_larger_place and not decide_kind(left_entity.votes)[1] and "Person" not in left_entity.votes:
            left_entity.votes["Location"] = left_entity.votes.get("Location", 0.0) + ADDRESS_STRENGTH
    for row in entities.name_rows:
        if any(decide_kind(member.votes)[0] == "Person" for member in row):
            for entity in row:
                if not decide_kind(entity.votes)[1]:
                    entity.votes["Person"] = entity.votes.get("Person", 0.0) + 1.5

    for firm, partner in entities.deal_parties:
        is_unsure = not decide_kind(partner.votes)[1] and len(partner.words) == 1
        if is_unsure and "Person" not in partner.votes and decide_kind(firm.votes) == ("Organization", True):
            partner.votes["Organization"] = partner.votes.get("Organization", 0.0) + MIN_VOTES


def _names_nobody(entities: DocumentEntities, entity: NamedEntity) -> bool:
    """Return whether a name is no person's by its spelling, or as the title: a word with "s" that the text
    also writes in small letters, "Victims".
    """
    word = entity.words[0]
    return cannot_be_person(entity.written_words) or (
        entity is entities.topic
        and entity.words == [word]
        and word.endswith("s")
        and word in entities.document_words.lower_case_words
    )


def _vote_for_kind_by_reader(entities: DocumentEntities, entity: NamedEntity) -> None:
    """Vote for the kind of which the reader is sure on average over all mentions.

    One word may name a place; whether "Falcon" is a person or a program the reader does not know. "Marlow
    Mill" is nobody in a text about a mill. To the reader, which knows no kind for a program, a company
    migrates from one place to another; a people really does, so the verb alone makes nobody a company.
    """
    if entities.was_thing_given_up_by_company(entity):
        return
    for kind, probability in entities.average_reader_kinds(entity).items():
        may_be_person = (
            len(entity.words) > 1 and entity.words[-1] not in entities.document_words.lower_case_words
        )
        is_possible = may_be_person if kind == "Person" else len(entity.words) > 1 or kind == "Location"
        if probability >= MIN_KIND_PROBABILITY and is_possible:
            entity.votes[kind] = entity.votes.get(kind, 0.0) + MIN_VOTES


def _merge_full_names(entities: DocumentEntities, entity: NamedEntity, other_entity: NamedEntity) -> None:
    """Merge two entities whose names are unambiguous everywhere."""
    entity, other_entity = entity.root(), other_entity.root()
    if entity is other_entity:
        return
    surviving_entity, merged_entity = (
        (entity, other_entity)
        if choose_fuller_name(entity.name, other_entity.name) == entity.name
        else (other_entity, entity)
    )
    if (entity.key, other_entity.key) in entities.ordered_aliases:
        surviving_entity, merged_entity = entity, other_entity
    if entities.document_title_key in (entity.key, other_entity.key) and entities.topic is not None:
        surviving_entity, merged_entity = (
            (entity, other_entity) if entity.key == entities.document_title_key else (other_entity, entity)
        )
    _merge_everywhere(merged_entity, surviving_entity)


def _merge_everywhere(merged_entity: NamedEntity, surviving_entity: NamedEntity) -> None:
    """Merge an entity whose name is unambiguous everywhere into another, with its votes."""
    merged_entity.is_unambiguous = True
    merged_entity.join(surviving_entity)
    for kind, strength in merged_entity.votes.items():
        surviving_entity.votes[kind] = surviving_entity.votes.get(kind, 0.0) + strength
