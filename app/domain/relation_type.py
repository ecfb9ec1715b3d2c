"""The definition of a relation type: all that the platform knows about one, in one value.

The entries are in `relation_types.py`. Words are English, in lower case, as the rules compare them.
"""

from dataclasses import dataclass, replace
from enum import Enum

Kinds = frozenset[str]

CUSTOMER, TASK, WORK = "customer", "task", "work"
"""Kinds of records that node types do not distinguish."""


class NamedBy(Enum):
    """Words that the second name must contain for a wording to match: "won the Turing Award"."""

    AWARDS = "awards"
    GIVEN_NAMES = "given names"
    LEAGUES = "leagues"
    MEMBERSHIPS = "memberships"


class ChangingEnd(Enum):
    """The end of a claim that differs from that of the claim before it."""

    SOURCE = "source"
    TARGET = "target"


@dataclass(frozen=True, slots=True)
class Ends:
    """The kinds of node at the two ends. A kind that is only guessed may be at either end.

    `sources` and `targets` are the only permitted kinds, if given; `never_sources` and `never_targets` are
    excluded kinds. For the kinds in `kinds_shared_by_both`, both ends or neither have one. `excluded_pair`:
    sources of the first kinds have no targets of the second.
    """

    sources: Kinds | None = None
    targets: Kinds | None = None
    never_sources: Kinds = frozenset()
    never_targets: Kinds = frozenset()
    kinds_shared_by_both: Kinds = frozenset()
    excluded_pair: tuple[Kinds, Kinds] = (frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Wording:
    """Verbs or phrases between two names that state the relation, with a confidence.

    A transitive one is "subject verb object", and inverted with "by". `is_reversed`: the second name is the
    source. `states_location`: followed by "in" or "at" and a place, it states where the subject is.
    `subject_kinds` and `object_kinds` limit the kinds of source and target, `named_by` the words of the
    second name. `nominal`: the phrases begin with a noun.
    """

    confidence: float
    words: tuple[str, ...]
    transitive: bool
    is_reversed: bool = False
    states_location: bool = False
    subject_kinds: Kinds | None = None
    object_kinds: Kinds | None = None
    named_by: NamedBy | None = None
    nominal: bool = False


def build_verb_wording(
    confidence: float,
    words: str,
    *,
    is_reversed: bool = False,
    states_location: bool = False,
    subject_kinds: Kinds | None = None,
    object_kinds: Kinds | None = None,
    named_by: NamedBy | None = None,
) -> Wording:
    """Build a wording from verbs with one meaning in all their forms, separated by spaces; "_" stands for a
    space.
    """
    forms = tuple(form.replace("_", " ") for form in words.split())
    return Wording(
        confidence, forms, True, is_reversed, states_location, subject_kinds, object_kinds, named_by
    )


def build_phrase_wording(
    confidence: float,
    words: str,
    *,
    is_reversed: bool = False,
    states_location: bool = False,
    subject_kinds: Kinds | None = None,
    object_kinds: Kinds | None = None,
    named_by: NamedBy | None = None,
) -> Wording:
    """Build a wording from phrases with one meaning, separated by bars."""
    forms = tuple(" ".join(phrase.split()) for phrase in words.split("|"))
    return Wording(
        confidence, forms, False, is_reversed, states_location, subject_kinds, object_kinds, named_by
    )


def build_noun_wording(
    confidence: float,
    words: str,
    *,
    is_reversed: bool = False,
    subject_kinds: Kinds | None = None,
    object_kinds: Kinds | None = None,
    named_by: NamedBy | None = None,
) -> Wording:
    """Build a wording from phrases that begin with a noun, such as "author of", separated by bars.

    They describe a name only after "is", "became" or a comma: in "they bought an extension of X" it is not
    the buyer that extends X.
    """
    wording = build_phrase_wording(
        confidence,
        words,
        is_reversed=is_reversed,
        subject_kinds=subject_kinds,
        object_kinds=object_kinds,
        named_by=named_by,
    )
    return replace(wording, nominal=True)


@dataclass(frozen=True, slots=True)
class VerblessPair:
    """Two names without a verb between them: the words between them, and the kinds of the two names.

    `needs_certain_kind`: the text must show the second name's kind. `only_in_address`: only in an address,
    not in a list. `is_reversed`: the second name is the source ("Germany's Bundestag").
    """

    gaps: tuple[str, ...]
    left_kinds: Kinds
    right_kinds: Kinds
    confidence: float
    needs_certain_kind: bool = False
    only_in_address: bool = False
    is_reversed: bool = False


@dataclass(frozen=True, slots=True)
class Role:
    """Nouns between two names that state the second's role for the first: "Oracle's founder Larry Ellison".

    `is_reversed`: the first's role for the second ("Ann Lee's son Bob Ray"). `may_follow_its`: "its founder"
    at the beginning of a sentence refers to the organization named before.
    """

    confidence: float
    nouns: str
    is_reversed: bool = False
    may_follow_its: bool = False


@dataclass(frozen=True, slots=True)
class Kin:
    """Nouns for family members; `is_reversed` if the person so called is the source: a father is
    someone's parent.
    """

    nouns: str
    is_reversed: bool = False


@dataclass(frozen=True, slots=True)
class Header:
    """Column headers that state the relation of a row to the value.

    `row_kind` is the row's kind (None: any), `value_kind` that of the value, "" if the header does not show
    it. `is_reversed`: the value is the source. `needs_person_row`: a one-word row name of unknown kind may
    not be a person, and then has no such column. `needs_known_row_kind`: nor has any row whose kind nothing
    else shows; a project has a contact too.
    """

    row_kind: str | None
    value_kind: str
    header_words: str
    is_reversed: bool = False
    needs_person_row: bool = False
    needs_known_row_kind: bool = False


@dataclass(frozen=True, slots=True)
class ImpliedRelation:
    """A wider relation that a claim implies if its target is of one of these kinds."""

    relation_type: str
    targets: Kinds


@dataclass(frozen=True, slots=True, eq=False)
class RelationType:
    """All that the platform knows about a relation type: its name, meaning, words, and what ends it.

    Each is one entry of the registry, compared by identity.
    """

    name: str
    """A verb in lower snake_case, at most 64 characters. It never changes, because rows contain it."""
    is_specific: bool = False
    """Excluded from the vocabulary of a space without `specific_relations`."""

    definition: str = ""
    """What it means between A, the source, and B, the target, in one clause; shown to models and in docs."""
    standalone_definition: str = ""
    """The definition where `definition` refers to the other types: it stands without them."""
    example: str = ""
    """A short sentence that states it between A and B, in other words; shown to models."""
    words_between_names: str = ""
    """The words between two names in a sentence, if they differ from those of the name."""
    question: str = ""
    """A question that such a claim answers, with `{start}` or `{end}` for the end that it names."""

    ends: Ends = Ends()
    symmetric: bool = False
    """It means the same in both directions."""
    one_way: bool = False
    """The relation cannot hold in both directions between two nodes: such claims contradict each other."""
    single_valued: bool = False
    """A source has one permanent target, as a person is born in one place and the places that it lies in."""
    single_source: bool = False
    """A target has one source at a time: a country has one capital, and a later one ends the earlier."""
    changing_end: ChangingEnd | None = None
    """The end that a sentence changes if it says that the claim takes the place of an earlier one.

    A person who moved to a place has left the previous place, and a thing that was sold has another owner.
    None if a change says nothing about earlier claims: a program that switched to a library may use others.
    """
    offices: str = ""
    """For a type that covers several offices: the words, separated by bars, of offices with one holder at a
    time.

    Of two sources with different offices, or one that several share, neither ends the other.
    """
    shared_offices: str = ""
    """The words of offices that several people share."""
    implies: ImpliedRelation | None = None
    """The claim that a sentence also states, and that ends with this one."""
    is_derived_from_address: bool = False
    """A place in a larger one, derived from an address only: communities and summaries ignore it."""
    spreads_to_larger_places: bool = False
    """A claim about the first place of an address also holds for the others."""
    outlives_denied_version: bool = False
    """A denial about a version of the target does not apply to the target."""
    excludes_parts: bool = False
    """A claim about a part does not apply to the whole: "created the optimizer of X" is not about X."""

    ended_by: tuple[str, ...] = ()
    """A claim ends if one of these is denied of the same two: who left no longer leads."""
    ends_with_source: bool = False
    """A claim ends when its source ceases to exist."""
    ends_with_target: bool = False
    """A claim ends when its target ceases to exist: nobody is a member of a band that broke up."""
    ends_on_leaving: bool = False
    """"She left the company" ends it, for the company named before."""
    has_term: bool = False
    """The dates and the status of a row bound it; who made something has made it permanently."""
    undated_past_ends_it: bool = False
    """An undated past ("once worked for") means that it has ended."""
    past_verbs: tuple[str, ...] = ()
    """The past means that it has ended only with one of these verbs."""
    survives_former: bool = False
    """"Former" does not end it: a former player from Cuba is still from Cuba."""

    timeless: bool = False
    """It neither begins nor ends but by a verb ("adopted"): a date or "former" beside it is about others."""

    synonyms: str = ""
    """Names that a model or a header may use for it, in lower snake_case."""
    inverses: str = ""
    """Names for its inverse."""
    wordings: tuple[Wording, ...] = ()
    verbless_pairs: tuple[VerblessPair, ...] = ()
    roles: tuple[Role, ...] = ()
    kin: tuple[Kin, ...] = ()
    mutual_words: str = ""
    """Words for two people in this relation to each other, separated by bars: "siblings"."""
    nationality_of: Kinds = frozenset()
    """A nationality adjective states this about nodes of these kinds: "an Austrian composer"."""
    headers: tuple[Header, ...] = ()
    record_kinds_without_header: tuple[str, ...] = ()
    """Kinds of records whose columns state this about something other than the row: an order's supplier."""
