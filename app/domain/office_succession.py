"""Decide whether one holder of an office may have succeeded another. Pure.

The roles that a model names are compared, in any language; without them, the English words for offices in
the quotes. Quotes that name no known office do not rule a succession out.
"""

import re
from functools import cache
from typing import NamedTuple

from app.domain.relation_types import RELATION_TYPE_BY_NAME


class _Offices(NamedTuple):
    """A pattern that matches offices, longest first, and the offices that several people hold at a time."""

    pattern: re.Pattern[str]
    shared_offices: frozenset[str]


@cache
def _build_office_pattern(relation_type: str) -> _Offices | None:
    """Return the offices of this relation type; None for one without offices."""
    relation = RELATION_TYPE_BY_NAME.get(relation_type)
    if relation is None or not relation.offices:
        return None
    shared_offices = [" ".join(office.split()) for office in relation.shared_offices.split("|")]
    offices = [*shared_offices, *(" ".join(office.split()) for office in relation.offices.split("|"))]
    ordered_offices = sorted(offices, key=len, reverse=True)
    choices = "|".join(
        re.escape(office) if office.endswith("-") else rf"{re.escape(office)}\b" for office in ordered_offices
    )
    # "vice" makes another office of any office.
    office_regex = re.compile(rf"\b(?:vice[ -])?(?:{choices})", re.IGNORECASE)
    return _Offices(office_regex, frozenset(map(_normalise_role, shared_offices)))


class RoleStatement(NamedTuple):
    """A source's statement of somebody's role: its quote, and the role that a model names.

    The role is "" if several people can hold it at a time, None if no model was asked for it.
    """

    quote: str
    role: str | None = None


def _normalise_role(role: str) -> str:
    """Return a role in the form in which roles are compared: "Vice-President" equals "vice president"."""
    return " ".join(role.casefold().replace("-", " ").split())


def may_have_succeeded(
    relation_type: str, later_statement: RoleStatement, earlier_statement: RoleStatement
) -> bool:
    """Return whether the later holder may have succeeded the earlier one.

    False if their roles differ, or if several people hold the role at a time.
    """
    roles = [
        _normalise_role(statement.role)
        for statement in (later_statement, earlier_statement)
        if statement.role is not None
    ]
    if "" in roles:
        return False
    if len(roles) > 1:
        later_role, earlier_role = roles
        return later_role == earlier_role
    offices = _build_office_pattern(relation_type)
    if offices is None:
        return True
    later_offices, earlier_offices = (
        {_normalise_role(office) for office in offices.pattern.findall(statement.quote)}
        for statement in (later_statement, earlier_statement)
    )
    if not offices.shared_offices.isdisjoint(later_offices | earlier_offices):
        return False
    return not later_offices or not earlier_offices or not later_offices.isdisjoint(earlier_offices)
