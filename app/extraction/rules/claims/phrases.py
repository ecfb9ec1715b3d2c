"""A phrase that states something between two names, and the claims of places behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.domain.node_types import GROUPS, PEOPLE
from app.domain.relation_types import CREATED, HEAD_OF, LOCATED_IN, WORKS_FOR
from app.domain.scoring.stop_words import STOP_WORDS
from app.extraction.rules.claims.gaps import without_dates
from app.extraction.rules.claims.units import Claim, Unit, between, is_verb, misfit
from app.extraction.rules.english.grammar import (
    ARTICLES,
    AT_PLACES,
    BE,
    BEFORE_CLAUSE,
    BESIDE_COPULA,
    CLAUSE_ENDS,
    DETERMINERS,
    HAVE,
    INDEFINITE,
    LINKS,
    NOT_HELD,
    OBJECT_PRONOUNS,
    POSSESSIVES,
    PREPOSITIONS,
    RELATIVE,
)
from app.extraction.rules.english.pairs import IMPLIED
from app.extraction.rules.english.patterns.table import NOMINAL, TRIE, WHOLE_OBJECT
from app.extraction.rules.english.words.changed import DEPUTIES
from app.extraction.rules.sentences import Sentence
from app.extraction.rules.tables import Pattern

_POST_OF_DEPUTY = Pattern(WORKS_FOR.name, 0.8, subjects=PEOPLE, objects=GROUPS)
Trigger = tuple[int, list[tuple[int, Pattern]]]
"""Where a phrase of the table begins among some words, and its readings with their ends."""

# "the chief executive officer of" has three words before "of".
_LONGEST_NOUN = 4
# How many words may stand behind "by".
_BY_REACH = 6
# How many words may stand between a verb and what it is about.
_REACH = 9


def triggers(gap: list[str]) -> Trigger | None:
    """The last phrase of the gap that states something: where it begins, and its readings with their ends."""
    best: Trigger | None = None
    words = tuple(gap)
    at = 0
    while at < len(words):
        entries = TRIE.get(words[at])
        step = 1
        if entries is not None:
            matches = [
                (len(rest) + 1, found)
                for rest, found in entries
                if words[at + 1 : at + 1 + len(rest)] == rest
            ]
            # "the published design": a participle behind an article states nothing.
            described = at > 0 and words[at - 1] in ARTICLES
            if matches and not (described and matches[0][1].transitive):
                step = matches[0][0]
                best = (at, [(at + length, found) for length, found in matches])
        at += step
    return best


def phrase_between(gap: list[str]) -> tuple[list[str], Trigger | None]:
    """The gap with its last phrase that states something; without its dates where it has one only then."""
    trigger = triggers(gap)
    shorter = without_dates(gap) if trigger is None else []
    other = triggers(shorter) if shorter else None
    return (gap, trigger) if other is None else (shorter, other)


def turned_round(sentence: Sentence, left: Unit, right: Unit, gap: list[str]) -> list[str] | None:
    """The words between Y and X where the sentence says it the other way round, "the CEO of X is not Y" or
    "X's CEO is Y": "is not the CEO of". None where it does not, nothing where Y only begins what X's CEO is,
    "is Y's brother".
    """
    verb = next((at for at, word in enumerate(gap) if word in BE or word in HAVE), len(gap))
    if not gap[verb:] or not BESIDE_COPULA.issuperset(gap[verb + 1 :]):
        return None
    if verb:
        noun = gap[1:verb] if gap[0] in POSSESSIVES else []
    else:
        noun = _noun_before(sentence.lower[: left.first])
    if not noun or len(noun) > _LONGEST_NOUN or not (PREPOSITIONS | NOT_HELD).isdisjoint(noun):
        return None
    behind = sentence.lower[right.last : right.last + 1]
    if behind and (behind[0] in POSSESSIVES or (behind[0].isalpha() and behind[0] not in STOP_WORDS)):
        return []
    return [*gap[verb:], "the", *noun, "of"]


def _noun_before(words: Sequence[str]) -> list[str]:
    """The noun of "the only CEO of" where these words end so and a clause begins with it."""
    end = len(words) - (words[-1:] == ["the"])
    if end < 2 or words[end - 1] != "of":
        return []
    furthest = max(0, end - 2 - _LONGEST_NOUN)
    at = next((at for at in range(end - 2, furthest - 1, -1) if words[at] in ARTICLES), None)
    if at is None:
        return []
    opens = at == 0 or not words[at - 1][0].isalpha() or words[at - 1] in BEFORE_CLAUSE
    return list(words[at + 1 : end - 1]) if opens else []


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
    rest = without_dates(gap[end:])
    if not rest or rest[0] not in PREPOSITIONS:
        rest = gap[end:]  # "held from 1929 to 1930 in"
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


def _located(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
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
        return between(subject, target, LOCATED_IN.name, 0.6 - guessed - phrase.deduction)
    return []


def _perhaps_located(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """Claims of a name of no sure kind right behind "located in": most likely a place."""
    near = 0 < len(phrase.rest) <= 2 and phrase.rest[0] in AT_PLACES
    if near and pattern.confidence > 0.8 and target.kind == "Concept" and not target.certain:
        return (
            between(subject, target, pattern.relation, 0.6) if misfit(subject, pattern.subjects) < 1 else []
        )
    return []


def _is_linked(before: list[str]) -> bool:
    """Return whether a noun behind these words says what the subject is, and is not the object of a verb."""
    for at in range(len(before) - 1, -1, -1):
        word = before[at]
        if word in LINKS or (word == "," and at == 0):
            return True
        if word in ("in", "on") and before[at + 1 :] in (["a"], ["an"]):
            return False  # "debuting in an episode of X"
        described = at > 0 and (before[at - 1] in DETERMINERS or before[at - 1].endswith("ly"))
        if is_verb(word) and not (described and word.endswith("ed")):
            return False
    return True


def claims_of_phrase(
    sentence: Sentence, pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit
) -> list[Claim]:
    """The claims of one reading of a phrase; none where its shape does not fit."""
    nominal = not pattern.transitive and phrase.gap[phrase.start] in NOMINAL
    if nominal and not _is_linked(phrase.gap[: phrase.start]):
        return []
    if pattern.named is not None and pattern.named.isdisjoint(sentence.lower[target.first : target.last]):
        return []
    if pattern.relation == HEAD_OF.name and phrase.start and phrase.gap[phrase.start - 1] in DEPUTIES:
        pattern = _POST_OF_DEPUTY  # "The deputy head of Acme" leads no Acme.
    if pattern.locating and target.kind == "Location" and phrase.preposition in AT_PLACES:
        return _located(pattern, phrase, subject, target)
    if pattern.locating and not pattern.transitive:
        return _perhaps_located(pattern, phrase, subject, target)
    if pattern.transitive:
        return _by_transitive(pattern, phrase, subject, target)
    return [] if phrase.broken else _stated(pattern, subject, target, phrase.deduction)


def _by_transitive(pattern: Pattern, phrase: Phrase, subject: Unit, target: Unit) -> list[Claim]:
    """The claims of "subject verb object", and of its passive."""
    if phrase.preposition == "by":
        return _stated(pattern, target, subject, phrase.deduction) if _is_passive(phrase) else []
    if phrase.helped or phrase.broken:
        # "developed at Berkeley": who did it stands behind "at", less surely.
        if pattern.relation == CREATED.name and phrase.preposition == "at" and target.kind == "Organization":
            return between(target, subject, CREATED.name, 0.6 - phrase.deduction)
        return []
    if "of" not in phrase.rest:
        return _stated(pattern, subject, target, phrase.deduction)
    if pattern.relation in WHOLE_OBJECT:
        return []
    return _stated(pattern, subject, target, phrase.deduction + 0.15)


def _stated(pattern: Pattern, subject: Unit, target: Unit, deduction: float) -> list[Claim]:
    """The claims of a pattern between these ends, where their kinds allow it."""
    source, goal = (target, subject) if pattern.reversed else (subject, target)
    unfit = misfit(source, pattern.subjects) + misfit(goal, pattern.objects)
    if unfit >= 1.0:
        return []
    sure = pattern.confidence - unfit - deduction
    claims = between(source, goal, pattern.relation, sure)
    implied = IMPLIED.get(pattern.relation)
    if claims and implied is not None and goal.certain and goal.kind in implied.targets:
        claims += between(source, goal, implied.relation_type, sure)
    return claims


def _is_passive(phrase: Phrase) -> bool:
    """Return whether the name behind "by" is who did it; "designs by Y" is a noun."""
    gap, rest = phrase.gap, phrase.rest
    if gap[phrase.start].endswith("s"):
        return False
    near = rest[::-1].index("by") <= _BY_REACH
    return near and (phrase.helped or rest[0] == "by" or gap[0] == "," or phrase.start > 0)
