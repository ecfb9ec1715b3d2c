"""`citegraph distribute` and the layout that it leaves, on a stand-in for a cluster.

Nothing is distributed here: no cluster is at hand. The steps run in their order, and the product works on the
keys, triggers and functions that they leave. Whether Citus takes them only a cluster says (docs/citus.md).
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.doctor.catalogue_comparison import load_cluster_catalogue, load_expected_catalogue
from app.db.doctor.cluster import (
    build_explain_queries,
    find_max_shard_tasks,
    list_statements_on_distributed_tables,
)
from app.db.doctor.examination import examine_database
from app.db.doctor.node_walls import examine_nodes
from app.db.engine import convert_to_conninfo
from app.db.scaling.distribute import (
    REPLACED_FUNCTIONS,
    Step,
    build_replaced_functions,
    distribute_database,
    list_distribution_steps,
)
from app.db.table_distribution import DISTRIBUTED, LOCAL_TABLES, SHARDED
from app.db.vectors.maintenance import plan_vector_steps
from app.errors import ConfigurationError
from app.settings import Settings
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import quotas, repository
from app.wiring import open_database
from tests.conftest import Home, make_home
from tests.support.cluster_double import add_names
from tests.support.database_copies import copy_database
from tests.support.ingest import corpus, ingest_now, picture
from tests.support.own_server import TEMPLATE, migrated_server
from tests.support.pooler import as_app

SHOWN = "SELECT current_setting('plan_cache_mode'), current_setting('statement_timeout'), current_user::text"


@dataclass(frozen=True)
class Cluster:
    """The stand-in, distributed, and one machine beside it."""

    url: URL
    database: Database
    alone: Database
    settings: Settings


class Killed(Exception):
    """The run came this far."""


def ended_at(last: int) -> Callable[[int, Step], None]:
    """What ends a run before the step of that number."""

    def tell(number: int, _step: Step) -> None:
        if number == last:
            raise Killed

    return tell


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[URL]:
    """Roles are changed, so no other test's server."""
    with migrated_server(tmp_path_factory.mktemp("distribute")) as admin:
        yield admin


@pytest.fixture(scope="module")
def cluster(server: URL) -> Iterator[Cluster]:
    """One space was there before: the layout must hold for what it finds."""
    for name in ("cluster", "alone"):
        copy_database(server, name, template=TEMPLATE)
    url, settings = server.set(database="cluster"), Settings(pool_size=2)
    add_names(url)
    before = open_database(as_app(url).render_as_string(hide_password=False), settings)
    make_home(before, "before")
    before.dispose()
    # A run that is ended anywhere is taken up by another.
    for last in (120, 240):
        with pytest.raises(Killed):
            distribute_database(url.render_as_string(hide_password=False), on_step=ended_at(last))
    distribute_database(url.render_as_string(hide_password=False))
    opened = [
        open_database(as_app(database_url).render_as_string(hide_password=False), settings)
        for database_url in (url, server.set(database="alone"))
    ]
    yield Cluster(url, opened[0], opened[1], settings)
    for database in opened:
        database.dispose()


def rows(cluster: Cluster, query: str, *parameters: object) -> list[tuple[object, ...]]:
    with psycopg.connect(convert_to_conninfo(cluster.url)) as connection:
        return connection.execute(query.encode(), parameters or None).fetchall()


@pytest.mark.soak
def test_a_session_there_sends_each_setting_by_itself_and_keeps_no_plan(cluster: Cluster) -> None:
    home = make_home(cluster.database, "plans")
    with cluster.database.open_space(home.tenant_id, home.space_id, by_index=True) as space:
        assert space.is_clustered
        space.use_generic_plans()
        with space.use_generic_plans_in_block(), space.limit_statement_time_in_block(5):
            space.run(
                "derived.communities.list_central_members", {"ids": [], "limit": 3}, should_prepare=True
            )
            assert space.connection.execute(SHOWN).fetchone() == (
                "force_custom_plan",
                "5s",
                "citegraph_app",
            )
        kept = space.connection.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
        assert kept == (0,)
        assert space.run_each_statement("tenancy.spaces.lock_vector_set_shared", {})[1] == [(0,)]
    with cluster.alone.open_platform() as one_machine:
        assert not one_machine.is_clustered


@pytest.mark.soak
def test_what_was_there_before_has_its_anchor(cluster: Cluster) -> None:
    found = rows(cluster, "SELECT id FROM knowledge_space EXCEPT SELECT knowledge_space_id FROM space_anchor")
    assert found == []
    assert rows(cluster, "SELECT count(*) FROM space_anchor")[0] >= (1,)


@pytest.mark.soak
def test_the_product_works_on_it_as_on_one_machine(cluster: Cluster) -> None:
    pictures = []
    counts = []
    for database in (cluster.database, cluster.alone):
        home = make_home(database, "corpus")
        ingest_now(database, cluster.settings, home, corpus())
        pictures.append(picture(database, home))
        with database.open_space(home.tenant_id, home.space_id) as space:
            counts.append(
                [
                    space.connection.execute(query.encode(), [home.space_id]).fetchone()
                    for query in (
                        "SELECT count(*) FROM edge_change WHERE knowledge_space_id = %s",
                        "SELECT count(*) > 0, sum(cardinality(nodes)) > 0 FROM touched_nodes"
                        " WHERE knowledge_space_id = %s",
                        "SELECT sum(documents), sum(chunks), sum(nodes), sum(bytes) FROM space_size"
                        " WHERE knowledge_space_id = %s",
                        "SELECT count(*), min(revision) > 0 FROM edge_change WHERE knowledge_space_id = %s",
                    )
                ]
            )
    assert pictures[0] == pictures[1]
    assert counts[0] == counts[1]
    # A space's shard is what partitions of its own are on one machine.
    assert plan_vector_steps(cluster.database, threshold=1) == []
    assert plan_vector_steps(cluster.alone, threshold=1) != []


@pytest.mark.soak
def test_a_space_goes_with_its_anchor(cluster: Cluster) -> None:
    home = make_home(cluster.database, "leaving")
    ingest_now(cluster.database, cluster.settings, home, corpus()[:4])
    spaces.delete_space(cluster.database, home.tenant_id, home.space_id, actor="test")
    assert left(cluster, home) == {}


@pytest.mark.soak
def test_a_tenant_goes_with_all_its_spaces(cluster: Cluster) -> None:
    home = make_home(cluster.database, "tenant that leaves")
    ingest_now(cluster.database, cluster.settings, home, corpus()[:2])
    tenant_deletion.delete_tenant(cluster.database, home.tenant_id, actor="test")
    assert left(cluster, home) == {}


@pytest.mark.soak
def test_quotas_count_the_spaces_of_the_tenant_alone(cluster: Cluster) -> None:
    """Alike on both, and on a cluster with the spaces named: who asks by tenant alone asks every worker."""
    sizes = []
    for database in (cluster.database, cluster.alone):
        home, _ = make_home(database, "counted"), make_home(database, "counted beside")
        ingest_now(database, cluster.settings, home, corpus()[:3])
        with database.open_space(home.tenant_id, home.space_id) as space:
            sizes.append(repository.read_tenant_size_and_limits(space, home.tenant_id, home.space_id))
    assert sizes[0] == sizes[1]
    assert sizes[0][0] == 3


def test_what_refers_to_a_row_that_goes_is_emptied(cluster: Cluster) -> None:
    """A key that empties its columns Citus refuses: a trigger does it."""
    home = make_home(cluster.database, "nulls")
    ingest_now(cluster.database, cluster.settings, home, corpus()[:2])
    with cluster.database.open_space(home.tenant_id, home.space_id) as space:
        cited = "SELECT count(*) FROM graph_edge WHERE knowledge_space_id = %s AND evidence_chunk_id IS NULL"
        assert space.connection.execute(cited, [home.space_id]).fetchone() == (0,)
        space.connection.execute("DELETE FROM knowledge_chunk WHERE knowledge_space_id = %s", [home.space_id])
        ((bare,),) = space.connection.execute(cited, [home.space_id]).fetchall()
        assert bare > 0


def test_words_are_found_in_the_shard_of_the_space(cluster: Cluster) -> None:
    home, twin = make_home(cluster.database, "words"), make_home(cluster.database, "other words")
    ingest_now(cluster.database, cluster.settings, home, corpus()[:2])
    found = []
    for owner in (home, twin):
        with cluster.database.open_space(owner.tenant_id, owner.space_id) as space:
            query = "SELECT count(*) FROM chunk_matches(to_tsquery('english', 'company | team'), '{}', 100)"
            found += space.connection.execute(query).fetchall()
    assert found[0] > (0,)
    assert found[1] == (0,)


def test_it_is_done_on_a_cluster_alone_and_once(cluster: Cluster, server: URL) -> None:
    # The stand-in keeps the rows where they are, and with them what a cluster would have taken away.
    again = {step.phase for step in distribute_database(cluster.url.render_as_string(hide_password=False))}
    assert again == {"roles", "session", "functions", "local copies", "statistics"}
    with pytest.raises(ConfigurationError, match="Citus is not installed"):
        distribute_database(server.set(database="alone").render_as_string(hide_password=False))
    with pytest.raises(ConfigurationError, match="Citus is not installed"):
        distribute_database(server.render_as_string(hide_password=False))


def test_every_distributed_table_is_in_the_plan_beside_the_first() -> None:
    steps = [step.sql for step in list_distribution_steps(shard_count=8)]
    assert sum("shard_count => 8" in step for step in steps) == 1
    for table in SHARDED:
        placed = [step for step in steps if f"create_distributed_table('public.{table}'" in step]
        assert len(placed) == 1, table
    assert not any("SET NULL" in step for step in steps)


def test_a_function_that_a_migration_changed_is_looked_at_again() -> None:
    """What takes its place on a cluster was written for the one that it names."""
    catalogue = load_expected_catalogue()
    for signature, (_, beginning) in REPLACED_FUNCTIONS.items():
        digest = hashlib.sha256(catalogue[signature]["definition"].encode()).hexdigest()
        assert digest.startswith(beginning), f"{signature} has changed: see app/db/scaling/functions"
    writers = {name for name in catalogue if name.startswith("note_size_")}
    assert writers <= set(build_replaced_functions(catalogue))


def test_every_trigger_of_content_reads_no_table_of_the_coordinator() -> None:
    """A trigger runs where its row is, and there stands no row of the platform's tables."""
    catalogue, others = load_expected_catalogue(), build_replaced_functions(load_expected_catalogue())
    for step in list_distribution_steps():
        if step.phase == "triggers" and "keep_anchor" not in step.sql:
            name = f"{step.sql.rsplit('public.', 1)[1].removesuffix('()')}()"
            body = others.get(name) or catalogue.get(name, {}).get("definition", "")
            assert not any(f"public.{table} " in body for table in LOCAL_TABLES), name


def sentences(cluster: Cluster) -> set[tuple[str, str]]:
    """All that the doctor complains of, but for rows that the stand-in keeps where they are."""
    report = examine_database(
        cluster.database, migration_url=cluster.url.render_as_string(hide_password=False)
    )
    return {
        (verdict.subject, words)
        for verdict in report.verdicts
        for words in verdict.sentences
        if "remain on the coordinator" not in words
    }


@pytest.mark.soak
def test_the_doctor_says_what_is_missing(cluster: Cluster) -> None:
    # It says something of the stand-in too, which has names that no cluster gives it.
    before = sentences(cluster)
    laid_out = {subject for subject, _ in before}
    # The stand-in refuses to move a row by its policy, a cluster by its shard.
    moved = {subject for subject, words in before if "handing a row over" in words}
    assert moved
    assert not (laid_out - moved) & {*load_expected_catalogue(), *load_cluster_catalogue()}
    with psycopg.connect(convert_to_conninfo(cluster.url)) as broken:
        for command in (
            "UPDATE pg_dist_partition SET colocationid = 99 WHERE logicalrelid = 'model_call'::regclass",
            "DELETE FROM pg_dist_partition WHERE logicalrelid = 'node_tag'::regclass",
            "ALTER TABLE community DROP CONSTRAINT fk_community_knowledge_space_id",
            "DROP TRIGGER note_added ON graph_edge",
            "UPDATE pg_dist_node SET isactive = false",
            "ALTER ROLE citegraph_app RESET citus.propagate_set_commands",
            "ALTER POLICY one_space ON node_name TO citegraph_app",
        ):
            broken.execute(command.encode())
        broken.execute(load_expected_catalogue()["note_added_edges()"]["definition"].encode())
        broken.commit()
    assert {subject for subject, _ in sentences(cluster) - before} == {
        "model_call",
        "node_tag",
        "community",
        # It outlives the space without that key.
        "community_member",
        "graph_edge",
        "node_name",
        "node here:5432",
        "role citegraph_app",
        "note_added_edges()",
    }


def test_a_coordinator_that_answers_commits_early_is_named(cluster: Cluster) -> None:
    """Whatever made it so: a crash loses what the workers have as done."""
    for value, count in (("local", 0), ("off", 1)):
        with psycopg.connect(
            convert_to_conninfo(cluster.url), options=f"-c synchronous_commit={value}"
        ) as connection:
            coordinator = next(iter(examine_nodes(connection)))
        assert coordinator.table == "coordinator"
        assert " ".join(coordinator.problems).count("synchronous_commit = off") == count


def test_every_statement_on_content_can_be_explained(cluster: Cluster) -> None:
    """With a space and nothing else: what the doctor asks a cluster for the number of shards."""
    assert len(list_statements_on_distributed_tables()) > 200
    with psycopg.connect(convert_to_conninfo(cluster.url), autocommit=True) as connection:
        for name in list_statements_on_distributed_tables():
            for query in build_explain_queries(name):
                assert connection.execute(f"EXPLAIN (FORMAT JSON) {query}".encode()).fetchone(), name


def test_tasks_are_counted_in_the_plan_of_a_cluster() -> None:
    one = [{"Plan": {"Node Type": "Custom Scan", "Distributed Query": {"Job": {"Task Count": 1}}}}]
    many = [{"Plan": {"Plans": [{"Distributed Query": {"Job": {"Task Count": 32, "Tasks": []}}}]}}]
    none = [{"Plan": {"Node Type": "Result"}}]
    assert [find_max_shard_tasks(plan) for plan in (one, many, none)] == [1, 32, 0]


def left(cluster: Cluster, home: Home) -> dict[str, object]:
    """The rows of the space by table, where there are any."""
    found: dict[str, object] = {}
    for table in sorted(SHARDED):
        query = f"SELECT count(*) FROM {table} WHERE knowledge_space_id = %s"
        ((count,),) = rows(cluster, query, home.space_id)
        if count:
            found[table] = count
    return found


@pytest.mark.soak
def test_a_database_with_citus_that_is_not_distributed_works(server: URL) -> None:
    """As between the first steps of docs/citus.md, and where a host has the extension in every database."""
    copy_database(server, "undistributed", template=TEMPLATE)
    url = server.set(database="undistributed")
    add_names(url)
    database = open_database(as_app(url).render_as_string(hide_password=False), Settings(pool_size=2))
    try:
        home = make_home(database, "early")
        with database.open_tenant(home.tenant_id) as tenant:
            assert quotas.read_totals_of_nonempty_spaces(tenant, [home.space_id]).keys() <= {home.space_id}
        spaces.delete_space(database, home.tenant_id, home.space_id, actor="test")
        distributed = {
            verdict.subject: verdict.sentences
            for verdict in examine_database(database).verdicts
            if any("is not distributed" in sentence for sentence in verdict.sentences)
        }
        assert distributed.keys() >= DISTRIBUTED
    finally:
        database.dispose()
