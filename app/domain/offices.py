"""Offices in quotes: may who bears a relation to a target have followed another? Pure, by words of English.

Where a text is in another language, or names no known office, nothing speaks against it.
"""

import re
from functools import cache

from app.domain.relation_types import BY_NAME, RELATION_TYPES

SINGLE_SOURCE = tuple(entry.name for entry in RELATION_TYPES if entry.single_source)
"""Relation types that hold for one source of a target at a time, by their meaning."""


@cache
def _office_pattern(relation_type: str) -> tuple[re.Pattern[str], frozenset[str]] | None:
    """A pattern of the offices of this type, the longest that fits, and the offices that several have."""
    entry = BY_NAME.get(relation_type)
    if entry is None or not entry.offices:
        return None
    shared = [" ".join(office.split()) for office in entry.shared_offices.split("|")]
    words = [*shared, *(" ".join(office.split()) for office in entry.offices.split("|"))]
    ordered = sorted(words, key=len, reverse=True)
    choices = "|".join(re.escape(word) if word.endswith("-") else rf"{re.escape(word)}\b" for word in ordered)
    # Whoever stands in for an office has another, whichever it is.
    return re.compile(rf"\b(?:vice[ -])?(?:{choices})", re.IGNORECASE), frozenset(shared)


def _normalise_office(office: str) -> str:
    """An office as it is compared: "Vice-President" and "vice president" are one."""
    return re.sub("^vice-", "vice ", office.casefold())


def can_follow(relation_type: str, quote: str, earlier_quote: str) -> bool:
    """Return whether who the quote names may have taken the place of who the earlier one names.

    Not where the quotes name different offices, or one that several have at a time.
    """
    pattern = _office_pattern(relation_type)
    if pattern is None:
        return True
    finder, shared = pattern
    named, named_earlier = (
        {_normalise_office(office) for office in finder.findall(text)} for text in (quote, earlier_quote)
    )
    if not shared.isdisjoint(named | named_earlier):
        return False
    return not named or not named_earlier or not named.isdisjoint(named_earlier)
