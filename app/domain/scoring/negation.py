"""Detect negation in an English sentence by its words. Pure."""

import re

_NEGATION = re.compile(
    r"\b(?:not|no longer|never|neither|nor|cannot|without|ceased|ended|stopped|former(?:ly)?|\w+n['’]t)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(
    r"\b(?:no(?!\s+longer\b)|not|never|neither|nor|cannot|without|\w+n['’]t)\b", re.IGNORECASE
)
# "never worked there again" implies that it did once.
_NEVER_WITHOUT_CHANGE = re.compile(r"\bnever\b(?![^.;]*\b(?:again|any ?more|since)\b)", re.IGNORECASE)


def is_negated(sentence: str) -> bool:
    """Return whether an English sentence contains a word of denial or of ending."""
    return _NEGATION.search(sentence) is not None


def contains_denial(sentence: str) -> bool:
    """Return whether an English sentence contains a word of denial; words of ending alone are none."""
    return _DENIAL.search(sentence) is not None


def denies_that_ever_held(sentence: str) -> bool:
    """Return whether an English sentence states that something never was, rather than that it ended."""
    return _NEVER_WITHOUT_CHANGE.search(sentence) is not None
