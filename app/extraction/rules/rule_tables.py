"""The row types of the tables that the rules read: verbs, phrases, pairs of names, votes and subjects.

The rows themselves are in a folder for each language, such as `english/`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Pattern:
    """One phrase. A transitive one means "subject verb object", and is inverted with "by".

    `states_location`: with a place after "in" or "at" it states the subject's location. `subjects` and
    `objects` limit the kinds of the ends, where a kind is certain. `second_name_words`: the second name
    contains one of these words ("won the Turing Award").
    """

    relation: str
    confidence: float
    transitive: bool = False
    is_reversed: bool = False
    states_location: bool = False
    subjects: frozenset[str] | None = None
    objects: frozenset[str] | None = None
    second_name_words: frozenset[str] | None = None


PhrasePattern = tuple[str, Pattern]
"""A phrase in lower case, and its pattern."""


def group_by_first_word(
    patterns: Iterable[PhrasePattern],
) -> dict[str, tuple[tuple[tuple[str, ...], Pattern], ...]]:
    """Return the rests of the phrases by their first word, longest first, with their patterns."""
    phrases_and_patterns_by_first_word: dict[str, list[tuple[tuple[str, ...], Pattern]]] = {}
    for phrase, pattern in patterns:
        first_word, *next_words = phrase.split()
        phrases_and_patterns_by_first_word.setdefault(first_word, []).append((tuple(next_words), pattern))
    return {
        first_word: tuple(
            sorted(phrases_and_patterns, key=lambda phrase_and_pattern: -len(phrase_and_pattern[0]))
        )
        for first_word, phrases_and_patterns in phrases_and_patterns_by_first_word.items()
    }


class Shape(Enum):
    """The form of a name: one word, several words, spelt as programs are ("pgAdmin", "DB2"), or as people
    are.
    """

    ONE_WORD = "one word"
    SEVERAL_WORDS = "several words"
    PROGRAM = "odd"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class KindCue:
    """One row: a word next to a name, and the kind that it suggests for the name.

    `farther_words`: one of these words is next to that word, farther from the name. `opposite_words`: one of
    these words is on the name's other side. `shape`: the required form of the name. `kind` None: the kind of
    the noun phrase after the two words; no vote if it has none.
    """

    words: frozenset[str]
    kind: str | None
    strength: float
    farther_words: frozenset[str] | None = None
    opposite_words: frozenset[str] | None = None
    shape: Shape | None = None


def group_by_word(cues: Iterable[KindCue]) -> Mapping[str, tuple[KindCue, ...]]:
    """Return the rows that each word can match, in the table's order, for one look-up instead of a scan."""
    cues_by_word: dict[str, list[KindCue]] = defaultdict(list)
    for cue in cues:
        for word in cue.words:
            cues_by_word[word].append(cue)
    return {word: tuple(matching_cues) for word, matching_cues in cues_by_word.items()}


class Cue:
    """Properties of a verb and the name before it, as bit flags; `before` are the words between the two."""

    CLAUSE_END = 1 << 0
    """`before` contains a word that ends the clause."""
    RELATIVE = 1 << 1
    """Its last word is "who", "which" or "that"."""
    INNER_RELATIVE = 1 << 2
    """It contains a relative pronoun after another word."""
    WHO = 1 << 3
    ONLY_THAT = 1 << 4
    MANY_WORDS = 1 << 5
    """It contains more than two words that are not adverbs."""
    POSSESSIVE = 1 << 6
    OWN_SUBJECT = 1 << 7
    """It has a noun after "and": the verb has its own subject."""
    ADJACENT = 1 << 8
    """It contains only adverbs."""
    JOINED = 1 << 9
    """It contains "and", or a comma right before the verb."""
    COMMA = 1 << 10
    """It begins with a comma."""
    APPOSITION = 1 << 11
    """A noun phrase or a relative clause begins after its first word."""
    WITH_FORM_OF_BE = 1 << 12
    """It contains a form of "be"."""
    PASSIVE = 1 << 13
    """ "by" follows the verb."""
    OBLIQUE = 1 << 14
    """A preposition governs the name."""
    BY_WORD = 1 << 15
    """ "by" directly precedes the name."""
    NO_PERSON = 1 << 16
    """The name is certainly not a person's."""
    IN_CLAUSE = 1 << 17
    """The clause already has a subject."""
    OTHER_CLAUSE = 1 << 18
    """The clause's subject is not the name."""
    CLAUSE_OF_PERSON = 1 << 19
    """The clause's subject is a person."""
    PERSON = 1 << 20
    """The name is certainly a person's."""
    WITH_AND = 1 << 21
    """`before` contains "and"."""
    DESCRIBED = 1 << 22
    """The name is part of a description of the clause's subject, which is not a person: "is a sequel to"."""
    PREDICATE = 1 << 23
    """`before` describes the name and continues with a relative clause: "is a painter who"."""
    ENDS_ASIDE = 1 << 24
    """`before` ends an aside that began right after the clause's subject: "X, owned by the name, is"."""


class VerbSubject(Enum):
    """The verb's subject: the name before it, the subject of the clause so far, or an unnamed one."""

    NAME = "name"
    CLAUSE = "clause"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """One row: the required cues, the excluded cues, and the verb's subject if they match."""

    required_cues: int
    excluded_cues: int
    subject: VerbSubject
    deduction: float = 0.0
