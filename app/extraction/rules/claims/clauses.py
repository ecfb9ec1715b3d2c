"""Claims of one sentence, from its names in order and the words between adjacent names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from app.domain.relation_types import LOCATED_IN, RELATION_TYPES
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.claims.authors_and_actors import (
    claim_maker_of_work,
    claim_part_of_actor,
    claim_piece_of_work,
    claim_work_of_pronoun,
)
from app.extraction.rules.claims.descriptions import claim_place_of_description
from app.extraction.rules.claims.gaps import (
    conjugate_gap,
    find_owned_name,
    find_titled_name,
    remove_comma_before_title,
    remove_end_date,
    remove_number_of_posts,
    remove_partitive,
    remove_piece_before_title,
    remove_position_of_player,
    remove_second_role,
    remove_trailing_articles,
    remove_trailing_office,
)
from app.extraction.rules.claims.kin import (
    claim_by_marriage_phrase,
    claim_other_parent,
    claim_parents_after_birth,
)
from app.extraction.rules.claims.negation import (
    claim_contrasted_name,
    does_word_before_name_deny_claim,
    find_refuted_words,
    has_claim_of_verb_ended,
    has_word_that_may_deny,
    is_denied_by_trailing_words,
    is_ended_by_event,
    is_state_that_may_end,
    remove_denial_from_gap,
)
from app.extraction.rules.claims.nouns import claim_by_nouns, claim_employer_of_post, claim_eponym
from app.extraction.rules.claims.relation_patterns import (
    Trigger,
    claim_by_phrase,
    find_trigger,
    find_trigger_with_or_without_dates,
    match_phrase,
    reorder_inverted_phrase,
)
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.claims.time_spans import Span, apply_time_span_to_claim, find_span_of_claim
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    does_name_only_state_possessor,
    does_noun_after_comma_fit_name,
    is_description_of_one,
    is_governed_by_preposition,
    is_subject_at_opening,
    join_coordinated_units,
    join_kin_before_verb,
    remove_rejected_units,
)
from app.extraction.rules.claims.verb_subjects import (
    UnsureSubject,
    claim_by_relative_clause,
    find_subject_of_verb,
    is_office_of_successor,
    is_second_noun,
)
from app.extraction.rules.claims.verbless_locations import (
    claim_larger_place,
    claim_place_of_extreme_point,
    claim_places_of_examples,
)
from app.extraction.rules.english.denial_words import FORMER_STATE_WORDS
from app.extraction.rules.english.grammar import ARTICLES, BE, INDEFINITE_WORDS, PREPOSITIONS
from app.extraction.rules.english.lexicon import KIND_OF
from app.extraction.rules.english.name_words import ADJECTIVE_ENDS
from app.extraction.rules.english.phrase_patterns import PATTERNS_BY_FIRST_WORD, PHRASE_OPENING_NOUNS
from app.extraction.rules.english.verbless_pairs import KIN_NOUNS, POST_NOUNS
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tokens import word_at
from app.graph.validity import Polarity

_OBJECT_RELATIVE_PRONOUNS = frozenset(("which", "whom"))
_LASTING_RELATIONS = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.survives_former
)
_TIMELESS_RELATIONS = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.timeless
)
_POSSESSIVE_S = (["'s"], ["’s"])
_TIME_CONJUNCTIONS = (["after"], ["before"], ["while"])
_GAPS_WITHIN_NAMES = frozenset(((",",), ("in",), ("in", "the"), ("'s",), ("’s",)))
"""Words between two names that only say which one is meant."""
# Maximum number of words between two names that are related.
_MAX_GAP_WORDS = 40


def _ends_name_before(word: str) -> bool:
    """Return whether a name before this word is complete: the word is not a noun that the name modifies."""
    is_function_word = (
        word in STOP_WORDS or word in PREPOSITIONS or word in KIND_OF or word in PATTERNS_BY_FIRST_WORD
    )
    return is_function_word or word.endswith(("ly", "ed", "ing"))


@dataclass(slots=True)
class _Clause:
    """The state of a sentence read from left to right.

    `subject` is the subject of the clause, `outer_subject` that of the clause around "which Ann founded",
    `located_unit` the entity located by the last claim, `is_in_doubt` whether all later words are in doubt,
    `previous_claims` the claims of the previous two names, `denial_phrase` the phrase that denied them,
    `aside_unit` the name of ", formerly of X,".
    """

    subject: Unit | None = None
    outer_subject: Unit | None = None
    located_unit: Unit | None = None
    is_in_doubt: bool = False
    previous_claims: list[Claim] = field(default_factory=list)
    denial_phrase: str = ""
    aside_unit: Unit | None = None

    def is_doubtful(self, gap: list[str], right_unit: Unit) -> bool:
        """Return whether these words deny or only suppose what they state."""
        is_doubtful_clause = self.is_in_doubt or (have_word_of_doubt(gap) and "only" not in gap)
        # "He denied that she founded it": the rest of the sentence is in doubt.
        self.is_in_doubt = is_doubtful_clause and (
            self.is_in_doubt or right_unit.is_reference or "that" in gap
        )
        return is_doubtful_clause


def claim_by_clauses(
    sentence: Sentence, sentence_units: list[Unit], spans: Sequence[Span] = ()
) -> Iterator[Claim]:
    """Yield all claims between the units of one sentence, in text order; a pair may be claimed twice.

    Denied claims are denials, and each claim has the time span that the sentence gives it.
    """
    units = join_kin_before_verb(
        sentence, remove_rejected_units(sentence, join_coordinated_units(sentence, sentence_units))
    )
    if len(units) < 2:
        return
    clause = _Clause()
    opening_flags = [is_subject_at_opening(sentence, unit) for unit in units]
    may_be_denial = has_word_that_may_deny(sentence)
    refuted_range = find_refuted_words(sentence) if may_be_denial else range(0)
    yield from claim_by_marriage_phrase(sentence, units)
    for index in range(len(units) - 1):
        left_unit, right_unit = units[index], units[index + 1]
        is_clause_subject = opening_flags[index] or (
            clause.subject is None and not is_governed_by_preposition(sentence, left_unit)
        )
        if is_clause_subject and not does_name_only_state_possessor(sentence, left_unit):
            is_relative_clause = word_at(sentence.lower, left_unit.first - 1) in _OBJECT_RELATIVE_PRONOUNS
            clause.outer_subject = clause.subject if is_relative_clause else None
            clause.subject, clause.located_unit = left_unit, None
        gap = sentence.lower[left_unit.last : right_unit.first]
        is_refuted = left_unit.first in refuted_range and right_unit.last <= refuted_range.stop
        denied_claims = (
            _claim_denied(sentence, units, index, gap, clause, is_refuted=is_refuted)
            if may_be_denial
            else None
        )
        claims = denied_claims
        if claims is None:
            claims = _claim_asserted(
                sentence, units, index, gap, clause, begins_clause=opening_flags[index + 1]
            )
        claims += (
            claim_parents_after_birth(gap, right_unit, clause.previous_claims)
            if denied_claims is None
            else []
        )
        claims += claim_other_parent(sentence, units, index + 1, claims)
        clause.previous_claims = claims
        # "2014–2018 Engineer, Acme Ltd, Leeds", "In 1999, Zeta Bank in Oslo had": what a name or address says
        # has no time.
        is_within_name = tuple(gap) in _GAPS_WITHIN_NAMES
        span = find_span_of_claim(sentence, spans, units, index) if claims and not is_within_name else None
        yield from (
            claims
            if span is None
            else (apply_time_span_to_claim(claim, span, clause.denial_phrase) for claim in claims)
        )


def _claim_asserted(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause, *, begins_clause: bool
) -> list[Claim]:
    """Return the claims of two adjacent names; `begins_clause`: the second one begins a clause."""
    left_unit, right_unit = units[index], units[index + 1]
    if len(gap) > _MAX_GAP_WORDS:
        clause.subject, clause.located_unit = None, None
    elif clause.is_doubtful(gap, right_unit):
        clause.located_unit = None
    elif begins_clause:
        # "A made B, and C made D" does not relate B and C.
        clause.located_unit = None
        return list(claim_by_relative_clause(sentence, gap, left_unit, right_unit))
    else:
        return _claim_between_neighbors(sentence, units, index, gap, clause)
    return []


def _claim_denied(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause, *, is_refuted: bool
) -> list[Claim] | None:
    """Return the claims that these words deny, or assert as the contrast of a denial; None if they deny
    nothing.
    """
    left_unit, right_unit = units[index], units[index + 1]
    if len(gap) > _MAX_GAP_WORDS or clause.is_in_doubt:
        return None
    contrast_claims = _claim_contrast(sentence, units, index, gap, clause)
    if contrast_claims:
        return contrast_claims
    name_words, next_words = (
        sentence.lower[right_unit.first : right_unit.last],
        sentence.words[right_unit.last : right_unit.last + 4],
    )
    assertion = remove_denial_from_gap(gap, left_unit, right_unit, name_words, next_words)
    is_over = False
    is_denied_as_whole = is_refuted or does_word_before_name_deny_claim(sentence, left_unit)
    if assertion is not None and is_denied_as_whole:
        return []  # "It is not true that Bob left Acme": nothing ended, and whether he is there is not said.
    if assertion is not None:
        clause.aside_unit = right_unit if gap[0] == "," else None
        gap, clause.denial_phrase = assertion
    elif not have_word_of_doubt(gap) and (
        is_denied_as_whole or is_denied_by_trailing_words(sentence, right_unit)
    ):
        clause.denial_phrase = ""
    elif not have_word_of_doubt(gap) and is_ended_by_event(sentence, units, index, gap):
        clause.denial_phrase = "former"
    elif not have_word_of_doubt(gap) and has_claim_of_verb_ended(sentence, units, index, gap):
        is_over, clause.denial_phrase = True, "former"
    else:
        return None
    claims = _claim_between_neighbors(sentence, units, index, gap, clause)
    clause.located_unit = None
    if is_denied_as_whole:
        return [replace(claim, polarity=Polarity.DENIED) for claim in claims]
    is_former = clause.denial_phrase in FORMER_STATE_WORDS
    return [_deny_claim_if_it_can_end(claim, gap, is_past=is_over, is_former=is_former) for claim in claims]


def _deny_claim_if_it_can_end(claim: Claim, gap: list[str], *, is_past: bool, is_former: bool) -> Claim:
    """Return the claim as denied if it can end: a former player from Cuba is still from Cuba, and "the son of
    the former president" still his son.
    """
    may_continue = (
        claim.relation in _LASTING_RELATIONS
        or (is_former and claim.relation in _TIMELESS_RELATIONS)
        or (is_past and not is_state_that_may_end(claim, gap))
    )
    return claim if may_continue else replace(claim, polarity=Polarity.DENIED)


def _claim_contrast(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause
) -> list[Claim]:
    """Return the claims of a contrast with the previous name: "not CEO of Acme but of Zeta", "but the CFO
    of".
    """
    left_unit, right_unit = units[index], units[index + 1]
    contrast_claims = claim_contrasted_name(
        gap, left_unit, right_unit, clause.previous_claims, clause.denial_phrase
    )
    words = gap[gap[:1] == [","] :]
    has_denial = any(claim.polarity is Polarity.DENIED for claim in clause.previous_claims)
    if contrast_claims or not has_denial or clause.subject is None or words[:1] != ["but"] or len(words) < 3:
        return contrast_claims
    units_with_subject = [*units[:index], clause.subject, *units[index + 1 :]]
    is_post = words[1 + (words[1] in ARTICLES)] in PHRASE_OPENING_NOUNS | POST_NOUNS
    return (
        _claim_between_neighbors(sentence, units_with_subject, index, ["is", *words[1:]], clause)
        if is_post
        else []
    )


def _claim_between_neighbors(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause: _Clause
) -> list[Claim]:
    """Return the claims of two adjacent names: by a verb or phrase, else by nouns alone."""
    left_unit, right_unit = units[index], units[index + 1]
    if len(left_unit.entities) > 1 and is_description_of_one(gap):
        left_unit = replace(left_unit, entities=left_unit.entities[-1:])
        units = [*units[:index], left_unit, *units[index + 1 :]]
    if is_office_of_successor(sentence, left_unit, gap):
        return []
    eponym_claims = claim_eponym(sentence, left_unit, right_unit, gap)
    if eponym_claims is not None:
        return eponym_claims
    if (
        clause.subject is not None
        and _does_name_describe_subject(sentence, left_unit)
        and gap[:1] in (["in"], ["of"], ["from"])
    ):
        left_unit = clause.subject  # "Oslo is a Local Authority in Norway"
        units = [*units[:index], left_unit, *units[index + 1 :]]
    turned_gap = reorder_inverted_phrase(sentence, left_unit, right_unit, gap)
    if turned_gap == []:
        return []
    if turned_gap is not None and (turned_trigger := find_trigger(turned_gap)) is not None:
        claims = _claim_by_first_matching_reading(
            sentence,
            right_unit,
            left_unit,
            turned_gap,
            turned_trigger,
            _Clause(is_in_doubt=clause.is_in_doubt),
        )
        if claims:
            return claims
    gap, trigger = find_trigger_with_or_without_dates(
        remove_partitive(
            remove_comma_before_title(
                remove_position_of_player(
                    conjugate_gap(
                        remove_number_of_posts(remove_end_date(gap)), is_plural=len(left_unit.entities) > 1
                    )
                )
            )
        )
    )
    owned_name = find_owned_name(sentence, units, index)
    meant_owner = _find_name_that_phrase_is_about(sentence, units, index, owned_name, gap)
    if meant_owner is not None:
        owned_name, gap = meant_owner
        trigger = find_trigger(gap)
    if trigger is not None and owned_name is not None:
        return _claim_by_first_matching_reading(sentence, left_unit, owned_name, gap, trigger, clause)
    if trigger is None:
        claims = _claim_further_place(gap, right_unit, clause) or _claim_by_description(
            sentence, units, index, gap, clause.subject
        )
    elif _is_name_possessive(sentence, right_unit):
        claims = _claim_further_place(gap, right_unit, clause)
    else:
        claims = _claim_by_verbs(sentence, units, index, gap, trigger, clause)
    return (
        claims
        or claim_employer_of_post(sentence, left_unit, right_unit, gap)
        or claim_by_nouns(sentence, units, index, gap)
    )


def _is_name_possessive(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name owns what follows: "Ann Lee's house", "the Netherlands' Institute"."""
    is_plural = word_at(sentence.lower, unit.last) == "'" and sentence.lower[unit.last - 1].endswith("s")
    is_quoted = sentence.lower[: unit.first].count("'") % 2 == 1
    return sentence.lower[unit.last : unit.last + 1] in _POSSESSIVE_S or (is_plural and not is_quoted)


class _NameWithGap(NamedTuple):
    """A name that a phrase is about, and the words between the name before and this one."""

    unit: Unit
    gap: list[str]


def _find_name_that_phrase_is_about(
    sentence: Sentence, units: list[Unit], index: int, possessed_unit: Unit | None, gap: list[str]
) -> _NameWithGap | None:
    """Return the name that a phrase is about instead of the next one, and the gap without the words before
    it; else None.
    """
    titled_name = find_titled_name(sentence, units, index + 1 + (possessed_unit is not None))
    if titled_name is not None:
        return _NameWithGap(titled_name, remove_piece_before_title(gap))
    stripped_gap = remove_trailing_articles(gap)
    if possessed_unit is not None and possessed_unit.kind == "Person" and stripped_gap[-1:] == ["of"]:
        return _NameWithGap(possessed_unit, remove_trailing_office(stripped_gap))
    return None


def _claim_by_verbs(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], trigger: Trigger, clause: _Clause
) -> list[Claim]:
    """Return the claims of a phrase between two adjacent names, of a second role, and of a part of a place
    before it.
    """
    left_unit, right_unit = units[index], units[index + 1]
    claims = _claim_by_first_matching_reading(sentence, left_unit, right_unit, gap, trigger, clause)
    shorter_gap = remove_second_role(gap, trigger.start)
    second_trigger = find_trigger(shorter_gap) if shorter_gap else None
    if second_trigger is not None:
        claims += _claim_by_first_matching_reading(
            sentence, left_unit, right_unit, shorter_gap, second_trigger, clause
        )
    is_adjective = word_at(sentence.lower, left_unit.last - 1).endswith(ADJECTIVE_ENDS)
    if left_unit.kind == "Location" and KIND_OF.get(gap[0]) == "Location" and not is_adjective:
        claims += claim_by_nouns(sentence, units, index, gap)  # "in the Otways region of Victoria"
    return claims


def _claim_by_description(
    sentence: Sentence, units: list[Unit], index: int, gap: list[str], clause_subject: Unit | None
) -> list[Claim]:
    """Return the claims of two adjacent names without a verb: of the first description that fits."""
    left_unit, right_unit = units[index], units[index + 1]
    claims = (
        claim_place_of_description(sentence, left_unit, right_unit)
        or claim_maker_of_work(sentence, left_unit, right_unit, gap)
        or claim_piece_of_work(sentence, left_unit, right_unit, gap)
        or claim_part_of_actor(sentence, left_unit, right_unit, gap, clause_subject)
        or claim_place_of_extreme_point(sentence, left_unit, right_unit, gap)
        or claim_places_of_examples(sentence, left_unit, right_unit, gap)
        or claim_work_of_pronoun(sentence, left_unit, right_unit, gap)
    )
    if not claims:
        claims = claim_larger_place(sentence, left_unit, right_unit, gap, clause_subject)
        claims += claim_by_nouns(sentence, units, index, gap)
    return claims


def _claim_by_first_matching_reading(
    sentence: Sentence,
    left_unit: Unit,
    right_unit: Unit,
    gap: list[str],
    trigger: Trigger,
    clause: _Clause,
) -> list[Claim]:
    """Return the claims of the first reading of a phrase that has any."""
    phrase_start, readings = trigger
    is_passive = "by" in gap[phrase_start + 1 :] and any(pattern.transitive for _, pattern in readings)
    clause.located_unit = None
    if left_unit is clause.aside_unit and gap[0] == "," and clause.subject is not None:
        left_unit = clause.subject  # "Ann Lee, formerly of Acme, is now the CTO of"
    subject = _find_subject_of_phrase(sentence, left_unit, gap, phrase_start, is_passive, clause)
    if subject is None:
        return []
    deduction = subject.deduction + _compute_deduction_for_modifier(sentence, gap, right_unit)
    for phrase_end, pattern in readings:
        phrase = match_phrase(gap, phrase_start, phrase_end)
        claims = (
            [] if phrase is None else claim_by_phrase(sentence, pattern, phrase, subject.unit, right_unit)
        )
        if claims:
            clause.located_unit = subject.unit if claims[-1].relation == LOCATED_IN.name else None
            return [replace(claim, confidence=claim.confidence - deduction) for claim in claims]
    return []


def _does_name_describe_subject(sentence: Sentence, unit: Unit) -> bool:
    """Return whether a name describes the subject: "is a Caldecott Medal Book"."""
    words_before = sentence.lower[max(0, unit.first - 2) : unit.first]
    return len(words_before) == 2 and words_before[0] in BE and words_before[1] in INDEFINITE_WORDS


def _find_subject_of_phrase(
    sentence: Sentence, left_unit: Unit, gap: list[str], phrase_start: int, is_passive: bool, clause: _Clause
) -> UnsureSubject | None:
    """Return the subject of the phrase at this index of the gap, and a deduction for its uncertainty; None
    if it has no named subject.
    """
    clause_subject = clause.subject
    if clause_subject is not None and left_unit.entities == clause_subject.entities:
        left_unit = clause_subject  # "Acme, also known as Zeta, was"
    if (
        is_passive
        and phrase_start == 0
        and clause_subject is not None
        and _does_name_describe_subject(sentence, left_unit)
    ):
        # "X is a Caldecott Medal Book written by Ann": X is written by Ann.
        return UnsureSubject(clause_subject, 0.0)
    # "The lands in the Sudeten region of": the region has the name before it.
    if phrase_start == 0 and KIND_OF.get(gap[0]) == "Location":
        return UnsureSubject(left_unit, 0.0)
    # "married Bob Ray, founder of Acme": an apposition describes the name before it.
    if (
        gap[:phrase_start] == [","]
        and gap[phrase_start] in PHRASE_OPENING_NOUNS - KIN_NOUNS
        and does_noun_after_comma_fit_name(left_unit, gap[phrase_start])
    ):
        return UnsureSubject(left_unit, 0.0)
    # "Initech, which Globex bought, was founded by": the main clause is about Initech.
    if (
        word_at(sentence.lower, left_unit.first - 1) in _OBJECT_RELATIVE_PRONOUNS
        and "," in gap[1:phrase_start]
    ):
        clause.subject = clause.outer_subject
        return UnsureSubject(clause.outer_subject, 0.05) if clause.outer_subject is not None else None
    # "is the tenth episode of the season and the 41st episode of": a second description of the subject.
    if is_second_noun(gap, phrase_start) and not is_governed_by_preposition(sentence, left_unit):
        return UnsureSubject(left_unit, 0.0)
    # "pursued a career after graduating from Yale": the subject is that of the clause.
    if (
        gap[phrase_start].endswith("ing")
        and gap[:phrase_start][-1:] in _TIME_CONJUNCTIONS
        and clause_subject is not None
    ):
        return UnsureSubject(clause_subject, 0.05)
    return find_subject_of_verb(sentence, left_unit, gap[:phrase_start], is_passive, clause_subject)


def _compute_deduction_for_modifier(sentence: Sentence, gap: list[str], right_unit: Unit) -> float:
    """Return the deduction for a name that only modifies the next noun: "proposed US2 tolls"."""
    next_word = word_at(sentence.lower, right_unit.last)
    if next_word in KIND_OF and not INDEFINITE_WORDS.isdisjoint(gap[-3:]):
        return 0.4  # "sold the first SQL database": one of many that are called so
    return 0.15 if next_word.isalpha() and not _ends_name_before(next_word) else 0.0


def _claim_further_place(gap: list[str], right_unit: Unit, clause: _Clause) -> list[Claim]:
    """Return the claim of a further place for the entity that the last claim located: "was held in Paris
    and later in Rome".
    """
    located_unit = clause.located_unit
    if (
        located_unit is None
        or located_unit.kind not in ("Organization", "Event")
        or right_unit.kind != "Location"
    ):
        return []
    return (
        claim_between_units(located_unit, right_unit, LOCATED_IN.name, 0.55)
        if gap in (["in"], [",", "in"], ["at"])
        else []
    )
