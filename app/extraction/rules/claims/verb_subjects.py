"""The subject of a verb: the name before it, the running subject of the clause, or an unnamed one."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from app.extraction.rules.claims.gaps import remove_dates
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    find_word_before_description,
    is_governed_by_preposition,
    is_verb,
    list_words_of_description_until,
)
from app.extraction.rules.english.grammar import (
    ADVERBS,
    ARTICLES,
    BE,
    CLAUSE_ENDS,
    COMPANIONS,
    DETERMINERS,
    OPENS_APPOSITION,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD, PHRASE_OPENING_NOUNS
from app.extraction.rules.english.verb_subject_table import SUBJECT_ROWS
from app.extraction.rules.english.words.succession_forms import WORDS_BEFORE_SUCCEEDED_NAME
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.rule_tables import Cue, SubjectRow, VerbSubject
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_CONJUNCTIONS = frozenset(("and", "or"))
_ARTICLE_GAPS = (["the"], ["a"], ["an"])
_GAPS_BEFORE_OFFICE = (["as"], ["at"], ["in"], ["for"], ["with"])


class UnsureSubject(NamedTuple):
    """The subject of a verb, and a deduction for its uncertainty."""

    unit: Unit
    deduction: float


def is_neutral_word(word: str) -> bool:
    """Return whether a word between a name and its verb has no effect: an adverb, an auxiliary, a year."""
    return word in ADVERBS or word.endswith("ly") or word.isdigit()


def find_subject_of_verb(
    sentence: Sentence, unit: Unit, words_before: list[str], is_passive: bool, clause_subject: Unit | None
) -> UnsureSubject | None:
    """Return the subject of the verb after these words, and a deduction for its uncertainty; None if it is
    unnamed.

    `unit` is the name before the words, `clause_subject` the subject of the clause so far.
    """
    cues = _sum_present_cues(sentence, unit, words_before, is_passive, clause_subject)
    row = _find_subject_row(cues)
    if row.subject is VerbSubject.NOBODY:
        return None
    if row.subject is VerbSubject.CLAUSE:
        return UnsureSubject(clause_subject, row.deduction) if clause_subject is not None else None
    return UnsureSubject(unit, row.deduction)


# Only few of the possible combinations of cues occur.
@lru_cache(maxsize=4_096)
def _find_subject_row(cues: int) -> SubjectRow:
    return next(
        row
        for row in SUBJECT_ROWS
        if cues & row.required_cues == row.required_cues and not cues & row.excluded_cues
    )


def _sum_present_cues(
    sentence: Sentence, unit: Unit, words_before: list[str], is_passive: bool, clause_subject: Unit | None
) -> int:
    """Return the sum of the cues that are present."""
    if (
        words_before[-1:] in _ARTICLE_GAPS
        and words_before[-2:-1]
        and words_before[-2] in BE
        and not RELATIVE_PRONOUNS.isdisjoint(words_before[-3:-2])
    ):
        words_before = words_before[:-1]  # "Who was the CEO of Acme" and "who was CEO of Acme"
    words = [word for word in words_before if not is_neutral_word(word) and word not in QUOTES]
    has_and = "and" in words_before
    joins_clauses = has_and or words[-1:] == [","]
    return (
        Cue.CLAUSE_END * (not CLAUSE_ENDS.isdisjoint(words))
        + Cue.RELATIVE * (words != [] and words[-1] in RELATIVE_PRONOUNS)
        + Cue.INNER_RELATIVE * (not RELATIVE_PRONOUNS.isdisjoint(words[1:]))
        + Cue.WHO * (words[-1:] == ["who"])
        + Cue.ONLY_THAT * (words == ["that"])
        + Cue.MANY_WORDS * (len(words) > 2)
        + Cue.POSSESSIVE * (words_before != [] and words_before[0] in POSSESSIVES)
        + Cue.OWN_SUBJECT * (not _CONJUNCTIONS.isdisjoint(words_before) and _has_own_subject(words_before))
        + Cue.ADJACENT * (not words and not joins_clauses)
        + Cue.JOINED * joins_clauses
        + Cue.COMMA * (words[:1] == [","])
        # "…, is now the head of" continues with the clause's subject.
        + Cue.APPOSITION * (len(words) > 1 and words[1] in OPENS_APPOSITION and words_before[1] not in BE)
        + Cue.WITH_FORM_OF_BE * (not BE.isdisjoint(words_before))
        + Cue.PASSIVE * is_passive
        + Cue.WITH_AND * has_and
        + Cue.PREDICATE * _do_words_describe_name_and_continue(words_before)
        + Cue.DESCRIBED * _is_name_part_of_subject_description(sentence, unit, clause_subject)
        + Cue.ENDS_ASIDE * _do_words_end_aside_of_subject(sentence, unit, words_before, clause_subject)
        + _sum_present_cues_of_names(sentence, unit, clause_subject)
    )


def _sum_present_cues_of_names(sentence: Sentence, unit: Unit, clause_subject: Unit | None) -> int:
    """Return the cues of the name itself and of the clause's subject."""
    return (
        Cue.OBLIQUE * is_governed_by_preposition(sentence, unit)
        + Cue.BY_WORD * (find_word_before_description(sentence, unit) == "by")
        + Cue.NO_PERSON * (unit.is_certain and unit.kind != "Person")
        + Cue.PERSON * (unit.is_certain and unit.kind == "Person")
        + Cue.IN_CLAUSE * (clause_subject is not None)
        + Cue.OTHER_CLAUSE * (clause_subject is not None and clause_subject is not unit)
        + Cue.CLAUSE_OF_PERSON * (clause_subject is not None and clause_subject.kind == "Person")
    )


def _do_words_describe_name_and_continue(words_before: list[str]) -> bool:
    """Return whether the words describe a name and continue with a relative clause: "is a French painter
    who".
    """
    words = [
        word
        for word in remove_dates(words_before) or words_before
        if not word.endswith("ly") and word not in QUOTES
    ]
    while words and is_neutral_word(words[-1]):
        words.pop()
    while len(words) > 1 and (words[0] in ADVERBS - BE or (words[0] == "," and words[1] in BE)):
        words.pop(0)  # "Ann Lee, known as Lia, is a painter who"
    if len(words) < 4 or words[-1] not in RELATIVE_PRONOUNS or words[0] not in BE | {","}:
        return False
    inner_words = words[2:-1]
    inner_words = inner_words[:-1] if inner_words[-1] == "," else inner_words
    return words[1] in ("a", "an", "the", "one") and all(
        word[0].isalnum() and word not in PREPOSITIONS and word not in RELATIVE_PRONOUNS and word != "of"
        for word in inner_words
    )


def _is_name_part_of_subject_description(sentence: Sentence, unit: Unit, clause_subject: Unit | None) -> bool:
    """Return whether the name is part of a description of the clause's subject: "X is a sequel to Y"."""
    if (
        clause_subject is None
        or clause_subject is unit
        or (clause_subject.is_certain and clause_subject.kind == "Person")
    ):
        return False
    words = list_words_of_description_until(sentence, clause_subject, unit)
    return words[1:2] in (["a"], ["an"]) and "," not in words


def _do_words_end_aside_of_subject(
    sentence: Sentence, unit: Unit, words_before: list[str], clause_subject: Unit | None
) -> bool:
    """Return whether an aside begins right after the clause's subject and ends before "is": "X, owned by A
    until 2018, is".
    """
    if clause_subject is None or clause_subject is unit or "," not in words_before:
        return False
    aside_words = [*sentence.lower[clause_subject.last : unit.first], *words_before]
    closing_index = len(aside_words) - words_before[::-1].index(",") - 1
    words_after_aside = aside_words[closing_index + 1 :]
    return (
        aside_words[0] == ","
        and not BE.isdisjoint(words_after_aside)
        and all(map(is_neutral_word, words_after_aside))
        and CLAUSE_ENDS.isdisjoint(remove_dates(aside_words) or aside_words)
        and not any(pair == (",", "and") for pair in pairwise(aside_words))
    )


def _has_own_subject(words_before: list[str]) -> bool:
    """Return whether a noun is between the last "and" or "or" and the verb, without a comma between them."""
    if words_before[-1] == ",":
        return False
    conjunction_index = max(index for index, word in enumerate(words_before) if word in _CONJUNCTIONS)
    clause_words = words_before[conjunction_index + 1 :]
    return any(
        word.isalpha() and not is_neutral_word(word) and word not in COMPANIONS | ARTICLES
        for word in clause_words
    )


def is_office_of_successor(sentence: Sentence, unit: Unit, gap: list[str]) -> bool:
    """Return whether the office after a name is that of the successor: "as head of" of "replaced Bob as
    head of".
    """
    if gap[:1] not in _GAPS_BEFORE_OFFICE:
        return False
    index = unit.first
    while index > 0 and (sentence.lower[index - 1] in DETERMINERS or sentence.lower[index - 1] in KIND_OF):
        index -= 1  # "her father Bob Ray"
    return WORDS_BEFORE_SUCCEEDED_NAME.search(" ".join(sentence.lower[max(0, index - 4) : index])) is not None


def is_second_noun(gap: list[str], start: int) -> bool:
    """Return whether a noun is the second one of a description: "is a retired player and a host on"."""
    words_before = gap[:start]
    if gap[start] not in PHRASE_OPENING_NOUNS or "and" not in words_before or "," in words_before:
        return False
    is_description = gap[0] in BE and gap[1] in ARTICLES and gap[gap.index("and") + 1] in ARTICLES
    return is_description and _do_words_contain_no_verb(gap[1:start])


def _do_words_contain_no_verb(words: list[str]) -> bool:
    """Return whether the words contain no verb; a participle after an article is none: "a retired player"."""
    return not any(
        is_verb(word) and not (word.endswith("ed") and index > 0 and words[index - 1] in ARTICLES)
        for index, word in enumerate(words)
    )


def claim_by_relative_clause(
    sentence: Sentence, gap: list[str], left_unit: Unit, right_unit: Unit
) -> Iterator[Claim]:
    """Yield the claims of "X, which Y made in 1990": Y is the subject and X the object of a verb without
    another object.
    """
    if gap not in ([",", "which"], ["which"], ["that"], [",", "that"]) or is_governed_by_preposition(
        sentence, left_unit
    ):
        return
    index = right_unit.last
    while index < len(sentence.lower) and is_neutral_word(sentence.lower[index]):
        if sentence.lower[index] in BE:
            return
        index += 1
    next_word = word_at(sentence.lower, index + 1, ".")
    if index < len(sentence.lower) and (next_word in PREPOSITIONS or not next_word[0].isalnum()):
        for particles, pattern in PATTERNS_BY_FIRST_WORD.get(sentence.lower[index], ()):
            if not particles and pattern.transitive and not pattern.is_reversed:
                yield from claim_between_units(
                    right_unit, left_unit, pattern.relation, pattern.confidence - 0.15
                )
