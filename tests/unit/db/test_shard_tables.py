"""Statements that are read at a cluster's worker: which, and that they name its tables and nothing else.

Postgres' own parser says what each statement names.
"""

from typing import Any

import pglast
import pytest
from pglast import ast
from pglast.visitors import Ancestor, Visitor

from app.db.engine import TABLES_ARE_FILLED_QUERY
from app.db.shard_tables import Node, ShardTables, reads_only_shards, replace_tables_by_shards
from app.db.sql import list_statement_files, load_numbered_statements_of_file
from app.db.table_distribution import LOCAL_TABLES, SHARDED

TABLES = ShardTables(
    Node(1, "worker", 5432), 102_008, tuple((table, f"{table}_102008") for table in sorted(SHARDED))
)
CHANGING = (ast.InsertStmt, ast.UpdateStmt, ast.DeleteStmt, ast.MergeStmt, ast.LockingClause)
READ = [name for name in list_statement_files() if reads_only_shards(name)]


class _Reading(Visitor):
    """The tables that a statement reads as rows, and what it does beside reading."""

    def __init__(self) -> None:
        self.tables: list[tuple[str, str]] = []
        self.changes: list[str] = []
        self.common: set[str] = set()

    def visit(self, _ancestors: Ancestor, node: Any) -> None:
        if isinstance(node, ast.RangeVar):
            alias = node.alias.aliasname if node.alias else node.relname
            self.tables.append((str(node.relname), str(alias)))
        if isinstance(node, ast.CommonTableExpr):
            self.common.add(str(node.ctename))
        if isinstance(node, CHANGING):
            self.changes.append(type(node).__name__)


def reading_of(text: bytes) -> _Reading:
    reading = _Reading()
    for statement in pglast.parse_sql(text.decode()):
        written: Any = statement.stmt
        reading(written)
    return reading


def test_most_statements_that_answer_are_read_at_the_worker() -> None:
    assert {
        "graph.fetch_walks_between",
        "graph.fetch_facts_within_two_hops",
        "retrieval.get_passages",
    } <= set(READ)
    assert len(READ) > 100


def test_each_reads_the_tables_of_the_worker_and_changes_nothing() -> None:
    for name in READ:
        for text, _ in load_numbered_statements_of_file(name):
            before, after = reading_of(text), reading_of(replace_tables_by_shards(text, TABLES))
            assert before.changes == [], name
            assert not {table for table, _ in before.tables} & (LOCAL_TABLES - before.common), name
            assert not SHARDED & before.common, name
            assert after.tables == [
                (f"{table}_102008" if table in SHARDED else table, alias) for table, alias in before.tables
            ], name


@pytest.mark.parametrize(
    "name", ["jobs.claim_job", "documents.requeue_documents", "llm.model_calls.lock_existing_chunks"]
)
def test_what_writes_locks_or_reads_the_coordinators_tables_stays_there(name: str) -> None:
    assert name in list_statement_files()
    assert not reads_only_shards(name)


def test_a_column_of_a_tables_name_stays_and_so_does_one_that_is_called_by_it() -> None:
    text = b"SELECT document.id, 'FROM x' FROM document JOIN graph_node n ON n.id = document.community"
    assert replace_tables_by_shards(text, TABLES) == (
        b"SELECT document.id, 'FROM x' FROM document_102008 AS document"
        b" JOIN graph_node_102008 n ON n.id = document.community"
    )


def test_what_is_asked_of_the_tables_sizes_is_asked_of_the_workers() -> None:
    located = replace_tables_by_shards(TABLES_ARE_FILLED_QUERY.encode(), TABLES)
    assert located.count(b"_102008'") == 8
    assert b"FROM pg_class" in located
