"""One form of sentence that tells a change, and what it states of its names."""

from enum import Enum
from typing import NamedTuple

from app.domain.relation_type import RelationType


class Unresolved(Enum):
    """A relation that the words of the form or the kinds of its names decide."""

    OFFICE = "office"
    """The office that the form names: to lead it, to be a member or to work there."""
    JOINS = "joins"
    """To work for what is surely an organization."""
    RUNS = "runs"
    """To use a thing."""
    SUPPLANTS = "supplants"
    """A thing that comes in the place of another thing."""


Stated = tuple[str, RelationType | Unresolved, str, bool]
"""The letter of the source, the relation, the letter of the target, and whether it holds or is denied."""


class Change(NamedTuple):
    """One form of sentence, and the claims that it makes between its names.

    `dated`: a date in the sentence is that of the change, and not that of what else it tells. `needs_date`:
    it tells what is to come, and without a date of its own nothing is stated.
    """

    form: str
    claims: tuple[Stated, ...]
    dated: bool = True
    needs_date: bool = False


def rows(forms: str, *claims: Stated, dated: bool = True, needs_date: bool = False) -> tuple[Change, ...]:
    """One row for each line of forms, all with the same claims."""
    return tuple(Change(form.strip(), claims, dated, needs_date) for form in forms.strip().split("\n"))
