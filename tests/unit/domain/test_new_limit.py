"""The recipe for a limit, performed: one entry in a copy of the program is registered and documented."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[3]
REGISTRY = "app/limits.py"
CLOSING = "\nFIXED_LIMITS: Final = "
ENTRIES = """
GARDENS = Limit("gardens of a space", 1_234, "too_many_values")
"""
PROGRAM = """
import json

from app.cli.limits_table import limits_table
from app.limits import FIXED_LIMITS, GARDENS

print(json.dumps({
    "most": GARDENS.most,
    "registered": FIXED_LIMITS["GARDENS"] is GARDENS,
    "row": [line for line in limits_table().splitlines() if "gardens" in line],
}))
"""


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """All that a copy of the program with one entry more says of the new limit."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(PROJECT / "app", copy / "app", ignore=shutil.ignore_patterns("vendor"))
    registry = copy / REGISTRY
    text = registry.read_text("utf-8")
    assert text.count(CLOSING) == 1
    registry.write_text(text.replace(CLOSING, ENTRIES + CLOSING), "utf-8")
    command = [sys.executable, "-c", PROGRAM]
    environment = {"PYTHONPATH": str(copy), "PATH": ""}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_the_program_reads_its_number(known: dict[str, Any]) -> None:
    assert known["most"] == 1_234
    assert known["registered"]


def test_it_is_documented_with_its_refusal(known: dict[str, Any]) -> None:
    assert known["row"] == ["| gardens of a space | 1,234 | fixed |  | 422 `too_many_values` |"]
