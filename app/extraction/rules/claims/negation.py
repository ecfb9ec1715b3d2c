"""Denials and endings between two names: the denying words, and the denied claim."""

from collections.abc import Sequence
from typing import NamedTuple

from app.domain.possible_ends import can_have_ends
from app.extraction.rules.claims.gaps import conjugate_bare_verb
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.claims.units import Claim, Unit
from app.extraction.rules.english.denial_words import (
    CONTRAST_WORDS,
    CONTRASTS,
    DENIES_SUBJECT,
    EMPLOYMENT,
    ENDING_VERBS,
    ENDS_BY_VERB,
    FORMER_STATE_WORDS,
    MEMBERSHIP_OF_GROUP,
    MEMBERSHIP_OF_PERSON,
    MEMBERSHIPS,
    PHRASES_THAT_DENY_NOTHING,
    POSITIVE_PHRASE_BY_DENIAL,
    REFUTED_HEAD,
    REFUTED_TAIL,
    REPLACEMENT_WORDS,
    REPORTED_HEAD,
    SALE_DATE,
    SALE_ENDINGS,
    TRAILING_DENIALS,
    UNTIL_EVENT,
    UNTIL_WORDS,
    WORDS_AFTER_REFUTATION,
    WORDS_OF_DENIAL,
)
from app.extraction.rules.english.grammar import ARTICLES, BE, CLAUSE_ENDS, FORMS_OF_HAVE, PREPOSITIONS
from app.extraction.rules.english.past.former_states import (
    CLOSES_PAST,
    CONTINUATION_ADVERBS,
    OPENS_PAST,
    PAST_POST_ADVERBS,
    PAST_STATE_VERBS,
    PAST_VERBS_BY_RELATION,
    PLUPERFECT,
    RELATIONS_THAT_CAN_END,
    SIGNS_OF_PAST,
)
from app.extraction.rules.english.verbless_pairs import POST_NOUNS, ROLES_BY_NOUN
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.validity import Polarity

_DENIALS_BY_FIRST_WORD: dict[str, tuple[tuple[tuple[str, ...], str], ...]] = {}
for _phrase, _positive_phrase in sorted(
    POSITIVE_PHRASE_BY_DENIAL, key=lambda denial: -len(denial[0].split())
):
    _first_word, *_next_words = _phrase.split()
    _DENIALS_BY_FIRST_WORD[_first_word] = (
        *_DENIALS_BY_FIRST_WORD.get(_first_word, ()),
        (tuple(_next_words), _positive_phrase),
    )
# Active verbs that end a relation of their subject; after "was" they end one of the object.
_ACTIVE_VERB_DENIALS = frozenset(
    phrase
    for phrase, positive_phrase in POSITIVE_PHRASE_BY_DENIAL
    if positive_phrase in ("uses", "owns", EMPLOYMENT)
)
# Maximum number of words between a negation and the ending that it denies: "has not yet left".
_MAX_WORDS_TO_ENDING = 3
_WORDS_OF_NEXT_CLAUSE = frozenset(("and", "but", "before", "then"))
_WORDS_BEFORE_POST = ARTICLES | {"been"}
# Maximum number of words after a name in which its claim may be declared to be over.
_MAX_WORDS_TO_PAST = 10


def has_word_that_may_deny(sentence: Sentence) -> bool:
    """Return whether a word of the sentence can deny or end something; most sentences contain none."""
    speaks_of_past = not SIGNS_OF_PAST.isdisjoint(sentence.lower) and not PAST_STATE_VERBS.isdisjoint(
        sentence.lower
    )
    return (
        speaks_of_past
        or not WORDS_OF_DENIAL.isdisjoint(sentence.lower)
        or any(word.startswith("ex-") for word in sentence.lower)
    )


def find_refuted_words(sentence: Sentence) -> range:
    """Return the range of the words that the sentence denies, "It is not true that …"; empty if there are
    none.

    Words before that are not denied: "Ann Lee, who owns Acme, said that it is not true that".
    """
    lower_words = sentence.lower
    if WORDS_OF_DENIAL.isdisjoint(lower_words) or "that" not in lower_words:
        return range(0)
    text = " ".join(lower_words)
    if REPORTED_HEAD.match(text) and REFUTED_TAIL.search(text):
        return range(len(lower_words))
    head_match = REFUTED_HEAD.match(text)
    if head_match is None:
        return range(0)
    that_index = text.count(" ", 0, head_match.end())
    clause_indexes = range(that_index, len(lower_words))
    return range(
        that_index,
        next(
            (index for index in clause_indexes if lower_words[index] in WORDS_AFTER_REFUTATION),
            len(lower_words),
        ),
    )


def does_word_before_name_deny_claim(sentence: Sentence, left_unit: Unit) -> bool:
    """Return whether a word before the name denies the claim about it: "nor Bob works for Acme"."""
    word_before = word_at(sentence.lower, left_unit.first - 1)
    return word_before in DENIES_SUBJECT or sentence.lower[0] in DENIES_SUBJECT


def is_denied_by_trailing_words(sentence: Sentence, right_unit: Unit) -> bool:
    """Return whether the words after a name deny the claim about it: "uses X no more"."""
    return " ".join(sentence.lower[right_unit.last : right_unit.last + 2]) in TRAILING_DENIALS


def is_ended_by_event(sentence: Sentence, units: Sequence[Unit], index: int, gap: Sequence[str]) -> bool:
    """Return whether the claim about the second of two names held until an event: "led it until her
    death", and in the past tense "until Ann took over".
    """
    unit_end = units[index + 1].last
    is_name_next = index + 2 < len(units) and units[index + 2].first == unit_end + 1
    if (
        is_name_next
        and word_at(sentence.lower, unit_end) in UNTIL_WORDS
        and not PAST_STATE_VERBS.isdisjoint(gap)
    ):
        return True
    return " ".join(sentence.lower[unit_end : unit_end + 2]) in UNTIL_EVENT


def has_claim_of_verb_ended(
    sentence: Sentence, units: Sequence[Unit], index: int, gap: Sequence[str]
) -> bool:
    """Return whether the claim of the verb between two names is over: "Previously, she worked at Acme",
    "worked at Acme early in her career".
    """
    lower_words, left_unit, right_unit = sentence.lower, units[index], units[index + 1]
    if (
        PAST_STATE_VERBS.isdisjoint(gap)
        or SIGNS_OF_PAST.isdisjoint(lower_words)
        or not CONTINUATION_ADVERBS.isdisjoint(gap)
    ):
        return False
    if "who" in gap and lower_words[right_unit.last : right_unit.last + 2] == [",", "now"]:
        return True  # "Ann Lee, who was the CEO of Acme, now leads Zeta"
    if CLOSES_PAST.match(" ".join(lower_words[right_unit.last : right_unit.last + _MAX_WORDS_TO_PAST])):
        return True
    opening_match = OPENS_PAST.match(" ".join(lower_words[: left_unit.first]) + " ")
    return (
        opening_match is not None
        and FORMS_OF_HAVE.isdisjoint(gap)
        and CLAUSE_ENDS.isdisjoint(lower_words[opening_match[0].count(" ") : left_unit.first])
    )


def is_state_that_may_end(claim: Claim, gap: Sequence[str]) -> bool:
    """Return whether the claim of the words between two names is a state that can be over."""
    verbs = PAST_VERBS_BY_RELATION.get(claim.relation, ())
    return claim.relation in RELATIONS_THAT_CAN_END or not set(verbs).isdisjoint(gap)


class GapWithoutDenial(NamedTuple):
    """The words between two names without their denial, and the phrase that denied them."""

    words: list[str]
    denying_phrase: str


def remove_denial_from_gap(
    gap: Sequence[str],
    left_unit: Unit,
    right_unit: Unit,
    name_words: Sequence[str],
    next_words: Sequence[str],
) -> GapWithoutDenial | None:
    """Return the words between two names without their denial, and the denying phrase.

    None if nothing is denied, or if a doubt or a second denial remains. `name_words` are those of the
    second name in lower case, `next_words` those after it as written.
    """
    if any(_is_phrase_in_gap(gap, phrase) for phrase in PHRASES_THAT_DENY_NOTHING):
        return None
    for index, word in enumerate(gap):
        former_post = _parse_former_post(gap, index)
        if former_post is not None:
            return _write_as_assertion(gap[:index], former_post.noun, gap[former_post.end_index :], "former")
        for later_words, positive_phrase in _DENIALS_BY_FIRST_WORD.get(word, ()):
            phrase_end = index + 1 + len(later_words)
            if tuple(gap[index + 1 : phrase_end]) != later_words:
                continue
            phrase = " ".join((word, *later_words))
            if phrase in ENDS_BY_VERB and not _WORDS_OF_NEXT_CLAUSE.isdisjoint(gap[phrase_end:]):
                continue  # "left the company and joined"
            if phrase.startswith(PLUPERFECT) and next_words[:1] == ["for"]:
                return None
            assertion = _choose_denied_words(
                phrase, positive_phrase, gap[:index], gap[phrase_end:], left_unit, right_unit, next_words
            )
            if assertion == EMPLOYMENT and word_at(name_words, len(name_words) - 1) in MEMBERSHIPS:
                assertion = MEMBERSHIP_OF_PERSON
            if _denies_an_ending(phrase, gap[phrase_end : phrase_end + _MAX_WORDS_TO_ENDING]):
                return None
            if assertion is not None:
                return _write_as_assertion(gap[:index], assertion, gap[phrase_end:], phrase)
    return None


class _FormerPost(NamedTuple):
    """The noun of a former post, "ex-CEO" or "previously CEO", and the index of the words after it."""

    noun: str
    end_index: int


def _parse_former_post(gap: Sequence[str], first_index: int) -> _FormerPost | None:
    """Return the former post that begins at this index of the gap; None if there is none."""
    word, post_index = gap[first_index], first_index
    if word in PAST_POST_ADVERBS:
        post_index = next(
            (index for index in range(first_index + 1, len(gap)) if gap[index] not in _WORDS_BEFORE_POST),
            first_index,
        )
        word = gap[post_index]
    elif word.startswith("ex-"):
        word = word[3:]
    else:
        return None
    return _FormerPost(word, post_index + 1) if word in ROLES_BY_NOUN or word in POST_NOUNS else None


def _denies_an_ending(phrase: str, next_words: Sequence[str]) -> bool:
    """Return whether a negation denies an ending, "did not stop using", so that the relation continues."""
    return (
        phrase not in ENDS_BY_VERB
        and phrase not in FORMER_STATE_WORDS
        and not ENDING_VERBS.isdisjoint(next_words)
    )


def _choose_denied_words(
    phrase: str,
    positive_phrase: str,
    words_before: Sequence[str],
    words_after: Sequence[str],
    left_unit: Unit,
    right_unit: Unit,
    next_words: Sequence[str],
) -> str | None:
    """Return the words for the claim that the phrase denies, between names of these kinds; None if it
    denies nothing.
    """
    if phrase in _ACTIVE_VERB_DENIALS and (
        not BE.isdisjoint(words_before) or (words_after and words_after[0] in PREPOSITIONS)
    ):
        return None
    if phrase == "left" and left_unit.kind != "Person":
        if not left_unit.is_certain and left_unit.is_person_name and right_unit.kind != "Location":
            return positive_phrase  # "Elin Dahl left Nordbank"
        # A body leaves places too; only a place surely left one that it was part of.
        is_member = right_unit.kind == "Organization" or left_unit.kind == "Location"
        return _choose_words_of_leaving(right_unit) if left_unit.is_certain and is_member else None
    if positive_phrase == MEMBERSHIP_OF_GROUP:
        return _choose_words_of_leaving(right_unit)
    if phrase == "sold" and not _is_object_no_longer_owned_after_sale(words_after, right_unit, next_words):
        return None
    if phrase == "replaced" and next_words[:1] != ["with"]:
        return None
    return _choose_denied_words_by_kinds(phrase, positive_phrase, left_unit, right_unit)


def _is_object_no_longer_owned_after_sale(
    remaining_words: Sequence[str], right_unit: Unit, next_words: Sequence[str]
) -> bool:
    """Return whether the object of a sale is no longer owned: "sold York Buses in 2022" and "to Acme".

    "sold the 704", "sold Falcon Nine in Europe" and "to schools" are offers.
    """
    has_buyer = next_words[:1] == ["to"] and any(word[0].isupper() for word in next_words[1:3])
    if right_unit.kind == "Organization" or has_buyer:
        return True
    is_bare_personal_name = not right_unit.is_certain and right_unit.is_person_name and not remaining_words
    return is_bare_personal_name and SALE_DATE.match(" ".join(next_words).lower()) is not None


def _choose_words_of_leaving(right_unit: Unit) -> str:
    return MEMBERSHIP_OF_PERSON if right_unit.kind == "Organization" else MEMBERSHIP_OF_GROUP


def _choose_denied_words_by_kinds(
    phrase: str, positive_phrase: str, left_unit: Unit, right_unit: Unit
) -> str | None:
    """Return the words for the denied claim if the kinds of the names determine it: a move, a divorce;
    else None.
    """
    if "married" in positive_phrase and right_unit.kind != "Person":
        return None
    # People and peoples leave places too: without a sure kind nobody knows which is meant.
    is_left_by_person = left_unit.kind == "Person" or not left_unit.is_certain
    if positive_phrase == "uses" and is_left_by_person and not right_unit.is_certain:
        return None
    if phrase == "moved from" and right_unit.kind != "Location":
        return EMPLOYMENT if left_unit.kind == "Person" else "uses"
    return (
        "lives in" if positive_phrase == "is located in" and left_unit.kind == "Person" else positive_phrase
    )


def _write_as_assertion(
    words_before: Sequence[str], positive_phrase: str, remaining_words: Sequence[str], phrase: str
) -> GapWithoutDenial | None:
    words = list(remaining_words)
    if positive_phrase in ("", "is", "are", "was", "were") and words:
        first_index = next((index for index, word in enumerate(words) if word not in ARTICLES), 0)
        # "Is no longer head of", and "is no longer using".
        is_noun = not BE.isdisjoint([positive_phrase, *words_before[-1:]]) and not words[
            first_index
        ].endswith("ing")
        words[first_index] = words[first_index] if is_noun else conjugate_bare_verb(words[first_index])
    gap = [*words_before, *positive_phrase.split(), *words]
    return None if have_word_of_doubt(gap) else GapWithoutDenial(gap, phrase)


def _is_phrase_in_gap(gap: Sequence[str], phrase: str) -> bool:
    return f" {phrase} " in f" {' '.join(gap)} "


def claim_contrasted_name(
    gap: Sequence[str],
    left_unit: Unit,
    right_unit: Unit,
    previous_claims: Sequence[Claim],
    denial_phrase: str,
) -> list[Claim]:
    """Return the claims of a name contrasted with the previous one: "for Acme, not Zeta", "left Acme for
    Zeta".

    `previous_claims` are the claims of the previous name, `denial_phrase` the phrase that denied them, if
    any.
    """
    gap_text = " ".join(gap)
    left_claims = [claim for claim in previous_claims if claim.target in left_unit.entities]
    if gap_text in CONTRASTS:
        return [
            Claim(claim.source, right_entity, claim.relation, claim.confidence, Polarity.DENIED)
            for claim in left_claims
            for right_entity in right_unit.entities
            if claim.polarity is Polarity.ASSERTED and right_entity not in (claim.source, claim.target)
        ]
    is_correction = gap_text in CONTRAST_WORDS
    if not is_correction and (gap_text not in REPLACEMENT_WORDS or denial_phrase not in ENDS_BY_VERB):
        return []
    # Nobody works for Leeds.
    left_claims = [
        claim for claim in left_claims if can_have_ends(claim.relation, None, right_unit.known_kind)
    ]
    return [
        Claim(right_entity, claim.target, claim.relation, claim.confidence)
        if denial_phrase in SALE_ENDINGS and not is_correction
        else Claim(claim.source, right_entity, claim.relation, claim.confidence)
        for claim in left_claims
        for right_entity in right_unit.entities
        if claim.polarity is Polarity.DENIED and right_entity not in (claim.source, claim.target)
    ]
