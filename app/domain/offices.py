"""May who bears a relation to a target have followed another? Pure.

By the role that a model names of each, in whatever language the text is; else by words of English in the
quotes, where nothing speaks against it if they name no known office.
"""

import re
from functools import cache
from typing import NamedTuple

from app.domain.relation_types import BY_NAME


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
    finder = re.compile(rf"\b(?:vice[ -])?(?:{choices})", re.IGNORECASE)
    return finder, frozenset(map(_normalise_role, shared))


class Bearing(NamedTuple):
    """How a source says that somebody bears a relation: its quote, and the role that a model names.

    The role is "" where several can have it at a time, None where nobody was asked for it.
    """

    quote: str
    role: str | None = None


def _normalise_role(role: str) -> str:
    """A role as it is compared: "Vice-President" and "vice president" are one."""
    return " ".join(role.casefold().replace("-", " ").split())


def can_follow(relation_type: str, later: Bearing, earlier: Bearing) -> bool:
    """Return whether the later bearer may have taken the place of the earlier one.

    Not where they have different roles, or one that several have at a time.
    """
    roles = [_normalise_role(bearing.role) for bearing in (later, earlier) if bearing.role is not None]
    if "" in roles:
        return False
    if len(roles) > 1:
        return roles[0] == roles[1]
    pattern = _office_pattern(relation_type)
    if pattern is None:
        return True
    finder, shared = pattern
    named, named_earlier = (
        {_normalise_role(office) for office in finder.findall(bearing.quote)} for bearing in (later, earlier)
    )
    if not shared.isdisjoint(named | named_earlier):
        return False
    return not named or not named_earlier or not named.isdisjoint(named_earlier)
