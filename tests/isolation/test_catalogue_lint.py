"""Mutations: whatever is taken away or put in, the lint must say so (plan items 4 and 8).

The parameters come from the models, and test_every_table proves that those are all tables: a new
table joins by itself.
"""

import pytest
from sqlalchemy import Connection, text

from app.db.base import Base, TriggerKey
from app.db.doctor.table_verdicts import examine_foreign_keys_for_orphans, get_database_name
from tests.isolation.conftest import World
from tests.support.sampling import sampled
from tests.support.schema.lint import lint

pytestmark = pytest.mark.one_machine(
    "the lint is of what migrations make; a cluster's tables and shards are the doctor's to compare"
)

TABLES = sorted(Base.metadata.tables)
FOREIGN_KEYS = sorted(
    (table.name, get_database_name(key))
    for table in Base.metadata.tables.values()
    for key in table.foreign_key_constraints
    if not isinstance(key, TriggerKey)
)
TRIGGERS = sorted(
    (table.name, get_database_name(key), home, trigger)
    for table in Base.metadata.tables.values()
    for key in table.foreign_key_constraints
    if isinstance(key, TriggerKey)
    for home, triggers in key.triggers.items()
    for trigger in triggers
)
INDEXES = sorted(
    (table.name, get_database_name(index))
    for table in Base.metadata.tables.values()
    for index in table.indexes
)
KEYS = sorted(
    (table.name, get_database_name(key))
    for table in Base.metadata.tables.values()
    for key in table.constraints
    if type(key).__name__ in ("PrimaryKeyConstraint", "UniqueConstraint")
)
WALL = "knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid"


def problems(connection: Connection) -> dict[str, str]:
    """What the lint says, one text for each table that it complains about."""
    return {finding.table: "; ".join(finding.problems) for finding in lint(connection) if finding.problems}


def test_a_fresh_database_is_clean(superuser: Connection) -> None:
    assert problems(superuser) == {}
    assert [finding for finding in lint(superuser) if finding.warnings] == []
    assert all(verdict.problems == () for verdict in examine_foreign_keys_for_orphans(superuser))


def test_any_role_may_run_the_examination(app_connection: Connection) -> None:
    """The doctor asks as the application."""
    assert problems(app_connection) == {}
    with pytest.raises(PermissionError, match="bypasses row-level security"):
        examine_foreign_keys_for_orphans(app_connection)


LOST_WALLS = [
    ("DROP POLICY wall ON {table}", "exactly one policy, and has none"),
    ("ALTER TABLE {table} DISABLE ROW LEVEL SECURITY", "row security off"),
    ("ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY", "FORCE ROW LEVEL SECURITY"),
    ("CREATE POLICY extra ON {table} USING (true)", "exactly one policy, and has extra, wall"),
    ("ALTER POLICY wall ON {table} USING (true)", "USING is true"),
    ("ALTER POLICY wall ON {table} WITH CHECK (true)", "WITH CHECK is true"),
    ("ALTER POLICY wall ON {table} TO citegraph_app", "everybody"),
    ("GRANT TRUNCATE ON {table} TO citegraph_app", "TRUNCATE"),
    ("GRANT SELECT ON {table} TO PUBLIC", "public may SELECT"),
    ("REVOKE SELECT ON {table} FROM citegraph_backup", "citegraph_backup may not SELECT"),
    ("ALTER TABLE {table} OWNER TO citegraph_app", "owned by citegraph_app"),
    ("COMMENT ON TABLE {table} IS NULL", "no comment"),
]


# Five and twelve have no common factor: each table comes with some, and each of them with many tables.
@pytest.mark.parametrize(
    ("table", "mutation", "complaint"),
    sampled([pytest.param(table, *lost) for table in TABLES for lost in LOST_WALLS], every=23),
)
def test_a_lost_wall_is_reported(superuser: Connection, table: str, mutation: str, complaint: str) -> None:
    superuser.execute(text(mutation.format(table=table)))
    assert complaint in problems(superuser)[table]


@pytest.mark.parametrize(
    ("table", "key"), sampled([pytest.param(*lost) for lost in FOREIGN_KEYS + KEYS], every=16)
)
def test_a_lost_key_is_reported(superuser: Connection, table: str, key: str) -> None:
    superuser.execute(text(f"ALTER TABLE {table} DROP CONSTRAINT {key} CASCADE"))
    assert f"has lost {key}" in problems(superuser)[table]


@pytest.mark.parametrize("done", ["DROP TRIGGER {0} ON {1}", "ALTER TABLE {1} DISABLE TRIGGER {0}"])
@pytest.mark.parametrize(
    ("table", "key", "home", "trigger"), sampled([pytest.param(*lost) for lost in TRIGGERS], every=6)
)
def test_a_lost_trigger_that_keeps_a_key_is_reported(
    superuser: Connection, table: str, key: str, home: str, trigger: str, done: str
) -> None:
    superuser.execute(text(done.format(trigger, home)))
    assert f"has lost {key}: the trigger {trigger}" in problems(superuser)[table]


@pytest.mark.parametrize(("table", "index"), sampled([pytest.param(*lost) for lost in INDEXES], every=8))
def test_a_lost_index_is_reported(superuser: Connection, table: str, index: str) -> None:
    superuser.execute(text(f"DROP INDEX {index}"))
    assert f"lost the index {index}" in problems(superuser)[table]


@pytest.mark.parametrize(
    ("mutation", "subject", "complaint"),
    [
        ("GRANT UPDATE ON audit_event TO citegraph_app", "audit_event", "citegraph_app may UPDATE"),
        ("GRANT UPDATE (action) ON audit_event TO citegraph_app", "audit_event", "citegraph_app may UPDATE"),
        ("GRANT CREATE ON SCHEMA public TO citegraph_app", "schema public", "may create objects"),
        ("GRANT CREATE ON SCHEMA public TO PUBLIC", "schema public", "public may create objects"),
        ("ALTER TABLE graph_node OWNER TO CURRENT_USER", "graph_node", "OWNER TO citegraph_owner"),
        ("GRANT SELECT ON api_key TO citegraph_inspect", "api_key", "citegraph_inspect may SELECT"),
        ("GRANT INSERT ON graph_node TO citegraph_inspect", "graph_node", "citegraph_inspect may INSERT"),
        ("COMMENT ON COLUMN graph_edge.weight IS NULL", "graph_edge", "without a comment: weight"),
        ("COMMENT ON VIEW inspect_edges IS NULL", "inspect_edges", "no comment"),
        (
            "ALTER VIEW inspect_edges SET (security_invoker = false)",
            "inspect_edges",
            "security_invoker = true",
        ),
        ("CREATE MATERIALIZED VIEW m AS SELECT * FROM graph_edge", "m", "materialised view"),
        ("CREATE SEQUENCE s", "s", "sequence"),
        (
            "CREATE FUNCTION f() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'",
            "f()",
            "search_path",
        ),
        ("CREATE TABLE t (id uuid PRIMARY KEY)", "t", "nobody owns its rows"),
        ("CREATE TABLE t (knowledge_space_id uuid, id uuid PRIMARY KEY)", "t", "t_pkey must begin with"),
        (
            "CREATE SCHEMA other; CREATE TABLE other.t (knowledge_space_id uuid)",
            "other.t",
            "row security off",
        ),
        (
            "CREATE UNIQUE INDEX u ON graph_node (id)",
            "graph_node",
            "u is unique across spaces",
        ),
        (
            "ALTER TABLE graph_edge DISABLE TRIGGER ALL",
            "graph_edge",
            "fk_graph_edge_knowledge_space_id_from_node_id is switched off",
        ),
        (
            "ALTER TABLE graph_edge DROP CONSTRAINT fk_graph_edge_knowledge_space_id_evidence_chunk_id;"
            " ALTER TABLE graph_edge ADD CONSTRAINT fk_graph_edge_knowledge_space_id_evidence_chunk_id"
            " FOREIGN KEY (knowledge_space_id, evidence_chunk_id) REFERENCES knowledge_chunk"
            " ON DELETE SET NULL",
            "graph_edge",
            "needs the list of columns",
        ),
        (
            "ALTER TABLE job_error ADD CONSTRAINT k FOREIGN KEY (knowledge_space_id, document_id)"
            " REFERENCES document NOT VALID",
            "job_error",
            "k was never checked on old rows",
        ),
        (
            "ALTER TABLE job_error ADD CONSTRAINT k FOREIGN KEY (knowledge_space_id, document_id)"
            " REFERENCES document",
            "job_error",
            "k has no index on knowledge_space_id, document_id",
        ),
        (
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'ix_graph_edge_evidence'::regclass",
            "graph_edge",
            "ix_graph_edge_evidence is not valid",
        ),
        ("DROP TABLE node_mention", "node_mention", "is missing"),
        ("ALTER TABLE graph_node DROP COLUMN confidence", "graph_node", "no column confidence"),
        ("ALTER TABLE graph_node ALTER source DROP NOT NULL", "graph_node", "source must refuse null"),
        (
            "DROP INDEX ix_graph_edge_pair; CREATE INDEX ix_graph_edge_pair"
            " ON graph_edge (knowledge_space_id, from_node_id, to_node_id)",
            "graph_edge",
            "ix_graph_edge_pair is not the one",
        ),
        (
            "ALTER POLICY wall ON graph_edge USING (knowledge_space_id IN (SELECT id FROM knowledge_space))",
            "graph_edge",
            "SELECT",
        ),
        (
            f"CREATE TABLE part (knowledge_space_id uuid, id uuid, PRIMARY KEY (knowledge_space_id, id))"
            f" PARTITION BY HASH (knowledge_space_id);"
            f" ALTER TABLE part ENABLE ROW LEVEL SECURITY; ALTER TABLE part FORCE ROW LEVEL SECURITY;"
            f" CREATE POLICY wall ON part USING ({WALL}) WITH CHECK ({WALL});"
            f" CREATE TABLE part_0 PARTITION OF part FOR VALUES WITH (MODULUS 1, REMAINDER 0)",
            "part_0",
            "row security off",
        ),
    ],
)
def test_a_dangerous_addition_is_reported(
    superuser: Connection, mutation: str, subject: str, complaint: str
) -> None:
    for statement in mutation.split("; "):
        superuser.execute(text(statement))
    assert complaint in problems(superuser)[subject]


def test_a_new_table_with_its_walls_is_accepted(superuser: Connection) -> None:
    """The lint knows no table by name: doing it right is enough."""
    for statement in (
        "CREATE TABLE t (knowledge_space_id uuid, id uuid, PRIMARY KEY (knowledge_space_id, id),"
        " FOREIGN KEY (knowledge_space_id) REFERENCES knowledge_space ON DELETE CASCADE)",
        "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE t FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY wall ON t USING ({WALL}) WITH CHECK ({WALL})",
        "COMMENT ON TABLE t IS 'New.'",
        "COMMENT ON COLUMN t.id IS 'Id.'",
        "COMMENT ON COLUMN t.knowledge_space_id IS 'Owner.'",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON t TO citegraph_app",
        "GRANT SELECT ON t TO citegraph_inspect, citegraph_backup",
        "ALTER TABLE t OWNER TO citegraph_owner",
    ):
        superuser.execute(text(statement))
    assert problems(superuser) == {}
    assert "t" in {finding.table for finding in lint(superuser)}


def test_a_violated_key_that_is_called_valid_is_found(world: World, superuser: Connection) -> None:
    """Fact 11: Postgres marks it validated, and only a join tells."""
    superuser.execute(text("SET LOCAL session_replication_role = replica"))
    superuser.execute(
        text("UPDATE graph_edge SET to_node_id = gen_random_uuid() WHERE knowledge_space_id = :space"),
        {"space": world.a.space_id},
    )
    found = {
        verdict.table: verdict.problems
        for verdict in examine_foreign_keys_for_orphans(superuser)
        if verdict.problems
    }
    assert list(found) == ["graph_edge"]
    assert "fk_graph_edge_knowledge_space_id_to_node_id is violated by 1 rows" in found["graph_edge"][0]


def test_a_violated_key_that_triggers_keep_is_found(world: World, superuser: Connection) -> None:
    superuser.execute(text("SET LOCAL session_replication_role = replica"))
    superuser.execute(
        text(
            "UPDATE community_member SET community_id = gen_random_uuid() WHERE knowledge_space_id = :space"
        ),
        {"space": world.a.space_id},
    )
    found = {
        verdict.table: verdict.problems
        for verdict in examine_foreign_keys_for_orphans(superuser)
        if verdict.problems
    }
    assert list(found) == ["community_member"]
    assert "community_id is violated by 1 rows" in found["community_member"][0]
