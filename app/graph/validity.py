"""The polarity of claims, asserted, denied or only reported, and the dates between which they hold; pure."""

import re
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple

from app.domain.relation_types import RELATION_TYPES

NEVER_HELD: Final = datetime(1, 1, 2, tzinfo=UTC)
"""The moment at which every denial counts as ended: no statement that reads facts ever takes one for a fact.

The table holds this by a constraint, so that the indexes which carry `invalidated_at` tell denials apart.
A day after the first one that Python knows, so that it can be read in any time zone.
"""
ONLY_REPORTED: Final = datetime(1, 1, 3, tzinfo=UTC)
"""The moment at which every report counts as ended: what somebody is only said to claim is a fact for nobody.

Another one than that of denials, so that the indexes tell the two apart. Held by a constraint likewise.
"""


SYMMETRIC: Final = frozenset(entry.name for entry in RELATION_TYPES if entry.symmetric)
"""Relation types that mean the same in both directions."""

ENDS_WITH: Final = {entry.name: entry.ended_by for entry in RELATION_TYPES if entry.ended_by}
"""A claim of this relation ends where one of those is denied of the same two: who left leads no more."""

RESTS_ON: Final = {entry.implies.relation_type: entry.name for entry in RELATION_TYPES if entry.implies}
"""What one sentence states with the other ends with it too: who is only said to lead a firm works there as
its head. What another sentence states by itself does not.
"""

ENDS_WITH_SOURCE: Final = frozenset(entry.name for entry in RELATION_TYPES if entry.ends_with_source)
"""Claims of these relations end where the thing that they are about exists no more."""
ENDS_WITH_TARGET: Final = frozenset(entry.name for entry in RELATION_TYPES if entry.ends_with_target)
"""And these where the other one does: nobody is a member of a band that broke up."""


class Polarity(StrEnum):
    """The side that a sentence takes: it states a claim, says that it does not hold, or who claims it."""

    ASSERTED = "asserted"
    DENIED = "denied"
    REPORTED = "reported"


def claim_holds(
    polarity: str,
    invalidated_at: datetime | None,
    valid_from: datetime | None = None,
    moment: datetime | None = None,
) -> bool:
    """Return whether a claim holds now, or held at a moment: as the function `edge_holds` says of rows."""
    if polarity != Polarity.ASSERTED:
        return False
    if moment is None:
        return invalidated_at is None
    return (valid_from is None or moment >= valid_from) and (
        invalidated_at is None or moment < invalidated_at
    )


class Precision(StrEnum):
    """How exact a date is: "2019", "May 2019", or a day or moment."""

    YEAR = "year"
    MONTH = "month"
    DAY = "day"


class Basis(StrEnum):
    """Where the beginning of a claim was read: in its own sentence, or from the date of its document."""

    SENTENCE = "sentence"
    DOCUMENT = "document"


class DatePoint(NamedTuple):
    """A date as it was stated: the first moment of the year, month or day, in UTC, and how exact it is."""

    at: datetime
    precision: Precision = Precision.DAY


_STATED = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ].*)?)?)?", re.ASCII)


def parse_stated_date(text: str | None) -> DatePoint | None:
    """The date of YYYY, YYYY-MM or YYYY-MM-DD; None for anything else."""
    match = _STATED.fullmatch((text or "").strip())
    if match is None:
        return None
    year, month, day = match.groups()
    precision = Precision.DAY if day else Precision.MONTH if month else Precision.YEAR
    try:
        return DatePoint(datetime(int(year), int(month or 1), int(day or 1), tzinfo=UTC), precision)
    except ValueError:
        return None


def end_of_stated_period(moment: datetime, precision: Precision | str | None) -> datetime:
    """The first moment after the stated year, month or day."""
    if precision == Precision.YEAR:
        return moment.replace(year=moment.year + 1) if moment.year < 9999 else moment
    if precision == Precision.MONTH:
        return (moment.replace(day=1) + timedelta(days=32)).replace(day=1) if moment.year < 9999 else moment
    return moment + timedelta(days=1) if moment.year < 9999 else moment


def date_in_words(moment: datetime, precision: Precision | str | None) -> str:
    """The date no more exact than it was stated: 2019, 2019-05 or 2019-05-03."""
    day = moment.date().isoformat()
    if precision == Precision.YEAR:
        return day[:4]
    return day[:7] if precision == Precision.MONTH else day
