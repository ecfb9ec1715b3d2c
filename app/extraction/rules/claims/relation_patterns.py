"""Phrases that state a relation between two names, and the claims of places after them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.domain.node_types import GROUPS, PEOPLE, PLACE_TYPES
from app.domain.relation_types import (
    CONTAINMENT_RELATIONS,
    CREATED,
    HEAD_OF,
    LOCATED_IN,
    PROVIDES,
    WORKS_FOR,
)
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.claims.gaps import remove_dates
from app.extraction.rules.claims.nouns import may_place_contain_other
from app.extraction.rules.claims.units import Claim, Unit, claim_between_units, compute_kind_misfit, is_verb
from app.extraction.rules.english.grammar import (
    ADVERBS,
    ARTICLES,
    BE,
    BEFORE_CLAUSE,
    BESIDE_COPULA,
    CLAUSE_ENDS,
    CONTAINING_PREPOSITIONS,
    DETERMINERS,
    FORMS_OF_HAVE,
    INDEFINITE_WORDS,
    LINKING_WORDS,
    LOCATION_PREPOSITIONS,
    OBJECT_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
    VACANT_ROLE_WORDS,
)
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.phrase_patterns import (
    AMBIGUOUS_PHRASES,
    PATTERNS_BY_FIRST_WORD,
    PHRASE_OPENING_NOUNS,
    RELATIONS_EXCLUDING_PARTS,
)
from app.extraction.rules.english.verbless_pairs import IMPLIED_RELATIONS, VERBLESS_PAIRS
from app.extraction.rules.english.words.change_forms import DEPUTY_WORDS
from app.extraction.rules.rule_tables import Pattern
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_DEPUTY_PATTERN = Pattern(WORKS_FOR.name, 0.8, subjects=PEOPLE, objects=GROUPS)


class Trigger(NamedTuple):
    """The index at which a table phrase begins in some words, and its readings with their ends."""

    start: int
    readings: list[tuple[int, Pattern]]


# "the chief executive officer of" has three words before "of".
_MAX_NOUN_WORDS = 4
_PART_PREPOSITIONS = ("of", "to", "for")
_GAPS_BEFORE_PART = frozenset(
    gap
    for gap, readings in VERBLESS_PAIRS.items()
    if gap[-1] == "of"
    and any(
        pair.is_reversed and relation_type.name in CONTAINMENT_RELATIONS for relation_type, pair in readings
    )
)
"""Words between two names of which the second is a place in the first, if it can be: "the Ohio city of
Dayton", but "the Punjab province of Pakistan".
"""
# Words within the description of a noun of a place.
_TRANSPARENT_WORDS = CONTAINING_PREPOSITIONS | DETERMINERS | {"and", "of"}
VERSION_NOUNS = ("version", "edition")
# Maximum number of words after "by".
_MAX_WORDS_AFTER_BY = 6
# Maximum number of words between a verb and its object.
_MAX_WORDS_TO_OBJECT = 9


def find_trigger(gap: list[str]) -> Trigger | None:
    """Return the last phrase of the gap that states a relation: its index, and its readings with their
    ends; None without one.
    """
    best_trigger: Trigger | None = None
    gap_words = tuple(gap)
    index = 0
    while index < len(gap_words):
        rests_with_pattern = PATTERNS_BY_FIRST_WORD.get(gap_words[index])
        phrase_length = 1
        if rests_with_pattern is not None:
            readings = [
                (len(next_words) + 1, pattern)
                for next_words, pattern in rests_with_pattern
                if gap_words[index + 1 : index + 1 + len(next_words)] == next_words
            ]
            # "the published design": a participle after an article states nothing.
            is_modifier = index > 0 and gap_words[index - 1] in ARTICLES
            first_reading_length, first_pattern = readings[0] if readings else (0, None)
            if first_pattern is not None and not (is_modifier and first_pattern.transitive):
                phrase_length = first_reading_length
                best_trigger = Trigger(index, [(index + length, pattern) for length, pattern in readings])
        index += phrase_length
    return best_trigger


class GapWithTrigger(NamedTuple):
    """The words between two names, and the last phrase of them that states a relation, if there is one."""

    gap: list[str]
    trigger: Trigger | None


def find_trigger_with_or_without_dates(gap: list[str]) -> GapWithTrigger:
    """Return the gap with its last stating phrase; without its dates if it has a phrase only then."""
    trigger = find_trigger(gap)
    undated_gap = remove_dates(gap) if trigger is None else []
    undated_trigger = find_trigger(undated_gap) if undated_gap else None
    if undated_trigger is None:
        return GapWithTrigger(gap, trigger)
    return GapWithTrigger(undated_gap, undated_trigger)


def reorder_inverted_phrase(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]
) -> list[str] | None:
    """Return the words between Y and X of an inverted sentence: "is not the CEO of" for "the CEO of X is not
    Y" or "X's CEO is Y".

    None if the sentence is not inverted; [] if Y only begins a description of X's CEO, "is Y's brother".
    """
    verb_index = next(
        (index for index, word in enumerate(gap) if word in BE or word in FORMS_OF_HAVE), len(gap)
    )
    if not gap[verb_index:] or not BESIDE_COPULA.issuperset(gap[verb_index + 1 :]):
        return None
    if verb_index:
        noun_words = gap[1:verb_index] if gap[0] in POSSESSIVES else []
    else:
        noun_words = _find_noun_before_of(sentence.lower[: left_unit.first])
    if (
        not noun_words
        or len(noun_words) > _MAX_NOUN_WORDS
        or not (PREPOSITIONS | VACANT_ROLE_WORDS).isdisjoint(noun_words)
    ):
        return None
    next_words = sentence.lower[right_unit.last : right_unit.last + 1]
    if next_words and (
        next_words[0] in POSSESSIVES or (next_words[0].isalpha() and next_words[0] not in STOP_WORDS)
    ):
        return []
    return [*gap[verb_index:], "the", *noun_words, "of"]


def _find_noun_before_of(words: Sequence[str]) -> list[str]:
    """Return the noun of "the only CEO of" if the words end with it and a clause begins there; else []."""
    of_end = len(words) - (words[-1:] == ["the"])
    if of_end < 2 or words[of_end - 1] != "of":
        return []
    furthest_index = max(0, of_end - 2 - _MAX_NOUN_WORDS)
    article_index = next(
        (index for index in range(of_end - 2, furthest_index - 1, -1) if words[index] in ARTICLES), None
    )
    if article_index is None:
        return []
    is_clause_start = (
        article_index == 0
        or not words[article_index - 1][0].isalpha()
        or words[article_index - 1] in BEFORE_CLAUSE
    )
    return list(words[article_index + 1 : of_end - 1]) if is_clause_start else []


@dataclass(slots=True)
class Phrase:
    """A phrase that states a relation, between the two names that it may join.

    `words_after` are the words after it, `has_form_of_be`: a form of "be" precedes it, `excludes_object`: the
    second name cannot be its object. `is_ambiguous`: what it states depends on the kinds of the names.
    """

    gap: list[str]
    start: int
    words_after: list[str]
    preposition: str | None
    has_form_of_be: bool
    excludes_object: bool
    is_ambiguous: bool
    deduction: float


def match_phrase(gap: list[str], start: int, end: int) -> Phrase | None:
    """Return the phrase at this index of the gap; None if the words after it are too many, a new clause or
    a pronoun.
    """
    next_words = remove_dates(gap[end:])
    if not next_words or next_words[0] not in PREPOSITIONS:
        next_words = gap[end:]  # "held from 1929 to 1930 in"
    # "made her a fellow"
    if (
        len(next_words) > _MAX_WORDS_TO_OBJECT
        or not CLAUSE_ENDS.isdisjoint(next_words)
        or _may_have_other_verb(next_words)
        or "being" in next_words  # "retired from being a judge"
        or (next_words and next_words[0] in OBJECT_PRONOUNS)
    ):
        return None
    preposition = next((word for word in reversed(next_words) if word in PREPOSITIONS), None)
    return Phrase(
        gap,
        start,
        next_words,
        preposition,
        _has_form_of_be(gap[max(0, start - 4) : start]),
        preposition is not None or "," in next_words or not RELATIVE_PRONOUNS.isdisjoint(next_words),
        " ".join(gap[start:end]) in AMBIGUOUS_PHRASES,
        0.0 if len(next_words) <= 4 else 0.1,
    )


def _may_have_other_verb(words: Sequence[str]) -> bool:
    """Return whether the word after "and" may be a verb of its own, whose object the next name is: "employs
    600 people and supplies Acme".
    """
    words_after_and = (
        [word for word in words[words.index("and") + 1 :] if word not in ADVERBS] if "and" in words else []
    )
    return (
        len(words_after_and) == 1
        and words_after_and[0].isalpha()
        and words_after_and[0] not in KIND_OF
        and words_after_and[0] not in STOP_WORDS
    )


def _has_form_of_be(words_before: list[str]) -> bool:
    """Return whether "be" belongs to the verb after these words: not in "is a journalist who founded"."""
    relative_index = next(
        (index for index in range(len(words_before) - 1, -1, -1) if words_before[index] in RELATIVE_PRONOUNS),
        -1,
    )
    return not BE.isdisjoint(words_before[relative_index + 1 :])


def _claim_location(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """Return claims of a place after "in" or "at"."""
    guess_penalty = 0.0 if target.is_certain else 0.1
    if not pattern.transitive:
        kind_misfit = compute_kind_misfit(subject, pattern.subjects)
        confidence = pattern.confidence - kind_misfit - guess_penalty - phrase.deduction
        return claim_between_units(subject, target, pattern.relation, confidence) if kind_misfit < 1.0 else []
    # "was founded in Paris" locates the subject; "founded a school in Paris" does not.
    is_description = phrase.gap[0] in BE and phrase.gap[1] in INDEFINITE_WORDS
    is_passive = (phrase.has_form_of_be or is_description or phrase.gap[0] == ",") and phrase.words_after[
        0
    ] in LOCATION_PREPOSITIONS
    if is_passive and subject.kind not in ("Person", "Location"):
        return claim_between_units(subject, target, LOCATED_IN.name, 0.6 - guess_penalty - phrase.deduction)
    return []


def _claim_location_of_unsure_kind(
    pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit
) -> list[Claim]:
    """Return claims of a name of uncertain kind right after "located in": most likely a place."""
    is_close_to_target = 0 < len(phrase.words_after) <= 2 and phrase.words_after[0] in LOCATION_PREPOSITIONS
    if is_close_to_target and pattern.confidence > 0.8 and target.kind == "Concept" and not target.is_certain:
        return (
            claim_between_units(subject, target, pattern.relation, 0.6)
            if compute_kind_misfit(subject, pattern.subjects) < 1
            else []
        )
    return []


def _is_part_of_other_phrase(sentence: Sentence, phrase: Phrase, subject: Unit, target: Unit) -> bool:
    """Return whether the noun that begins a phrase, "city of", belongs to words before it or to the next
    name, and describes neither the subject nor where it is: "designed by the company of", "sued the city of",
    "the Ohio city of Dayton".
    """
    gap, start = phrase.gap, phrase.start
    noun_index = start + (gap[start] in ARTICLES)
    kind = KIND_OF.get(word_at(gap, noun_index))
    if kind is None:
        return False
    if kind == "Location":
        is_of_target = tuple(gap) in _GAPS_BEFORE_PART and may_place_contain_other(sentence, subject, target)
        return is_of_target or not _may_locate_subject(gap[:noun_index])
    words = [word for word in gap[:noun_index] if word not in DETERMINERS]
    return words[-1:] in (["by"], ["to"], ["from"], ["for"])


def _may_locate_subject(words_before: Sequence[str]) -> bool:
    """Return whether a noun of a place after these words is one that the subject is, or is in.

    "Is a town in the county of", "is in the city of" and "stands on the island of" do; "opened a shop in the
    city of" and "a report about the region of" do not.
    """
    index = len(words_before) - 1
    while index >= 0:
        word = words_before[index]
        if word in LINKING_WORDS or word == ",":
            return True
        if word in CONTAINING_PREPOSITIONS and _is_place_of_verb(words_before, index):
            return True
        # The tables have "city of" and "largest city of" among their phrases of verbs.
        is_plain_verb = (
            is_verb(word) and word not in KIND_OF and word_at(words_before, index - 1) not in DETERMINERS
        )
        is_governor = is_plain_verb or word_at(words_before, index + 1) in DETERMINERS
        if word not in _TRANSPARENT_WORDS and (is_governor or word in PREPOSITIONS):
            return False
        index -= 1
    return True


def _is_place_of_verb(words: Sequence[str], index: int) -> bool:
    """Return whether the preposition at this index follows a verb that says where its subject is: "located
    in", "was held in" and "lies in", but not "arrived in".
    """
    verb = word_at(words, index - 1)
    is_past = verb.endswith("ed") and word_at(words, index - 2) not in ADVERBS
    locates = any(pattern.states_location for _, pattern in PATTERNS_BY_FIRST_WORD.get(verb, ()))
    return locates or (is_verb(verb) and not is_past)


def _does_noun_after_words_describe_subject(words_before: list[str]) -> bool:
    """Return whether a noun after these words describes the subject, and is not a verb's object."""
    for index in range(len(words_before) - 1, -1, -1):
        word = words_before[index]
        if word in LINKING_WORDS or (word == "," and index == 0):
            return True
        if word in ("in", "on") and words_before[index + 1 :] in (["a"], ["an"]):
            return False  # "debuting in an episode of X"
        if words_before[index:] == ["on", "the"]:
            return False  # "on the part of X"
        is_modified = index > 0 and (
            words_before[index - 1] in DETERMINERS or words_before[index - 1].endswith("ly")
        )
        if is_verb(word) and not (is_modified and word.endswith("ed")):
            return False
    return True


def _owns_unnamed_part(words_before: Sequence[str], unit: Unit, prepositions: Sequence[str]) -> bool:
    """Return whether a name only states the owner of a thing, "the engine of Falcon", "the interface to
    Falcon".

    "The town of Lund" is Lund, and "a version of Falcon" Falcon.
    """
    # "An artilleryman of the 21st Brigade"
    while words_before and (words_before[-1] in ARTICLES or words_before[-1][0].isdigit()):
        words_before = words_before[:-1]
    if len(words_before) < 2 or words_before[-1] not in prepositions:
        return False
    noun = words_before[-2]
    kind = KIND_OF.get(noun)
    is_name_itself = kind not in PEOPLE and unit.kind == kind
    is_place = kind in PLACE_TYPES and not unit.is_certain
    is_unnamed_part = not (is_name_itself or is_place or noun in VERSION_NOUNS)
    return is_unnamed_part and noun.isalpha() and noun not in STOP_WORDS


def _is_about_unnamed_part(
    sentence: Sentence, pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit
) -> bool:
    """Return whether something without a name is an end: "The burner of the LR-7 was made by Acme", "due to
    the intervention of Acme".

    What is in the south of Spain is in Spain.
    """
    words_before = sentence.lower[: subject.first]
    if phrase.gap[0] != "," and _owns_unnamed_part(words_before, subject, _PART_PREPOSITIONS):
        return True
    is_place = pattern.states_location and target.kind == "Location"
    return not is_place and _owns_unnamed_part(phrase.words_after, target, ("of",))


def claim_by_phrase(
    sentence: Sentence, pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit
) -> list[Claim]:
    """Return the claims of one reading of a phrase; [] if its form does not match."""
    is_nominal = not pattern.transitive and phrase.gap[phrase.start] in PHRASE_OPENING_NOUNS
    if is_nominal and not _does_noun_after_words_describe_subject(phrase.gap[: phrase.start]):
        return []
    # "Acme: 300 laid off due to": what follows a colon has a subject of its own.
    if ":" in phrase.gap[: phrase.start] and not is_nominal:
        return []
    if _is_part_of_other_phrase(sentence, phrase, subject, target):
        return []
    if _is_about_unnamed_part(sentence, pattern, phrase, subject, target):
        return []
    if pattern.second_name_words is not None and pattern.second_name_words.isdisjoint(
        sentence.lower[target.first : target.last]
    ):
        return []
    if pattern.relation == HEAD_OF.name and phrase.start and phrase.gap[phrase.start - 1] in DEPUTY_WORDS:
        pattern = _DEPUTY_PATTERN  # "The deputy head of Acme" leads no Acme.
    if pattern.states_location and target.kind == "Location" and phrase.preposition in LOCATION_PREPOSITIONS:
        return _claim_location(pattern, phrase, subject, target)
    if pattern.states_location and not pattern.transitive:
        return _claim_location_of_unsure_kind(pattern, phrase, subject, target)
    if pattern.transitive:
        return _claim_by_transitive_verb(sentence, pattern, phrase, subject, target)
    return [] if phrase.excludes_object else _claim_by_pattern(pattern, subject, target, phrase)


def _claim_by_transitive_verb(
    sentence: Sentence, pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit
) -> list[Claim]:
    """Return the claims of "subject verb object", and of its passive."""
    is_target_recipient = word_at(sentence.lower, target.last) == "with"
    if pattern.relation == PROVIDES.name and is_target_recipient:
        return []  # "provides Acme with pumps"
    if phrase.preposition == "by":
        return _claim_by_pattern(pattern, target, subject, phrase) if _is_name_after_by_agent(phrase) else []
    if phrase.has_form_of_be or phrase.excludes_object:
        # "developed at Berkeley": the agent follows "at", with less confidence.
        if pattern.relation == CREATED.name and phrase.preposition == "at" and target.kind == "Organization":
            return claim_between_units(target, subject, CREATED.name, 0.6 - phrase.deduction)
        return []
    if "of" not in phrase.words_after:
        return _claim_by_pattern(pattern, subject, target, phrase)
    if pattern.relation in RELATIONS_EXCLUDING_PARTS:
        return []
    return _claim_by_pattern(pattern, subject, target, phrase, 0.15)


def _claim_by_pattern(
    pattern: Pattern, subject: Unit, target: Unit, phrase: Phrase, deduction: float = 0.0
) -> list[Claim]:
    """Return the claims of a pattern between these ends, if their kinds allow it."""
    source_unit, target_unit = (target, subject) if pattern.is_reversed else (subject, target)
    kind_misfit = compute_kind_misfit(source_unit, pattern.subjects) + compute_kind_misfit(
        target_unit, pattern.objects
    )
    # "Ann Lee joined Falcon": she works for it only if it is surely a group.
    is_told_by_kinds = phrase.is_ambiguous and pattern.second_name_words is None
    is_target_known = pattern.objects is None or target_unit.is_certain
    if kind_misfit >= 1.0 or (is_told_by_kinds and (kind_misfit > 0 or not is_target_known)):
        return []
    confidence = pattern.confidence - kind_misfit - phrase.deduction - deduction
    claims = claim_between_units(source_unit, target_unit, pattern.relation, confidence)
    implied_relation = IMPLIED_RELATIONS.get(pattern.relation)
    # Who is the head of a body works there; who "led" it need not.
    if (
        claims
        and implied_relation is not None
        and not pattern.transitive
        and target_unit.is_certain
        and target_unit.kind in implied_relation.targets
    ):
        claims += claim_between_units(source_unit, target_unit, implied_relation.relation_type, confidence)
    return claims


def _is_name_after_by_agent(phrase: Phrase) -> bool:
    """Return whether the name after "by" is the agent; "designs by Y" contains a noun."""
    gap, next_words = phrase.gap, phrase.words_after
    if gap[phrase.start].endswith("s"):
        return False
    is_close_to_agent = next_words[::-1].index("by") <= _MAX_WORDS_AFTER_BY
    return is_close_to_agent and (
        phrase.has_form_of_be or next_words[0] == "by" or gap[0] == "," or phrase.start > 0
    )
