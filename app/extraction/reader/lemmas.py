"""Lemmatisation rules: the number of characters to cut from the end of a word, and their replacement.

The endings that a rule may cut, and forms with irregular lemmas, are tables beside the weights, made by
`benchmarks/reader/lemmas.py`: no other word has an ending from which a rule makes the "-uy" of "bought".
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

LOWER_CASE_RULE = "="
"""The rule of a word whose lemma is its lower-case form."""
_CASE_MARK = "^"


def compute_lemma_rule(word: str, lemma: str) -> str:
    """Return the rule that maps this word to this lemma; equally inflected words have equal rules."""
    if lemma == word.lower():
        return LOWER_CASE_RULE
    if lemma == word:
        return _CASE_MARK
    word_form, case_mark = (word, _CASE_MARK) if lemma[:1].isupper() else (word.lower(), "")
    common_length = 0
    while (
        common_length < min(len(word_form), len(lemma)) and word_form[common_length] == lemma[common_length]
    ):
        common_length += 1
    return f"{case_mark}{len(word_form) - common_length}+{lemma[common_length:]}"


def apply_lemma_rule(word: str, rule: str) -> str:
    """Return the lemma by the rule; the lower-case word if it is too short for the rule."""
    if rule == LOWER_CASE_RULE:
        return word.lower()
    if rule == _CASE_MARK:
        return word
    word_form = word if rule.startswith(_CASE_MARK) else word.lower()
    cut_length, _, ending = rule.removeprefix(_CASE_MARK).partition("+")
    if int(cut_length) > len(word_form):
        return word.lower()
    return word_form[: len(word_form) - int(cut_length)] + ending


def cut_by_rule(word: str, rule: str) -> str | None:
    """Return the ending that the rule cuts from the word; None if it cuts nothing, or the word is too
    short.
    """
    if rule in (LOWER_CASE_RULE, _CASE_MARK):
        return None
    word_form = word if rule.startswith(_CASE_MARK) else word.lower()
    cut_length = int(rule.removeprefix(_CASE_MARK).partition("+")[0])
    return word_form[len(word_form) - cut_length :] if cut_length <= len(word_form) else None


@dataclass(frozen=True, slots=True)
class Lemmas:
    """The endings that each rule cut in the training sentences, and lemmas of exceptions, by
    `build_lookup_key`.

    A rule without an entry may cut any ending.
    """

    endings_by_rule: Mapping[str, Set[str]] = field(default_factory=dict)
    lemma_by_form: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def build_lookup_key(word: str, upos: str) -> str:
        """Return the look-up key of a form with its part of speech."""
        return f"{word.lower()} {upos}"

    def find_lemma_of_word(self, word: str, upos: str, rules: Iterable[str]) -> str:
        """Return the lemma of a word with this part of speech: of its form, else by the first applicable
        rule.

        `rules` are ordered by probability; the lower-case word if none may cut its ending.
        """
        for rule in rules:
            lemma = self.find_lemma_by_rule(word, upos, rule)
            if lemma is not None:
                return lemma
        return self.lemma_by_form.get(self.build_lookup_key(word, upos), word.lower())

    def find_lemma_by_rule(self, word: str, upos: str, rule: str) -> str | None:
        """Return the lemma of a word with this part of speech: of its form, else by this rule; None if it may
        not cut the word's ending.
        """
        lemma = self.lemma_by_form.get(self.build_lookup_key(word, upos))
        return apply_lemma_rule(word, rule) if lemma is None and self._may_cut(word, rule) else lemma

    def _may_cut(self, word: str, rule: str) -> bool:
        if rule in (LOWER_CASE_RULE, _CASE_MARK):
            return True
        cut_ending = cut_by_rule(word, rule)
        return cut_ending is not None and (
            rule not in self.endings_by_rule or cut_ending in self.endings_by_rule[rule]
        )
