"""A lemma as an edit of its word: how many characters of the end are cut, and what is put there.

What a rule may cut, and forms whose lemma no likely rule makes, are tables beside the weights
(`benchmarks/reader/lemmas.py` makes them): "bought" ends in nothing of which a rule makes "-uy" but itself.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

KEEP = "="
"""The rule of a word that is its own lemma, in lower case."""
_CASED = "^"


def compute_rule(word: str, lemma: str) -> str:
    """The rule that makes this word this lemma; rules of different words that inflect alike are equal."""
    if lemma == word.lower():
        return KEEP
    if lemma == word:
        return _CASED
    base, mark = (word, _CASED) if lemma[:1].isupper() else (word.lower(), "")
    common = 0
    while common < min(len(base), len(lemma)) and base[common] == lemma[common]:
        common += 1
    return f"{mark}{len(base) - common}+{lemma[common:]}"


def apply_rule(word: str, rule: str) -> str:
    """The lemma that the rule makes of the word; the word in lower case where it is too short for it."""
    if rule == KEEP:
        return word.lower()
    if rule == _CASED:
        return word
    base = word if rule.startswith(_CASED) else word.lower()
    cut, _, ending = rule.removeprefix(_CASED).partition("+")
    if int(cut) > len(base):
        return word.lower()
    return base[: len(base) - int(cut)] + ending


def cut_by_rule(word: str, rule: str) -> str | None:
    """The ending that the rule cuts of the word; None where it cuts nothing, or the word is too short."""
    if rule in (KEEP, _CASED):
        return None
    base = word if rule.startswith(_CASED) else word.lower()
    count = int(rule.removeprefix(_CASED).partition("+")[0])
    return base[len(base) - count :] if count <= len(base) else None


@dataclass(frozen=True, slots=True)
class Lemmas:
    """The endings that each rule has cut in the sentences that were trained on, and the lemmas of forms that
    the rules get wrong, by `key`; a rule without an entry cuts anything.
    """

    endings: Mapping[str, Set[str]] = field(default_factory=dict)
    forms: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def key(word: str, upos: str) -> str:
        """A form with its part of speech."""
        return f"{word.lower()} {upos}"

    def of_word(self, word: str, upos: str, rules: Iterable[str]) -> str:
        """The lemma of a word that is taken for this part of speech: of its form, else by the first of these
        rules, the likeliest first, that may cut its ending; the word in lower case where none may.
        """
        lemma = self.forms.get(self.key(word, upos))
        if lemma is not None:
            return lemma
        fitting = next((rule for rule in rules if self._may_cut(word, rule)), KEEP)
        return apply_rule(word, fitting)

    def _may_cut(self, word: str, rule: str) -> bool:
        if rule in (KEEP, _CASED):
            return True
        cut = cut_by_rule(word, rule)
        return cut is not None and (rule not in self.endings or cut in self.endings[rule])
