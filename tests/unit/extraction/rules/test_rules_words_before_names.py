"""Words before a name that are no part of it, and words of a name that are another's (issue 23, item 6)."""

import pytest

from tests.unit.extraction.rules.test_rules_entities import names


@pytest.mark.parametrize("name", ["Brenwick", "Ostrava Nine"])
@pytest.mark.parametrize(
    "text", ["Join {} in Oslo.", "Apparently {} bought Globex.", "Consider {} for the job."]
)
def test_a_verb_or_adverb_that_opens_a_sentence_is_no_part_of_the_name(name: str, text: str) -> None:
    assert name in names(text.format(name))


@pytest.mark.parametrize(
    "name", ["Discover Financial", "Grant Thornton", "Mark Brown", "Visa Europe", "Rose Hill"]
)
def test_a_name_may_begin_with_a_verb(name: str) -> None:
    assert name in names(f"{name} bought Globex.")


def test_a_word_is_not_the_bearer_of_a_title_beside_it() -> None:
    text = "{0} released Captain {0} in 2019. {0} is owned by Globex."
    assert {"Marlow", "Captain Marlow"} <= names(text.format("Marlow"))


def test_a_surname_after_its_bearer_s_title_is_the_bearer_s() -> None:
    assert "Marlow" not in names("Captain Marlow sailed to Oslo. Marlow died there.")
