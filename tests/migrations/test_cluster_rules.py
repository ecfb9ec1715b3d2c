"""Migrations run on a distributed database with data: what they write keeps the rules of a Citus cluster.

No cluster is needed: the statements that stand in a migration as constants are read. A database could be
distributed from the migration of the anchor on.
"""

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


def test_statements_are_found() -> None:
    names = {name for path in migrations() for name, _ in statements(path)}
    assert {"RENEW", "RENAME", "REMOVE", "ATTRIBUTES", "MARK", "COUNT"} <= names
