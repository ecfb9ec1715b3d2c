"""A phrase that states something between two names, and the claims of places behind it."""

from dataclasses import dataclass

from app.extraction.rules.claims.units import Claim, Unit, between, misfit
from app.extraction.rules.english.grammar import (
    AT_PLACES,
    BE,
    CLAUSE_ENDS,
    INDEFINITE,
    OBJECT_PRONOUNS,
    PREPOSITIONS,
    RELATIVE,
)
from app.extraction.rules.tables import Pattern

# How many words may stand between a verb and what it is about.
_REACH = 9


@dataclass(slots=True)
class Phrase:
    """A phrase that states something, between the two names that it may join.

    `rest` is what stands behind it, `helped` whether a form of "be" stands before it, `broken` whether
    the second name cannot be its object.
    """

    gap: list[str]
    start: int
    rest: list[str]
    preposition: str | None
    helped: bool
    broken: bool
    deduction: float


def phrase_at(gap: list[str], span: tuple[int, int]) -> Phrase | None:
    """The phrase at this place of the gap; None where what follows it is too long,
    a new clause or a pronoun."""
    start, end = span
    rest = gap[end:]
    # "made her a fellow"
    if len(rest) > _REACH or not CLAUSE_ENDS.isdisjoint(rest) or (rest and rest[0] in OBJECT_PRONOUNS):
        return None
    preposition = next((word for word in reversed(rest) if word in PREPOSITIONS), None)
    return Phrase(
        gap,
        start,
        rest,
        preposition,
        _is_helped(gap[max(0, start - 4) : start]),
        preposition is not None or "," in rest or not RELATIVE.isdisjoint(rest),
        0.0 if len(rest) <= 4 else 0.1,
    )


def _is_helped(before: list[str]) -> bool:
    """Return whether "be" belongs to the verb behind these words: not in "is a journalist who founded"."""
    at = next((at for at in range(len(before) - 1, -1, -1) if before[at] in RELATIVE), -1)
    return not BE.isdisjoint(before[at + 1 :])


def located(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """Claims of a place behind "in" or "at"."""
    guessed = 0.0 if target.certain else 0.1
    if not pattern.transitive:
        unfit = misfit(subject, pattern.subjects)
        sure = pattern.confidence - unfit - guessed - phrase.deduction
        return between(subject, target, pattern.relation, sure) if unfit < 1.0 else []
    # "was founded in Paris" says where it is; "founded a school in Paris" does not.
    described = phrase.gap[0] in BE and phrase.gap[1] in INDEFINITE
    passive = (phrase.helped or described or phrase.gap[0] == ",") and phrase.rest[0] in AT_PLACES
    if passive and subject.kind not in ("Person", "Location"):
        return between(subject, target, "located_in", 0.6 - guessed - phrase.deduction)
    return []


def perhaps_located(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """Claims of a name of no sure kind right behind "located in": most likely a place."""
    near = 0 < len(phrase.rest) <= 2 and phrase.rest[0] in AT_PLACES
    if near and pattern.confidence > 0.8 and target.kind == "Concept" and not target.certain:
        return (
            between(subject, target, pattern.relation, 0.6) if misfit(subject, pattern.subjects) < 1 else []
        )
    return []
