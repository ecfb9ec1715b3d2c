"""What ingest sends: a number of statements that does not grow with the batch, and plans that read no table
whole.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import OpenSession, Row
from app.db.sql import Pending, load_statement, split_statements
from app.documents import service as documents
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.support.citus import PLANS
from tests.support.ingest import corpus, make_runner, submit, text

pytestmark = pytest.mark.new_database("plans depend on the pages that deleted rows leave")

Call = tuple[str, dict[str, Any]]

# 10,000 nodes, names and chunks of 1,000 documents, 30,000 mentions and edges, beside what the test ingests.
FILL = """
INSERT INTO document (knowledge_space_id, id, title, source_kind, format, content_hash, byte_size, state)
SELECT %(space)s::uuid, md5('d' || i)::uuid, 'd' || i, 'file', 'text', md5('h' || i), 1, 'ready'
FROM generate_series(1, 1000) AS i;
INSERT INTO document_body (knowledge_space_id, document_id, raw, text)
SELECT knowledge_space_id, id, '', '' FROM document WHERE knowledge_space_id = %(space)s::uuid;
INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start, char_end, heading_path,
    token_count, content_hash)
SELECT %(space)s::uuid, md5('c' || i)::uuid, md5('d' || 1 + i / 10)::uuid, i %% 10, 'text ' || i, 0, 5, '{}', 2, md5('c' || i)
FROM generate_series(1, 9989) AS i;
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree)
SELECT %(space)s::uuid, md5('n' || i)::uuid, 'Node ' || i, 'Concept', 3, 3, 3 FROM generate_series(0, 9999) AS i;
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)
SELECT knowledge_space_id, lower(canonical_name), id, canonical_name, 'canonical' FROM graph_node
WHERE knowledge_space_id = %(space)s::uuid;
INSERT INTO node_mention (knowledge_space_id, chunk_id, node_id, surface_form, char_start, char_end, name)
SELECT %(space)s::uuid, md5('c' || 1 + i %% 9989)::uuid, md5('n' || i %% 10000)::uuid, 'x', 0, 1, 'Node'
FROM generate_series(0, 29999) AS i ON CONFLICT DO NOTHING;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, evidence_chunk_id,
    metadata, extraction_key)
SELECT %(space)s::uuid, md5('e' || i)::uuid, md5('n' || i %% 10000)::uuid, md5('n' || (i * 7 + 1) %% 10000)::uuid,
    'uses', 0.5, md5('c' || 1 + i %% 9989)::uuid, '{"confidence": 0.9}', md5('k' || i)::uuid
FROM generate_series(0, 29999) AS i;
"""  # noqa: E501


@pytest.fixture
def calls() -> Iterator[list[Call]]:
    """Every named statement that is sent, with its parameters."""
    recorded: list[Call] = []
    original = OpenSession.send

    def send(self: OpenSession, name: str, parameters: Any = None, **options: Any) -> Pending[list[Row]]:
        recorded.append((name, {**(parameters or {}), **self._get_scope_parameters()}))
        return original(self, name, parameters, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenSession, "send", send)
        yield recorded


def sent(database: Database, settings: Settings, home: Home, calls: list[Call], count: int) -> Counter[str]:
    bodies = [
        text(f"Ada{number} Byron created Engine{number}.", title=f"{count}-{number}")
        for number in range(count)
    ]
    submit(database, home, *bodies)
    calls.clear()
    assert make_runner(database, settings).run_next_job()
    return Counter(name for name, _ in calls)


def test_a_batch_of_forty_documents_takes_as_many_statements_as_one_of_five(
    database: Database, settings: Settings, home: Home, calls: list[Call]
) -> None:
    # The first change of a space sends a statement more, to have its communities detected later.
    sent(database, settings, home, calls, 1)
    few = sent(database, settings, home, calls, 5)
    many = sent(database, settings, home, calls, 40)
    # Asked by the clock: where the machine is slow, and on a cluster.
    for counts in (few, many):
        for name in ("jobs.do_other_tenants_wait", "db.are_shard_tables_large"):
            counts.pop(name, None)
    assert many == few
    # Of them one looks for texts that a person split off before their document went, and one counts at their
    # ends the edges that another wrote, in the round trip of that. Two look for claims that begin to hold and
    # for conflicts that webhooks are told of: some relations are single-valued by default.
    assert many.total() <= 58


@pytest.mark.slow
@pytest.mark.one_machine(PLANS)
def test_no_statement_of_ingest_reads_a_whole_table(
    database: Database, settings: Settings, home: Home, privileged_url: URL, calls: list[Call]
) -> None:
    """As the application's role, under row security, with the parameters of a real ingest and removal."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        for command in FILL.split(";\n")[:-1]:
            connection.execute(command.encode(), {"space": str(home.space_id)})
        connection.execute("ANALYZE")
    submit(database, home, *corpus()[:8])
    # Two nodes that the third document says are one.
    joined = [
        text("DEC created System Q."),
        text("Digital Equipment Corporation created System P."),
        text("Digital Equipment Corporation (DEC) acquired System O."),
    ]
    for line in joined:
        submit(database, home, line)
    make_runner(database, settings).drain()
    with database.open_space(home.tenant_id, home.space_id) as space:
        document = next(
            document for document in documents.list_documents(space, limit=1100) if document.byte_size > 1
        )
        ingest.delete_document_with_all_its_words(space, DocumentId(document.id), prune=True)
    seen = {
        name: parameters
        for name, parameters in calls
        if name.rpartition(".")[0] in ("graph.write", "documents")
    }
    assert {
        "graph.write.merge_nodes",
        "graph.write.insert_edges",
        "graph.write.delete_unused_nodes",
        "documents.write_chunks",
    } <= set(seen)
    whole = re.compile(
        r"Seq Scan on (document|document_body|knowledge_chunk|graph_node|node_name|node_mention|graph_edge)\b"
    )
    faults = {}
    with database.open_space(home.tenant_id, home.space_id) as space:
        for name, parameters in seen.items():
            for part in split_statements(load_statement(name)):
                rows = space.connection.execute(b"EXPLAIN " + part.encode(), parameters).fetchall()
                if found := whole.findall("\n".join(str(row[0]) for row in rows)):
                    faults[name] = found
    assert faults == {}
