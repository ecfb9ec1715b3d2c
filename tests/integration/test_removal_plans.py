"""The plan of what a large document's deletion changes about nodes, on statistics older than the rows."""

import re
from typing import Any

import psycopg
import pytest

from app.db.database import Database
from app.db.session import OpenSession
from app.db.sql import load_statement
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.support.citus import PLANS
from tests.support.ingest import ingest_now, text
from tests.support.sampling import sampled

pytestmark = [
    pytest.mark.slow,
    pytest.mark.one_machine(PLANS),
    pytest.mark.new_database("plans depend on the pages that deleted rows leave"),
]

LEAVES = 300
LETTERS = "abcdefghijklmnopqrst"


def _ingest_a_hub(database: Database, settings: Settings, home: Home) -> DocumentId:
    names = (f"Berg{LETTERS[number % 20]}{LETTERS[number // 20]}o" for number in range(LEAVES))
    body = "\n\n".join(f"Hub Holding owns Factory {name}." for name in names)
    ingest_now(database, settings, home, [text(body, title="hub", source_uri="hub")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        ((found,),) = space.connection.execute(
            "SELECT id FROM document WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall()
    return DocumentId(found)


def _plans_of_removal(
    database: Database, home: Home, document_id: DocumentId, *, renaming: bool
) -> tuple[str, int]:
    """The plan of add_mention_counts_and_set_names when the document goes, and its rows; all get new names or
    none.
    """
    shown: list[tuple[str, int]] = []
    run = OpenSession.run

    def explained(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> Any:
        if name == "graph.write.add_mention_counts_and_set_names" and not shown:
            names = [f"{name} Ltd." for name in parameters["names"]] if renaming else parameters["names"]
            client = psycopg.ClientCursor(self.connection)
            with self.connection.transaction(force_rollback=True):
                client.execute(
                    b"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) " + load_statement(name).encode(),
                    {**parameters, "names": names, "space_id": home.space_id},
                )
                plan = "\n".join(row[0] for row in client.fetchall())
            shown.append((plan, len(names)))
        return run(self, name, parameters, **options)

    with pytest.MonkeyPatch.context() as patch, database.open_space(home.tenant_id, home.space_id) as space:
        patch.setattr(OpenSession, "run", explained)
        ingest.delete_document_with_all_its_words(space, document_id, prune=False)
    return shown[0]


@pytest.mark.parametrize("renaming", sampled([False, True], every=2))
def test_a_document_of_many_nodes_reads_each_of_them_once(
    database: Database, settings: Settings, home: Home, renaming: bool
) -> None:
    document_id = _ingest_a_hub(database, settings, home)
    plan, rows = _plans_of_removal(database, home, document_id, renaming=renaming)
    assert rows > LEAVES
    (probe,) = re.findall(r"Index Scan using uq_graph_node_\w+ on graph_node o .*(?:\n.*){5}", plan)
    assert re.search(r"Index Cond: .*canonical_name = t\.name", probe), plan
    assert ("never executed" in probe) is not renaming, plan
    # None of the other nodes is read for a row: the name leads to at most the node itself.
    assert "Rows Removed by Filter" not in probe, plan
