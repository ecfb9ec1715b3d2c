"""Requirement 5.6: a value of an attribute is kept where it is of its kind and the chunk states it."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from app.extraction.attributes import (
    build_entity_with_dates_of_values,
    convert_written_value,
    keep_attributes_stated_in_chunk,
)
from app.extraction.shapes import ChunkText, FoundAttribute, FoundEntity, Surface
from app.extraction.vocabulary import build_vocabulary
from app.ids import ChunkId, DocumentId, create_id
from app.settings import Settings
from app.space_settings import AttributeKind, SpaceSettings, effective_settings

BORN = "Marie  Curie was born on 7 November 1867 in Warsaw."
TEXT = f"{BORN} Her Nobel medal weighs 0.175 kg. The institute got 3.2 million francs. She was a physicist."
WANTED = {
    "Person": {
        "born_on": AttributeKind.DATE,
        "profession": AttributeKind.TEXT,
        "laureate": AttributeKind.BOOLEAN,
        "francs": AttributeKind.NUMBER,
        "medal": AttributeKind.NUMBER,
    }
}


@pytest.mark.parametrize(
    ("written", "kind", "value"),
    [
        ("1867", AttributeKind.DATE, "1867"),
        ("1867-11", AttributeKind.DATE, "1867-11"),
        (" 1867-11-07 ", AttributeKind.DATE, "1867-11-07"),
        ("1867-13-07", AttributeKind.DATE, None),
        ("0000-01-01", AttributeKind.DATE, None),
        ("7 November 1867", AttributeKind.DATE, None),
        ("3200000", AttributeKind.NUMBER, 3_200_000),
        ("0.175", AttributeKind.NUMBER, 0.175),
        ("nan", AttributeKind.NUMBER, None),
        ("inf", AttributeKind.NUMBER, None),
        ("1e300", AttributeKind.NUMBER, None),
        ("three", AttributeKind.NUMBER, None),
        ("True", AttributeKind.BOOLEAN, True),
        ("false", AttributeKind.BOOLEAN, False),
        ("yes", AttributeKind.BOOLEAN, None),
        (" a \n physicist ", AttributeKind.TEXT, "a physicist"),
        ("", AttributeKind.TEXT, None),
        ("x" * 501, AttributeKind.TEXT, None),
    ],
)
def test_a_value_is_of_its_kind(written: str, kind: AttributeKind, value: object) -> None:
    assert convert_written_value(written, kind) == value


def ground(*said: tuple[str, str, str]) -> tuple[dict[str, object], Counter[str], tuple[FoundAttribute, ...]]:
    """The values kept of (attribute, value, quote), and why others went."""
    drops: Counter[str] = Counter()
    chunk = ChunkText(ChunkId(create_id()), DocumentId(create_id()), "", TEXT)
    entity = FoundEntity(
        "Marie Curie",
        "Person",
        (Surface("Marie  Curie", 0, 12),),
        attributes=tuple(FoundAttribute(name, value, Surface(quote, 0, 0)) for name, value, quote in said),
    )
    ((kept),) = keep_attributes_stated_in_chunk(chunk, [entity], WANTED, drops)
    return {attribute.name: attribute.value for attribute in kept.attributes}, drops, kept.attributes


def test_what_the_chunk_states_is_kept_with_its_own_words() -> None:
    values, drops, kept = ground(
        ("born_on", "1867-11-07", "marie curie was born on 7 November 1867 in Warsaw."),
        ("profession", "A PHYSICIST", "She was a physicist."),
        ("francs", "3200000", "The institute got 3.2 million francs."),
        ("medal", "0.175", "Her Nobel medal weighs 0.175 kg."),
        ("laureate", "true", "Her Nobel medal weighs 0.175 kg."),
    )
    assert values == {
        "born_on": "1867-11-07",
        "profession": "a physicist",
        "francs": 3_200_000,
        "medal": 0.175,
        "laureate": True,
    }
    assert not drops
    assert all(TEXT[claim.quote.start : claim.quote.end] == claim.quote.text for claim in kept)
    assert kept[0].quote.text == BORN


@pytest.mark.parametrize(
    ("attribute", "value", "quote", "reason"),
    [
        ("born_on", "1867", "She was born in 1867.", "ungrounded_attribute"),
        ("born_on", "1868", BORN, "ungrounded_attribute"),
        ("born_on", "1867-11-08", BORN, "ungrounded_attribute"),
        ("francs", "32", "The institute got 3.2 million francs.", "ungrounded_attribute"),
        ("profession", "chemist", "She was a physicist.", "ungrounded_attribute"),
        ("profession", "physicist", "", "ungrounded_attribute"),
        ("born_on", "long ago", BORN, "bad_attribute"),
        ("height", "1.6", BORN, "unknown_attribute"),
    ],
)
def test_what_it_does_not_state_goes_and_is_counted(
    attribute: str, value: str, quote: str, reason: str
) -> None:
    values, drops, _ = ground((attribute, value, quote))
    assert (values, drops) == ({}, Counter({reason: 1}))


@pytest.mark.parametrize(
    ("written", "value", "stated"),
    [
        ("3,200 francs", "3200", True),
        ("3.200 francs", "3200", True),
        ("3 200 francs", "3200", True),
        ("32,00,000 rupees", "3200000", True),
        ("1,234.56 francs", "1234.56", True),
        ("1.234,56 francs", "1234.56", True),
        ("-5 degrees", "-5", True),
        ("3,2 million", "3200000", True),
        ("3,200 francs", "32", False),
        ("1,234.56 francs", "123456", False),
        ("32 francs", "320", False),
    ],
)
def test_a_number_is_read_as_people_write_it(written: str, value: str, stated: bool) -> None:
    drops: Counter[str] = Counter()
    chunk = ChunkText(ChunkId(create_id()), DocumentId(create_id()), "", written)
    found = FoundAttribute("francs", value, Surface(written, 0, 0))
    entity = FoundEntity("It", "Person", (Surface("It", 0, 2),), attributes=(found,))
    ((kept),) = keep_attributes_stated_in_chunk(chunk, [entity], WANTED, drops)
    assert bool(kept.attributes) is stated


def test_of_several_values_the_first_counts() -> None:
    assert ground(("born_on", "1867", BORN), ("born_on", "1867-11-07", BORN))[0] == {"born_on": "1867"}


def test_a_space_wants_none_by_default_and_types_are_spelt_as_the_space_spells_them() -> None:
    assert build_vocabulary(effective_settings(Settings(), {})).attributes == {}
    own = SpaceSettings.model_validate(
        {
            "extra_node_types": ["Star Sign"],
            "node_attributes": {
                "person": {"born_on": "date"},
                "StarSign": {"begins": "text"},
                "Nothing": {"a": "text"},
            },
        }
    )
    assert build_vocabulary(
        effective_settings(Settings(), own.model_dump(exclude_defaults=True))
    ).attributes == {
        "Person": {"born_on": AttributeKind.DATE},
        "Star Sign": {"begins": AttributeKind.TEXT},
    }


@pytest.mark.parametrize(
    "attributes",
    [
        {"Person": {"Born On": "date"}},
        {"Person": {"born_on": "day"}},
        {"Person": {f"a{number}": "text" for number in range(21)}},
        {f"T{number}": {} for number in range(101)},
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(attributes: dict[str, dict[str, str]]) -> None:
    with pytest.raises(ValueError, match="node_attributes"):
        SpaceSettings.model_validate({"node_attributes": attributes})


@pytest.mark.parametrize(
    ("quote", "year"),
    [
        ("The population of Oslo was 709,037 in 2022.", 2022),
        ("As of 2021, Oslo has 709,037 inhabitants.", 2021),
        ("The population was 709,037 at the 2010 census.", 2010),
        ("It had 709,037 inhabitants (2011).", 2011),
        ("Oslo, founded in 1040, has 709,037 inhabitants.", 1999),
        ("Oslo has 709,037 inhabitants and was founded in 1040.", 1999),
    ],
)
def test_a_value_bears_the_date_of_its_sentence_else_of_its_source(quote: str, year: int) -> None:
    surface = Surface(quote, 0, len(quote))
    said = FoundEntity(
        "Oslo",
        "Location",
        (Surface("Oslo", 0, 4),),
        attributes=(FoundAttribute("population", 709037, surface),),
    )
    (found,) = build_entity_with_dates_of_values(said, datetime(1999, 5, 1, tzinfo=UTC)).attributes
    assert found.stated_at is not None
    assert found.stated_at.year == year


def test_a_value_that_is_a_date_bears_the_date_of_its_source() -> None:
    quote = "Kestrel was founded in 1998."
    said = FoundEntity(
        "Kestrel",
        "Organization",
        (),
        attributes=(FoundAttribute("founded", "1998", Surface(quote, 0, len(quote))),),
    )
    assert build_entity_with_dates_of_values(said, None).attributes[0].stated_at is None
