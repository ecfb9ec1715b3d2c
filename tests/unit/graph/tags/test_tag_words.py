"""Tags: at most 8, lower case, one word, ordered, reused by prefix (requirement 11.1)."""

import pytest

from app.graph.tags.tag_choice import MAX_TAG_LENGTH, MAX_TAGS, choose_tags, normalise_tag, reuse_existing_tag
from app.settings import Settings


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("Database", "database"),
        ("  Machine Learning ", "machine-learning"),
        ("C++", "c"),
        ("ＳＱＬ", "sql"),
        ("Straße", "strasse"),
        ("Éclair", "éclair"),
        ("a_b/c", "a-b-c"),
        ("!!!", ""),
        ("", ""),
        ("x" * 100, "x" * MAX_TAG_LENGTH),
    ],
)
def test_lower_case_and_one_word(text: str, tag: str) -> None:
    assert normalise_tag(text) == tag
    assert normalise_tag(tag) == tag


class TestReuse:
    def test_a_candidate_that_matches_an_existing_tag_by_prefix_reuses_it(self) -> None:
        assert reuse_existing_tag("data", {"database": 1, "person": 9}) == "database"

    def test_the_tag_itself_is_reused_before_longer_ones(self) -> None:
        assert reuse_existing_tag("data", {"data": 1, "database": 50}) == "data"

    def test_of_several_the_most_used_then_the_shortest(self) -> None:
        assert reuse_existing_tag("data", {"database": 2, "dataset": 5}) == "dataset"
        assert reuse_existing_tag("data", {"databases": 2, "dataset": 2}) == "dataset"

    def test_two_letters_are_the_beginning_of_too_much(self) -> None:
        assert reuse_existing_tag("pe", {"person": 9}) == "pe"
        assert reuse_existing_tag("per", {"person": 9}) == "person"

    def test_an_existing_tag_that_begins_the_candidate_is_another_word(self) -> None:
        assert reuse_existing_tag("carpet", {"car": 9}) == "carpet"


class TestChooseTags:
    def test_at_most_8_and_the_most_relevant_stay(self) -> None:
        chosen = choose_tags([f"tag{number}x" for number in range(12)], {})
        assert chosen == [f"tag{number}x" for number in range(8)]
        assert MAX_TAGS == Settings().max_tags == 8

    def test_fewer_where_the_space_has_it_so(self) -> None:
        assert choose_tags(["one", "two", "three"], {}, max_tags=2) == ["one", "two"]

    def test_ordered_by_relevance_each_once(self) -> None:
        assert choose_tags(["Query", "sql", "QUERY", "", "Index"], {}) == ["query", "sql", "index"]

    def test_two_candidates_for_one_existing_tag_are_one(self) -> None:
        assert choose_tags(["datab", "database"], {"database": 1}) == ["database"]
