"""Verification of endings, denials and dates from an extractor against the words of its quote; pure.

A model indicates the words on which each rests (`StatingWords`), and these must be in its quote, in any
language. Output of rules or an import has no such words and is judged by the quote alone.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from app.domain.scoring.stop_words import STOP_WORDS, split_into_word_set
from app.extraction.rules.english.denial_words import SIGNS_OF_DENIAL
from app.extraction.shapes import FoundRelation
from app.extraction.written_years import is_of_other_calendar, list_numbers_that_may_be_years
from app.graph.names import normalise_name
from app.graph.text_folding import fold_quote
from app.graph.validity import DatePoint, Polarity

MAX_REFERENCE_LENGTH = 80
"""Maximum number of characters of the words for an end: "she", "the firm", a verb that implies the agent."""
MAX_YEARS_FROM_REFERENCE = 10
"""Maximum number of years between a document's date and a date relative to it: "last year", "a decade
ago".
"""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# With fewer English function words, or none unique to English, the quote may be in another language, whose
# denials are unknown here. "Am" and "in" are German too.
_MIN_ENGLISH_WORDS = 2
_SHARED_WORDS = split_into_word_set(
    "a all also am an as at by des et in is it man no of on or per plus so to us was we will"
)


def is_phrase_literally_in_quote(phrase: str, quote: str) -> bool:
    """Return whether these words are a literal part of the quote, ignoring white space, case and width."""
    needle = fold_quote(phrase).text.strip()
    return bool(needle) and needle in fold_quote(quote).text


def may_refer_to_entity(phrase: str, quote: str, names: Collection[str]) -> bool:
    """Return whether these words of the quote may refer to an end; `names` are those of all other
    entities.
    """
    return (
        len(phrase) <= MAX_REFERENCE_LENGTH
        and is_phrase_literally_in_quote(phrase, quote)
        and normalise_name(phrase) not in names
    )


def does_quote_deny_or_end(relation: FoundRelation, names: Collection[str] = ()) -> bool:
    """Return whether the quote of a denial denies or ends anything.

    A model has to indicate the words, which must not be a name (`names`). Other quotes are judged if they are
    English.
    """
    if relation.polarity is not Polarity.DENIED:
        return True
    if relation.stating_words is not None:
        denial = relation.stating_words.denial
        return is_phrase_literally_in_quote(denial, relation.quote) and normalise_name(denial) not in names
    words = {word.lower() for word in _WORD.findall(relation.quote)}
    small_words = words & STOP_WORDS
    return (
        not SIGNS_OF_DENIAL.isdisjoint(words)
        or len(small_words) < _MIN_ENGLISH_WORDS
        or small_words <= _SHARED_WORDS
    )


def does_quote_state_replacement_of_claim(relation: FoundRelation, names: Collection[str] = ()) -> bool:
    """Return whether the quote says that the claim takes the place of an earlier one.

    A model has to indicate the words, which must not be a name (`names`).
    """
    if not relation.replaces_earlier or relation.stating_words is None:
        return relation.replaces_earlier
    change = relation.stating_words.change
    return is_phrase_literally_in_quote(change, relation.quote) and normalise_name(change) not in names


def does_quote_name_reporter(relation: FoundRelation) -> bool:
    """Return whether the quote of a report contains the words by which a model names the claimant."""
    if relation.polarity is not Polarity.REPORTED:
        return True
    return relation.stating_words is not None and is_phrase_literally_in_quote(
        relation.stating_words.reporter, relation.quote
    )


def drop_unstated_dates_and_count(
    relation: FoundRelation, drop_counts: Counter[str], reference_date: datetime | None = None
) -> FoundRelation:
    """Return the relation without dates that its quote does not state, or that are in the wrong order.

    The quote contains the year, or a model indicates words in it that are relative to the document's date,
    `reference_date`. A year copied from another calendar is not a Gregorian year. Reasons: date_not_stated,
    date_of_other_calendar.
    """
    if relation.valid_from is None and relation.valid_to is None:
        return relation
    dates = (relation.valid_from, relation.valid_to)
    reasons = {
        _find_reason_to_drop_date(date, relation, reference_date) for date in dates if date is not None
    }
    start_date, end_date = (
        None if date is None or _find_reason_to_drop_date(date, relation, reference_date) else date
        for date in dates
    )
    if start_date is not None and end_date is not None and end_date.at < start_date.at:
        start_date = end_date = None
        reasons = {"date_not_stated"}
    drop_counts.update(reason for reason in reasons if reason is not None)
    return replace(relation, valid_from=start_date, valid_to=end_date)


def _find_reason_to_drop_date(
    date: DatePoint, relation: FoundRelation, reference_date: datetime | None
) -> str | None:
    """Return the reason why a date of a relation is dropped; None if its quote states it."""
    year, reference_year = date.at.year, (reference_date or datetime.now(UTC)).year
    if year in list_numbers_that_may_be_years(relation.quote):
        is_copied = is_of_other_calendar(
            year, relation.quote, reference_year + MAX_YEARS_FROM_REFERENCE, near_year=reference_year
        )
        return "date_of_other_calendar" if is_copied else None
    date_words = relation.stating_words.dates if relation.stating_words is not None else ""
    is_relative = (
        reference_date is not None
        and abs(year - reference_date.year) <= MAX_YEARS_FROM_REFERENCE
        and is_phrase_literally_in_quote(date_words, relation.quote)
        # Words with a year state that year and no other; "3 years ago" has none in any calendar.
        and not list_numbers_that_may_be_years(date_words, min_number=MAX_YEARS_FROM_REFERENCE + 1)
    )
    return None if is_relative else "date_not_stated"
