"""Pages that a whole explanation touches while the graph doubles and 10,000 other spaces come (design
section 5).

Pages are counted, not seconds: the same on every machine.
"""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import psycopg
import pytest
from sqlalchemy import URL, text

from app.db.database import Database
from app.db.engine import convert_to_conninfo, create_app_engine
from app.graph import service
from app.settings import Settings
from tests.conftest import Home, make_home
from tests.support.citus import PLANS
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import as_app

pytestmark = [pytest.mark.slow, pytest.mark.one_machine(PLANS)]

NODES, EDGES, SPACES = 10_000, 50_000, 10_000
MOST = 1.2
# Part 0 is the graph, part 1 as much again: every node has five edges each way within its part, and five to
# the other where there is one.
FILL = f"""
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree)
SELECT %(space)s::uuid, md5(%(space)s::text || 'n' || i)::uuid, 'Node ' || i, 'Concept', 1, 5, 5
FROM generate_series(%(part)s * {NODES}, (%(part)s + 1) * {NODES} - 1) AS i;
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)
SELECT knowledge_space_id, lower(canonical_name), id, canonical_name, 'canonical' FROM graph_node
WHERE knowledge_space_id = %(space)s::uuid ON CONFLICT DO NOTHING;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, metadata, extraction_key)
SELECT %(space)s::uuid, md5(%(space)s::text || 'e' || %(part)s || '-' || i)::uuid,
    md5(%(space)s::text || 'n' || %(part)s * {NODES} + i * 7919::bigint %% {NODES})::uuid,
    md5(%(space)s::text || 'n' || %(part)s * {NODES} + (i * 104729::bigint + 1) %% {NODES})::uuid,
    (ARRAY['uses', 'owns', 'causes', 'knows'])[1 + i %% 4], (i * 31 %% 1000) / 1000.0,
    '{{"confidence": 0.9, "quote": "It says so."}}', md5(%(space)s::text || 'k' || %(part)s || '-' || i)::uuid
FROM generate_series(0, {EDGES} - 1) AS i
"""  # noqa: E501
# Each has a node, its name and an edge to itself.
OTHERS = f"""
INSERT INTO knowledge_space (tenant_id, id, name, embedding_model, embedding_dimensions)
SELECT %(tenant)s::uuid, md5('space' || i)::uuid, 'space ' || i, 'hashed-ngrams-256', 256 FROM generate_series(1, {SPACES}) AS i;
INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, mention_count, out_degree, in_degree)
SELECT md5('space' || i)::uuid, md5('node' || i)::uuid, 'Node 7', 'Concept', 1, 1, 1 FROM generate_series(1, {SPACES}) AS i;
INSERT INTO node_name (knowledge_space_id, normalised_name, node_id, name, kind)
SELECT md5('space' || i)::uuid, 'node 7', md5('node' || i)::uuid, 'Node 7', 'canonical' FROM generate_series(1, {SPACES}) AS i;
INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight, metadata, extraction_key)
SELECT md5('space' || i)::uuid, md5('edge' || i)::uuid, md5('node' || i)::uuid, md5('node' || i)::uuid, 'uses', 0.5, '{{"confidence": 0.9}}',
    md5('key' || i)::uuid
FROM generate_series(1, {SPACES}) AS i
"""  # noqa: E501


@dataclass(frozen=True)
class Growing:
    """A space that grows, the door to it on one connection, and a superuser's view."""

    database: Database
    home: Home
    url: URL

    def fill(self, commands: str, **values: object) -> None:
        """Run them past all checks, and have the planner know of it."""
        with psycopg.connect(convert_to_conninfo(self.url), autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")
            for command in commands.split(";\n"):
                connection.execute(command.encode(), values)
            connection.execute("VACUUM ANALYZE graph_edge, graph_node, node_name, knowledge_space")

    def pages(self) -> int:
        """The pages that the door's connection touches for one explanation, all statements together."""
        for _ in range(3):
            pid = self._explain()
        with psycopg.connect(convert_to_conninfo(self.url), autocommit=True) as connection:
            before = _touched(connection, pid)
            assert self._explain() == pid
            return _touched(connection, pid) - before

    def _explain(self) -> int:
        with self.database.open_space(self.home.tenant_id, self.home.space_id) as space:
            pid = space.orm.execute(text("SELECT pg_backend_pid()")).scalar_one()
            found = service.explain_and_record_recall(space, question="How is Node 7 related to Node 4711?")
            assert len(found.anchors) == 2
            assert found.edges
            space.orm.execute(text("SELECT pg_stat_force_next_flush()"))
        return int(pid)


def _touched(connection: psycopg.Connection[tuple[int]], pid: int) -> int:
    found = connection.execute(
        "SELECT coalesce(sum(hits + reads), 0)::bigint FROM pg_stat_get_backend_io(%s)", [pid]
    ).fetchone()
    assert found is not None
    return found[0]


@pytest.fixture
def growing(admin_url: URL, template: str) -> Iterator[Growing]:
    """A space of 10,000 nodes and 50,000 edges."""
    name = f"citegraph_growth_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    url = admin_url.set(database=name)
    address = as_app(url).render_as_string(hide_password=False)
    settings = Settings(database_url=address, pool_size=1, pool_overflow=0)
    database = Database(create_app_engine(address, settings), settings)
    made = Growing(database, make_home(database, "tenant-a"), url)
    made.fill(FILL, space=str(made.home.space_id), part=0)
    yield made
    database.dispose()
    drop_database(admin_url, name)


@pytest.mark.soak
def test_an_explanation_touches_as_few_pages_in_twice_the_graph_and_beside_10_000_spaces(
    growing: Growing,
) -> None:
    small = growing.pages()
    assert small > 0
    growing.fill(FILL, space=str(growing.home.space_id), part=1)
    double = growing.pages()
    growing.fill(OTHERS, tenant=str(growing.home.tenant_id))
    crowded = growing.pages()
    print(
        f"pages of one explanation: {small}, {double} in twice the graph, {crowded} beside {SPACES:,} spaces"
    )
    assert double <= MOST * small, (small, double)
    assert crowded <= MOST * double, (double, crowded)
