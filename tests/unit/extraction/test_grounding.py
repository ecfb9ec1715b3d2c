"""Grounding: every name and quote must stand in the chunk (requirement 4.4, rule A13)."""

import math
import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.extraction.grounding import (
    MAX_ENTITIES,
    MAX_RELATIONS,
    ChunkNames,
    find_range_of_quote_in_chunk,
    keep_entities_named_in_chunk,
    keep_relations_stated_in_chunk,
)
from app.extraction.shapes import ChunkText, FoundEntity, FoundRelation, Surface
from app.extraction.vocabulary import DEFAULT_VOCABULARY
from app.ids import ChunkId, DocumentId

TEXT = "Michael Stonebraker created Ingres.\nIngres   led to Postgres, he said. Eugene Wong agreed."


def chunk_of(text: str) -> ChunkText:
    return ChunkText(ChunkId(uuid.UUID(int=1)), DocumentId(uuid.UUID(int=2)), "Ingres", text)


def entity(name: str, text: str = TEXT, kind: str = "Concept") -> FoundEntity:
    at = text.find(name)
    return FoundEntity(name, kind, (Surface(name, at, at + len(name)),))


ENTITIES = [entity("Michael Stonebraker"), entity("Ingres"), entity("Postgres"), entity("Eugene Wong")]


def relation(
    quote: str, start: int = 0, end: int = 1, kind: str = "created", confidence: float = 0.9
) -> FoundRelation:
    return FoundRelation(start, end, kind, confidence, quote)


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("created ingres", TEXT, "created Ingres"),
        ("Ingres led to Postgres", TEXT, "Ingres   led to Postgres"),
        ("created Ingres. Ingres led", TEXT, "created Ingres.\nIngres   led"),
        ('"created Ingres."', TEXT, "created Ingres."),
        ("| Mill | Ada |  1980 |", "Mill | Ada | 1980\nWeir | Bo | 1981", "Mill | Ada | 1980"),
        ("the caf\u00e9 opened", "Then the cafe\u0301 opened.", "the cafe\u0301 opened"),
        ("straße", "Die STRASSE dort", "STRASSE"),
        ('it\'s "good"', "so it\u2019s \u201cgood\u201d now", "it\u2019s \u201cgood\u201d"),
        ("OpenAI ships", "Open\u200bAI ships", "Open\u200bAI ships"),
        ('"große Mühle"', "die »große Mu\u0308hle« dort", "»große Mu\u0308hle«"),
        ('"große Mühle" dort', "die »große Mühle« dort", "»große Mühle« dort"),
        ('Il vend "La maison".', "Il vend « La maison ».", "Il vend « La maison »."),
        ("l'Europe et d'Orsay", "dans l\u2019Europe et d\u2019Orsay.", "l\u2019Europe et d\u2019Orsay"),
        ('"La maison" vend', "«\u202fLa maison\u202f» vend", "«\u202fLa maison\u202f» vend"),
    ],
)
def test_a_quote_is_found_after_folding_and_given_back_exactly(quote: str, text: str, expected: str) -> None:
    place = find_range_of_quote_in_chunk(quote, text)
    assert place is not None
    assert text[place[0] : place[1]] == expected


@pytest.mark.parametrize("quote", ["", "  ", '""', "Stonebraker invented Ingres", "x" * 1_000_000, "\u200b"])
def test_a_quote_that_is_not_there_is_not_found(quote: str) -> None:
    assert find_range_of_quote_in_chunk(quote, TEXT) is None


@given(st.text(), st.integers(0, 50), st.integers(1, 50))
def test_every_slice_of_a_text_is_grounded_in_it(text: str, start: int, length: int) -> None:
    quote = text[start : start + length]
    if quote.strip():
        place = find_range_of_quote_in_chunk(quote, text)
        assert place is not None
        assert text[place[0] : place[1]] == quote.strip()


@given(
    st.text(alphabet="aAeE\u0301\u0300ßSs \n\u200b'\u2019İi̇", max_size=60),
    st.text(alphabet="aAe\u0301ßSs \n'", max_size=8),
)
def test_a_found_range_lies_inside_the_text(text: str, quote: str) -> None:
    place = find_range_of_quote_in_chunk(quote, text)
    if place is not None:
        assert 0 <= place[0] < place[1] <= len(text)


def test_long_runs_of_combining_marks_are_bounded() -> None:
    text = "a" + "\u0301\u0316" * 50_000
    assert find_range_of_quote_in_chunk("b", text) is None


def test_the_kept_quote_is_the_chunks_own_slice() -> None:
    kept, drops = keep_relations_stated_in_chunk(
        chunk_of(TEXT), ENTITIES, [relation("ingres LED to postgres", 1, 2, "leads to")], DEFAULT_VOCABULARY
    )
    assert [(item.quote, item.relation_type) for item in kept] == [("Ingres   led to Postgres", "causes")]
    assert TEXT[kept[0].quote_start : kept[0].quote_end] == kept[0].quote
    assert drops.total == 0


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (relation("he was rich"), "ungrounded"),
        (relation("created Ingres", confidence=0.49), "low_confidence"),
        (relation("created Ingres", confidence=-3), "low_confidence"),
        (relation("created Ingres", confidence=math.nan), "bad_confidence"),
        (relation("created Ingres", confidence=math.inf), "bad_confidence"),
        (relation("created Ingres", kind="DROP TABLE"), "unknown_relation"),
        (relation("created Ingres", 1, 1), "self_loop"),
        (relation("created Ingres", 0, 99), "unknown_entity"),
        (relation("created Ingres", -1, 1), "unknown_entity"),
        (relation("he said"), "quote_names_neither"),
    ],
)
def test_what_does_not_hold_is_dropped_and_counted(bad: FoundRelation, reason: str) -> None:
    kept, drops = keep_relations_stated_in_chunk(chunk_of(TEXT), ENTITIES, [bad], DEFAULT_VOCABULARY)
    assert kept == []
    assert dict(drops.by_reason) == {reason: 1}


def test_a_passive_verb_turns_the_ends_round_and_too_much_confidence_is_1() -> None:
    kept, _ = keep_relations_stated_in_chunk(
        chunk_of(TEXT), ENTITIES, [relation("created Ingres", 1, 0, "created_by", 7.0)], DEFAULT_VOCABULARY
    )
    assert (kept[0].from_entity, kept[0].to_entity, kept[0].confidence) == (0, 1, 1.0)


def test_one_triple_stated_twice_is_one_relation() -> None:
    stated = [
        relation("created Ingres", confidence=0.6),
        relation("Stonebraker created Ingres.", kind="founded"),
    ]
    kept, drops = keep_relations_stated_in_chunk(chunk_of(TEXT), ENTITIES, stated, DEFAULT_VOCABULARY)
    assert [(item.times_seen, item.confidence) for item in kept] == [(2, 0.9)]
    assert drops.total == 0
    assert drops.by_reason["merged"] == 1


def test_ten_thousand_entries_are_capped_and_counted() -> None:
    names = [f"Name{number} Thing" for number in range(400)]
    text = " and ".join(names)
    entities = [entity(name, text) for name in names] * 25
    kept, drops = keep_entities_named_in_chunk(chunk_of(text), entities, DEFAULT_VOCABULARY)
    assert len(kept) == MAX_ENTITIES
    assert drops.by_reason["over_cap"] == 10_000 - MAX_ENTITIES
    relations = [relation(names[0], a, b) for a in range(40) for b in range(40) if a != b]
    edges, cut = keep_relations_stated_in_chunk(chunk_of(text), kept, relations, DEFAULT_VOCABULARY)
    assert len(edges) <= MAX_RELATIONS
    assert len(edges) + cut.by_reason.total() == len(relations)


def test_an_entity_must_stand_in_the_chunk() -> None:
    entities = [
        FoundEntity("Admin", "Concept", (Surface("Admin", 0, 5),)),
        FoundEntity("Ingres", "Admin", (Surface("Ingres", 28, 34),)),
        FoundEntity("x" * 1_000_000, "Concept", (Surface("Ingres", 28, 34),)),
        FoundEntity("he", "Person", (Surface("he", 66, 68),)),
        FoundEntity("Stonebraker", "person", (Surface("stonebraker", 0, 3),), aliases=("Mike", "Ingres")),
    ]
    kept, drops = keep_entities_named_in_chunk(chunk_of(TEXT), entities, DEFAULT_VOCABULARY)
    assert [(item.name, item.node_type, item.aliases) for item in kept] == [
        ("Ingres", "Concept", ()),
        ("Stonebraker", "Person", ()),
    ]
    # A type that the space does not declare is none: the thing is there (review B11).
    assert [item.is_type_certain for item in kept] == [False, True]
    assert kept[1].surfaces == (Surface("Stonebraker", 8, 19),)
    assert dict(drops.by_reason) == {"not_in_text": 1, "unacceptable_name": 2, "alias_of_another": 1}


def test_surfaces_are_whole_words() -> None:
    names = ChunkNames(chunk_of("Ingres, Ingression, INGRES"))
    assert [place.start for place in names.find_occurrences("Ingres")] == [0, 20]


@pytest.mark.parametrize(
    ("name", "text", "surface"),
    [
        ("Europe", "Elle livre toute l\u2019Europe.", "Europe"),
        ("Orsay", "Le quai d'Orsay.", "Orsay"),
        ("Weisse Elster", "An der Weißen Elster, die Weiße Elster.", "Weiße Elster"),
        ("Anna Berg", "Anna Bergs Firma liegt in Köln.", "Anna Bergs"),
        ("Köln", "Ko\u0308lns Dom ist das Wahrzeichen der Stadt.", "Ko\u0308lns"),
    ],
)
def test_a_name_is_found_in_german_and_french_text(name: str, text: str, surface: str) -> None:
    """Behind an elided article, in either spelling of ß, composed or not, with a genitive s."""
    found = FoundEntity(name, "Concept", (Surface(name, -1, -1),))
    ((kept,), _) = keep_entities_named_in_chunk(chunk_of(text), [found], DEFAULT_VOCABULARY)
    assert [surface.text for surface in kept.surfaces] == [surface]
    assert all(text[surface.start : surface.end] == surface.text for surface in kept.surfaces)


def test_a_name_that_stands_by_itself_is_not_looked_for_in_another() -> None:
    found = FoundEntity("Berg", "Concept", (Surface("Berg", -1, -1),))
    ((kept,), _) = keep_entities_named_in_chunk(
        chunk_of("Berg und Bergs Haus, Bergson."), [found], DEFAULT_VOCABULARY
    )
    assert [surface.start for surface in kept.surfaces] == [0]
