"""The verbs and phrases that state a relation, as data: what they mean, which way, and how surely."""

from collections.abc import Iterator

from app.domain.relation_type import NamedBy, RelationType
from app.domain.relation_types import RELATION_TYPES
from app.extraction.rules.english.denials import MEMBERSHIPS
from app.extraction.rules.english.lexicon import GIVEN_NAMES
from app.extraction.rules.english.words.given_names import FIRST_NAMES
from app.extraction.rules.english.words.named_by import AWARDS, LEAGUES
from app.extraction.rules.tables import Pattern, by_first_word
from app.scoring.stop_words import word_set

NAMED_BY: dict[NamedBy, frozenset[str]] = {
    NamedBy.AWARDS: AWARDS,
    NamedBy.GIVEN_NAMES: FIRST_NAMES | GIVEN_NAMES,
    NamedBy.LEAGUES: LEAGUES,
    NamedBy.MEMBERSHIPS: MEMBERSHIPS,
}


def patterns_of(entry: RelationType) -> Iterator[tuple[str, Pattern]]:
    """The words of an entry, each with what they state."""
    for wording in entry.wordings:
        pattern = Pattern(
            entry.name,
            wording.confidence,
            wording.transitive,
            wording.turned,
            wording.locating,
            wording.subjects,
            wording.objects,
            None if wording.named is None else NAMED_BY[wording.named],
        )
        yield from ((words, pattern) for words in wording.words)


PATTERNS = tuple(row for entry in RELATION_TYPES for row in patterns_of(entry))
"""Phrase and meaning. Of readings of one phrase the first that fits its sentence counts."""

TRIE = by_first_word(PATTERNS)

WHOLE_OBJECT = frozenset(entry.name for entry in RELATION_TYPES if entry.of_whole)
"""Said of a part these are not said of the whole: "created the optimizer of X" is not about X."""

# Nouns that open a phrase such as "author of". They say what a name is only behind "is", "became" or a comma:
# in "they bought an extension of X" it is not the buyer that extends X.
NOMINAL = word_set("""
    founder co-founder cofounder creator co-creator inventor author co-author designer architect developer
    founding composer original owner parent subsidiary division part member component module subset branch
    members feature extension unit department successor replacement follow-up sequel predecessor precursor
    plugin plug-in driver connector interface client adapter bindings wrapper student friend colleague son
    daughter brother sister father mother wife husband spouse mentor friends teacher cousin nephew niece pupil
    descendant widow fork derivative adaptation variant dialect implementation employee engineer
    professor researcher scientist fellow ceo cto cfo coo chief president chairman director executive manager
    coach faculty contributor maintainer committer leader lead project wholly uncle aunt grandson
    granddaughter grandfather grandmother great-grandson great-grandfather half-brother half-sister twin
    stepsister stepbrother sibling consort widower son-in-law brother-in-law father-in-law sister-in-law
    mother-in-law daughter-in-law stepmother stepdaughter great-uncle great-aunt great-nephew great-niece
    great-granddaughter great-grandmother cousins grandchild grandchildren
    stepson stepfather child sons daughters children brothers sisters parents heir capital headquarters
    alumnus alumna graduate degree doctorate diploma recipient winner laureate chairwoman chairperson
    editor analyst consultant lecturer reporter journalist curator lawyer
    joint co-chairs co-chair co-heads co-head co-directors co-director directors co-ceos co-ceo
    treasurer trustee bookkeeper caretaker chair interim
    managing head principal dean rector captain commander prime king queen emperor empress governor mayor
    chancellor secretary-general general ruler premier sultan vice-chancellor bishop archbishop tributary
    rival album novel song single film book painting poem play opera series track story memoir essay
    sculpture musical game comic manga ballet symphony veteran participant player footballer guitarist
    episode season installment instalment entry chapter host co-host presenter anchor clerk correspondent
    columnist commentator spokesman spokeswoman goalkeeper midfielder quarterback
    aide minister-president adviser advisor assistant deputy private press personal arm
    customer client subscriber customers clients subscribers user
    vocalist drummer bassist singer frontman keyboardist music lyrics screenplay libretto words script
""")
