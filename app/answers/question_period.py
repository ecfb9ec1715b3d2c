"""Find the years that a question asks about, and compare them with the years of sentences; pure.

A sentence answers a question about a period only if the years in it fall into the period or enclose it. A
sentence without years is judged by the years stated before and after it in its passage. A passage without
any year does not tell its time, so that its sentences may answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from app.answers.candidates import Quotable
from app.answers.clause_support import ParsedSentence, parse_question
from app.answers.text_matching import fold_to_spaced_lower_case
from app.documents.language import guess_language
from app.extraction.written_years import list_numbers_that_may_be_years
from app.graph.name_forms import is_interrogative
from app.graph.questions import YearRange, find_period_asked_about, find_year_not_followed_by_noun

_YEARS = range(1_000, 2_100)
_MAX_OTHER_WORDS = 3
"""Maximum number of words by which the name at the beginning of a sentence differs from the title."""
_RELATIONS_WITHIN_NAMES = frozenset(("flat", "compound"))
_ADNOMINAL_RELATIONS = frozenset(("acl", "acl:relcl"))


@dataclass(frozen=True, slots=True)
class Period:
    """The first and last year that a question asks about."""

    first_year: int
    last_year: int

    def __str__(self) -> str:
        return (
            str(self.first_year)
            if self.first_year == self.last_year
            else f"{self.first_year} to {self.last_year}"
        )

    def includes_any_year(self, years: Sequence[int]) -> bool:
        """Return whether one of the years falls into the period, or they enclose it."""
        return any(self.first_year <= year <= self.last_year for year in years) or (
            bool(years) and min(years) <= self.first_year and max(years) >= self.last_year
        )

    def overlaps_years_of(self, text: str) -> bool:
        """Return whether the years in a text overlap with the period, by more than the year in which one ends
        and the other begins. A text without years may.
        """
        years = _list_full_years(text)
        if not years:
            return True
        first_common_year, last_common_year = (
            max(self.first_year, min(years)),
            min(self.last_year, max(years)),
        )
        is_single_year = self.first_year == self.last_year or min(years) == max(years)
        return first_common_year < last_common_year + is_single_year

    def may_claim_have_begun(self, begins_at: datetime | None, quote: str) -> bool:
        """Return whether a claim may be true in the period: it begins, by its date or by the years in its
        quote, before the period ends. A claim without a time may.
        """
        years = (begins_at.year,) if begins_at else _list_full_years(quote)
        return not years or min(years) <= self.last_year

    def may_be_time_of_sentence(self, sentence: Quotable) -> bool:
        """Return whether a sentence is about the period: by its own years, or a year in a title of its
        document. A sentence without years may lie between the last years before it in its passage and the
        next one after it. If passage and titles have no year, it may be about the period. The years in which
        a person lived are not the time of a statement about that person.
        """
        source = sentence.source
        title_years = _list_full_years(" ".join((source.document_title, *source.heading_path)))
        if self.includes_any_year(title_years) or not (title_years or _list_full_years(source.text)):
            return True
        own_years = _list_full_years(_remove_life_dates(sentence.text, source.document_title))
        if own_years:
            return self.includes_any_year(own_years)
        years_before: tuple[int, ...] = ()
        sentence_before = sentence.previous_sentence
        while not years_before and sentence_before is not None:
            years_before = _list_full_years(sentence_before.text)
            sentence_before = sentence_before.previous_sentence
        years_after = _list_full_years(source.text[sentence.start + len(sentence.text) :])
        lies_between = (
            years_before
            and years_after
            and years_before[-1] <= self.first_year
            and self.last_year <= years_after[0]
        )
        return bool(lies_between) or self.includes_any_year(years_before)


@lru_cache(maxsize=2_048)
def _list_full_years(text: str) -> tuple[int, ...]:
    """Return the years in a text that are written with four digits; most smaller numbers are not years."""
    return tuple(
        year for year in list_numbers_that_may_be_years(text, min_number=_YEARS.start) if year in _YEARS
    )


def _remove_life_dates(sentence: str, title: str) -> str:
    """Return the sentence without parentheses behind the title's name at its beginning, and that name."""
    name, opening_bracket, text_after_bracket = sentence.partition("(")
    _, closing_bracket, text = text_after_bracket.partition(")")
    name_words, title_words = (
        set(fold_to_spaced_lower_case(name).split()),
        set(fold_to_spaced_lower_case(title).split()),
    )
    if (
        opening_bracket
        and closing_bracket
        and name_words & title_words
        and len(name_words ^ title_words) <= _MAX_OTHER_WORDS
    ):
        return text
    return sentence


def find_period(question: str) -> Period | None:
    """Return the period that a question asks about; None if there is none.

    In German, and in languages other than English that are read, a single year is a period whatever stands
    before it: "bis 1991" is mostly answered with that year. A year in a name does not count, nor one in a
    clause that identifies a thing ("the player who scored in 2014").
    """
    language = guess_language(question)
    parsed_question = parse_question(question, language)
    years = find_period_asked_about(question)
    if years is None and language != "en":
        years = (
            _find_only_year_as_period(parsed_question)
            if parsed_question is not None
            else find_year_not_followed_by_noun(question)
        )
    if years is None:
        return None
    if parsed_question is not None and all(
        _is_in_name_or_identifying_clause(parsed_question, word_index)
        for word_index, word in enumerate(parsed_question.words)
        if any(str(year) in word for year in years)
    ):
        return None
    return Period(*years)


def _find_only_year_as_period(parsed_question: ParsedSentence) -> YearRange | None:
    """Return the year that a question names, as a period; None if it has none or several, or if the number
    counts a noun behind it.
    """
    indexed_years = [
        (index, int(word))
        for index, word in enumerate(parsed_question.words)
        if word.isdecimal() and int(word) in _YEARS
    ]
    if len(indexed_years) != 1:
        return None
    year_index, year = indexed_years[0]
    head_index = parsed_question.parse.heads[year_index]
    return (
        None
        if head_index > year_index and parsed_question.parse.upos[head_index] == "NOUN"
        else YearRange(year, year)
    )


def _is_in_name_or_identifying_clause(parsed_question: ParsedSentence, word_index: int) -> bool:
    """Return whether a word belongs to a name, or to a clause that identifies a thing.

    False if the clause is about the asked thing, "the team that he coached", or if its relative word has a
    preposition, "the league in which they played".
    """
    parse = parsed_question.parse
    if (
        parse.relations[word_index] in _RELATIONS_WITHIN_NAMES
        and parse.upos[parse.heads[word_index]] == "PROPN"
    ):
        return True
    clause_index = next(
        (
            ancestor_index
            for ancestor_index in (word_index, *parsed_question.iterate_ancestors(word_index))
            if parse.relations[ancestor_index] in _ADNOMINAL_RELATIONS
        ),
        None,
    )
    if clause_index is None or _is_year_asked_for(parsed_question, parse.heads[clause_index]):
        return False
    return not any(
        parse.upos[dependent_index] == "PRON" and parsed_question.list_prepositions(dependent_index)
        for dependent_index in parsed_question.list_descendants(clause_index)
    )


def _is_year_asked_for(parsed_question: ParsedSentence, noun_index: int) -> bool:
    """Return whether a noun is the predicate of the question, or the subject of an interrogative."""
    head_index = parsed_question.parse.heads[noun_index]
    return head_index == noun_index or (
        parsed_question.parse.relations[noun_index] == "nsubj"
        and is_interrogative(parsed_question.words[head_index])
    )
