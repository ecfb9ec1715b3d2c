"""A lemma as an edit of its word: how many characters of the end are cut, and what is put there."""

KEEP = "="
"""The rule of a word that is its own lemma, in lower case."""
_CASED = "^"


def rule_between(word: str, lemma: str) -> str:
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
