"""One sentence form for a change, and its claims."""

from enum import Enum
from typing import NamedTuple

from app.domain.relation_type import RelationType


class UnresolvedRelation(Enum):
    """A relation that the words of the form or the kinds of its names determine."""

    OFFICE = "office"
    """The office that the form names: to lead, be a member of or work for an organization."""
    JOINS = "joins"
    """Works for, if the target is certainly an organization."""
    RUNS = "runs"
    """Uses, if the target is a thing."""
    SUPPLANTS = "supplants"
    """Replaces, if both are things."""
    TAKES_OVER = "takes over"
    """Owns, if the source may be an organization: people take over tasks."""


StatedEnds = tuple[str, RelationType | UnresolvedRelation, str, bool]
"""The letter of the source, the relation, the letter of the target, and whether it is asserted or denied."""


class Change(NamedTuple):
    """One sentence form, and its claims between its names.

    `is_dated`: a date in the sentence is that of the change. `needs_date`: the form is about the future, and
    nothing is claimed without a date. `replaces_earlier`: what is asserted takes the place of what the form
    does not name.
    """

    form: str
    claims: tuple[StatedEnds, ...]
    is_dated: bool = True
    needs_date: bool = False
    replaces_earlier: bool = False


def build_changes(
    forms: str,
    *claims: StatedEnds,
    is_dated: bool = True,
    needs_date: bool = False,
    replaces_earlier: bool = False,
) -> tuple[Change, ...]:
    """Return one row for each line of forms, all with the same claims."""
    return tuple(
        Change(form.strip(), claims, is_dated, needs_date, replaces_earlier)
        for form in forms.strip().split("\n")
    )
