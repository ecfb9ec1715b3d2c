"""Nouns by which a chunk has introduced things without a name: "the sensor" after "a sensor made by Acme".

A definite noun refers back if exactly one earlier noun phrase of the chunk introduced its noun.
"""

import re
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from app.extraction.rules.clause_subjects import (
    MAX_NODES,
    does_noun_identify_its_referent,
    list_distinct_nodes_named_by_words,
)
from app.extraction.rules.indices import WordIndex
from app.extraction.rules.syntax import RelationEnd, Tree

ANTECEDENT_CONFIDENCE = 0.7
"""Confidence that "the sensor" is the only sensor introduced before, as for pronouns."""
_WORD = re.compile(r"[^\W\d_]+")
_NON_HEAD_RELATIONS = frozenset(("compound", "flat", "fixed"))
"""Relations of nouns that head no phrase of their own."""


class Antecedent(NamedTuple):
    """The thing that a noun refers back to: the nodes named where it was introduced, or the topic."""

    nodes: tuple[RelationEnd, ...] = ()
    is_topic: bool = False


class _Introduction(NamedTuple):
    word: str
    antecedent: Antecedent


class Introductions:
    """The nouns of a chunk's sentences so far, and those of its document's title."""

    def __init__(self, title_words: frozenset[str]) -> None:
        self._title_words = title_words
        self._introductions_by_lemma: dict[str, list[_Introduction]] = {}
        self._count_by_word: Counter[str] = Counter()
        self._first_sentence_start = -1

    def record_nouns(self, tree: Tree, start: int) -> None:
        """Record the nouns of a sentence that begins at `start` in the chunk's text."""
        if self._first_sentence_start < 0:
            self._first_sentence_start = start
        self._count_by_word.update(word.lower() for word in tree.words)
        for index, word in enumerate(tree.words):
            is_noun = tree.parse.upos[index] == "NOUN" and index not in tree.units
            if (
                is_noun
                and tree.parse.relations[index] not in _NON_HEAD_RELATIONS
                and does_noun_identify_its_referent(tree, index)
            ):
                antecedent = Antecedent(tuple(_list_nodes_of_phrase(tree, index)))
                introductions = self._introductions_by_lemma.setdefault(tree.parse.lemmas[index].lower(), [])
                introductions.append(_Introduction(word.lower(), antecedent))

    def find_antecedent(self, tree: Tree, noun: WordIndex, text_before: str) -> Antecedent | None:
        """Return what a definite noun refers back to; None if nothing or several things may be meant.

        A noun of the title alone refers to what the document is about. Every occurrence of the
        noun in the text has to be in a sentence that was read.
        """
        word = tree.words[noun].lower()
        introductions = self._introductions_by_lemma.get(tree.parse.lemmas[noun].lower(), [])
        read_text = text_before[self._first_sentence_start :] if self._first_sentence_start >= 0 else ""
        if _WORD.findall(read_text.lower()).count(word) != self._count_by_word[word]:
            return None
        if not introductions:
            return Antecedent(is_topic=True) if word in self._title_words else None
        return (
            introductions[0].antecedent
            if [introduction.word for introduction in introductions] == [word]
            else None
        )


def _list_nodes_of_phrase(tree: Tree, noun: WordIndex) -> list[RelationEnd]:
    """Return the nodes named in a noun phrase: "the LR-7 gripper", "a sensor made by Acme"; none of a
    predicate.
    """
    if tree.is_root(noun) or tree.dependents(noun, "cop"):
        return []
    # "The Acme gripper" names Acme, though a statement about the gripper is not one about Acme alone.
    uncut_tree = replace(tree, cut_positions=frozenset())
    nodes = list_distinct_nodes_named_by_words(
        uncut_tree, sorted(tree.descendants(noun)), ANTECEDENT_CONFIDENCE
    )
    return [node._replace(word=-1, phrase_head=-1) for node in nodes[:MAX_NODES]]
