"""Tests of the period that a question asks about, and of its words that no source contains."""

import pytest

from app.answers.candidates import list_quotable_sentences
from app.answers.context import build_context
from app.answers.extractive import choose_quotes_for_retrieved
from app.answers.question_period import Period, find_period
from app.answers.refusal import choose_quotes_or_refuse
from app.answers.shapes import Question
from app.answers.unsaid_words import find_unsaid_words_and_said_share
from app.answers.written_by_quotes import answer_by_quotes
from tests.support.retrieval import passage, retrieved


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("Who led Norrland Rail in 2017?", Period(2017, 2017)),
        ("Which league did they play in from Jul 2010 to Jun 2014?", Period(2010, 2014)),
        ("Who led Norrland Rail before 2017?", None),
        ("Who leads Norrland Rail?", None),
        ("Where was the author of the novel that was published in 2017 born?", None),
        ("Who leads the company founded in 1998?", None),
        ("Who runs the club whose president resigned in 2015?", None),
        ("Which emperor lost the war that Napoleon began in 1812?", None),
        ("What is the team that he coached in 2015?", Period(2015, 2015)),
        ("What was the league in which they played from 2010 to 2014?", Period(2010, 2014)),
        ("Who wrote the music of the film Almanach 1999-2000?", None),
        ("Which player who scored in 2014 led the club in 2017?", Period(2014, 2017)),
        ("Wo fand das Sommerfest 2019 statt?", Period(2019, 2019)),
        ("Wer gewann die 1500 Meter?", None),
        ("¿Qué compró la cooperativa La Encina en 2010?", Period(2010, 2010)),
        ("¿Quién corrió 1500 metros?", None),
        ("园艺协会2010年决定了什么?", Period(2010, 2010)),
        ("谁跑了1500米?", None),
        ("町内会は2005年に何を決めましたか?", Period(2005, 2005)),
    ],
)
def test_the_period_that_a_question_asks_about(question: str, period: Period | None) -> None:
    assert find_period(question) == period


@pytest.mark.parametrize(
    ("years", "meets"),
    [([2012], True), ([2001, 2020], True), ([2009], False), ([2016, 2019], False), ([], False)],
)
def test_a_period_is_met_by_a_year_in_it_or_by_years_around_it(years: list[int], meets: bool) -> None:
    assert Period(2010, 2014).includes_any_year(years) is meets


@pytest.mark.parametrize(
    ("quote", "has_begun"),
    [("سجل 500 هدف في 2014", False), ("از سال ۱۳۶۸", True), ("In 2014 it scored 500 goals.", False)],
)
def test_a_small_number_is_no_year_of_another_calendar(quote: str, has_begun: bool) -> None:
    assert Period(1990, 1990).may_claim_have_begun(None, quote) is has_begun


def test_words_that_no_text_has_are_told_in_their_order() -> None:
    unsaid, share = find_unsaid_words_and_said_share(
        "Which harbour did the famous captain of Norrland paint?", ["The captain of Norrland sailed."]
    )
    assert unsaid == ["famous", "paint"]
    assert share == pytest.approx(0.5)


def test_a_language_that_is_not_read_has_no_unsaid_words() -> None:
    assert find_unsaid_words_and_said_share("Кто открыл кислород?", ["Ничего."]) == ([], 1.0)


SEASONS = passage(
    "Norrland Rail was led by Ada Brand in 2012. In 2016 Carl Holm led Norrland Rail. He lives in Falun.",
    title="Norrland Rail",
)


def told(question: str) -> list[str]:
    found = retrieved(SEASONS, question=question)
    return [sentence.text for sentence in answer_by_quotes(Question(question), found, build_context(found))]


def test_only_what_is_told_of_the_time_answers() -> None:
    assert told("Who led Norrland Rail in 2016?")[0].startswith("In 2016 Carl Holm")
    assert told("Who led Norrland Rail from 2010 to 2013?")[0].startswith("Norrland Rail was led by Ada")
    assert told("Who led Norrland Rail in 1994?") == []


def test_a_passage_without_a_year_may_be_about_any_time() -> None:
    undated = passage("Ada Brand led Norrland Rail. She lives in Falun.", title="Norrland Rail")
    found = retrieved(undated, question="Who led Norrland Rail in 1994?")

    assert answer_by_quotes(Question(found.query.text), found, build_context(found))


@pytest.mark.parametrize(("year", "is_period"), [(1938, True), (1950, True), (1969, True), (1975, False)])
def test_what_is_told_between_two_years_lies_between_them(year: int, is_period: bool) -> None:
    ferries = passage(
        "The Alma sailed from 1912 until 1938. The Nordhav replaced her for 31 years. In 1969 another came."
    )
    sources = build_context(retrieved(ferries)).sources
    nordhav = next(
        sentence for sentence in list_quotable_sentences(sources, ()) if "Nordhav" in sentence.text
    )

    assert Period(year, year).may_be_time_of_sentence(nordhav) is is_period


def test_the_years_of_a_life_are_no_time_of_what_is_told() -> None:
    life = passage("Ada Brand (1 May 1930 – 2 June 2005) led Norrland Rail.", title="Ada Brand")
    role = passage("Norrland Rail (1930–2005) was led by Ada Brand.", title="Railways of the north")

    for source, is_answered in ((life, False), (role, True)):
        found = retrieved(source, question="Which company did Ada Brand lead in 1976?")
        assert bool(answer_by_quotes(Question(found.query.text), found, build_context(found))) is is_answered


def test_it_says_for_which_time_nothing_is_told() -> None:
    found = retrieved(SEASONS, question="Who led Norrland Rail in 1994?")
    assert choose_quotes_for_retrieved(found, build_context(found)).reason == (
        "Nothing that was found tells what was asked for 1994."
    )


def test_it_says_which_words_nothing_says() -> None:
    question = "Who painted the tall old green narrow harbour walls and iron gates of Norrland Rail?"
    found = retrieved(SEASONS, question=question)
    quotes = choose_quotes_or_refuse(found, build_context(found), None)
    assert quotes.quotes == ()
    assert quotes.reason is not None
    assert "“painted”, “tall”, “old”, “green”, “narrow”, “harbour”" in quotes.reason
