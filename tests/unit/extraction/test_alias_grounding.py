"""A model that gives one thing another's name contradicts itself (issue 27, item 1)."""

import pytest

from app.extraction.alias_grounding import drop_aliases_that_name_others_and_count
from app.extraction.shapes import FoundEntity


def entities(*named: tuple[str, tuple[str, ...]]) -> list[FoundEntity]:
    return [FoundEntity(name, "Organization", (), aliases=aliases) for name, aliases in named]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Acme Bank", "Zeta Bank"),
        ("Ann Lee", "Bob Ray"),
        ("東京", "大阪"),
        ("Αθήνα", "Πάτρα"),
        ("ห้าง", "โรงงาน"),
    ],
)
def test_the_name_of_another_entity_is_no_alias(first: str, second: str) -> None:
    remaining, dropped = drop_aliases_that_name_others_and_count(
        entities((first, (second, f"{first} 2")), (second, ()))
    )
    assert (dropped, [entity.aliases for entity in remaining]) == (1, [(f"{first} 2",), ()])


@pytest.mark.parametrize(
    ("name", "alias"),
    [
        ("International Business Machines", "IBM"),
        ("Siemens AG", "Siemens"),
        ("Ann Lee", "A. Lee"),
        ("北京市", "北京"),
        ("北京大学", "北大"),
        ("全国人民代表大会", "全国人大"),
        ("東京大学", "東大"),
    ],
)
def test_one_thing_listed_twice_keeps_its_names(name: str, alias: str) -> None:
    remaining, dropped = drop_aliases_that_name_others_and_count(entities((name, (alias,)), (alias, ())))
    assert (dropped, remaining[0].aliases) == (0, (alias,))


@pytest.mark.parametrize(
    ("first", "second", "node_type"),
    [
        ("王小明", "王明", "Person"),
        ("北京大学", "大北", "Organization"),
        ("北京大学", "京大", "Organization"),
        ("Banka", "Bka", "Organization"),
    ],
)
def test_what_only_shares_characters_is_no_abbreviation(first: str, second: str, node_type: str) -> None:
    listed = [FoundEntity(first, node_type, (), aliases=(second,)), FoundEntity(second, node_type, ())]
    assert drop_aliases_that_name_others_and_count(listed)[1] == 1


def test_two_that_name_each_other_are_one() -> None:
    assert (
        drop_aliases_that_name_others_and_count(entities(("Paris", ("Lutetia",)), ("Lutetia", ("Paris",))))[1]
        == 0
    )


def test_a_name_that_only_this_one_has_stays() -> None:
    given = entities(("Paris", ("Lutetia",)), ("Oslo", ()))
    assert drop_aliases_that_name_others_and_count(given) == (given, 0)
