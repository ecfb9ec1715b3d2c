"""How a search in titles reads: the newest documents in their order, and none beyond its bound."""

from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.documents import service as documents
from app.documents.shapes import DocumentFilter
from tests.conftest import Home
from tests.support.citus import PLANS

pytestmark = [
    pytest.mark.one_machine(PLANS),
    pytest.mark.new_database("plans depend on the pages that deleted rows leave"),
]

DOCUMENTS, WITHIN = 20_000, 5_000


def _nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    """The node and all below it."""
    return [plan, *(node for child in plan.get("Plans", ()) for node in _nodes(child))]


def test_a_search_reads_the_newest_in_their_order(
    database: Database, privileged_url: URL, home: Home
) -> None:
    """The planner takes a space for the two-hundredth of a table: it read and sorted all documents before."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        connection.execute(
            "INSERT INTO document"
            " (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size)"
            " SELECT %s, gen_random_uuid(), 'Report ' || n, 'file', 'text', md5(n::text), 9"
            " FROM generate_series(1, %s) n",
            [home.space_id, DOCUMENTS],
        )
        connection.execute("ANALYZE document")
    plans: list[dict[str, Any]] = []
    execute = psycopg.Cursor.execute

    def explained(cursor: psycopg.Cursor[Any], query: Any, params: Any = None, **options: Any) -> Any:
        if "FROM document" in str(query):
            with psycopg.Cursor(cursor.connection) as beside:
                execute(beside, "EXPLAIN (ANALYZE, FORMAT JSON) " + query, params)
                row = beside.fetchone()
            assert row is not None
            plans.append(row[0][0]["Plan"])
        return execute(cursor, query, params, **options)

    with (
        patch.object(psycopg.Cursor, "execute", explained),
        database.open_space(home.tenant_id, home.space_id) as space,
    ):
        wanted = DocumentFilter(words="nothing of that name")
        page = documents.search_documents(space, wanted, limit=41, max_documents=WITHIN)
    assert (list(page.documents), page.last_read_id is None) == ([], False)
    # Of the first thousand and of the rest: where each ends, and what of them has the words.
    assert len(plans) == 4
    scans = [node for plan in plans for node in _nodes(plan) if node.get("Relation Name") == "document"]
    assert len(scans) == 4
    for scan in scans:
        assert scan["Node Type"] in ("Index Scan", "Index Only Scan"), scan
        assert scan["Actual Rows"] + scan.get("Rows Removed by Filter", 0) <= WITHIN, scan
    assert not [node for plan in plans for node in _nodes(plan) if node["Node Type"] == "Sort"]
