"""The polarity of claims (asserted, denied or reported) and the dates between which they hold; pure."""

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from app.domain.relation_types import RELATION_TYPES

END_OF_DENIAL: Final = datetime(1, 1, 2, tzinfo=UTC)
"""The moment at which every denial counts as ended, so that no query of facts returns one.

A constraint of the table enforces it, so that indexes on `invalidated_at` distinguish denials. It is one day
after the first day that Python supports, so that it can be read in any time zone.
"""
END_OF_REPORT: Final = datetime(1, 1, 3, tzinfo=UTC)
"""The moment at which every report counts as ended: a reported claim is not a fact.

It differs from that of denials, so that indexes distinguish the two. A constraint enforces it as well.
"""
FOREVER: Final = datetime(9999, 12, 31, tzinfo=UTC)
"""The end of a claim that begins later, if no end is known."""

SYMMETRIC_RELATIONS: Final = frozenset(entry.name for entry in RELATION_TYPES if entry.symmetric)
"""Relation types that mean the same in both directions."""

ENDING_RELATIONS_BY_RELATION: Final = {
    entry.name: entry.ended_by for entry in RELATION_TYPES if entry.ended_by
}
"""Relation → the relations whose denial between the same two nodes ends it: who left no longer leads."""

IMPLYING_RELATION_BY_RELATION: Final = {
    entry.implies.relation_type: entry.name for entry in RELATION_TYPES if entry.implies
}
"""Implied relation → the relation that implies it.

A claim ends with the claim of the same sentence that implies it: if a sentence only says that someone heads a
firm, the claim that they work there ends when they no longer head it. A claim of another sentence does not.
"""

RELATIONS_ENDING_WITH_SOURCE: Final = frozenset(
    entry.name for entry in RELATION_TYPES if entry.ends_with_source
)
"""Claims of these relations end when their source ceases to exist."""
RELATIONS_ENDING_WITH_TARGET: Final = frozenset(
    entry.name for entry in RELATION_TYPES if entry.ends_with_target
)
"""Claims of these relations end when their target ceases to exist, as memberships of a band do."""


class Polarity(StrEnum):
    """The attitude of a sentence to a claim: it states it, denies it, or reports who makes it."""

    ASSERTED = "asserted"
    DENIED = "denied"
    REPORTED = "reported"


def does_claim_hold(
    polarity: str,
    invalidated_at: datetime | None,
    valid_from: datetime | None = None,
    moment: datetime | None = None,
    ends_at: datetime | None = None,
) -> bool:
    """Return whether a claim holds now, or at `moment`; the same as the SQL function `edge_holds_at`."""
    if polarity != Polarity.ASSERTED:
        return False
    if moment is None:
        return invalidated_at is None
    end = ends_at or invalidated_at
    return (valid_from is None or moment >= valid_from) and (end is None or moment < end)


def does_claim_begin_after(
    invalidated_at: datetime | None,
    valid_from: datetime | None,
    moment: datetime | None = None,
    ends_at: datetime | None = None,
) -> bool:
    """Return whether a claim begins later than now, or than the given moment."""
    if moment is None:
        return invalidated_at is not None and ends_at is not None
    return valid_from is not None and valid_from > moment


class Precision(StrEnum):
    """The precision of a date: "2019", "May 2019", or a day or moment."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"


class Basis(StrEnum):
    """The source of a claim's beginning: its own sentence, or the date of its document."""

    SENTENCE = "sentence"
    DOCUMENT = "document"


class DatePoint(NamedTuple):
    """A date as stated: the first moment of the year, month or day, in UTC, and its precision."""

    at: datetime
    precision: Precision = Precision.DAY


_DATE_TEXT = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ].*)?)?)?", re.ASCII)


def parse_stated_date(text: str | None) -> DatePoint | None:
    """Parse YYYY, YYYY-MM or YYYY-MM-DD; return None for anything else."""
    match = _DATE_TEXT.fullmatch((text or "").strip())
    if match is None:
        return None
    year, month, day = match.groups()
    precision = Precision.DAY if day else Precision.MONTH if month else Precision.YEAR
    try:
        return DatePoint(datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC), precision)
    except ValueError:
        return None


def compute_end_of_period(begin: datetime, period: Precision) -> datetime:
    """Return the first moment after the year, month or day that begins then; `begin` in the year 9999."""
    if begin.year == 9999:
        return begin
    match period:
        case Precision.YEAR:
            return begin.replace(year=begin.year + 1)
        case Precision.MONTH:
            return (begin.replace(day=1) + timedelta(days=32)).replace(day=1)
        case Precision.DAY:
            return begin + timedelta(days=1)


def format_date(moment: datetime, precision: Precision | str | None) -> str:
    """Return the date as precisely as it was stated: 2019, 2019-05 or 2019-05-03."""
    day = moment.date().isoformat()
    if precision == Precision.YEAR:
        return day[:4]
    return day[:7] if precision == Precision.MONTH else day
