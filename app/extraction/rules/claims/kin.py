"""Claims of kinship apart from verbs: kinship nouns, a marriage before a comma, the parents of a birth."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from app.domain.node_types import PEOPLE
from app.domain.relation_types import BORN_IN, MARRIED_TO, PARENT_OF
from app.extraction.rules.claims.suppositions import have_word_of_doubt
from app.extraction.rules.claims.units import (
    Claim,
    Unit,
    claim_between_units,
    compute_kind_misfit,
    does_verb_follow,
    is_verb,
    join_coordinated_units,
    write_sentence_with_numbered_names,
)
from app.extraction.rules.english.grammar import FORMER_ROLE_WORDS
from app.extraction.rules.english.phrase_patterns import PHRASE_OPENING_NOUNS
from app.extraction.rules.english.words.families import (
    BIRTH_FORM,
    CHILD_OF_BOTH,
    CONTINUATION_FORM,
    FICTION_WORDS,
    KIN_RELATION_BY_NOUN,
    KIN_RELATIONS,
    KINSHIP_FORMS,
    MUTUAL_KINSHIP_FORMS,
    PAIR_KINSHIP_FORM,
    PLURAL_KIN,
    RELATION_BY_MUTUAL_NOUN,
    SIGNS_OF_KIN,
    WEDDING_WORDS,
)
from app.extraction.rules.indices import EntityIndex
from app.extraction.rules.sentences import Sentence
from app.graph.validity import Polarity

_MARRIAGE_CONFIDENCE, _PARENT_CONFIDENCE = 0.75, 0.75
_WORDS_BEFORE_SPOUSE = {("her", "marriage", "to"), ("his", "marriage", "to")}
_GAPS_BEFORE_PARENTS = (["to"], [",", "to"], ["to", "parents"], [",", "to", "parents"])
_CONJUNCTIONS = (["and"], [",", "and"])
_MAX_APPOSITION_LENGTH = 5
_KINSHIP_CONFIDENCE = 0.8
_WORDS_AFTER_APPOSITION = (",", ".", ";", ")", "and", "who", "(", "")
# Words before which a sentence changes its topic.
_TOPIC_CHANGE = re.compile(r"; | but | while | although ")


def replace_family_claims_by_kinship(
    sentence: Sentence, sentence_units: list[Unit], claims: list[Claim]
) -> list[Claim]:
    """Return the claims with those of kinship, which replace the other claims about these people's
    families.
    """
    lower_words = sentence.lower
    if SIGNS_OF_KIN.isdisjoint(lower_words):
        return claims
    if lower_words[:2] == ["in", "the"] and not FICTION_WORDS.isdisjoint(lower_words[2:3]):
        return [claim for claim in claims if claim.relation not in KIN_RELATIONS]
    if WEDDING_WORDS.isdisjoint(lower_words):
        claims = [_remove_beginning_of_marriage(claim) for claim in claims]
    units = join_coordinated_units(sentence, sentence_units)
    line, _ = write_sentence_with_numbered_names(sentence, units)
    kin_claims: list[Claim] = []
    kin_entities: set[int] = set()
    for match in _find_forms_of_kin(line, units):
        new_claims = list(_claim_by_form_of_kin(match, line, units))
        kin_claims += new_claims
        kin_entities |= {entity for number in _list_name_numbers(match) for entity in units[number].entities}
        kin_entities |= {end for claim in new_claims for end in (claim.source, claim.target)}
    kin_claims += _claim_kin_of_pair(line, units, claims)
    return (
        _replace_kin_relations_between_named_kin(claims, kin_claims, kin_entities) if kin_entities else claims
    )


def _replace_kin_relations_between_named_kin(
    claims: Sequence[Claim], kin_claims: Sequence[Claim], kin_entities: set[EntityIndex]
) -> list[Claim]:
    """Return the claims of both readings of a sentence; among named kin only those of the second."""
    divorced_pairs = {
        frozenset((claim.source, claim.target))
        for claim in claims
        if claim.polarity is Polarity.DENIED and claim.relation == MARRIED_TO.name
    }
    # "Divorced his wife Mary" does not assert the marriage.
    kin_claims = [
        claim
        for claim in kin_claims
        if claim.relation != MARRIED_TO.name or frozenset((claim.source, claim.target)) not in divorced_pairs
    ]
    kin_facts = {(claim.source, claim.target, claim.relation, claim.polarity) for claim in kin_claims}
    kin_facts |= {(target, source, relation, polarity) for source, target, relation, polarity in kin_facts}
    remaining_claims = [
        claim
        for claim in claims
        if claim.relation not in KIN_RELATIONS
        or not {claim.source, claim.target} <= kin_entities
        or (claim.relation == MARRIED_TO.name and claim.polarity is Polarity.DENIED)
        or (claim.source, claim.target, claim.relation, claim.polarity) in kin_facts
    ]
    return remaining_claims + kin_claims


def _remove_beginning_of_marriage(claim: Claim) -> Claim:
    """Return a marriage without a date that belongs to another event."""
    is_current_marriage = (
        claim.relation == MARRIED_TO.name and claim.polarity is Polarity.ASSERTED and claim.end_date is None
    )
    return replace(claim, start_date=None) if is_current_marriage else claim


def _claim_kin_of_pair(line: str, units: Sequence[Unit], claims: Sequence[Claim]) -> list[Claim]:
    return [
        replace(claim, source=second_parent)
        for match in CHILD_OF_BOTH.finditer(line)
        for claim in claims
        if claim.relation == PARENT_OF.name and claim.source in units[int(match["x"])].entities
        for second_parent in units[int(match["y"])].entities[:1]
        if second_parent != claim.target
    ]


def _list_name_numbers(match: re.Match[str]) -> list[int]:
    return [int(match[key]) for key in ("x", "y", "z", "w", "p") if match.groupdict().get(key)]


def _find_forms_of_kin(line: str, units: Sequence[Unit]) -> Iterator[re.Match[str]]:
    """Yield the forms that the line matches, among people only and without doubt."""
    for form in (*KINSHIP_FORMS, *MUTUAL_KINSHIP_FORMS, PAIR_KINSHIP_FORM, BIRTH_FORM):
        for match in form.finditer(line):
            unit_numbers = _list_name_numbers(match)
            text_before = _TOPIC_CHANGE.split(line[: match.start()])[-1]
            stating_text = f"{text_before} {match[0]}"
            denial_text = match.groupdict().get("not")
            if denial_text:
                stating_text = stating_text.replace(denial_text, "", 1)
            if any(
                compute_kind_misfit(units[unit_number], PEOPLE) >= 1.0 for unit_number in unit_numbers
            ) or have_word_of_doubt(stating_text.split()):
                continue
            if _is_complete_form(match, line, units):
                yield match


def _is_complete_form(match: re.Match[str], line: str, units: Sequence[Unit]) -> bool:
    """Return whether the form is complete: not in "Karl's father, Ben said", nor in "Karl brother Ben"."""
    text_by_group = match.groupdict()
    if "own" in text_by_group and text_by_group["own"] is None and not units[int(match["x"])].is_reference:
        return False
    next_words = line[match.end() :].split(maxsplit=1)[:1]
    link_words = (text_by_group.get("link") or "").split()
    if match.re is KINSHIP_FORMS[0]:
        if link_words == [","]:
            # "His wife, Mary, and Eva": only Mary is meant, and the comma after her closes the apposition.
            has_several_kin = len(units[int(match["y"])].entities) > 1 and match["kin"] not in PLURAL_KIN
            return has_several_kin or (next_words or [""])[0] in _WORDS_AFTER_APPOSITION
        return not (link_words and next_words and next_words[0] in ("'s", "’s", "'", "’"))
    if match.re is KINSHIP_FORMS[1] and link_words == [","]:
        # "Karl, his wife, Mary": it is Mary who is the wife.
        return text_by_group["own"] is not None and next_words[:1] in ([","], ["."], [";"], [")"], [])
    return True


def _claim_by_form_of_kin(match: re.Match[str], line: str, units: Sequence[Unit]) -> Iterator[Claim]:
    """Yield the claims of one form."""
    text_by_group = match.groupdict()
    is_denied = bool(text_by_group.get("not"))
    if text_by_group.get("mutual"):
        yield from _claim_mutual_kinship(
            units[int(match["p"])], RELATION_BY_MUTUAL_NOUN[match["mutual"]], is_denied=is_denied
        )
    elif text_by_group.get("one"):
        pair_unit = units[int(match["p"])]
        if len(pair_unit.entities) == 2:
            first_person, second_person = (
                replace(pair_unit, entities=[entity]) for entity in pair_unit.entities
            )
            yield from _claim_kinship(match["one"], "", second_person, first_person, is_denied=False)
    elif match.re is BIRTH_FORM:
        yield from claim_between_units(
            units[int(match["x"])], units[int(match["y"])], PARENT_OF.name, _KINSHIP_CONFIDENCE
        )
    else:
        owners = [units[int(match[key])] for key in ("x", "z", "w") if text_by_group.get(key)]
        for adjectives, noun, number in _list_named_kin(match, line):
            for owner in owners:
                yield from _claim_kinship(noun, adjectives, owner, units[number], is_denied=is_denied)


class _NamedKin(NamedTuple):
    """A noun of kinship with the adjectives before it, and the number of the name after it."""

    adjectives: str
    noun: str
    name_number: int


def _list_named_kin(match: re.Match[str], line: str) -> Iterator[_NamedKin]:
    """Yield the kin in the form, and the kin that follow it."""
    yield _NamedKin(match["adj"], match["kin"], int(match["y"]))
    next_match = CONTINUATION_FORM.match(line, match.end()) if match.re is not KINSHIP_FORMS[1] else None
    while next_match is not None:
        yield _NamedKin(next_match["adj"], next_match["kin"], int(next_match["y"]))
        next_match = CONTINUATION_FORM.match(line, next_match.end())


def _claim_kinship(
    noun: str, adjectives: str, owner_unit: Unit, kin_unit: Unit, *, is_denied: bool
) -> Iterator[Claim]:
    """Yield the claims of a kinship noun; "his son Max and Eva" does not include Eva."""
    relation, is_reversed = KIN_RELATION_BY_NOUN[noun.removeprefix("ex-")]
    if noun not in PLURAL_KIN:
        kin_unit = replace(kin_unit, entities=kin_unit.entities[:1])
    source, target = (kin_unit, owner_unit) if is_reversed else (owner_unit, kin_unit)
    if noun.startswith("ex-") or not FORMER_ROLE_WORDS.isdisjoint(adjectives.split()):
        if relation != MARRIED_TO.name:
            return
        is_denied = True
    for claim in claim_between_units(source, target, relation, _KINSHIP_CONFIDENCE):
        yield replace(claim, polarity=Polarity.DENIED) if is_denied else claim


def _claim_mutual_kinship(people: Unit, relation: str, *, is_denied: bool) -> Iterator[Claim]:
    for first_person, second_person in combinations(people.entities, 2):
        claim = Claim(first_person, second_person, relation, min(_KINSHIP_CONFIDENCE, people.max_confidence))
        yield replace(claim, polarity=Polarity.DENIED) if is_denied else claim


def claim_by_marriage_phrase(sentence: Sentence, units: Sequence[Unit]) -> Iterator[Claim]:
    """Yield the claim of a marriage whose first partner follows the comma: "Through her marriage to Bob,
    Ann was".
    """
    spouse, subject = units[0], units[1]
    words_before, gap = sentence.lower[: spouse.first], sentence.lower[spouse.last : subject.first]
    if (
        tuple(words_before[-3:]) in _WORDS_BEFORE_SPOUSE
        and gap == [","]
        and not have_word_of_doubt(sentence.lower)
    ):
        yield from claim_between_units(subject, spouse, MARRIED_TO.name, _MARRIAGE_CONFIDENCE)


def claim_parents_after_birth(
    gap: Sequence[str], right_unit: Unit, birth_claims: Sequence[Claim]
) -> list[Claim]:
    """Return the claims of parents after a birthplace: "Born in Boston to Tom and Eva Lee"."""
    children = {claim.source for claim in birth_claims if claim.relation == BORN_IN.name}
    if len(children) != 1 or list(gap) not in _GAPS_BEFORE_PARENTS or right_unit.kind != "Person":
        return []
    return [
        Claim(parent, child, PARENT_OF.name, min(_PARENT_CONFIDENCE, right_unit.max_confidence))
        for child in children
        for parent in right_unit.entities
        if parent != child
    ]


def claim_other_parent(
    sentence: Sentence, units: Sequence[Unit], index: int, claims: Sequence[Claim]
) -> list[Claim]:
    """Return the claim of the second parent, after a description of the first: "The child of Eva Lee,
    founder of Acme, and Tom Lee".
    """
    first_unit = units[index]
    parents = [
        claim for claim in claims if claim.relation == PARENT_OF.name and claim.source in first_unit.entities
    ]
    if not parents or len(first_unit.entities) > 1:
        return []
    gap_start, lower_words = first_unit.last, sentence.lower
    for unit in units[index + 1 : index + 3]:
        gap = lower_words[gap_start : unit.first]
        if gap in _CONJUNCTIONS and unit is not units[index + 1]:
            if unit.kind != "Person" or does_verb_follow(sentence, unit.last):
                return []
            return [
                Claim(parent, parents[0].target, PARENT_OF.name, parents[0].confidence)
                for parent in unit.entities
            ]
        is_apposition = gap[:1] == [","] and len(gap) <= _MAX_APPOSITION_LENGTH
        if (
            not is_apposition
            or not any(word in PHRASE_OPENING_NOUNS for word in gap)
            or any(map(is_verb, gap))
        ):
            return []
        gap_start = unit.last
    return []
