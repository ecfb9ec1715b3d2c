"""Claims of descriptions: the nationality of a thing ("an Austrian composer"), and its place ("a village
in").
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from app.domain.relation_types import BORN_IN, CITIZEN_OF, LOCATED_IN, ORIGINATES_IN
from app.domain.scoring.stop_words import split_into_word_set
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    compute_kind_misfit,
    is_governed_by_preposition,
    list_words_of_description_until,
)
from app.extraction.rules.english.grammar import (
    ADVERBS,
    BE,
    CONTAINING_PREPOSITIONS,
    DASHES,
    DETERMINERS,
    FORMS_OF_HAVE,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.english.lexicon import HONORIFICS, KIND_OF
from app.extraction.rules.english.location_words import SHORES
from app.extraction.rules.english.nations import COUNTRIES, COUNTRY_BY_ADJECTIVE, NATIONALITY_RELATION_BY_KIND
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD, PHRASE_OPENING_NOUNS
from app.extraction.rules.name_kinds import find_kind_of_noun_phrase
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_CONFIDENCE = 0.8
_PLACE_CONFIDENCE = 0.75
_MAX_DESCRIPTION_WORDS, _MAX_WORDS_BEFORE_PLACE = 9, 7
_OPENING_WORDS = split_into_word_set("a an the one")
_OPENS_DESCRIPTION = BE | DASHES | {","}
_ENDS_DESCRIPTION = PREPOSITIONS | BE | FORMS_OF_HAVE
_FIRST_WORDS_OF_NATIONALITY = frozenset(
    adjective.split()[0] for adjective in COUNTRY_BY_ADJECTIVE if " " in adjective
)
_WORDS_BEFORE_ROLE = split_into_word_set("by with and from to")
_MAX_ROLE_LENGTH = 3
# Maximum number of words of an aside between a name and the verb of its description.
_MAX_ASIDE_WORDS = 12
_WORK_TYPES = frozenset({"Document", "Product"})
_PLACED_KINDS = frozenset({"Location", "Organization", "Event", "Project"})


def is_nationality(sentence: Sentence, unit: Unit) -> bool:
    """Return whether the unit is an adjective of nationality, not a name."""
    return (
        unit.last - unit.first <= 2
        and " ".join(sentence.lower[unit.first : unit.last]) in COUNTRY_BY_ADJECTIVE
    )


def is_adjective_phrase_of_origin(sentence: Sentence, unit: Unit) -> bool:
    """Return whether the unit states an origin: "a Romanian film", "a 2014 Hong Kong film"."""
    if is_nationality(sentence, unit):
        return True
    lower_words, index = sentence.lower, unit.first - 1
    if not (unit.is_certain and unit.kind == "Location") or unit.last >= len(lower_words):
        return False
    index -= index > 0 and len(lower_words[index]) == 4 and lower_words[index].isdigit()
    next_word = lower_words[unit.last]
    return (
        index >= 0
        and lower_words[index] in ("a", "an")
        and find_kind_of_noun_phrase(sentence, unit.last) == "Document"
        and (next_word.isalpha() and sentence.words[unit.last].islower())
    )


def is_name_within_description(sentence: Sentence, unit: Unit) -> bool:
    """Return whether the unit is a name within a description: "a 1973 Technicolor film"."""
    lower_words, index = sentence.lower, unit.first - 1
    if unit.last >= len(lower_words) or not sentence.words[unit.last].islower():
        return False
    if unit.kind == "Location" and index >= 0 and lower_words[index] in _WORDS_BEFORE_ROLE:
        # "by Quebec film director Ann Lee"
        role_end = next(
            (
                role_index
                for role_index in range(unit.last, len(lower_words))
                if not _may_be_role(sentence, role_index)
            ),
            unit.last,
        )
        return (
            role_end < len(lower_words)
            and role_end - unit.last <= _MAX_ROLE_LENGTH
            and _is_role(lower_words[unit.last : role_end])
        )
    index -= index > 0 and len(lower_words[index]) == 4 and lower_words[index].isdigit()
    if index < 1 or lower_words[index] not in ("a", "an") or lower_words[index - 1] not in BE:
        return False
    return find_kind_of_noun_phrase(sentence, unit.last) in _WORK_TYPES


def _may_be_role(sentence: Sentence, index: int) -> bool:
    """Return whether a word can be part of a role such as "film director", or is an office as in "Senator
    Bob Ray".
    """
    return sentence.words[index].islower() or sentence.lower[index] in HONORIFICS


def _is_role(words: list[str]) -> bool:
    is_person_noun = words != [] and (KIND_OF.get(words[-1]) == "Person" or words[-1] in HONORIFICS)
    return is_person_noun and PREPOSITIONS.isdisjoint(words)


def find_description_start(sentence: Sentence, unit: Unit) -> int | None:
    """Return the index of the article that opens the description of a name; None without a description."""
    lower_words = sentence.lower
    index = _find_index_after_quotes_and_bracket(lower_words, unit.last)
    if lower_words[index : index + 1] == [","] and lower_words[index + 1 : index + 2] in (["a"], ["an"]):
        return index + 1
    if lower_words[index : index + 1] == [","]:
        # "Ann Lee, known as Lia, is"
        reachable_indexes = range(index + 1, min(index + _MAX_ASIDE_WORDS, len(lower_words) - 1))
        index = (
            next(
                (
                    comma_index
                    for comma_index in reachable_indexes
                    if lower_words[comma_index] == "," and lower_words[comma_index + 1] in BE
                ),
                index,
            )
            + 1
        )
    if index >= len(lower_words) or lower_words[index] not in BE:
        return None
    while index < len(lower_words) and lower_words[index] in ADVERBS:
        index += 1
    return index if index < len(lower_words) and lower_words[index] in ("a", "an", "the") else None


def _find_index_after_quotes_and_bracket(lower_words: Sequence[str], index: int) -> int:
    while index < len(lower_words) and lower_words[index] in QUOTES:
        index += 1
    if lower_words[index : index + 1] != ["("]:
        return index
    return lower_words.index(")", index) + 1 if ")" in lower_words[index:] else index


def claim_birthplace_at_opening(sentence: Sentence, units: list[Unit]) -> Iterator[Claim]:
    """Yield the birthplace of the name after the comma: "Born in Petroșani to a family of teachers, Netzer
    moved".
    """
    lower_words = sentence.lower
    if lower_words[:2] != ["born", "in"] or len(units) < 2 or units[0].first != 2:
        return
    comma_index = lower_words.index(",") if "," in lower_words else len(lower_words)
    while comma_index < len(lower_words) and any(
        unit.first == comma_index + 1 and unit.kind == "Location" for unit in units
    ):
        comma_index = (
            lower_words.index(",", comma_index + 1)
            if "," in lower_words[comma_index + 1 :]
            else len(lower_words)
        )
    person = next((unit for unit in units if unit.first == comma_index + 1), None)
    if person is not None and person.kind == "Person" and units[0].kind in ("Location", "Concept"):
        yield from claim_between_units(
            person, units[0], BORN_IN.name, _CONFIDENCE if units[0].is_certain else _CONFIDENCE - 0.1
        )


class NationalityAdjective(NamedTuple):
    """An adjective of nationality: the indexes of its first word and of the one after it, and the country."""

    first_index: int
    end_index: int
    country: str


def find_nationality_adjectives(sentence: Sentence) -> Iterator[NationalityAdjective]:
    """Yield the adjectives of nationality before a noun for a kind of thing, each with its country."""
    lower_words = sentence.lower
    for first_index, word in enumerate(lower_words):
        two_words = (
            " ".join(lower_words[first_index : first_index + 2])
            if word in _FIRST_WORDS_OF_NATIONALITY
            else ""
        )
        end_index = first_index + (2 if two_words in COUNTRY_BY_ADJECTIVE else 1)
        country = COUNTRY_BY_ADJECTIVE.get(two_words) or COUNTRY_BY_ADJECTIVE.get(word)
        if country is None or not sentence.words[first_index][0].isupper() or end_index >= len(lower_words):
            continue
        # "a Danish malacologist": a noun that the tables do not contain.
        is_description = not _OPENING_WORDS.isdisjoint(
            lower_words[max(0, first_index - 2) : first_index]
        ) or (lower_words[max(0, first_index - 1)] == "first" and sentence.words[end_index].islower())
        if lower_words[end_index].isalpha() and (
            is_description or find_kind_of_noun_phrase(sentence, end_index) in NATIONALITY_RELATION_BY_KIND
        ):
            yield NationalityAdjective(first_index, end_index, country)


def claim_nationality(sentence: Sentence, units: list[Unit], adjectives: list[Unit]) -> Iterator[Claim]:
    """Yield the claims of adjectives of nationality about the name that they describe, after or before
    them.
    """
    last_word = word_at(sentence.words, len(sentence.words) - 1)
    for adjective in adjectives:
        kind = find_kind_of_noun_phrase(sentence, adjective.last)
        # A headline: "The American crescent Ann Lee" has the author behind it.
        if kind is None and last_word.isalnum():
            continue
        for name_unit in (
            _find_name_after_adjective(sentence, units, adjective),
            _find_name_before_adjective(sentence, units, adjective),
            _find_name_at_end(sentence, units, adjective),
        ):
            if name_unit is None:
                continue
            relation = NATIONALITY_RELATION_BY_KIND.get(
                kind or (name_unit.kind if name_unit.is_certain else "")
            )
            misfit = compute_kind_misfit(name_unit, frozenset({kind})) if kind else 0.0
            if relation is not None and misfit < 1:
                yield from claim_between_units(name_unit, adjective, relation, _CONFIDENCE - misfit)
                break


def _find_name_after_adjective(sentence: Sentence, units: list[Unit], adjective: Unit) -> Unit | None:
    """Return the name right after the noun phrase, or None: "American country singer Ann Lee"."""
    unit = next((candidate for candidate in units if candidate.first >= adjective.last), None)
    if unit is None or not 0 < unit.first - adjective.last <= 5:
        return None
    words = sentence.lower[adjective.last : unit.first]
    if len(words) == 2 and words[1] == "of" and KIND_OF.get(words[0]) == "Location":
        return unit  # "the Australian state of Victoria"
    is_noun_phrase = all(word[0].isalpha() and word not in PREPOSITIONS and word != "of" for word in words)
    return (
        unit
        if is_noun_phrase and words[-1] not in ("and", "or") and not any(map(_is_joining_word, words))
        else None
    )


def _is_joining_word(word: str) -> bool:
    is_verb_form = word in PATTERNS_BY_FIRST_WORD and word not in PHRASE_OPENING_NOUNS and word not in KIND_OF
    return is_verb_form or word in BE or word in RELATIVE_PRONOUNS or word in DETERMINERS


def _find_name_before_adjective(sentence: Sentence, units: list[Unit], adjective: Unit) -> Unit | None:
    """Return the described name before the adjective, or None: "Ann Lee is an American singer", "Ann Lee,
    an American singer".
    """
    unit = next((candidate for candidate in reversed(units) if candidate.last <= adjective.first), None)
    if unit is None:
        return None
    words = [
        word for word in sentence.lower[unit.last : adjective.first] if word not in ADVERBS or word in BE
    ]
    is_closed_apposition = len(words) > 1 and words[0] == "," and words[1] in BE
    if is_closed_apposition:
        words = words[1:]  # "Ann Lee, known as Lia, is an American singer"
    if not 1 < len(words) <= _MAX_DESCRIPTION_WORDS:
        return None
    opens_description = words[0] in _OPENS_DESCRIPTION
    description_words = words[1:]
    if (
        not opens_description
        or description_words[0] not in _OPENING_WORDS
        or (is_governed_by_preposition(sentence, unit) and words[0] in BE and not is_closed_apposition)
    ):
        return None
    return unit if _ENDS_DESCRIPTION.isdisjoint(description_words) else None


def _find_name_at_end(sentence: Sentence, units: list[Unit], adjective: Unit) -> Unit | None:
    """Return the name after the sentence's verb, or None: "The first Ugandan woman to hold the post is Ann
    Lee".
    """
    lower_words = sentence.lower
    verb_index = next(
        (index for index in range(adjective.last, len(lower_words)) if lower_words[index] in BE),
        len(lower_words),
    )
    unit = next((candidate for candidate in units if candidate.first >= adjective.last), None)
    if unit is None or unit.kind != "Person" or not verb_index < unit.first <= verb_index + 3:
        return None
    inner_words = lower_words[adjective.last : verb_index]
    is_unique_holder = lower_words[: adjective.first][-1:] in (["first"], ["current"], ["only"])
    return (
        unit
        if is_unique_holder
        and len(inner_words) <= _MAX_DESCRIPTION_WORDS
        and RELATIVE_PRONOUNS.isdisjoint(inner_words)
        else None
    )


def claim_place_of_description(sentence: Sentence, left_unit: Unit, right_unit: Unit) -> list[Claim]:
    """Return the claims of "Goght is a village in the province of Kotayk", "Ann Lee is a judoka from
    Cuba".
    """
    if right_unit.kind != "Location" or is_governed_by_preposition(sentence, left_unit):
        return []
    gap = list_words_of_description_until(sentence, left_unit, right_unit)
    words = [word for word in gap if word in BE or word not in ADVERBS]
    if len(words) < 3 or words[0] not in BE or words[1] not in _OPENING_WORDS:
        return []
    if _ends_with_from(words) and not (left_unit.is_certain and _is_location_or_event(left_unit)):
        return claim_origin(left_unit, right_unit, sentence)
    if left_unit.is_certain and left_unit.kind == "Person":
        return []
    if not _ends_with_in(words):
        return []
    kind = find_kind_of_noun_phrase(sentence, right_unit.first - len(gap) + gap.index(words[1]) + 1)
    if kind in _PLACED_KINDS or (kind is None and left_unit.kind in _PLACED_KINDS):
        return claim_between_units(
            left_unit,
            right_unit,
            LOCATED_IN.name,
            _PLACE_CONFIDENCE if right_unit.is_certain else _PLACE_CONFIDENCE - 0.1,
        )
    return []


def _ends_with_from(words: list[str]) -> bool:
    """Return whether a description ends with "from", as "a model from the" before "Harlem neighborhood"."""
    words_until_from = words[:-1] if words[-1] == "the" else words
    return words_until_from[-1] == "from" and PREPOSITIONS.isdisjoint(words_until_from[:-1])


def _is_location_or_event(unit: Unit) -> bool:
    return unit.kind in ("Location", "Event")


def claim_origin(left_unit: Unit, right_unit: Unit, sentence: Sentence) -> list[Claim]:
    """Return the claims of "a judoka from Cuba", "a band from Dallas"."""
    is_country = " ".join(sentence.lower[right_unit.first : right_unit.last]) in COUNTRIES
    relation = (
        CITIZEN_OF.name
        if is_country and left_unit.is_certain and left_unit.kind == "Person"
        else ORIGINATES_IN.name
    )
    return claim_between_units(left_unit, right_unit, relation, _PLACE_CONFIDENCE - 0.1)


def _ends_with_in(words: list[str]) -> bool:
    """Return whether the words of a description end with "in" and the optional words before a place's
    name.
    """
    preposition_index = max((index for index, word in enumerate(words) if word in PREPOSITIONS), default=0)
    if (
        words[preposition_index] not in CONTAINING_PREPOSITIONS
        or "," in words[1:]
        or len(words) - preposition_index > _MAX_WORDS_BEFORE_PLACE
    ):
        return False
    if any(
        word in BE or word in FORMS_OF_HAVE or word in RELATIVE_PRONOUNS
        for word in words[1:preposition_index]
    ):
        return False
    return not _do_words_locate_next_to_place(words[preposition_index + 1 :])


def _do_words_locate_next_to_place(words: list[str]) -> bool:
    """Return whether the words locate a place next to the named one: "north of", "shore of"."""
    compass_points = ("north", "south", "east", "west")
    return any(
        word == "of"
        and (word_at(words, index - 1).endswith(compass_points) or word_at(words, index - 1) in SHORES)
        for index, word in enumerate(words)
    )
