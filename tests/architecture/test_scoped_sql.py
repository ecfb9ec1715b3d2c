"""Every named statement says what it answers and names the space for each space-owned table (rule I6)."""

import re
from pathlib import Path

import pytest

from app.db.base import Base, SpaceOwned
from app.db.sql import list_statement_files, load_statement, split_statements

APP = Path(__file__).parents[2] / "app"
STATEMENTS = list_statement_files()
FRAGMENTS = sorted(APP.rglob("sql/fragments/*.sql"))
# Work on the platform's own tables across tenants, by sessions that see no content.
PLATFORM = {
    "jobs": "the queue claims and sweeps across spaces",
    "tenancy.tenants": "keys and usage belong to tenants",
}
OWNED = {
    str(mapper.class_.__tablename__)
    for mapper in Base.registry.mappers
    if issubclass(mapper.class_, SpaceOwned) and issubclass(mapper.class_, Base)
}
KEYWORDS = {
    "where", "on", "join", "left", "cross", "inner", "order", "group", "set", "using", "limit", "values",
    "select", "for", "returning", "union", "having", "tablesample", "default",
}  # fmt: skip


def without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*", "", text)


def scopes(text: str) -> list[str]:
    """Every query of a statement by itself: what stands in inner parentheses is cut out of the outer one."""
    found = []
    inner = re.compile(r"\(([^()]*)\)")
    while match := inner.search(text):
        if re.search(r"\b(SELECT|UPDATE|DELETE)\b", match[1]):
            found.append(match[1])
            text = text[: match.start()] + " " + text[match.end() :]
        else:
            text = text[: match.start()] + "\x01" + match[1] + "\x02" + text[match.end() :]
    found.append(text)
    parts = [part for query in found for part in re.split(r"\bUNION\b(?: ALL)?", query)]
    return [part.replace("\x01", "(").replace("\x02", ")") for part in parts]


def unscoped(text: str) -> list[str]:
    """The table references whose own query has no condition that ties them to the open space."""
    text = re.sub(r"%\(space_id\)s", "SPACE", re.sub(r"--[^\n]*", "", text))
    text = re.sub(r"%\(\w+\)s", "PARAMETER", text)
    faults = []
    for scope in scopes(text):
        names = re.findall(r"\b(?:FROM|JOIN|UPDATE|USING)\s+(\w+)(?:\s+(?:AS\s+)?(\w+))?", scope)
        for table, alias in names:
            if table not in OWNED:
                continue
            name = alias if alias and alias.lower() not in KEYWORDS else table
            # Unqualified only where no second table could be meant.
            qualifier = rf"{name}\." if len(names) > 1 else rf"(?:{name}\.)?"
            if not re.search(rf"(?<![\w.]){qualifier}knowledge_space_id\s*=\s*SPACE", scope):
                faults.append(name)
    return faults


def _lacks_sentence(file: Path) -> bool:
    first = file.read_text("utf-8").splitlines()[0]
    return re.fullmatch(rf"-- {file.stem}: .+\.", first) is None


def test_the_first_line_of_a_statement_is_its_name_and_a_sentence() -> None:
    assert len(STATEMENTS) > 400
    assert [name for name, file in STATEMENTS.items() if _lacks_sentence(file)] == []


def test_every_space_owned_table_is_read_by_its_space() -> None:
    faults = {
        name: [fault for statement in split_statements(load_statement(name)) for fault in unscoped(statement)]
        for name in STATEMENTS
        if name.rpartition(".")[0] not in PLATFORM
    }
    assert {name: tables for name, tables in faults.items() if tables} == {}


def test_a_fragment_has_its_sentence_and_is_included() -> None:
    including_texts = [file.read_text("utf-8") for file in (*STATEMENTS.values(), *FRAGMENTS)]
    assert FRAGMENTS
    assert [file.stem for file in FRAGMENTS if _lacks_sentence(file)] == []
    assert [
        file.stem
        for file in FRAGMENTS
        if not any(f"-- include {file.stem}\n" in text for text in including_texts)
    ] == []


@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 FROM graph_edge WHERE from_node_id = %(node_id)s",
        "SELECT 1 FROM graph_edge AS edge JOIN graph_node AS node ON node.id = edge.to_node_id"
        " WHERE edge.knowledge_space_id = %(space_id)s",
        "SELECT 1 FROM graph_edge WHERE knowledge_space_id = %(space_id)s UNION ALL SELECT 1 FROM graph_edge",
        "DELETE FROM graph_edge WHERE id = %(id)s",
        "UPDATE graph_node SET mention_count = 0",
    ],
)
def test_the_rule_sees_what_is_missing(text: str) -> None:
    assert unscoped(text)
