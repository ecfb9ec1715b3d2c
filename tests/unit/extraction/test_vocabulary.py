"""Vocabulary: verbs are read as relation types of the space, or refused (requirement 5.2)."""

from dataclasses import replace

import pytest

from app.domain.node_types import DEFAULT_NODE_TYPES
from app.domain.relation_types import DEFAULT_RELATION_TYPES
from app.extraction.vocabulary import (
    DEFAULT_VOCABULARY,
    Direction,
    find_meaning_of_verb,
    to_node_type,
)


@pytest.mark.parametrize(
    ("verb", "kind", "direction"),
    [
        ("founded", "created", Direction.FORWARD),
        ("Developed", "created", Direction.FORWARD),
        ("was created by", "created", Direction.REVERSED),
        ("createdBy", "created", Direction.REVERSED),
        ("acquired", "owns", Direction.FORWARD),
        ("owned by", "owns", Direction.REVERSED),
        ("based in", "located_in", Direction.FORWARD),
        ("employed-by", "works_for", Direction.FORWARD),
        ("joined", "works_for", Direction.FORWARD),
        ("led", "works_on", Direction.FORWARD),
        ("SUCCESSOR OF", "replaces", Direction.FORWARD),
        ("replaced by", "replaces", Direction.REVERSED),
        ("depends on", "depends_on", Direction.FORWARD),
        ("based on", "depends_on", Direction.FORWARD),
        ("forked from", "depends_on", Direction.FORWARD),
        ("basis of", "depends_on", Direction.REVERSED),
        ("written in", "uses", Direction.FORWARD),
        ("is part of", "part_of", Direction.FORWARD),
        ("has part", "part_of", Direction.REVERSED),
        ("caused_by", "causes", Direction.REVERSED),
        ("worksFor", "works_for", Direction.FORWARD),
    ],
)
def test_a_verb_is_read_with_its_direction(verb: str, kind: str, direction: Direction) -> None:
    assert find_meaning_of_verb(verb, DEFAULT_VOCABULARY) == (kind, direction)


@pytest.mark.parametrize("verb", ["DROP TABLE", "", "???", "'; --", "x" * 10_000, "owns(secret)"])
def test_what_is_no_verb_of_a_closed_vocabulary_is_refused(verb: str) -> None:
    assert find_meaning_of_verb(verb, DEFAULT_VOCABULARY) is None


def test_an_open_vocabulary_keeps_any_verb_in_snake_case() -> None:
    opened = replace(DEFAULT_VOCABULARY, open_relations=True)
    assert find_meaning_of_verb("Won the Prize!", opened) == ("won_the_prize", Direction.FORWARD)
    assert find_meaning_of_verb("???", opened) is None
    assert find_meaning_of_verb("x" * 10_000, opened) == ("x" * 64, Direction.FORWARD)


def test_letters_that_are_two_are_spelt_so() -> None:
    vocabulary = replace(DEFAULT_VOCABULARY, open_relations=True)
    assert find_meaning_of_verb("schließt ab", vocabulary) == ("schliesst_ab", Direction.FORWARD)
    assert find_meaning_of_verb("œuvre pour", vocabulary) == ("oeuvre_pour", Direction.FORWARD)
    assert find_meaning_of_verb("gehört zu", vocabulary) == ("gehort_zu", Direction.FORWARD)


def test_a_space_may_lack_a_type() -> None:
    small = replace(DEFAULT_VOCABULARY, relation_types=frozenset({"uses"}))
    assert find_meaning_of_verb("founded", small) is None


def test_node_types_are_known_in_any_case_and_no_others() -> None:
    assert to_node_type("organization", DEFAULT_VOCABULARY) == "Organization"
    assert to_node_type("Admin", DEFAULT_VOCABULARY) is None
    assert len(DEFAULT_NODE_TYPES) == 10
    assert len(DEFAULT_RELATION_TYPES) == 15


@pytest.mark.parametrize("verb", ["3D prints", "2 founded", "9", "_7 owns"])
def test_no_relation_type_begins_with_a_digit(verb: str) -> None:
    """Relation types are typed into queries, as names are."""
    assert find_meaning_of_verb(verb, replace(DEFAULT_VOCABULARY, open_relations=True)) is None
