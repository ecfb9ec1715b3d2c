"""The shape of a relation type: all that the platform knows of one, in one value.

The entries stand in `relation_types.py`. Words are English, in lower case, as the rules compare them.
"""

from dataclasses import dataclass, replace
from enum import Enum

Kinds = frozenset[str]

CUSTOMER, TASK, WORK = "customer", "task", "work"
"""Kinds of records that no node type tells apart."""


class NamedBy(Enum):
    """Words that the second name must hold for a wording to be read: "won the Turing Award"."""

    AWARDS = "awards"
    GIVEN_NAMES = "given names"
    LEAGUES = "leagues"
    MEMBERSHIPS = "memberships"


@dataclass(frozen=True, slots=True)
class Ends:
    """The kinds of node at the two ends. A kind that is a guess may stand anywhere.

    `sources` and `targets` are the only kinds that may stand there, where they are given;
    `never_sources` and `never_targets` are kinds that may not. Of the kinds in `alike` both ends are one,
    or neither. `never_of`: the first kinds have no target of the second.
    """

    sources: Kinds | None = None
    targets: Kinds | None = None
    never_sources: Kinds = frozenset()
    never_targets: Kinds = frozenset()
    alike: Kinds = frozenset()
    never_of: tuple[Kinds, Kinds] = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Wording:
    """Verbs or phrases between two names that state the relation, and how surely.

    A transitive one is "subject verb object", and turned round with "by". `turned`: the second name is the
    source. `locating`: with a place behind "in" or "at" it says where the subject is. `subjects` and
    `objects` limit the kinds of the source and the target, `named` the words of the second name. `nominal`:
    a noun opens the phrases.
    """

    confidence: float
    words: tuple[str, ...]
    transitive: bool
    turned: bool = False
    locating: bool = False
    subjects: Kinds | None = None
    objects: Kinds | None = None
    named: NamedBy | None = None
    nominal: bool = False


def verb_wording(
    confidence: float,
    words: str,
    *,
    turned: bool = False,
    locating: bool = False,
    subjects: Kinds | None = None,
    objects: Kinds | None = None,
    named: NamedBy | None = None,
) -> Wording:
    """Verbs of one meaning in all their forms, parted by spaces; a low line stands for a space."""
    forms = tuple(form.replace("_", " ") for form in words.split())
    return Wording(confidence, forms, True, turned, locating, subjects, objects, named)


def phrase_wording(
    confidence: float,
    words: str,
    *,
    turned: bool = False,
    locating: bool = False,
    subjects: Kinds | None = None,
    objects: Kinds | None = None,
    named: NamedBy | None = None,
) -> Wording:
    """Phrases of one meaning, parted by bars."""
    forms = tuple(" ".join(phrase.split()) for phrase in words.split("|"))
    return Wording(confidence, forms, False, turned, locating, subjects, objects, named)


def noun_wording(
    confidence: float,
    words: str,
    *,
    turned: bool = False,
    subjects: Kinds | None = None,
    objects: Kinds | None = None,
    named: NamedBy | None = None,
) -> Wording:
    """Phrases that a noun opens, such as "author of", parted by bars.

    They say what a name is only behind "is", "became" or a comma: in "they bought an extension of X" it is
    not the buyer that extends X.
    """
    wording = phrase_wording(
        confidence, words, turned=turned, subjects=subjects, objects=objects, named=named
    )
    return replace(wording, nominal=True)


@dataclass(frozen=True, slots=True)
class Beside:
    """Two names that no verb joins: the words of the gap, and the kinds of both.

    `certain`: the second name's kind must be read from the text. `address`: only in an address, not in a
    list. `turned`: the second name is the source ("Germany's Bundestag").
    """

    gaps: tuple[str, ...]
    left: Kinds
    right: Kinds
    confidence: float
    certain: bool = False
    address: bool = False
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """Nouns between two names that say what the second is to the first: "Oracle's founder Larry Ellison".

    `turned`: what the first is to the second ("Ann Lee's son Bob Ray"). `of_groups`: "its founder" at the
    head of a sentence is of the organization named before.
    """

    confidence: float
    nouns: str
    turned: bool = False
    of_groups: bool = False


@dataclass(frozen=True, slots=True)
class Kin:
    """Nouns of a family; `turned` where the bearer is the source: a father is the parent of somebody."""

    nouns: str
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """Headers of columns that state the relation of a row to the value.

    `row` is the row's kind (None: any), `value` the kind of the value, "" where the header does not tell.
    `turned`: the value is the source. `of_people_alone`: a row of one word, whose kind nothing tells, may
    be no person, and has no such column.
    """

    row: str | None
    value: str
    keys: str
    turned: bool = False
    of_people_alone: bool = False


@dataclass(frozen=True, slots=True)
class Implied:
    """A wider relation that a claim states too, where its target is of one of these kinds."""

    relation_type: str
    targets: Kinds


@dataclass(frozen=True, slots=True, eq=False)
class RelationType:
    """All that the platform knows of a relation type: its name, meaning, words, and what ends it.

    Each is one entry of the registry, and equal to itself alone.
    """

    name: str
    """Lower snake_case, a verb, at most 64 characters. It never changes: rows hold it."""
    specific: bool = False
    """Left out of the vocabulary of a space that does not want `specific_relations`."""

    example: str = ""
    """A short sentence that states it of A, the source, and B, the target: what a model is shown of it."""
    clause: str = ""
    """The words between two names in a sentence, where the name's own words are no clause."""
    question: str = ""
    """A question whose answer such a claim is, with `{start}` or `{end}` for the end that it names."""

    ends: Ends = Ends()
    symmetric: bool = False
    """It means the same in both directions."""
    one_way: bool = False
    """It cannot hold both ways between two nodes: two such claims contradict each other."""
    single_valued: bool = False
    """A source has one target for good, as everybody is born in one place and in what that lies in."""
    single_source: bool = False
    """Of a target it holds for one source at a time: a country has one capital, and a later one ends the
    earlier.
    """
    offices: str = ""
    """Of a type that several offices are: the words, parted by bars, of those that one source has at a time.
    Of two sources that have different offices, or one that several share, none ends the other.
    """
    shared_offices: str = ""
    """And the words of those that several have at once."""
    implies: Implied | None = None
    """What one sentence states with it, and what ends with it."""
    by_address: bool = False
    """A place in a larger one, by an address alone: it counts for no community and no summary."""
    spreads_to_larger_places: bool = False
    """What is said so of the first place of an address is said of the others."""
    of_versions: bool = False
    """What is denied of a version of the target is not denied of the target."""
    of_whole: bool = False
    """Said of a part it is not said of the whole: "created the optimizer of X" is not about X."""

    ended_by: tuple[str, ...] = ()
    """A claim ends where one of these is denied of the same two: who left leads no more."""
    ends_with_source: bool = False
    """A claim ends where its source exists no more."""
    ends_with_target: bool = False
    """And where its target does: nobody is a member of a band that broke up."""
    ends_on_leaving: bool = False
    """ "She left the company" ends it, of the firm that was named before."""
    has_term: bool = False
    """The dates and the status of a row bound it: who made something has made it for good."""
    past_ends: bool = False
    """Unresolved of the past ("once worked for") it is over."""
    past_verbs: tuple[str, ...] = ()
    """It is over only where one of these verbs tells it so."""
    lasting: bool = False
    """A former player from Cuba is from Cuba still."""

    synonyms: str = ""
    """Names that a model or a header may give it, in lower snake_case."""
    inverses: str = ""
    """Names for it the other way round."""
    wordings: tuple[Wording, ...] = ()
    beside: tuple[Beside, ...] = ()
    roles: tuple[Role, ...] = ()
    kin: tuple[Kin, ...] = ()
    mutual: str = ""
    """What two people are to each other who are called so together, parted by bars: "siblings"."""
    nationality_of: Kinds = frozenset()
    """An adjective of nationality says this of a thing of these kinds: "an Austrian composer"."""
    headers: tuple[Header, ...] = ()
    no_header_of: tuple[str, ...] = ()
    """Kinds of records whose columns say this of something else than the row: an order's supplier."""
