"""docs/requirements.md names a test for every clause that it covers, and names none that is not there."""

import ast
import re

from tests.architecture.tree import PROJECT, Source, sources

# How many clauses each section has; one without a row fails.
CLAUSES = {6: 3, 7: 3, 8: 5, 9: 6, 10: 4, 11: 2, 12: 2}
ROW = re.compile(r"^\| (\d+)\.(\d+) \| .+? \| (`.+`) \|$", re.MULTILINE)
TEST = re.compile(r"`([^`]+)`")
NAMED = re.compile(r"(test_\w+\.py)((?:::\w+)+)(?:\[(.+)\])?")


def rows() -> list[tuple[tuple[int, int], list[str]]]:
    """(section, clause) and the tests of each row."""
    guide = (PROJECT / "docs" / "requirements.md").read_text("utf-8")
    found = [((int(a), int(b)), TEST.findall(tests)) for a, b, tests in ROW.findall(guide)]
    assert len(found) == len(re.findall(r"^\| \d+\.\d+ ", guide, re.MULTILINE)), "a row has no test"
    return found


def stands(source: Source, names: list[str], case: str | None) -> bool:
    """Whether the file has that test, or that class with it, and that row of its table."""
    body: list[ast.stmt] = source.tree.body
    for name in names:
        inside = [
            statement
            for statement in body
            if isinstance(statement, ast.ClassDef | ast.FunctionDef) and statement.name == name
        ]
        if not inside:
            return False
        body = inside[0].body
    values = (node.value for node in source.nodes if isinstance(node, ast.Constant))
    return names[-1].startswith("test_") and (case is None or case in values)


def test_every_test_that_is_named_is_there() -> None:
    files = {source.path.name: source for source in sources("tests")}
    missing = []
    for _, tests in rows():
        for statement in tests:
            named = NAMED.fullmatch(statement)
            assert named, statement
            source = files.get(named[1])
            if source is None or not stands(source, named[2].split("::")[1:], named[3]):
                missing.append(statement)
    assert missing == []


def test_every_clause_has_a_row() -> None:
    covered = {clause for clause, _ in rows()}
    assert covered == {
        (section, clause) for section, count in CLAUSES.items() for clause in range(1, count + 1)
    }
