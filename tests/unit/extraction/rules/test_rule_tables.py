"""The tables that the rules read: every row can be reached, and says what the rest of the platform knows."""

import pytest

from app.domain.node_types import DEFAULT_NODE_TYPES
from app.domain.possible_ends import IMPOSSIBLE_ENDS
from app.domain.relation_type import RelationType, build_phrase_wording, build_verb_wording
from app.domain.relation_types import RELATION_TYPES
from app.extraction.rules.english.kind_votes import (
    CUES_AFTER_NAME,
    CUES_BEFORE_NAME,
    FIRST_WORDS_OF_KINDS,
    KIND_OF_WELL_KNOWN_NAMES,
)
from app.extraction.rules.english.lexicon import KIND_OF, KIND_OF_HEAD
from app.extraction.rules.english.nations import NATIONALITY_RELATION_BY_KIND
from app.extraction.rules.english.phrase_patterns import (
    PATTERNS,
    PHRASE_OPENING_NOUNS,
    RELATIONS_EXCLUDING_PARTS,
    compile_patterns_of_relation_type,
)
from app.extraction.rules.english.relation_ends import DESCRIBING_NOUNS_OF_KINDS
from app.extraction.rules.english.verb_subject_table import SUBJECT_ROWS
from app.extraction.rules.english.verbless_pairs import IMPLIED_RELATIONS, ROLES_BY_NOUN, TYPED_VERBLESS_PAIRS
from app.extraction.rules.rule_tables import (
    Cue,
    KindCue,
    Shape,
    VerbSubject,
    group_by_first_word,
    group_by_word,
)
from app.extraction.vocabulary import DEFAULT_VOCABULARY

CUES = [value for name, value in vars(Cue).items() if name.isupper()]


def test_every_relation_of_a_row_is_one_that_a_space_can_have() -> None:
    """A row of another name states what no vocabulary keeps: it would cost time and say nothing."""
    named = {pattern.relation for _, pattern in PATTERNS}
    named |= {entry.name for entry, _ in TYPED_VERBLESS_PAIRS}
    named |= {entry.name for roles in ROLES_BY_NOUN.values() for entry, _ in roles}
    named |= {implied.relation_type for implied in IMPLIED_RELATIONS.values()} | set(
        NATIONALITY_RELATION_BY_KIND.values()
    )
    allowed = DEFAULT_VOCABULARY.relation_types
    assert named | IMPOSSIBLE_ENDS.keys() | RELATIONS_EXCLUDING_PARTS | IMPLIED_RELATIONS.keys() <= allowed
    assert named == allowed


def test_every_kind_of_a_row_is_one_that_a_node_can_have() -> None:
    named = {
        kind
        for _, pattern in PATTERNS
        for kinds in (pattern.subjects, pattern.objects)
        for kind in kinds or ()
    }
    named |= {kind for _, row in TYPED_VERBLESS_PAIRS for kind in row.left_kinds | row.right_kinds}
    named |= {kind for kinds, _ in DESCRIBING_NOUNS_OF_KINDS for kind in kinds}
    named |= {kind for ends in IMPOSSIBLE_ENDS.values() for kinds in ends for kind in kinds}
    named |= {row.kind for row in (*CUES_BEFORE_NAME, *CUES_AFTER_NAME) if row.kind is not None}
    named |= {kind for _, kind in KIND_OF_WELL_KNOWN_NAMES} | {kind for _, kind, _ in FIRST_WORDS_OF_KINDS}
    assert named | set(KIND_OF.values()) | set(KIND_OF_HEAD.values()) == set(DEFAULT_NODE_TYPES)


def test_confidences_lie_between_the_threshold_and_certainty() -> None:
    sure = [pattern.confidence for _, pattern in PATTERNS] + [
        row.confidence for _, row in TYPED_VERBLESS_PAIRS
    ]
    sure += [role.confidence for roles in ROLES_BY_NOUN.values() for _, role in roles]
    assert all(0.5 < confidence < 1.0 for confidence in sure)


def test_words_are_written_as_sentences_are_read() -> None:
    """Sentences are compared in lower case and word by word: a capital or two spaces would never match."""
    wrong = [phrase for phrase, _ in PATTERNS if phrase != " ".join(phrase.lower().split())]
    wrong += [
        word
        for row in (*CUES_BEFORE_NAME, *CUES_AFTER_NAME)
        for word in row.words
        if word != word.lower() or " " in word
    ]
    assert wrong == []


def test_no_phrase_stands_twice_with_one_meaning() -> None:
    assert len(PATTERNS) == len(set(PATTERNS))


def test_phrases_that_a_noun_opens_are_written_as_nouns() -> None:
    """NOMINAL keeps a phrase from being read behind a verb: its words open no phrase of another kind."""
    wordings = [wording for entry in RELATION_TYPES for wording in entry.wordings]
    other = {words for wording in wordings if not wording.nominal for words in wording.words}
    assert {words for words in other if words.split()[0] in PHRASE_OPENING_NOUNS} == set()


@pytest.mark.parametrize("table", [CUES_BEFORE_NAME, CUES_AFTER_NAME], ids=["before", "after"])
def test_no_vote_is_hidden_by_one_above_it(table: tuple[KindCue, ...]) -> None:
    """The first row that fits decides: whatever stands below a row without conditions is never reached."""
    hidden = []
    for word, rows in group_by_word(table).items():
        open_rows = [
            row.farther_words is None and row.opposite_words is None and row.shape is None for row in rows
        ]
        if True in open_rows[:-1]:
            hidden.append(word)
    assert hidden == []


def test_every_row_of_subjects_decides_somewhere() -> None:
    """Over all sums of the cues that a row names, some sum reaches it and no row above."""
    for place, row in enumerate(SUBJECT_ROWS):
        above = SUBJECT_ROWS[:place]
        assert not any(
            row.required_cues & other.required_cues == other.required_cues
            and row.excluded_cues & other.excluded_cues == other.excluded_cues
            for other in above
        ), place


def test_the_last_row_of_subjects_takes_what_is_left() -> None:
    assert (SUBJECT_ROWS[-1].required_cues, SUBJECT_ROWS[-1].excluded_cues, SUBJECT_ROWS[-1].subject) == (
        0,
        0,
        VerbSubject.NAME,
    )


def test_cues_are_told_apart_in_a_sum() -> None:
    assert sum(CUES) == (1 << len(CUES)) - 1


def test_every_shape_is_asked_for_by_a_row() -> None:
    assert {row.shape for row in (*CUES_BEFORE_NAME, *CUES_AFTER_NAME)} - {None} == set(Shape)


def test_a_row_gives_each_of_its_words_one_meaning() -> None:
    wordings = (
        build_verb_wording(0.9, "bought takes_over"),
        build_phrase_wording(0.8, "owner of|owner", is_reversed=True),
    )
    trie = group_by_first_word(compile_patterns_of_relation_type(RelationType("owns", wordings=wordings)))
    assert [rest for rest, _ in trie["owner"]] == [("of",), ()]
    assert [(rest, pattern.transitive, pattern.is_reversed) for rest, pattern in trie["takes"]] == [
        (("over",), True, False)
    ]
    assert all(pattern.is_reversed for _, pattern in trie["owner"])
