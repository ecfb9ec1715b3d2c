"""Cases that are alike: some of them at every run, all of them by `make soak-suite`."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(cases: Iterable[Any], *, every: int) -> list[Any]:
    """The cases for `parametrize`, all but the first of each `every` in a row with the mark `soak`.

    A case may be what `pytest.param` returns; its own marks stay.
    """
    chosen = []
    for number, case in enumerate(cases):
        values, own_marks, name = (
            (case.values, case.marks, case.id)
            if isinstance(case, type(pytest.param()))
            else ((case,), (), None)
        )
        soak = [pytest.mark.soak] if number % every else []
        chosen.append(pytest.param(*values, marks=[*own_marks, *soak], id=name))
    return chosen
