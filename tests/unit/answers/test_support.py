"""Requirement 10.2: a sentence is supported where its sources say it, not where they say another thing."""

import pytest

from app.answers.shapes import Source
from app.answers.support import judge_support, list_numbers_and_months
from app.ids import ChunkId, DocumentId, create_id

TEXT = (
    "Ada Lovelace wrote the first program in 1843. Charles Babbage designed the engine. It was never built. "
    "Bob Stone no longer works for Acme. He earned 1,500 pounds on 2 May 1840."
)


def source(text: str = TEXT, title: str = "Engines") -> Source:
    return Source(1, ChunkId(create_id()), DocumentId(create_id()), title, ("History",), text, 0)


@pytest.mark.parametrize(
    "text",
    [
        "Ada Lovelace wrote the first program in 1843.",
        "The first program was written in 1843 by Ada Lovelace.",
        "The engine, which Charles Babbage designed, was never built.",
        "Babbage designed it.",
        "On 1840-05-02 he earned 1500 pounds.",
        "So it is.",
    ],
)
def test_what_the_sources_say_is_supported(text: str) -> None:
    assert judge_support(text, [source()]) is True


@pytest.mark.parametrize(
    "text",
    [
        "Bananas are yellow.",
        "Ada Lovelace founded a bakery near Leeds.",
        "Ada Lovelace wrote the first program in 1844.",
        "Ada Lovelace wrote the first program in 1840.",
        "Ada Lovelace did not write the first program in 1843.",
        "Charles Babbage never designed the engine.",
        "Bob Stone works for Acme.",
        "On 2 June 1840 he earned 1,500 pounds.",
        "Two engines were designed by Charles Babbage.",
    ],
)
def test_other_words_another_number_or_the_opposite_is_not(text: str) -> None:
    assert judge_support(text, [source()]) is False


def test_nothing_is_supported_without_a_source() -> None:
    assert not judge_support("Babbage designed it.", [])


def test_sources_support_together_what_each_says_a_part_of() -> None:
    one, other = source("Kestrel owns Harbor Books."), source("Harbor Books was founded in 1998.")
    said = "Kestrel owns Harbor Books, which was founded in 1998."
    assert judge_support(said, [one, other])
    assert not judge_support(said, [one])


def test_what_is_denied_of_a_thing_in_passing_denies_nothing_else() -> None:
    about = source("Ada Lovelace made tables for engines that do not exist. He denied that Bob Stone helped.")
    assert judge_support("Ada Lovelace made tables for engines.", [about])
    assert not judge_support("Bob Stone often helped.", [about])


def test_a_title_says_what_its_text_speaks_of() -> None:
    assert judge_support("Grace Hopper was born in 1906.", [source("She was born in 1906.", "Grace Hopper")])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("1,843 and 1843", {"1843"}),
        ("12 May 2001, 2001-05-12", {"12", "month 5", "2001"}),
        ("He may go in March.", set()),
        ("three of 3.5 million", {"3", "3.5"}),
        ("in September", {"month 9"}),
    ],
)
def test_figures_have_one_form(text: str, found: set[str]) -> None:
    assert list_numbers_and_months(text) == found


def test_a_number_of_a_sentence_about_half_as_much_stands_for_it() -> None:
    """From half of the likest sentence's shared words on, a sentence is about the same."""
    likest = "Ada Lovelace wrote the first famous program."
    half = "Ada Lovelace wrote in 1843."
    assert judge_support("Ada Lovelace wrote the first famous program 1843.", [source(f"{likest} {half}")])
    less = "Ada lived in 1843."
    assert not judge_support(
        "Ada Lovelace wrote the first famous program 1843.", [source(f"{likest} {less}")]
    )


def test_a_number_of_a_sentence_with_no_word_in_common_proves_nothing() -> None:
    assert not judge_support("Bananas 1843.", [source("The engine was built in 1843.", "Bananas")])


MADE_FALSE = "Ada Lovelace hired Charles Babbage in 1840. The northern office opened after the war."


@pytest.mark.parametrize(
    "text",
    [
        "Charles Babbage hired Ada Lovelace in 1840.",
        "Grace Hopper hired Charles Babbage in 1840.",
        "Ada Lovelace wanted to hire Charles Babbage.",
        "Ada Lovelace may have hired Charles Babbage in 1840.",
        "Ada Lovelace was hired by Charles Babbage in 1840.",
    ],
)
def test_another_role_name_or_modality_is_not_supported(text: str) -> None:
    assert judge_support(text, [source(MADE_FALSE)]) is False


@pytest.mark.parametrize(
    "text",
    [
        "In 1840, Ada Lovelace hired Charles Babbage.",
        "Charles Babbage was hired by Ada Lovelace in 1840.",
        "Ada Lovelace hired Charles Babbage.",
    ],
)
def test_the_same_in_another_order_or_voice_is_supported(text: str) -> None:
    assert judge_support(text, [source(MADE_FALSE)]) is True


@pytest.mark.parametrize(
    "text",
    [
        "The southern office opened after the war.",
        "The northern office opened before the war.",
        "Ada Lovelace plans to hire Charles Babbage.",
    ],
)
def test_nothing_tells_whether_another_word_says_the_same(text: str) -> None:
    """It may be the same in other words, or the opposite."""
    assert judge_support(text, [source(MADE_FALSE)]) is None


def test_what_is_only_planned_does_not_support_that_it_was_done() -> None:
    planned = source("Ada Lovelace planned to hire Charles Babbage in 1840.")
    assert judge_support("Ada Lovelace hired Charles Babbage in 1840.", [planned]) is False


def test_a_part_of_a_sentence_is_not_supported_by_what_denies_it() -> None:
    denied = source("It is not true that Ada Lovelace hired Charles Babbage.")
    assert judge_support("Ada Lovelace hired Charles Babbage.", [denied]) is not True


def test_a_language_that_is_not_read_is_supported_word_for_word_alone() -> None:
    told = "Die Gründerin stellte im Jahr 1840 den Ingenieur ein. Das Büro liegt im Norden der Stadt."
    german = source(told)
    assert judge_support("Das Büro liegt im Norden der Stadt.", [german]) is True
    assert judge_support("Im Jahr 1840 stellte der Ingenieur die Gründerin ein.", [german]) is None
    assert (
        judge_support("The office lies in the north of the city, and it was opened early.", [german]) is None
    )
