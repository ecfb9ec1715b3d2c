"""Scope of a denial and of a date: whether the tree attaches them to what relates two names."""

from collections.abc import Iterable, Iterator

from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.denial_words import SIGNS_OF_DENIAL
from app.extraction.rules.english.grammar import DOUBTS, NEGATIONS
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import Tree

_DENYING_WORDS = SIGNS_OF_DENIAL | NEGATIONS | DOUBTS | {"n't", "n’t"}
_MAX_DEPTH_OF_DENIAL = 2
"""Maximum number of arcs from a word that relates the names to one that denies it: "no" of "no longer"."""


def is_denial_about_ends(tree: Tree, source: Unit, target: Unit) -> bool:
    """Return whether a word of denial depends on the words that relate two names, or governs them.

    "Third ranking Zeta officer, Lee signed a paper about the day when Ray retired from the firm" denies
    nothing of Lee.
    """
    relating_words = _list_relating_words(tree, source, target)
    if relating_words is None:
        return True
    governors = set(tree.ancestors(relating_words[-1])) - set(relating_words)
    return any(
        _is_denying_word(tree, word)
        for word in (
            *_iterate_dependents(tree, relating_words, _MAX_DEPTH_OF_DENIAL),
            *_iterate_dependents(tree, governors, 1),
        )
    )


def does_opening_date_concern_ends(tree: Tree, source: Unit, target: Unit, date_words: Iterable[str]) -> bool:
    """Return whether a date in an earlier part of a sentence than two names belongs to what relates them.

    In "founded in 1902, it is known for a film with Ann Lee" it does not. A date right before the
    first name, behind it, or not shown by the tree is taken to belong to them.
    """
    relating_words = _list_relating_words(tree, source, target)
    words_of_date = set(date_words)
    date_indexes = [index for index, word in enumerate(tree.words) if word in words_of_date]
    if relating_words is None or not date_indexes or len(date_indexes) != len(words_of_date):
        return True
    first_name = min(word for word in tree.find_words_of_units(source, target) if word is not None)
    if all(tree.parse.upos[word] in ("PUNCT", "DET") for word in range(max(date_indexes) + 1, first_name)):
        return True
    return any(
        not set(relating_words).isdisjoint(_list_words_of_clause(tree, index)) for index in date_indexes
    )


def does_verb_separate_ends(tree: Tree, source: Unit, target: Unit) -> bool:
    """Return whether a verb is between two names: "Ann Lee adopted Karl", but not "Ann Lee's son Karl"."""
    words = tree.find_words_of_units(source, target)
    first_word, last_word = (
        sorted(word for word in words if word is not None) if None not in words else (0, 0)
    )
    return any(map(tree.is_verb, range(first_word, last_word)))


def _list_relating_words(tree: Tree, source: Unit, target: Unit) -> list[WordIndex] | None:
    """Return the words on the path between two names with their common ancestor as the last one; None if the
    tree has no word for one of them.
    """
    source_word, target_word = tree.find_words_of_units(source, target)
    if source_word is None or target_word is None:
        return None
    path = tree.find_path(source_word, target_word)
    return [*path.words, path.common_ancestor]


def _iterate_dependents(tree: Tree, words: Iterable[WordIndex], max_depth: int) -> Iterator[WordIndex]:
    """Yield words and their dependents of at most `max_depth` arcs."""
    level = list(words)
    for _ in range(max_depth + 1):
        yield from level
        level = [child for word in level for child in tree.children[word]]


def _is_denying_word(tree: Tree, word: WordIndex) -> bool:
    written_word = tree.words[word].lower()
    return written_word in _DENYING_WORDS or written_word.startswith("ex-")


def _list_words_of_clause(tree: Tree, word: WordIndex) -> list[WordIndex]:
    """Return the word and its heads up to the first predicate, the predicate included."""
    words = []
    for ancestor in tree.ancestors(word):
        words.append(ancestor)
        if tree.is_predicate(ancestor):
            break
    return words
