"""One form of sentence that tells a change, and what it states of its names."""

from typing import NamedTuple


class Change(NamedTuple):
    """One form of sentence, and the claims that it makes between its names.

    `dated`: a date in the sentence is that of the change, and not that of what else it tells. `needs_date`:
    it tells what is to come, and without a date of its own nothing is stated.
    """

    form: str
    claims: tuple[tuple[str, str, str, bool], ...]
    dated: bool = True
    needs_date: bool = False


def rows(
    forms: str, *claims: tuple[str, str, str, bool], dated: bool = True, needs_date: bool = False
) -> tuple[Change, ...]:
    """One row for each line of forms, all with the same claims."""
    return tuple(Change(form.strip(), claims, dated, needs_date) for form in forms.strip().split("\n"))
