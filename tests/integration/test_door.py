"""The door (docs/isolation.md): a space opens only for its tenant and shows only its own rows."""

import psycopg
import pytest
from sqlalchemy import URL, select, text

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.models import Document, GraphNode, KnowledgeSpace
from app.db.session import SpaceSession
from app.errors import NotFound
from app.ids import SpaceId, TenantId, create_id
from tests.conftest import Home


def node(name: str) -> GraphNode:
    return GraphNode(id=create_id(), canonical_name=name, node_type="Concept")


class TestOpenSpace:
    def test_another_tenants_space_is_not_found_like_one_that_never_existed(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        """Requirement 1.3."""
        for space_id in (twin.space_id, SpaceId(create_id())):
            with (
                pytest.raises(NotFound, match="No such space"),
                database.open_space(home.tenant_id, space_id),
            ):
                pass

    def test_rows_are_stamped_with_the_space_and_seen_there_alone(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        for owner in (home, twin):
            with database.open_space(owner.tenant_id, owner.space_id) as space:
                space.orm.add(node(f"of {owner.tenant_id}"))
        with database.open_space(home.tenant_id, home.space_id) as space:
            names = [other_node.canonical_name for other_node in space.orm.scalars(select(GraphNode))]
        assert names == [f"of {home.tenant_id}"]

    def test_a_row_of_another_space_cannot_be_added(self, database: Database, home: Home, twin: Home) -> None:
        foreign = node("x")
        foreign.knowledge_space_id = twin.space_id
        with (
            pytest.raises(TypeError, match="another space"),
            database.open_space(home.tenant_id, home.space_id) as space,
        ):
            space.orm.add(foreign)
            space.orm.flush()

    def test_a_failed_block_leaves_nothing(self, database: Database, home: Home) -> None:
        with pytest.raises(ZeroDivisionError), database.open_space(home.tenant_id, home.space_id) as space:
            space.orm.add(node("x"))
            space.orm.flush()
            raise ZeroDivisionError
        with database.open_space(home.tenant_id, home.space_id) as space:
            assert space.orm.scalars(select(GraphNode)).all() == []

    def test_a_pooled_connection_carries_no_space_over(self, database: Database, home: Home) -> None:
        """reliability.md, fact 3."""
        with database.open_space(home.tenant_id, home.space_id):
            pass
        with database.engine.connect() as raw:
            assert raw.execute(text("SELECT current_setting('app.space_id', true)")).scalar_one() in (
                None,
                "",
            )
            assert raw.execute(text("SELECT count(*) FROM knowledge_space")).scalar_one() == 0

    def test_a_refused_door_leaves_the_connection_without_space_and_tenant(
        self, database: Database, home: Home, twin: Home
    ) -> None:
        """The space is set in the same round trip as it is looked for: the refusal must undo it."""
        with pytest.raises(NotFound), database.open_space(home.tenant_id, twin.space_id):
            pass
        with database.engine.connect() as raw:
            for setting in ("app.space_id", "app.tenant_id"):
                shown = raw.execute(text(f"SELECT current_setting('{setting}', true)")).scalar_one()
                assert shown in (None, "")

    def test_the_door_tells_what_it_read(self, database: Database, home: Home) -> None:
        with database.open_space(home.tenant_id, home.space_id) as space:
            row = space.orm.scalars(select(KnowledgeSpace).where(KnowledgeSpace.id == home.space_id)).one()
            told = space.opening_state
        assert (told.graph_revision, told.settings) == (row.graph_revision, row.settings)
        assert (told.embedding_model, told.embedding_dimensions) == (
            row.embedding_model,
            row.embedding_dimensions,
        )


class TestWithoutASpace:
    def test_a_tenant_session_refuses_space_owned_rows(self, database: Database, home: Home) -> None:
        with database.open_tenant(home.tenant_id) as tenant, pytest.raises(TypeError, match="use open_space"):
            tenant.orm.scalars(select(Document))

    def test_a_session_cannot_be_made_by_hand(self) -> None:
        with pytest.raises(TypeError, match="open_space"):
            SpaceSession(object(), None, lambda: None, TenantId(create_id()), SpaceId(create_id()))  # type: ignore[arg-type]


class TestByIndex:
    """Writing many rows: no table is read whole, and plans of foreign key checks are kept once they can be
    right.
    """

    FILL = (
        (
            "INSERT INTO knowledge_chunk (knowledge_space_id, id, document_id, ordinal, text, char_start,"
            " char_end, heading_path, token_count, content_hash) SELECT %(space)s, gen_random_uuid(),"
            " gen_random_uuid(), n, repeat('a word ', 60), 0, 420, '{}', 60, n::text FROM generate_series(1,"
            " %(rows)s) AS n"
        ),
        (
            "INSERT INTO graph_node (knowledge_space_id, id, canonical_name, node_type, source)"
            " SELECT %(space)s, gen_random_uuid(), 'Node ' || n, 'Concept', 'extraction'"
            " FROM generate_series(1, 3 * %(rows)s) AS n"
        ),
        (
            "INSERT INTO graph_edge (knowledge_space_id, id, from_node_id, to_node_id, relation_type, weight,"
            " metadata, extraction_key) SELECT %(space)s, gen_random_uuid(), gen_random_uuid(),"
            " gen_random_uuid(), 'knows', 1, '{\"confidence\": 0.5}', gen_random_uuid() FROM"
            " generate_series(1, 3 * %(rows)s) AS n"
        ),
    )

    def setting(self, database: Database, home: Home) -> str:
        with database.open_space(home.tenant_id, home.space_id, by_index=True) as space:
            # Asked where the space's content is, on a cluster of its worker.
            rows = space.connection.execute(
                "SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode')"
                " FROM space_anchor WHERE knowledge_space_id = %s",
                [home.space_id],
            ).fetchall()
            ((reads_whole, mode),) = rows
            assert reads_whole == "off"
            assert not space.is_clustered or space.connection.execute("SHOW plan_cache_mode").fetchone() == (
                "force_custom_plan",
            )
            return str(mode)

    @pytest.mark.new_database("plans depend on the pages that deleted rows leave")
    def test_a_plan_is_not_kept_while_a_table_is_small(
        self, database: Database, home: Home, privileged_url: URL, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Of a few pages any index seems as good as the key; kept, it would be read for the whole space."""
        monkeypatch.setattr("app.db.large_shards.ASKED_AGAIN_SECONDS", 0.0)
        assert self.setting(database, home) == "force_custom_plan"
        with psycopg.connect(convert_to_conninfo(privileged_url)) as admin:
            # On a cluster the workers hear of the next command.
            admin.execute("SET citus.propagate_set_commands = 'local'")
            admin.execute("SET LOCAL session_replication_role = replica")
            for statement in self.FILL:
                admin.execute(statement, {"space": home.space_id, "rows": 1_000})
        assert self.setting(database, home) == "force_generic_plan"
