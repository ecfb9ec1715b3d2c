"""The canary and the doctor: they see a hole in any table, and leave nothing behind."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import text

from app.db.base import Base
from app.db.doctor.canary import probe_isolation_walls
from app.db.doctor.examination import examine_database
from app.db.roles import WORD_SEARCH_FUNCTION
from tests.isolation.conftest import World
from tests.support.sampling import sampled

TABLES = sorted(Base.metadata.tables)


def alter(world: World, *statements: str) -> None:
    with world.privileged.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))


def tenants(world: World) -> int:
    with world.privileged.connect() as connection:
        return int(connection.execute(text("SELECT count(*) FROM tenant")).scalar_one())


def findings(world: World) -> dict[str, str]:
    return {
        verdict.table: "; ".join(verdict.problems)
        for verdict in probe_isolation_walls(world.database)
        if verdict.problems
    }


@pytest.mark.usefixtures("steady_roles")
class TestDoctor:
    def test_calls_a_fresh_installation_healthy(self, world: World) -> None:
        report = examine_database(world.database)
        assert report.is_healthy
        assert {verdict.subject for verdict in report.verdicts} >= {*TABLES, "open_space", "inspect_edges"}
        assert {verdict.state for verdict in report.verdicts} <= {"ok", "warning"}

    @pytest.mark.soak
    def test_names_the_hole_and_how_to_mend_it(self, own_world: World) -> None:
        alter(own_world, "ALTER TABLE graph_edge DISABLE ROW LEVEL SECURITY")
        report = examine_database(own_world.database)
        (verdict,) = [verdict for verdict in report.verdicts if verdict.state == "problem"]
        assert not report.is_healthy
        assert verdict.subject == "graph_edge"
        assert "ENABLE ROW LEVEL SECURITY" in verdict.sentences[0]
        assert any("no space and no tenant is set" in sentence for sentence in verdict.sentences)


class TestCanary:
    @pytest.mark.parametrize("table", sampled(TABLES, every=len(TABLES)))
    def test_sees_a_table_without_row_security(self, world: World, table: str) -> None:
        alter(world, f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY")
        try:
            found = findings(world)
        finally:
            alter(world, f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY")
        assert "shows rows although no space and no tenant is set" in found[table]
        assert findings(world) == {}

    @pytest.mark.soak
    def test_sees_a_policy_that_lets_foreign_rows_be_written(self, own_world: World) -> None:
        alter(own_world, "ALTER POLICY wall ON knowledge_chunk WITH CHECK (true)")
        assert "an insert without a scope with 23505" in findings(own_world)["knowledge_chunk"]

    @pytest.mark.soak
    def test_sees_a_lost_composite_key(self, own_world: World) -> None:
        key = "fk_graph_edge_knowledge_space_id_to_node_id"
        alter(own_world, f"ALTER TABLE graph_edge DROP CONSTRAINT {key}")
        assert findings(own_world) == {"graph_edge": f"did not refuse a row that crosses {key}"}

    @pytest.mark.soak
    @pytest.mark.one_machine("a cluster's reads one shard, and the twins have one each: its text is compared")
    @pytest.mark.parametrize("token", [True, False], ids=["the filter", "the filter and the token"])
    def test_sees_a_search_for_words_that_leaves_its_space(self, own_world: World, token: bool) -> None:
        """Without the filter alone, it is the token by which a row that another space wrote is found."""
        space = "nullif(current_setting('app.space_id', true), '')::uuid"
        with own_world.privileged.connect() as connection:
            read = text("SELECT pg_get_functiondef(CAST(:name AS regprocedure))")
            written = str(connection.execute(read, {"name": WORD_SEARCH_FUNCTION}).scalar_one())
        changed = written.replace(f"c.knowledge_space_id IS NOT DISTINCT FROM {space}", "true")
        assert changed != written
        if not token:
            changed, before = (
                changed.replace(f"('''space:' || {space} || '''')::tsquery && wanted", "wanted"),
                changed,
            )
            assert changed != before
        alter(own_world, changed.replace(":", r"\:"))
        found = findings(own_world)
        assert list(found) == [WORD_SEARCH_FUNCTION]
        assert found[WORD_SEARCH_FUNCTION].startswith("finds chunks of another tenant")

    @pytest.mark.soak
    def test_sees_words_without_the_token_of_their_space(self, own_world: World) -> None:
        alter(
            own_world,
            "CREATE OR REPLACE FUNCTION chunk_lexemes(space_id uuid, title text, headings text[], body text)"
            " RETURNS tsvector LANGUAGE sql IMMUTABLE RETURN to_tsvector('pg_catalog.english', body)",
        )
        assert findings(own_world) == {
            WORD_SEARCH_FUNCTION: "does not find a chunk of its own space by its words"
        }

    @pytest.mark.soak
    def test_reports_a_policy_that_admits_everybody(self, own_world: World) -> None:
        alter(own_world, "ALTER POLICY wall ON knowledge_space USING (true)")
        found = findings(own_world)
        assert "shows a space to a tenant that does not own it" in found["knowledge_space"]

    @pytest.mark.soak
    def test_sees_rows_that_outlive_their_tenant(self, own_world: World) -> None:
        alter(
            own_world,
            "ALTER TABLE model_answer DROP CONSTRAINT fk_model_answer_knowledge_space_id",
        )
        assert "kept rows of an erased tenant" in findings(own_world)["model_answer"]

    @pytest.mark.soak
    def test_cleans_up_when_a_table_takes_no_row(self, own_world: World) -> None:
        before = tenants(own_world)
        alter(own_world, "ALTER TABLE graph_node ADD CHECK (octet_length(canonical_name) < 3) NOT VALID")
        found = findings(own_world)
        assert found["graph_node"].startswith("took no canary row (23514)")
        assert found["graph_edge"].startswith("took no canary row (no row of graph_node)")
        assert tenants(own_world) == before

    def test_nobody_sees_its_rows_while_it_runs(self, own_world: World) -> None:
        """So nobody can change them (review B3), and one that is killed leaves none behind."""
        before = tenants(own_world)
        with ThreadPoolExecutor(1) as pool:
            running, counts = pool.submit(findings, own_world), [before]
            while not running.done():
                counts.append(tenants(own_world))
        assert running.result() == {}
        assert len(counts) > 3
        assert set(counts) == {before}

    def test_leaves_no_row_anywhere(self, world: World) -> None:
        def count() -> dict[str, int]:
            with world.privileged.connect() as connection:
                return {
                    table.name: connection.execute(
                        text(f"SELECT count(*) FROM {table.quoted_name}")
                    ).scalar_one()
                    for table in world.catalogue.tables
                }

        before = count()
        assert findings(world) == {}
        assert count() == before
