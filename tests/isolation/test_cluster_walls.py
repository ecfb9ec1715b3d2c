"""The walls on the shards of a real cluster: what the doctor says of them, and what a login for psql sees.

Each is a mutation by hand on one worker that the coordinator's own catalogue does not show. Roles and
settings belong to the whole server: while the application's role may bypass row security on a worker, a test
of another process sees every row there. So no other test runs on the cluster meanwhile.
"""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import URL

from app.db import node_watch
from app.db.database import Database
from app.db.doctor.examination import examine_database
from app.db.doctor.node_walls import NodeWalls, examine_nodes
from app.db.engine import convert_to_conninfo
from app.db.inspection import LOGIN_PREFIX, create_psql_login_and_drop_expired
from app.db.node_watch import PROBE_AFTER_SECONDS
from app.db.roles import WORD_SEARCH_FUNCTION
from app.db.scaling.distribute import distribute_database
from app.errors import ConfigurationError
from app.settings import Settings
from tests.conftest import Home
from tests.support.citus import nodes_of, only_on_a_cluster
from tests.support.database_copies import SERVER_LOCK
from tests.support.ingest import corpus, ingest_now
from tests.workers.conftest import wait_until

pytestmark = [pytest.mark.shared_database, pytest.mark.usefixtures("cluster_alone")]


@pytest.fixture
def cluster_alone(pytestconfig: pytest.Config) -> None:
    only_on_a_cluster(pytestconfig)


def problems(url: URL) -> dict[str, str]:
    """The sentences of each subject that has any."""
    with psycopg.connect(convert_to_conninfo(url), autocommit=True) as connection:
        return {
            verdict.table: " ".join(verdict.problems)
            for verdict in examine_nodes(connection)
            if verdict.problems
        }


@pytest.fixture
def worker(privileged_url: URL) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A connection to the first worker that acts on it alone, and sees its shards."""
    node = nodes_of(privileged_url)[1]
    with psycopg.connect(convert_to_conninfo(node), autocommit=True) as connection:
        connection.execute("SET citus.enable_ddl_propagation = off")
        connection.execute("SET citus.override_table_visibility = off")
        yield connection


def shard_of(worker: psycopg.Connection[tuple[object, ...]], table: str) -> str:
    """The name of one shard of the table on this worker."""
    row = worker.execute(
        "SELECT min(shard.shardid) FROM pg_dist_shard AS shard JOIN pg_dist_placement USING (shardid)"
        " WHERE logicalrelid = %s::regclass AND groupid = (SELECT groupid FROM pg_dist_local_group)",
        [table],
    ).fetchone()
    assert row is not None
    return f"{table}_{row[0]}"


def test_a_distributed_database_has_no_fault_and_the_doctor_leaves_nothing(
    privileged_url: URL, database: Database, home: Home
) -> None:
    """Also in what the canary tries, in a space on each worker."""
    url = privileged_url.render_as_string(hide_password=False)
    tables = ("tenant", "knowledge_space", "space_anchor", "graph_node", "audit_event")
    query = " UNION ALL ".join(f"SELECT count(*) FROM {table}" for table in tables)
    counts = []
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        # Citus keeps the records of earlier tests' transactions on two workers for up to a minute.
        connection.execute("SELECT recover_prepared_transactions()")
    for _ in range(2):
        with psycopg.connect(convert_to_conninfo(privileged_url)) as connection:
            counts.append(connection.execute(query.encode()).fetchall())
            assert connection.execute("SELECT count(*) FROM pg_dist_transaction").fetchone() == (0,)
        report = examine_database(database, migration_url=url)
        assert [verdict for verdict in report.verdicts if verdict.sentences] == []
    assert counts[0] == counts[1]
    walls = {verdict.wall for verdict in report.verdicts}
    assert {"node", "route", "door", "function"} <= walls
    with pytest.raises(ConfigurationError, match="distributed already"):
        distribute_database(privileged_url.render_as_string(hide_password=False))


def try_lock(admin_url: URL, kind: str) -> bool:
    """Whether another process would get the lock of the server now: `_shared` to test, '' to change it."""
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as connection:
        row = connection.execute(f"SELECT pg_try_advisory_lock{kind}({SERVER_LOCK})".encode()).fetchone()
    assert row is not None
    return bool(row[0])


def test_nobody_changes_the_server_while_a_test_runs(admin_url: URL) -> None:
    # Others may test meanwhile, except where a process waits to change the server: it goes before them.
    assert not try_lock(admin_url, "")


@pytest.mark.changes_server
def test_no_other_test_runs_while_one_changes_the_server(admin_url: URL) -> None:
    assert not try_lock(admin_url, "_shared")


@pytest.mark.changes_server
@pytest.mark.parametrize(
    ("mutation", "taken_back", "subject", "words"),
    [
        (
            "ALTER TABLE {shard} DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE {shard} ENABLE ROW LEVEL SECURITY",
            "graph_edge",
            "row security of {shard}: off",
        ),
        (
            "ALTER TABLE {shard} NO FORCE ROW LEVEL SECURITY",
            "ALTER TABLE {shard} FORCE ROW LEVEL SECURITY",
            "graph_edge",
            "row security of {shard}: not forced",
        ),
        (
            "CREATE POLICY open ON {shard} USING (true)",
            "DROP POLICY open ON {shard}",
            "graph_edge",
            "policies of {shard}",
        ),
        (
            "GRANT SELECT ON {shard} TO PUBLIC",
            "REVOKE SELECT ON {shard} FROM PUBLIC",
            "graph_edge",
            "owner and grants of {shard}",
        ),
        (
            "ALTER TABLE {shard} DISABLE TRIGGER USER",
            "ALTER TABLE {shard} ENABLE TRIGGER USER",
            "graph_edge",
            "triggers of {shard}",
        ),
        (
            "ALTER TABLE {shard} ADD CHECK (true)",
            "ALTER TABLE {shard} DROP CONSTRAINT {shard}_check",
            "graph_edge",
            "keys of {shard}",
        ),
        (
            "ALTER FUNCTION note_hidden_node() SECURITY DEFINER",
            "ALTER FUNCTION note_hidden_node() SECURITY INVOKER",
            "node",
            "note_hidden_node() is definer",
        ),
        (
            "ALTER DATABASE {database} SET app.platform = 'on'",
            "ALTER DATABASE {database} RESET app.platform",
            "node",
            "has the setting app.platform=on only there",
        ),
        (
            "ALTER DATABASE {database} SET synchronous_commit = off",
            "ALTER DATABASE {database} RESET synchronous_commit",
            "node",
            "has the setting synchronous_commit=off only there",
        ),
        (
            "ALTER POLICY wall ON {shard} USING (true)",
            "ALTER POLICY wall ON {shard} USING"
            " (knowledge_space_id = nullif(current_setting('app.space_id', true), '')::uuid)",
            "graph_edge",
            "policies of {shard}",
        ),
        (
            "ALTER POLICY wall ON {shard} TO PUBLIC",
            "ALTER POLICY wall ON {shard} TO citegraph_app, citegraph_owner",
            "graph_edge",
            "policies of {shard}",
        ),
        (
            "ALTER TABLE {shard} OWNER TO citegraph_migrator",
            "ALTER TABLE {shard} OWNER TO citegraph_owner",
            "graph_edge",
            "owner and grants of {shard}",
        ),
        (
            "ALTER ROLE citegraph_app BYPASSRLS",
            "ALTER ROLE citegraph_app NOBYPASSRLS",
            "node",
            "role citegraph_app is BYPASSRLS",
        ),
        (
            "GRANT citegraph_owner TO citegraph_app",
            "REVOKE citegraph_owner FROM citegraph_app",
            "node",
            "MEMBER OF citegraph_owner",
        ),
    ],
)
def test_what_was_changed_on_one_worker_is_named(
    privileged_url: URL,
    worker: psycopg.Connection[tuple[object, ...]],
    mutation: str,
    taken_back: str,
    subject: str,
    words: str,
) -> None:
    names = {"shard": shard_of(worker, "graph_edge"), "database": str(privileged_url.database)}
    worker.execute(mutation.format(**names).encode())
    try:
        found = problems(privileged_url)
    finally:
        worker.execute(taken_back.format(**names).encode())
    assert len(found) == 1, found
    (named,) = found
    assert named == subject or named.startswith(f"{subject} ")
    assert words.format(**names) in found[named]


def test_a_function_that_was_replaced_on_one_worker_is_named(
    privileged_url: URL, worker: psycopg.Connection[tuple[object, ...]]
) -> None:
    signature = "note_hidden_node()"
    row = worker.execute("SELECT pg_get_functiondef(%s::regprocedure)", [signature]).fetchone()
    assert row is not None
    worker.execute(
        b"CREATE OR REPLACE FUNCTION note_hidden_node() RETURNS trigger LANGUAGE plpgsql"
        b" AS $$ BEGIN RETURN NULL; END $$"
    )
    try:
        (found,) = problems(privileged_url).values()
    finally:
        worker.execute(str(row[0]).encode())
    assert signature in found


@pytest.mark.parametrize(
    ("mutation", "taken_back", "words"),
    [
        (
            "GRANT EXECUTE ON FUNCTION {matches} TO PUBLIC",
            "REVOKE EXECUTE ON FUNCTION {matches} FROM PUBLIC",
            "chunk_matches",
        ),
        (
            "CREATE OR REPLACE FUNCTION {matches} RETURNS TABLE (chunk_id uuid, tokens integer, ranks real[])"
            " LANGUAGE sql SECURITY DEFINER AS 'SELECT id, 1, NULL::real[] FROM {shard}'",
            None,
            "chunk_matches",
        ),
        (
            "CREATE SCHEMA beside; CREATE FUNCTION beside.nodes() RETURNS bigint LANGUAGE sql"
            " SECURITY DEFINER AS 'SELECT count(*) FROM {shard}'",
            "DROP SCHEMA beside CASCADE",
            "beside.nodes()",
        ),
    ],
    ids=["everybody may call it", "it reads every space", "one more in another schema"],
)
def test_a_function_by_which_a_worker_leaks_is_named(
    privileged_url: URL,
    worker: psycopg.Connection[tuple[object, ...]],
    mutation: str,
    taken_back: str | None,
    words: str,
) -> None:
    """The canary's two spaces are on two workers: what leaks between spaces of one it does not see."""
    row = worker.execute("SELECT pg_get_functiondef(%s::regprocedure)", [WORD_SEARCH_FUNCTION]).fetchone()
    assert row is not None
    names = {"matches": "chunk_matches(wanted tsquery, scored text[], bound integer)"}
    names["shard"] = shard_of(worker, "knowledge_chunk")
    worker.execute(mutation.format(**names).encode())
    try:
        found = problems(privileged_url)
    finally:
        worker.execute(taken_back.format(**names).encode() if taken_back else str(row[0]).encode())
    assert len(found) == 1, found
    assert words in " ".join(found.values())
    assert problems(privileged_url) == {}


@pytest.mark.parametrize(
    "patience", [PROBE_AFTER_SECONDS, 0.01], ids=["at once", "after the watch ended the canary"]
)
def test_a_worker_that_does_not_answer_is_named_once(
    privileged_url: URL, database: Database, patience: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_watch, "PROBE_AFTER_SECONDS", patience)
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        row = connection.execute("SELECT max(nodeid), max(nodeport) FROM pg_dist_node").fetchone()
        assert row is not None
        connection.execute("UPDATE pg_dist_node SET nodeport = 9 WHERE nodeid = %s", row[:1])
        try:
            found = {
                verdict.subject
                for verdict in examine_database(database).verdicts
                if any("does not answer" in words for words in verdict.sentences)
            }
        finally:
            connection.execute("UPDATE pg_dist_node SET nodeport = %s WHERE nodeid = %s", [row[1], row[0]])
    assert found == {"node 127.0.0.1:9"}


def test_a_setting_by_which_no_space_reaches_the_workers_is_named(privileged_url: URL) -> None:
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        name = sql.Identifier(str(privileged_url.database))
        connection.execute(
            sql.SQL("ALTER DATABASE {} SET citus.propagate_set_commands = 'none'").format(name)
        )
        try:
            assert "does not reach the workers" in problems(privileged_url)["coordinator"]
        finally:
            connection.execute(sql.SQL("ALTER DATABASE {} RESET citus.propagate_set_commands").format(name))


@pytest.mark.changes_server
def test_a_server_that_answers_commits_early_is_named(
    privileged_url: URL, worker: psycopg.Connection[tuple[object, ...]]
) -> None:
    """Off on each node it is no difference, so each is named for itself."""
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as coordinator:
        nodes = (coordinator, worker)
        for node in nodes:
            node.execute("ALTER SYSTEM SET synchronous_commit = off")
            node.execute("SELECT pg_reload_conf()")
        try:
            wait_until(
                lambda: len(problems(privileged_url)) == len(nodes), seconds=20, what="the settings are read"
            )
            assert all("synchronous_commit = off" in words for words in problems(privileged_url).values())
        finally:
            for node in nodes:
                node.execute("ALTER SYSTEM RESET synchronous_commit")
                node.execute("SELECT pg_reload_conf()")


def test_a_login_for_psql_sees_its_own_space_alone(
    privileged_url: URL, database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    """Citus makes permissive policies of restrictive ones: on a shard any of them would let a row pass."""
    for owner in (home, twin):
        ingest_now(database, settings, owner, corpus()[:1])
    login = create_psql_login_and_drop_expired(
        privileged_url.render_as_string(hide_password=False), home.space_id, hours=1
    )
    address = convert_to_conninfo(privileged_url.set(username=login.name, password=login.password))
    with psycopg.connect(address) as connection:
        for setting in (home.space_id, twin.space_id):
            connection.execute("SET LOCAL citus.propagate_set_commands = 'local'")
            connection.execute(f"SET LOCAL app.space_id = '{setting}'".encode())
            rows = connection.execute("SELECT DISTINCT knowledge_space_id FROM graph_node").fetchall()
            assert rows == [(home.space_id,)]
            connection.rollback()


@pytest.mark.changes_server
def test_a_login_for_psql_that_stayed_on_a_worker_is_named_and_goes_once_expired(
    privileged_url: URL, worker: psycopg.Connection[tuple[object, ...]], home: Home
) -> None:
    """One that another database of the servers made Citus takes away from the coordinator alone."""
    name = f"{LOGIN_PREFIX}{uuid4().hex}"
    names = "SELECT rolname::text FROM pg_roles WHERE rolname = %s"
    worker.execute(f"CREATE ROLE {name} LOGIN IN ROLE citegraph_inspect VALID UNTIL 'infinity'".encode())
    try:
        (sentence,) = problems(privileged_url).values()
        assert f"role {name} may still log in there" in sentence
        create_psql_login_and_drop_expired(
            privileged_url.render_as_string(hide_password=False), home.space_id, hours=1
        )
        assert worker.execute(names, [name]).fetchall() == [(name,)]
        worker.execute(f"ALTER ROLE {name} VALID UNTIL '2020-01-01'".encode())
        assert problems(privileged_url) == {}
        create_psql_login_and_drop_expired(
            privileged_url.render_as_string(hide_password=False), home.space_id, hours=1
        )
        assert worker.execute(names, [name]).fetchall() == []
        # What is valid on the coordinator stays on all nodes.
        assert problems(privileged_url) == {}
    finally:
        worker.execute(f"DROP ROLE IF EXISTS {name}".encode())


@pytest.mark.changes_server
def test_a_login_for_psql_that_is_made_while_the_nodes_are_asked_is_no_fault(
    privileged_url: URL, database: Database, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The coordinator, which is read first, does not have it yet, and the workers do."""
    parse, url = NodeWalls.parse, privileged_url.render_as_string(hide_password=False)
    names = []

    def parse_and_make(name: str, text: str) -> NodeWalls:
        if name == "coordinator":
            names.append(create_psql_login_and_drop_expired(url, home.space_id, hours=1).name)
        return parse(name, text)

    monkeypatch.setattr(NodeWalls, "parse", parse_and_make)
    assert [verdict for verdict in examine_database(database).verdicts if verdict.state == "problem"] == []
    assert len(names) == 1


@pytest.mark.changes_server
def test_a_login_for_psql_with_more_rights_on_a_worker_is_named(
    privileged_url: URL, worker: psycopg.Connection[tuple[object, ...]], home: Home
) -> None:
    login = create_psql_login_and_drop_expired(
        privileged_url.render_as_string(hide_password=False), home.space_id, hours=1
    )
    worker.execute(f"ALTER ROLE {login.name} BYPASSRLS".encode())
    try:
        (sentence,) = problems(privileged_url).values()
    finally:
        worker.execute(f"ALTER ROLE {login.name} NOBYPASSRLS".encode())
    assert f"role {login.name} is BYPASSRLS" in sentence
