"""Time spans in a sentence, and their assignment to the claims between two names."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from re import Match

from app.extraction.rules.claims.units import Claim, Unit, is_verb
from app.extraction.rules.english.date_patterns import (
    ANY_YEAR,
    DATE_SPAN,
    END_DATE_WORDS,
    MONTH_NUMBER_BY_PREFIX,
    SINGLE_DATE,
    START_DATE_WORDS,
    WRITTEN_DATE,
)
from app.extraction.rules.english.denial_words import FORMER_STATE_WORDS, REPLACEMENT_WORDS
from app.extraction.rules.english.grammar import (
    CLAUSE_BOUNDARIES,
    CLAUSE_ENDS,
    DETERMINERS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.past.former_states import PLUPERFECT
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.validity import DatePoint, Polarity, Precision

# Maximum distance of a date after a name for which it applies to the name's claim.
_MAX_WORDS_TO_DATE = 6


@dataclass(frozen=True, slots=True)
class Span:
    """The words `first` to `last` (exclusive) of a sentence that state a start or end, in a bracket or not.

    A `is_point` is a single time, "in 2012"; a denial with it does not say since when.
    """

    first: int
    last: int
    start_date: DatePoint | None
    end_date: DatePoint | None
    is_bracketed: bool = False
    is_point: bool = False


def parse_written_date(date_text: str) -> DatePoint | None:
    """Return the date that these words write; None if the calendar has no such day."""
    match = WRITTEN_DATE.fullmatch(date_text.strip())
    return None if match is None else _parse_date_match(match)


def _parse_date_match(match: Match[str]) -> DatePoint | None:
    try:
        if match["iso"]:
            return DatePoint(datetime.fromisoformat(match["iso"]).replace(tzinfo=UTC), Precision.DAY)
        year = int(match["year"] or match["year2"] or match["year3"] or match["year4"])
        month_name = match["month"] or match["month2"] or match["month3"]
        if not month_name:
            return DatePoint(datetime(year, 1, 1, tzinfo=UTC), Precision.YEAR)
        month, day = MONTH_NUMBER_BY_PREFIX[month_name[:3].lower()], match["day"] or match["day2"]
        precision = Precision.DAY if day else Precision.MONTH
        return DatePoint(datetime(year, month, int(day or 1), tzinfo=UTC), precision)
    except ValueError:
        return None


def find_time_spans(text: str, sentence: Sentence) -> list[Span]:
    """Return the time spans in the sentence, in order."""
    lower_text = text[sentence.start : sentence.end].lower()
    if ANY_YEAR.search(lower_text) is None:
        return []
    dated_ranges: list[tuple[int, int, DatePoint | None, DatePoint | None, bool]] = []
    for pattern, stated_ends in (
        (DATE_SPAN, "both"),
        (END_DATE_WORDS, "until"),
        (START_DATE_WORDS, "since"),
        (SINGLE_DATE, "since"),
    ):
        for date_match in pattern.finditer(lower_text):
            dates = [parse_written_date(date_text) for date_text in date_match.groups() if date_text]
            if None in dates or any(
                date_start < date_match.end() and date_match.start() < date_end
                for date_start, date_end, *_ in dated_ranges
            ):
                continue
            start_date = dates[0] if stated_ends != "until" else None
            end_date = dates[-1] if stated_ends != "since" else None
            if start_date is None or end_date is None or start_date.at <= end_date.at:
                dated_ranges.append(
                    (date_match.start(), date_match.end(), start_date, end_date, pattern is SINGLE_DATE)
                )
    return [
        Span(
            bisect_left(sentence.starts, sentence.start + date_start),
            bisect_left(sentence.starts, sentence.start + date_end),
            start_date,
            end_date,
            lower_text.rfind("(", 0, date_start + 1) > lower_text.rfind(")", 0, date_start + 1),
            is_point,
        )
        for date_start, date_end, start_date, end_date, is_point in sorted(
            dated_ranges, key=lambda dated_range: dated_range[0]
        )
    ]


def find_span_of_claim(
    sentence: Sentence, spans: Sequence[Span], units: Sequence[Unit], index: int
) -> Span | None:
    """Return the span that applies to the claim between this unit and the next one; None if there is none."""
    if not spans:
        return None
    left_unit, right_unit = units[index], units[index + 1]
    next_index = index + 2
    # "Left Acme for Zeta in 2020": the date applies to both.
    while next_index < len(units) and _does_unit_replace_previous_one(sentence, units, next_index):
        right_unit, next_index = units[next_index], next_index + 1
    search_end = units[next_index].first if next_index < len(units) else len(sentence.lower)
    # "…, and until 2023 Acme was in Oslo": an opening date applies to its clause only.
    opening_span = next(
        (span for span in spans if _is_opening_date_of_clause(sentence, span, left_unit)), None
    )
    if opening_span is not None:
        return opening_span
    for span in spans:
        if right_unit.last <= span.first < search_end and does_statement_continue(
            sentence.lower[right_unit.last : span.first]
        ):
            return span
    right_unit = units[index + 1]
    for span in spans:
        # "Ann Lee (2010–2016) was succeeded by Bob": the span applies to Ann Lee, not to the succession.
        is_life_span = span.is_bracketed and left_unit.kind == "Person"
        is_between = left_unit.last <= span.first and span.last <= right_unit.first and not is_life_span
        words_after = sentence.lower[span.last : right_unit.first]
        # "Left Acme in 2022 and now teaches at": the date is that of the first verb.
        if is_between and "," not in words_after and not begins_other_predicate(words_after):
            return span
    # "In 2019, Bob left Acme": a date before the first name applies to the whole clause.
    return next((span for span in spans if span.last <= units[0].first), None)


def _is_opening_date_of_clause(sentence: Sentence, span: Span, unit: Unit) -> bool:
    """Return whether a date is between the beginning of a clause and its subject."""
    words_between = sentence.lower[span.last : unit.first]
    is_at_opening = span.first == 0 or word_at(sentence.lower, span.first - 1) in CLAUSE_BOUNDARIES
    return (
        is_at_opening
        and span.last <= unit.first
        and all(word in DETERMINERS or word == "," for word in words_between)
    )


def _does_unit_replace_previous_one(sentence: Sentence, units: Sequence[Unit], index: int) -> bool:
    """Return whether the unit replaces the one before it: "Acme for Zeta"."""
    return " ".join(sentence.lower[units[index - 1].last : units[index].first]) in REPLACEMENT_WORDS


def does_statement_continue(words: Sequence[str]) -> bool:
    """Return whether the words after these still belong to the statement before them."""
    return len(words) <= _MAX_WORDS_TO_DATE and not any(
        word in CLAUSE_ENDS or word in RELATIVE_PRONOUNS or word == "and" or is_verb(word) for word in words
    )


def begins_other_predicate(words: Sequence[str]) -> bool:
    """Return whether a relative clause, or a further verb in the present, begins within these words.

    "Left Acme in 2009 and joined Zeta" states one time, "and lives in Oslo" another.
    """
    words_after_and = words[words.index("and") :] if "and" in words else ()
    return not RELATIVE_PRONOUNS.isdisjoint(words) or any(
        is_verb(word) and (word.endswith("s") or word == "are") and word != "was" for word in words_after_and
    )


def apply_time_span_to_claim(claim: Claim, span: Span, denial_phrase: str) -> Claim:
    """Return the claim with its time; `denial_phrase` is the phrase that denied it, if any."""
    if claim.polarity is Polarity.ASSERTED:
        return replace(claim, start_date=span.start_date, end_date=span.end_date)
    if denial_phrase in FORMER_STATE_WORDS and span.end_date is not None:
        return replace(claim, polarity=Polarity.ASSERTED, start_date=span.start_date, end_date=span.end_date)
    if denial_phrase in FORMER_STATE_WORDS and span.is_point:
        return claim  # "Formerly worked for Acme in 2012": it was over some time after.
    if denial_phrase.startswith(PLUPERFECT):
        return replace(claim, polarity=Polarity.ASSERTED, start_date=span.start_date)
    if span.start_date is None:
        # "Did not work for Acme until 2019": from then on it did.
        return replace(claim, polarity=Polarity.ASSERTED, start_date=span.end_date)
    return replace(claim, start_date=span.start_date)
