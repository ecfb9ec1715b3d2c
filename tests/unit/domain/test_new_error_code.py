"""The recipe for an error code, performed: one entry in a copy of the program makes all of it know."""

from typing import Any

import pytest

from tests.support.program_copy import copy_program, replace_once, run_in_copy

REGISTRY = "app/error_codes.py"
OPENING = "ERROR_CODES: Final[tuple[ErrorCode, ...]] = (\n"
ENTRY = '    ErrorCode("wrong_season", 409, "Nothing grows now.", "Wait for spring."),\n'
PROGRAM = """
import json

from app.api import problems
from app.error_codes import write_error_codes_table
from app.errors import Conflict

error = Conflict("Nothing grows in winter.", code="wrong_season")
problem = problems.build_problem(error, "request")
schema = problems.ProblemDocument.model_json_schema()
print(json.dumps({
    "status": error.status,
    "answered": problem.status_code,
    "body": json.loads(problem.body),
    "enumerated": "wrong_season" in schema["properties"]["code"]["enum"],
    "documented": (
        "| `wrong_season` | 409 | Nothing grows now. | Wait for spring. |" in write_error_codes_table()
    ),
}))
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that a copy of the program with one entry more says of the new code."""
    copy = copy_program(tmp_path_factory.mktemp("copy"))
    replace_once(copy / REGISTRY, OPENING, OPENING + ENTRY)
    return run_in_copy(copy, PROGRAM)


def test_a_failure_has_its_status(known: dict[str, Any]) -> None:
    assert known["status"] == known["answered"] == 409
    assert known["body"]["code"] == "wrong_season"
    assert known["body"]["title"] == "Conflict"


def test_it_is_enumerated_and_documented(known: dict[str, Any]) -> None:
    assert known["enumerated"]
    assert known["documented"]
