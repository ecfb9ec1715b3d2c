"""Claims of places without a verb: by a description, a superlative, examples."""

from app.domain.relation_types import LOCATED_IN
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    list_words_of_description_until,
)
from app.extraction.rules.english.grammar import ARTICLES, BE, FORMS_OF_HAVE, RELATIVE_PRONOUNS
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.location_words import DIRECTIONS, EXAMPLE_PHRASES, EXTREME_POINTS
from app.extraction.rules.sentences import Sentence

_LARGER_PLACE_CONFIDENCE, _SUPERLATIVE_CONFIDENCE, _EXAMPLE_CONFIDENCE = 0.65, 0.7, 0.7
_OPENING_WORDS = frozenset(("a", "an", "the", "one"))
_MAX_SUPERLATIVE_WORDS = 4
_LOCATED_KINDS = frozenset({"Organization", "Location", "Event"})


def claim_larger_place(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str], subject: Unit | None
) -> list[Claim]:
    """Return the claim that the second place contains the described one: "Marlow is a city on the shore of
    Lake Erie in Ohio".
    """
    if subject is None or subject is left_unit or not (subject.is_certain and right_unit.is_certain):
        return []
    if {subject.kind, left_unit.kind, right_unit.kind} != {"Location"}:
        return []
    words = [word for word in gap if word not in DIRECTIONS]
    description_words = list_words_of_description_until(sentence, subject, left_unit)
    if words not in (["in"], ["in", "the"]) or not description_words:
        return []
    if description_words[1] not in _OPENING_WORDS or any(
        _is_end_of_description(word) for word in description_words[1:]
    ):
        return []
    return claim_between_units(subject, right_unit, LOCATED_IN.name, _LARGER_PLACE_CONFIDENCE)


def _is_end_of_description(word: str) -> bool:
    return word in BE or word in FORMS_OF_HAVE or word in RELATIVE_PRONOUNS or word in (",", "and")


def claim_place_of_extreme_point(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]
) -> list[Claim]:
    """Return the claim of "The northernmost point of Iceland is Cape Rifstangi": the second name is in the
    first.
    """
    if gap not in (["is"], ["is", "the"], ["was"]) or not (
        left_unit.is_certain and left_unit.kind == "Location"
    ):
        return []
    index = _find_index_before_articles(sentence, left_unit)
    if (
        index < 1
        or sentence.lower[index] not in ("of", "in")
        or (right_unit.is_certain and right_unit.kind != "Location")
    ):
        return []
    words = sentence.lower[max(0, index - _MAX_SUPERLATIVE_WORDS) : index]
    noun = words[-1]
    if not (noun in EXTREME_POINTS or KIND_OF.get(noun) == "Location"):
        return []
    if not any(word.endswith(("est", "most")) for word in words[:-1]):
        return []
    return claim_between_units(
        right_unit,
        left_unit,
        LOCATED_IN.name,
        _SUPERLATIVE_CONFIDENCE if right_unit.is_certain else _SUPERLATIVE_CONFIDENCE - 0.1,
    )


def claim_places_of_examples(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]
) -> list[Claim]:
    """Return the claims of "There are museums in Lusaka such as A and B": each example is in that place."""
    gap_words = gap[1:] if gap[:1] == [","] else gap
    if tuple(gap_words) not in EXAMPLE_PHRASES or not (left_unit.is_certain and left_unit.kind == "Location"):
        return []
    index = _find_index_before_articles(sentence, left_unit)
    if (
        index < 1
        or sentence.lower[index] != "in"
        or _find_kind_of_plural_noun(sentence.lower[index - 1]) not in _LOCATED_KINDS
    ):
        return []
    if right_unit.is_certain and right_unit.kind not in _LOCATED_KINDS:
        return []
    return claim_between_units(
        right_unit,
        left_unit,
        LOCATED_IN.name,
        _EXAMPLE_CONFIDENCE if right_unit.is_certain else _EXAMPLE_CONFIDENCE - 0.1,
    )


def _find_kind_of_plural_noun(noun: str) -> str | None:
    """Return the kind of a plural noun such as "museums" and "universities", or None."""
    if noun.endswith("ies"):
        return KIND_OF.get(f"{noun[:-3]}y")
    return KIND_OF.get(noun[:-1]) if noun.endswith("s") else None


def _find_index_before_articles(sentence: Sentence, unit: Unit) -> int:
    index = unit.first - 1
    while index >= 0 and sentence.lower[index] in ARTICLES:
        index -= 1
    return index
