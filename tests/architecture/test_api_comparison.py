"""docs/api.md compares the API with others': each row of ours names a test that is there."""

import ast
import re

from tests.architecture.tree import PROJECT

HEADING = "## API against LightRAG, cognee, R2R, graphiti"


def rows() -> list[list[str]]:
    """The cells of each row."""
    _, rest = (PROJECT / "docs" / "api.md").read_text("utf-8").split(f"{HEADING}\n")
    table = rest.split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ") and "---" not in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def named_tests(file: str) -> set[str]:
    """The names of the tests of a file, those in classes too."""
    tree = ast.parse((PROJECT / file).read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_claim_of_ours_names_a_test_that_is_there() -> None:
    claimed = 0
    for name, ours, *_ in rows():
        if ours.startswith("no"):
            continue
        found = re.fullmatch(r"yes: `(tests/[\w/]+\.py)::(test_\w+)`", ours)
        assert found is not None, f"{name}: {ours}"
        assert (PROJECT / found[1]).is_file(), found[1]
        assert found[2] in named_tests(found[1]), ours
        claimed += 1
    assert claimed >= 12


def test_others_have_a_cell_each_with_its_source() -> None:
    """What was found names where; the rest says that it was not found."""
    for name, ours, *others in rows():
        assert ours
        assert len(others) == 4, name
        bare = [
            difference
            for difference in others
            if "not found" not in difference and not re.search(r"\[[LCRG]\d?\]", difference)
        ]
        assert bare == [], name


def test_every_source_is_told() -> None:
    _, rest = (PROJECT / "docs" / "api.md").read_text("utf-8").split(f"{HEADING}\n")
    section = rest.split("\n## ")[0]
    table, told = section.rsplit("|\n", 1)
    assert set(re.findall(r"\[[LCRG]\d?\]", table)) <= set(re.findall(r"\[[LCRG]\d?\]", told))
