"""Families that a sentence tells of apart from its verbs: a marriage before a comma, parents of a birth."""

from collections.abc import Iterator, Sequence

from app.extraction.rules.claims.suppositions import are_doubted
from app.extraction.rules.claims.units import Claim, Unit, between, has_predicate, is_verb
from app.extraction.rules.english.patterns.table import NOMINAL
from app.extraction.rules.sentences import Sentence

_MARRIED, _PARENT = 0.75, 0.75
_OWN_MARRIAGE = {("her", "marriage", "to"), ("his", "marriage", "to")}
_TO_PARENTS = (["to"], [",", "to"], ["to", "parents"], [",", "to", "parents"])
_AND = (["and"], [",", "and"])
_LONGEST_APPOSITION = 5


def by_own_marriage(sentence: Sentence, units: Sequence[Unit]) -> Iterator[Claim]:
    """ "Through her marriage to Bob, Ann was": whose the marriage is, is said behind the comma."""
    spouse, subject = units[0], units[1]
    before, gap = sentence.lower[: spouse.first], sentence.lower[spouse.last : subject.first]
    if tuple(before[-3:]) in _OWN_MARRIAGE and gap == [","] and not are_doubted(sentence.lower):
        yield from between(subject, spouse, "married_to", _MARRIED)


def claims_of_birth(gap: Sequence[str], right: Unit, last: Sequence[Claim]) -> list[Claim]:
    """ "Born in Boston to Tom and Eva Lee": whose child somebody is, behind where the birth was."""
    children = {claim.source for claim in last if claim.relation == "born_in"}
    if len(children) != 1 or list(gap) not in _TO_PARENTS or right.kind != "Person":
        return []
    return [
        Claim(parent, child, "parent_of", min(_PARENT, right.most))
        for child in children
        for parent in right.entities
        if parent != child
    ]


def claims_of_other_parent(
    sentence: Sentence, units: Sequence[Unit], index: int, claims: Sequence[Claim]
) -> list[Claim]:
    """ "The child of Eva Lee, founder of Acme, and Tom Lee": who stands behind what the first one is."""
    first = units[index]
    parents = [claim for claim in claims if claim.relation == "parent_of" and claim.source in first.entities]
    if not parents or len(first.entities) > 1:
        return []
    at, lower = first.last, sentence.lower
    for unit in units[index + 1 : index + 3]:
        words = lower[at : unit.first]
        if words in _AND and unit is not units[index + 1]:
            if unit.kind != "Person" or has_predicate(sentence, unit.last):
                return []
            return [
                Claim(each, parents[0].target, "parent_of", parents[0].confidence) for each in unit.entities
            ]
        described = words[:1] == [","] and len(words) <= _LONGEST_APPOSITION
        if not described or not any(word in NOMINAL for word in words) or any(map(is_verb, words)):
            return []
        at = unit.last
    return []
