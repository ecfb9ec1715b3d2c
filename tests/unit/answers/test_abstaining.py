"""Requirement 10.3: nothing is quoted where names are unknown or no source says what is asked."""

from dataclasses import replace
from math import log

import pytest

from app.answers.chooser.features import FEATURE_NAMES
from app.answers.chooser.model import ANY_SCRIPT, Chooser
from app.answers.context import build_context
from app.answers.extractive import DOUBT_FACTOR, choose_quotes_for_retrieved
from app.answers.refusal import (
    choose_quotes_or_refuse,
    explain_missing_words,
    explain_unknown_names,
    is_yes_no_about_unknown_names,
)
from app.answers.shapes import Question
from app.answers.written_by_quotes import answer_by_quotes
from app.retrieval.shapes import Passage
from tests.support.retrieval import node, passage, retrieved

ROSEAU = passage("Roseau is the capital of Dominica. It lies on the coast.", title="Roseau")
SLOVENIA = passage("Slovenia joined the European Union in 2004.", title="Slovenia")
FILM = passage("Jump for Glory is a film by Raoul Walsh.", title="Jump for Glory")
WALSH = passage("Raoul Walsh married Miriam Cooper.", title="Raoul Walsh")


def reason(question: str, *passages: Passage, unknown: tuple[str, ...] = ()) -> str | None:
    found = replace(retrieved(*passages, question=question), unknown_names=unknown)
    if answer_by_quotes(Question(question), found, build_context(found)):
        return None
    return explain_unknown_names(found) or explain_missing_words(found, build_context(found).sources)


@pytest.mark.parametrize(
    ("question", "passages", "unknown"),
    [
        ("What is the capital of Slovenia?", (ROSEAU,), ("Slovenia",)),
        ("What is the capital of Slovenia?", (ROSEAU, SLOVENIA), ()),
        ("Does Raoul Walsh work for Zyxcorp?", (WALSH,), ("Zyxcorp",)),
        ("How many employees does Raoul Walsh have?", (WALSH,), ()),
    ],
)
def test_nothing_is_quoted_where_no_source_says_what_was_asked(
    question: str, passages: tuple[Passage, ...], unknown: tuple[str, ...]
) -> None:
    said = reason(question, *passages, unknown=unknown)
    assert said is not None
    assert (
        said.endswith(("is not answered.", "but none of it says what was asked."))
        or "but says nothing of" in said
    )
    assert all(name in said for name in unknown)


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("What is the capital of Dominica?", (ROSEAU,)),
        ("Whom did Raoul Walsh marry?", (WALSH,)),
        ("Who is the wife of the director of Jump for Glory?", (FILM, WALSH)),
        ("What about Slovenia?", (SLOVENIA,)),
        ("Tell me about Raoul Walsh.", (WALSH,)),
        ("Which is older, Slovenia or Roseau?", (ROSEAU, SLOVENIA)),
        ("what is a capital", (ROSEAU,)),
        ("斯洛文尼亚的首都是哪里？", (ROSEAU,)),
    ],
)
def test_what_may_be_answered_is_not_refused(question: str, passages: tuple[Passage, ...]) -> None:
    assert reason(question, *passages) is None


def quoted(question: str, *passages: Passage, anchors: tuple[str, ...] = ()) -> list[str]:
    found = retrieved(*passages, question=question, anchors=tuple(map(node, anchors)))
    return [sentence.text for sentence in answer_by_quotes(Question(question), found, build_context(found))]


def test_a_sentence_that_goes_on_from_the_likeliest_is_quoted_with_it() -> None:
    keller = passage("Peter Keller works for Nordwind. He lives in Kiel.")
    said = quoted("Where does Peter Keller live?", keller, anchors=("Peter Keller",))
    assert any("Kiel" in sentence for sentence in said)


def test_of_what_is_as_likely_the_more_trusted_is_quoted_first() -> None:
    said, doubted = "The wife of Raoul Walsh was Miriam Cooper.", "The wife of Raoul Walsh was Anna Walker."
    for trust, first in ((1.0, doubted), (0.2, said)):
        quotes = quoted("Who was the wife of Raoul Walsh?", passage(doubted, trust=trust), passage(said))
        assert quotes[0] == first


def test_a_later_source_that_says_all_of_the_question_stands_beside_the_likeliest() -> None:
    moved = passage("In 2021 Ostara Group moved its headquarters to Bristol.")
    seat = passage("Ostara Group is headquartered in Leeds.")
    said = quoted("Where is Ostara Group headquartered?", seat, moved)
    assert any("Leeds" in sentence for sentence in said)
    assert any("Bristol" in sentence for sentence in said)


def chooser_of(likelihood: float, threshold: float, **thresholds: float) -> Chooser:
    """A chooser by which each sentence answers with this likelihood."""
    return Chooser.from_weights(
        {
            "features": list(FEATURE_NAMES),
            "bias": [0.0, 0.0, 0.0],
            "kinds": {},
            "common_words": {},
            "trees": [[[log(likelihood / (1 - likelihood))]]],
            "thresholds": {ANY_SCRIPT: threshold, **thresholds},
            "sure": 1.0,
        }
    )


@pytest.mark.parametrize(
    ("question", "is_refused"),
    [
        ("What is the capital of Slovenia?", True),
        # No sentence has "currency", so it may be said in other words.
        ("What is the currency of Slovenia?", False),
        ("What does Slovenia border?", False),
    ],
)
def test_in_a_small_space_words_that_are_said_of_something_else_answer_nothing(
    question: str, is_refused: bool
) -> None:
    both = passage("Roseau is the capital of Dominica. Slovenia borders Italy.", title="Notes")
    found = retrieved(both, question=question)
    quotes = choose_quotes_or_refuse(found, build_context(found), chooser_of(0.9, 0.05))
    assert (quotes.quotes == ()) is is_refused


@pytest.mark.parametrize("likelihood", [0.1, 0.4, 0.9])
def test_a_passage_without_most_of_the_words_answers_where_its_sentence_is_likelier(
    likelihood: float,
) -> None:
    question = "Who painted the tall old green narrow harbour walls and iron gates of Raoul Walsh?"
    found = retrieved(WALSH, question=question)
    for threshold, is_answered in ((0.9 * likelihood, False), (0.9 * DOUBT_FACTOR * likelihood, True)):
        chooser = chooser_of(likelihood, threshold)
        quotes = choose_quotes_for_retrieved(found, build_context(found), chooser=chooser)
        assert bool(quotes.quotes) is is_answered
        if is_answered:
            assert quotes.likelihood == pytest.approx(DOUBT_FACTOR * likelihood)
        else:
            assert quotes.reason is not None
            assert "“painted”" in quotes.reason


@pytest.mark.parametrize("likelihood", [0.1, 0.4, 0.9])
def test_names_without_a_word_of_what_is_asked_answer_where_the_sentence_is_likelier(
    likelihood: float,
) -> None:
    question = "Where was Raoul Walsh?"
    asked = "How many employees does Raoul Walsh have?"
    others = (passage("It rained."), passage("It snowed."), passage("It froze."))
    for text, factor, is_answered in (
        (question, 0.9, True),
        (asked, 0.9, False),
        (asked, 1.1 * DOUBT_FACTOR, False),
        (asked, 0.9 * DOUBT_FACTOR, True),
    ):
        found = retrieved(WALSH, *others, question=text)
        chooser = chooser_of(likelihood, factor * likelihood)
        quotes = choose_quotes_or_refuse(found, build_context(found), chooser).quotes
        assert bool(quotes) is is_answered


def test_a_question_about_several_things_has_a_threshold_of_its_own() -> None:
    for question, is_answered in (
        ("Who is Raoul Walsh's wife?", False),
        ("Did Raoul Walsh wed Cooper?", True),
    ):
        found = retrieved(WALSH, question=question)
        chooser = chooser_of(0.5, 0.6, **{"Latin several": 0.4})
        assert bool(choose_quotes_or_refuse(found, build_context(found), chooser).quotes) is is_answered


def test_a_name_whose_texts_are_gone_is_unknown() -> None:
    walsh, cooper = node("Raoul Walsh"), node("Miriam Cooper")._replace(mention_count=0)
    question = "Did Raoul Walsh direct Miriam Cooper?"
    found = retrieved(WALSH, question=question, anchors=(walsh, cooper))
    said = explain_unknown_names(found)
    assert said == "Nothing in this space speaks of “Miriam Cooper”, so the question is not answered."


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Does Raoul Walsh work for Zyxcorp?", True),
        ("Is Zyxcorp owned by Raoul Walsh?", True),
        ("Who works for Zyxcorp?", False),
        ("Does Raoul Walsh direct?", False),
    ],
)
def test_no_model_is_asked_for_yes_or_no_about_an_unknown_name(question: str, asks: bool) -> None:
    found = replace(retrieved(WALSH, question=question), unknown_names=("Zyxcorp",))
    assert is_yes_no_about_unknown_names(found) is asks
