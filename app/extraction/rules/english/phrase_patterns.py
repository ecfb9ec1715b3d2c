"""Patterns of the verbs and phrases that state a relation, derived from `app/domain/relation_types.py`."""

from collections.abc import Iterator

from app.domain.relation_type import NamedBy, RelationType
from app.domain.relation_types import RELATION_TYPES
from app.extraction.rules.english.denial_words import MEMBERSHIPS
from app.extraction.rules.english.gazetteers import FIRST_NAMES
from app.extraction.rules.english.lexicon import GIVEN_NAMES
from app.extraction.rules.english.words.kind_words import AWARDS, LEAGUES
from app.extraction.rules.rule_tables import Pattern, PhrasePattern, group_by_first_word

WORDS_OF_NAMED_THING: dict[NamedBy, frozenset[str]] = {
    NamedBy.AWARDS: AWARDS,
    NamedBy.GIVEN_NAMES: FIRST_NAMES | GIVEN_NAMES,
    NamedBy.LEAGUES: LEAGUES,
    NamedBy.MEMBERSHIPS: MEMBERSHIPS,
}


def compile_patterns_of_relation_type(relation_type: RelationType) -> Iterator[PhrasePattern]:
    """Yield each phrase of a relation type with its pattern."""
    for wording in relation_type.wordings:
        pattern = Pattern(
            relation_type.name,
            wording.confidence,
            wording.transitive,
            wording.is_reversed,
            wording.states_location,
            wording.subject_kinds,
            wording.object_kinds,
            None if wording.named_by is None else WORDS_OF_NAMED_THING[wording.named_by],
        )
        yield from ((words, pattern) for words in wording.words)


PATTERNS = tuple(
    phrase_and_pattern
    for relation_type in RELATION_TYPES
    for phrase_and_pattern in compile_patterns_of_relation_type(relation_type)
)
"""Phrases with their patterns. Of several patterns of one phrase the first that fits the sentence applies."""

PATTERNS_BY_FIRST_WORD = group_by_first_word(PATTERNS)


def _list_ambiguous_phrases() -> frozenset[str]:
    relations_by_phrase: dict[str, set[str]] = {}
    for phrase, pattern in PATTERNS:
        relations_by_phrase.setdefault(phrase, set()).add(pattern.relation)
    return frozenset(phrase for phrase, relations in relations_by_phrase.items() if len(relations) > 1)


AMBIGUOUS_PHRASES = _list_ambiguous_phrases()
"""Phrases that state one of several relations, which the kinds of the ends tell apart, such as "joined"."""

RELATIONS_EXCLUDING_PARTS = frozenset(
    relation_type.name for relation_type in RELATION_TYPES if relation_type.excludes_parts
)
"""Relation types that do not pass from a part to its whole: "created the optimizer of X" is not about X."""

PHRASE_OPENING_NOUNS = frozenset(
    words.split()[0]
    for relation_type in RELATION_TYPES
    for wording in relation_type.wordings
    if wording.nominal
    for words in wording.words
)
"""First nouns of phrases such as "author of"; after a verb they say nothing about its subject."""
