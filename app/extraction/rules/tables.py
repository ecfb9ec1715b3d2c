"""The forms of the tables that the rules read: a row each for a verb, a phrase, a pair of names, a vote,
a subject.

The rows themselves stand in a folder for each language, such as `english/`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True)
class Pattern:
    """One phrase. A transitive one means "subject verb object", and turned round with "by".

    `locating`: with a place behind "in" or "at" it says where the subject is. `subjects` and `objects`
    limit the kinds of the ends, where a kind is certain. `named`: the second name holds one of these words
    ("won the Turing Award").
    """

    relation: str
    confidence: float
    transitive: bool = False
    reversed: bool = False
    locating: bool = False
    subjects: frozenset[str] | None = None
    objects: frozenset[str] | None = None
    named: frozenset[str] | None = None


def group_by_first_word(
    patterns: Iterable[tuple[str, Pattern]],
) -> dict[str, tuple[tuple[tuple[str, ...], Pattern], ...]]:
    """First word of a phrase to the rest of each phrase that begins with it, longest first."""
    trie: dict[str, list[tuple[tuple[str, ...], Pattern]]] = {}
    for phrase, pattern in patterns:
        first, *following = phrase.split()
        trie.setdefault(first, []).append((tuple(following), pattern))
    return {
        first: tuple(sorted(phrases, key=lambda phrase_and_pattern: -len(phrase_and_pattern[0])))
        for first, phrases in trie.items()
    }


class Shape(Enum):
    """The look of a name itself: one word, several, spelt as programs are ("pgAdmin", "DB2"),
    or as people are."""

    ONE_WORD = "one word"
    SEVERAL_WORDS = "several words"
    ODD = "odd"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Near:
    """One row: the word next to a name, and what it suggests the name to be.

    `beyond`: one of these words stands behind the next word, seen from the name. `opposite`: one of them
    stands on the name's other side. `shape` is what the name itself must look like. `kind` None takes the
    kind that the noun phrase behind the two words names, and no vote where it names none.
    """

    words: frozenset[str]
    kind: str | None
    strength: float
    beyond: frozenset[str] | None = None
    opposite: frozenset[str] | None = None
    shape: Shape | None = None


def group_by_word(rows: Iterable[Near]) -> Mapping[str, tuple[Near, ...]]:
    """The rows that each word can fit, in the table's order:
    one look-up in place of a comparison with every row."""
    index: dict[str, list[Near]] = defaultdict(list)
    for row in rows:
        for word in row.words:
            index[word].append(row)
    return {word: tuple(fitting_rows) for word, fitting_rows in index.items()}


class Cue:
    """Facts about a verb and the name before it, to be added up; `before` are the words between the two."""

    CLAUSE_END = 1 << 0
    """A word that ends the clause is among them."""
    RELATIVE = 1 << 1
    """The last of them is "who", "which" or "that"."""
    INNER_RELATIVE = 1 << 2
    """One of these stands behind another word."""
    WHO = 1 << 3
    ONLY_THAT = 1 << 4
    FAR = 1 << 5
    """More than two of them are no adverbs."""
    POSSESSIVE = 1 << 6
    OWN_SUBJECT = 1 << 7
    """A noun behind "and": the verb has a subject of its own."""
    NEXT = 1 << 8
    """There is nothing but adverbs among them."""
    JOINED = 1 << 9
    """ "and", or a comma right before the verb."""
    COMMA = 1 << 10
    """They begin with a comma."""
    APPOSITION = 1 << 11
    """Behind their first word a noun phrase or a relative clause begins."""
    HELPED = 1 << 12
    """A form of "be" is among them."""
    PASSIVE = 1 << 13
    """ "by" stands behind the verb."""
    OBLIQUE = 1 << 14
    """A preposition governs the name."""
    BY = 1 << 15
    """ "by" stands right before the name."""
    NO_PERSON = 1 << 16
    """The name is surely no person's."""
    IN_CLAUSE = 1 << 17
    """The clause has a subject already."""
    OTHER_CLAUSE = 1 << 18
    """And it is another one than the name."""
    CLAUSE_OF_PERSON = 1 << 19
    """And it is a person."""
    PERSON = 1 << 20
    """The name is surely a person's."""
    ALSO = 1 << 21
    """ "and" is among them."""
    DESCRIBED = 1 << 22
    """The name stands in a description of the clause's subject, which is no person: "is a sequel to"."""
    PREDICATE = 1 << 23
    """They say what the name is, and go on with what that did: "is a painter who"."""


class Whose(Enum):
    """The verb's subject: the name before it, the subject of the clause so far, or nobody that is named."""

    NAME = "name"
    CLAUSE = "clause"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """One row: the cues that it needs, those that must not be there, and whose verb it then is."""

    needs: int
    lacks: int
    whose: Whose
    deduction: float = 0.0
