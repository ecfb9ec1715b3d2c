"""Wall 4: no row points across spaces, not even when a superuser writes it (plan item 5, fact 7)."""

import pytest
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from app.db.base import Base
from app.db.doctor.canary_twins import build_rows_referring_to_other_tenant, get_sqlstate
from app.db.policies import TENANT_WALLED
from app.db.table_distribution import DISTRIBUTED, LOCAL_TABLES
from tests.isolation.conftest import World, scope

TARGETS = {
    (table.name, str(key.name)): key.referred_table.name
    for table in Base.metadata.tables.values()
    for key in table.foreign_key_constraints
    if len(key.elements) > 1
}
CROSSING = sorted(TARGETS)


@pytest.mark.parametrize(("table", "key"), CROSSING)
class TestCrossSpaceRow:
    def attempt(self, world: World, connection: Connection, table: str, key: str) -> DBAPIError:
        if world.is_clustered and table in DISTRIBUTED and TARGETS[table, key] in LOCAL_TABLES:
            pytest.skip("on a cluster content has no key to tables of the coordinator")
        owner = "tenant_id" if table in TENANT_WALLED else "knowledge_space_id"
        rows = {
            name: row
            for row, name in build_rows_referring_to_other_tenant(table, world.a.rows, world.b.rows, owner)
        }
        with pytest.raises(DBAPIError) as caught:
            connection.execute(Base.metadata.tables[table].insert().values(rows[key]))
        return caught.value

    def test_is_refused_to_a_superuser(
        self, world: World, superuser: Connection, table: str, key: str
    ) -> None:
        """Requirement 4.5."""
        error = self.attempt(world, superuser, table, key)
        assert get_sqlstate(error) == "23503"
        assert key in str(error)

    def test_is_refused_to_the_application_without_naming_values(
        self, world: World, app_connection: Connection, table: str, key: str
    ) -> None:
        """Fact 7: under row security the answer does not tell what exists."""
        scope(app_connection, tenant=world.a.tenant_id, space=world.a.space_id)
        error = self.attempt(world, app_connection, table, key)
        assert get_sqlstate(error) == "23503"
        diagnosis = error.orig.diag  # type: ignore[union-attr]
        assert str(world.b.space_id) not in f"{diagnosis.message_primary} {diagnosis.message_detail}"


def test_at_least_one_key_is_tested() -> None:
    """Edges to nodes and evidence, mentions, names, chunks, bodies, jobs: none may be forgotten."""
    assert {
        ("graph_edge", "fk_graph_edge_knowledge_space_id_evidence_chunk_id"),
        ("graph_edge", "fk_graph_edge_knowledge_space_id_from_node_id"),
        ("graph_edge", "fk_graph_edge_knowledge_space_id_to_node_id"),
        ("usage_daily", "fk_usage_daily_tenant_id_knowledge_space_id"),
    } <= set(CROSSING)
