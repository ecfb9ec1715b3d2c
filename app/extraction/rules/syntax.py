"""The syntax tree of a sentence, in Universal Dependencies, with the names at its words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from app.extraction.rules.claims.units import Unit
from app.extraction.rules.english.grammar import ADVERBS, DOUBTS, EMPLOYMENT_ADVERBS, WORDS_OF_UNCERTAINTY
from app.extraction.rules.indices import EntityIndex, WordIndex

if TYPE_CHECKING:
    from app.extraction.reader.pipeline import Parse

ENGLISH = "en"
"""The language of the rules and of syntax; other languages are read by pipelines of their own."""
NAME_PLACEHOLDER = "Menon"
"""A name unknown to the parser, whose training may mislead it: "Acme audited Ostland Bank" may be an audited
bank to it.
"""
MAX_SENTENCE_LENGTH = 60
"""Maximum number of words of a sentence, each name counted as one; longer ones have too many wrong arcs."""
MIN_REFERENCE_CONFIDENCE = 0.6
"""Minimum confidence of a resolved pronoun: met for the entity of the title, not for the last entity named.
"""
SUBJECT_RELATIONS = ("nsubj", "nsubj:pass")
RELATIVE_PRONOUNS = frozenset(("who", "which", "that"))
NEUTRAL_ADVERBS = ADVERBS | EMPLOYMENT_ADVERBS
"""Adverbs that do not change the meaning of their head."""
_DOUBT_WORDS = DOUBTS | WORDS_OF_UNCERTAINTY | {"n't", "n’t", "ca", "wo", "'ll", "’ll", "'d", "’d"}
"""Words that negate or hedge their head; clitics in the form of the tokens."""


class RelationEnd(NamedTuple):
    """An entity at an end of a statement, and the confidence in the arcs that lead to it.

    `word` is its index, `phrase_head` the word that connects it to its clause: itself, or the first of a
    list.
    """

    entity: EntityIndex
    confidence: float
    word: WordIndex
    phrase_head: WordIndex


class TreePath(NamedTuple):
    """The words between two words of a tree, and their first common ancestor."""

    words: list[WordIndex]
    common_ancestor: WordIndex


@dataclass(frozen=True, slots=True)
class Tree:
    """A sentence's syntax with the units at its words; `cut_positions` are units that are parts of names."""

    words: Sequence[str]
    parse: "Parse"
    children: Sequence[Sequence[WordIndex]]
    units: Mapping[WordIndex, Unit]
    cut_positions: frozenset[WordIndex] = frozenset()

    @classmethod
    def from_parse(
        cls,
        words: Sequence[str],
        parse: "Parse",
        units: Mapping[WordIndex, Unit],
        cut_positions: frozenset[WordIndex] = frozenset(),
    ) -> "Tree":
        """Return the tree of a parse, with the dependents of each word."""
        children: list[list[int]] = [[] for _ in words]
        for word, head in enumerate(parse.heads):
            if word != head:
                children[head].append(word)
        return cls(words, parse, children, units, cut_positions)

    def dependents(self, word_index: WordIndex, *relations: str) -> list[WordIndex]:
        """Return the word's dependents with these relations, in order."""
        children = self.children[word_index]
        word_relations = self.parse.relations
        return [child for child in children if word_relations[child] in relations] if children else []

    def confidence_of(self, *words: WordIndex) -> float:
        """Return the parser's joint confidence in the arcs of all these words."""
        confidence = 1.0
        for word in words:
            confidence *= self.parse.confidence[word]
        return confidence

    def is_root(self, word_index: WordIndex) -> bool:
        """Return whether the word is the root of its tree, whatever relation the network gives it."""
        return self.parse.heads[word_index] == word_index

    def ancestors(self, word_index: WordIndex) -> Iterator[WordIndex]:
        """Yield the word, its head, and so on to the root; a tree has no cycles."""
        yield word_index
        while not self.is_root(word_index):
            word_index = self.parse.heads[word_index]
            yield word_index

    def find_first_conjunct(self, word_index: WordIndex) -> WordIndex:
        """Return the first member of the list, joined by commas and "and", that a word is in; or the word."""
        while self.parse.relations[word_index] == "conj" and not self.is_root(word_index):
            word_index = self.parse.heads[word_index]
        return word_index

    def is_verb(self, word_index: WordIndex) -> bool:
        """Return whether the word is a verb, and no part of a name."""
        return self.parse.upos[word_index] in ("VERB", "AUX") and word_index not in self.units

    def is_predicate(self, word_index: WordIndex) -> bool:
        """Return whether the word is a verb, or a noun or adjective with a copula or a subject."""
        return self.is_verb(word_index) or bool(self.dependents(word_index, "cop", *SUBJECT_RELATIONS))

    def find_words_of_units(self, *units: Unit) -> list[WordIndex | None]:
        """Return the word of each unit, None for one that has none."""
        word_by_unit = {id(unit): word for word, unit in self.units.items()}
        return [word_by_unit.get(id(unit)) for unit in units]

    def find_path(self, word_index: WordIndex, other_index: WordIndex) -> TreePath:
        """Return the words from both up to their first common ancestor, these included, and that ancestor.

        The ancestor is not among the words, also if it is one of the two.
        """
        words_above_other = list(self.ancestors(other_index))
        words_above = list(
            takewhile(lambda ancestor: ancestor not in words_above_other, self.ancestors(word_index))
        )
        common_ancestor = next(
            ancestor for ancestor in self.ancestors(word_index) if ancestor in words_above_other
        )
        return TreePath(
            [*words_above, *words_above_other[: words_above_other.index(common_ancestor)]], common_ancestor
        )

    def descendants(self, word_index: WordIndex) -> set[WordIndex]:
        """Return the word and all its descendants."""
        descendants, unvisited_words = {word_index}, [word_index]
        while unvisited_words:
            new_children = [
                child for child in self.children[unvisited_words.pop()] if child not in descendants
            ]
            descendants.update(new_children)
            unvisited_words += new_children
        return descendants

    def is_doubted(self, word_index: WordIndex) -> bool:
        """Return whether a dependent of the word negates, hedges or attributes it, or is an adverb of unknown
        effect.
        """
        return any(
            # The month May is not the verb "may".
            (self.words[child].lower() in _DOUBT_WORDS and self.parse.upos[child] != "PROPN")
            or any(self.words[case].lower() == "according" for case in self.dependents(child, "case"))
            or (self.parse.relations[child] == "advmod" and self.words[child].lower() not in NEUTRAL_ADVERBS)
            for child in self.children[word_index]
        )

    def is_common_noun(self, word_index: WordIndex) -> bool:
        """Return whether the word is a common noun that is not negated."""
        return (
            word_index not in self.units
            and self.parse.upos[word_index] == "NOUN"
            and not self.is_doubted(word_index)
        )
