"""docs/fault-matrix.md lists every row of the matrix, and every test that it names exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
MATRIX = PROJECT / "docs" / "fault-matrix.md"
ROWS = {
    int(line.split("|")[1]): line for line in MATRIX.read_text().splitlines() if re.match(r"\| \d+ ", line)
}
# Written as `tests/folder/file.py::name`; a name alone stays in the file named before it.
REFERENCE = re.compile(r"`(?:(tests/[\w/]+\.py))?::(\w+)`")


@cache
def names_in(path: Path) -> frozenset[str]:
    """The test classes and functions of a file."""
    tree = ast.parse(path.read_text())
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name.startswith(("test_", "Test"))
    )


def references(row: str) -> list[tuple[Path, str]]:
    """(file, test) that the row names."""
    found = []
    path = None
    for file, name in REFERENCE.findall(row):
        path = PROJECT / file if file else path
        assert path is not None, row
        found.append((path, name))
    return found


def test_every_row_is_there() -> None:
    assert sorted(ROWS) == list(range(1, 38))


@pytest.mark.parametrize("number", sorted(ROWS))
def test_every_row_names_tests_that_exist(number: int) -> None:
    named = references(ROWS[number])
    assert named
    for path, name in named:
        assert path.is_file(), path
        assert name in names_in(path), f"{path.name}::{name}"
