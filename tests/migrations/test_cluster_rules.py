"""Migrations run on a distributed database with data: what they write keeps the rules of a Citus cluster.

No cluster is needed: the statements that stand in a migration as constants are read. A database could be
distributed from the migration of the anchor on.
"""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pglast
import pytest
from sqlalchemy import URL

from app.db.table_distribution import DISTRIBUTED
from app.shipped_files import PROJECT
from tests.support.distributed_sql import faults_of, functions_of, tables_of

ANCHOR_CAME = "0042"
_WRITES = re.compile(r"\b(UPDATE|INSERT INTO|DELETE FROM)\b")
_FUNCTION = re.compile(r"\b(CREATE|CREATE OR REPLACE|DROP|ALTER) FUNCTION\b")
_VIEW = re.compile(r"\b(VIEW|COMMENT ON)\b")
_WORD = re.compile(r"\w+")
# A migration is for all spaces, and what it writes by one statement may go to every shard.
_OF_ALL_SPACES = "is not read by its space"


def migrations() -> list[Path]:
    folder = PROJECT / "alembic" / "versions"
    return sorted(path for path in folder.glob("[0-9]*.py") if path.name[:4] > ANCHOR_CAME)


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"migration_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def statements(path: Path) -> Iterator[tuple[str, str]]:
    """The constants of a migration that write to content, by name; with $1 for each value."""
    for name, value in vars(loaded(path)).items():
        if isinstance(value, str) and not name.startswith("_") and _WRITES.search(value):
            text = re.sub(r"(?<!:):(\w+)", "$1", re.sub(r"\{\w+\}", "", value))
            try:
                parsed = pglast.parse_sql(text)
            except pglast.parser.ParseError:
                # A part of a statement, or prose.
                continue
            if any(tables_of(statement.stmt) & DISTRIBUTED for statement in parsed):
                yield name, text


@pytest.mark.parametrize("path", migrations(), ids=lambda path: path.stem)
def test_what_a_migration_writes_is_taken_by_a_cluster(path: Path, module_url: URL) -> None:
    volatility = functions_of(module_url)
    for name, text in statements(path):
        faults = [
            fault
            for fault in faults_of(text, [], volatility)
            # Beside content it may read the coordinator's: Citus brings that to the shards.
            if _OF_ALL_SPACES not in fault and "of the coordinator" not in fault
        ]
        assert faults == [], name


def operations(path: Path, direction: str) -> Iterator[tuple[str, list[str]]]:
    """The operations of a migration's `upgrade` or `downgrade` in their order, each with its texts."""
    constants = vars(loaded(path))
    (function,) = (
        node
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and node.name == direction
    )
    calls = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) == "op"
    ]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        assert isinstance(call.func, ast.Attribute)
        parts = [part for argument in (*call.args, *call.keywords) for part in ast.walk(argument)]
        texts = [part.value for part in parts if isinstance(part, ast.Constant)]
        texts += [constants.get(part.id) for part in parts if isinstance(part, ast.Name)]
        yield call.func.attr, [text for text in texts if isinstance(text, str)]


def late_functions(path: Path, direction: str) -> list[str]:
    """The statements on functions that follow an operation on a table of content that was there before."""
    late, created, changed = [], set(), False
    for operation, texts in operations(path, direction):
        if operation == "create_table":
            created.add(texts[0])
        if any(_FUNCTION.search(text) for text in texts):
            late += texts[:1] if changed else []
        elif not any(_VIEW.search(text) for text in texts):
            changed |= any(set(_WORD.findall(text)) & (DISTRIBUTED - created) for text in texts)
    return late


@pytest.mark.parametrize("path", migrations(), ids=lambda path: path.stem)
@pytest.mark.parametrize("direction", ["upgrade", "downgrade"])
def test_a_migration_makes_its_functions_first(path: Path, direction: str) -> None:
    """Citus sends statements on functions by one connection to a node, those on shards by several at once.

    After the latter it refuses the former in the same transaction.
    """
    assert late_functions(path, direction) == []


def test_late_functions_are_found(tmp_path: Path) -> None:
    """Also in a text that stands elsewhere in the migration; not after a table that it makes itself."""
    path = tmp_path / "0099_late.py"
    before = "from alembic import op\nMAKE = 'CREATE FUNCTION f() RETURNS int RETURN 1'\ndef upgrade():\n"
    for change, late in (
        ("op.add_column('graph_edge', None)", True),
        ("op.execute('UPDATE graph_node SET source = 1')", True),
        ("op.create_table('graph_edge')", False),
        ("op.add_column('tenant', None)", False),
    ):
        path.write_text(f"{before}    {change}\n    op.execute(MAKE)\n", "utf-8")
        assert bool(late_functions(path, "upgrade")) is late


def test_statements_are_found() -> None:
    names = {name for path in migrations() for name, _ in statements(path)}
    assert {"RENEW", "RENAME", "REMOVE", "ATTRIBUTES", "MARK", "COUNT"} <= names
