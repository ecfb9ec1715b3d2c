"""Claims of works by their descriptions: the author ("a book by Ann Lee"), and the actors."""

from app.domain.relation_types import ACTED_IN, CREATED, PART_OF
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    is_governed_by_preposition,
    is_verb,
)
from app.extraction.rules.english.cast_and_team_words import (
    ROLE_VERBS,
    ROLE_WORDS_BY_PREPOSITION,
    WORK_NOUNS,
    WORK_PARTS,
)
from app.extraction.rules.english.grammar import (
    ADVERBS,
    ARTICLES,
    BE,
    FORMS_OF_HAVE,
    KIN_PRONOUNS,
    PREPOSITIONS,
    RELATIVE_PRONOUNS,
)
from app.extraction.rules.name_kinds import find_kind_of_noun_phrase
from app.extraction.rules.names.quoted import QUOTES
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at

_AUTHOR_CONFIDENCE = 0.75
_ACTING_CONFIDENCE = 0.75
_OPENING_WORDS = ARTICLES | {"one"}
_WORK_TYPES = frozenset({"Document", "Product", "Technology"})
_MAKER_TYPES = frozenset({"Person", "Organization"})
_ENDS_DESCRIPTION = BE | FORMS_OF_HAVE | RELATIVE_PRONOUNS
# Maximum numbers of words between "by" and a name, such as "the celebrity cook", and between a role and its
# actor.
_MAX_ROLE_WORDS, _MAX_PART_WORDS, _MAX_WORK_WORDS = 5, 4, 8


def claim_maker_of_work(sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]) -> list[Claim]:
    """Return the claim of a maker in a description: "How to Eat is a 1998 book of cuisine by the cook Ann
    Lee".
    """
    words = [word for word in gap if word in BE or word not in ADVERBS]
    if len(words) < 4 or words[0] not in BE or words[1] not in _OPENING_WORDS or "by" not in words:
        return []
    if (right_unit.is_certain and right_unit.kind not in _MAKER_TYPES) or is_governed_by_preposition(
        sentence, left_unit
    ):
        return []
    by_index = words.index("by")
    description_words, role_words = words[2:by_index], words[by_index + 1 :]
    if (
        not description_words
        or is_verb(description_words[-1])
        or "," in description_words
        or len(role_words) > _MAX_ROLE_WORDS
    ):
        return []
    if not (_ENDS_DESCRIPTION.isdisjoint(description_words) and all(map(_may_be_word_of_role, role_words))):
        return []
    if find_kind_of_noun_phrase(sentence, left_unit.last + gap.index(words[1]) + 1) not in _WORK_TYPES:
        return []
    return claim_between_units(
        right_unit,
        left_unit,
        CREATED.name,
        _AUTHOR_CONFIDENCE if right_unit.is_certain else _AUTHOR_CONFIDENCE - 0.1,
    )


def _may_be_word_of_role(word: str) -> bool:
    """Return whether a word may be part of a role such as "the celebrity cook" between "by" and a name."""
    return word[0].isalpha() and word not in PREPOSITIONS and not is_verb(word)


def claim_work_of_pronoun(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]
) -> list[Claim]:
    """Return the claim that the referent of "her" wrote the work: 'Her first novel, "The Apple Thief", was
    published'.
    """
    if left_unit.last - left_unit.first != 1 or sentence.lower[left_unit.first] not in KIN_PRONOUNS:
        return []
    words = [word for word in gap if word not in QUOTES and word != ","]
    if (
        not words
        or len(words) > _MAX_PART_WORDS
        or words[-1] not in WORK_NOUNS
        or right_unit.kind == "Person"
    ):
        return []
    return (
        claim_between_units(left_unit, right_unit, CREATED.name, _AUTHOR_CONFIDENCE)
        if all(map(_may_be_word_of_role, words))
        else []
    )


def claim_piece_of_work(sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str]) -> list[Claim]:
    """Return the claim that the second title is a part of the first: 'An episode of the series Heat,
    entitled "The Pact"'.
    """
    words = [word for word in gap if word not in QUOTES and word != ","]
    words_before = sentence.lower[max(0, left_unit.first - _MAX_WORK_WORDS) : left_unit.first]
    if words not in (["entitled"], ["titled"]) or "of" not in words_before:
        return []
    preposition_index = len(words_before) - 1 - words_before[::-1].index("of")
    return (
        claim_between_units(right_unit, left_unit, PART_OF.name, _AUTHOR_CONFIDENCE)
        if preposition_index > 0 and words_before[preposition_index - 1] in WORK_PARTS
        else []
    )


def claim_part_of_actor(
    sentence: Sentence, left_unit: Unit, right_unit: Unit, gap: list[str], subject: Unit | None
) -> list[Claim]:
    """Return the claims of a role: "She is known for her role as Mia in the film X"."""
    if subject is None or subject is left_unit or subject.kind != "Person" or gap[:1] not in (["in"], ["on"]):
        return []
    if not _may_second_name_be_work(sentence, left_unit, right_unit):
        return []
    if any(word in PREPOSITIONS or word == "," or is_verb(word) for word in gap[1:]):
        return []
    words_before = sentence.lower[: left_unit.first]
    for index in range(len(words_before) - 1, max(-1, len(words_before) - 1 - _MAX_PART_WORDS), -1):
        if words_before[index] in ROLE_VERBS or (
            index > 0 and words_before[index - 1] in ROLE_WORDS_BY_PREPOSITION.get(words_before[index], ())
        ):
            return claim_between_units(
                subject,
                right_unit,
                ACTED_IN.name,
                _ACTING_CONFIDENCE if right_unit.is_certain else _ACTING_CONFIDENCE - 0.1,
            )
        if not words_before[index][0].isalpha() or words_before[index] in PREPOSITIONS:
            break
    return []


def _may_second_name_be_work(sentence: Sentence, left_unit: Unit, right_unit: Unit) -> bool:
    """Return whether the second name is a work: by its kind, by the words before it, or as a quoted title."""
    is_quoted = not right_unit.is_certain and word_at(sentence.words, right_unit.first - 1) in QUOTES
    return (
        right_unit.kind == "Document"
        or is_quoted
        or find_kind_of_noun_phrase(sentence, left_unit.last + 1) == "Document"
    )
