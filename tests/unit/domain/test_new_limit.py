"""The recipe for a limit, performed: one entry in a copy of the program is registered and documented."""

from typing import Any

import pytest

from tests.support.program_copy import copy_program, replace_once, run_in_copy

REGISTRY = "app/limits.py"
CLOSING = "\nFIXED_LIMITS: Final = "
ENTRIES = """
GARDENS = Limit("gardens of a space", 1_234, "too_many_values")
"""
PROGRAM = """
import json

from app.cli.limits_table import render_limits_table
from app.limits import FIXED_LIMITS, GARDENS

print(json.dumps({
    "maximum": GARDENS.maximum,
    "registered": FIXED_LIMITS["GARDENS"] is GARDENS,
    "row": [line for line in render_limits_table().splitlines() if "gardens" in line],
}))
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that a copy of the program with one entry more says of the new limit."""
    copy = copy_program(tmp_path_factory.mktemp("copy"))
    replace_once(copy / REGISTRY, CLOSING, ENTRIES + CLOSING)
    return run_in_copy(copy, PROGRAM)


def test_the_program_reads_its_number(known: dict[str, Any]) -> None:
    assert known["maximum"] == 1_234
    assert known["registered"]


def test_it_is_documented_with_its_refusal(known: dict[str, Any]) -> None:
    assert known["row"] == ["| gardens of a space | 1,234 | fixed |  | 422 `too_many_values` |"]
