"""Wall 2 alone: with row security switched off, the ORM still names the space (plan items 7 and 8)."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import delete, event, func, inspect, select, text, update
from sqlalchemy.orm import aliased

from app.db.base import Operational, SpaceOwned
from app.db.models import GraphEdge, GraphNode
from app.db.session import SpaceSession
from app.ids import create_id
from tests.isolation.conftest import CANARY_A, CANARY_B, World

OWNED = sorted(
    (model_class for model_class in SpaceOwned.__subclasses__()), key=lambda model_class: model_class.__name__
)


@pytest.fixture
def bare_world(own_world: World) -> World:
    """Row security off everywhere but on the tables by which a space is opened."""
    with own_world.privileged.begin() as connection:
        for relation in own_world.catalogue.tables:
            if relation.has_column("knowledge_space_id"):
                connection.execute(text(f"ALTER TABLE {relation.quoted_name} DISABLE ROW LEVEL SECURITY"))
    return own_world


@pytest.fixture
def space(bare_world: World) -> Iterator[SpaceSession]:
    """The space of A, with nothing but the ORM between it and B."""
    with bare_world.database.open_space(bare_world.a.tenant_id, bare_world.a.space_id) as session:
        assert session.orm.connection().execute(text("SELECT count(*) FROM graph_node")).scalar_one() == 2
        yield session


class TestReads:
    def test_every_class_shows_own_rows_alone(self, bare_world: World, space: SpaceSession) -> None:
        for owned in OWNED:
            rows = space.orm.scalars(select(owned)).all()
            if str(inspect(owned).local_table.description) not in bare_world.walls:
                assert rows == [], owned.__name__
                continue
            assert {row.knowledge_space_id for row in rows} == {bare_world.a.space_id}, owned.__name__

    def test_a_row_of_b_is_not_found_by_its_key(self, bare_world: World, space: SpaceSession) -> None:
        node_id = bare_world.b.rows["graph_node"]["id"]
        assert space.orm.get(GraphNode, (bare_world.b.space_id, node_id)) is None

    def test_aggregates_joins_and_aliases_are_filtered(self, bare_world: World, space: SpaceSession) -> None:
        start, end = aliased(GraphNode), aliased(GraphNode)
        names = (
            select(start.canonical_name, end.canonical_name)
            .join(GraphEdge, GraphEdge.from_node_id == start.id)
            .join(end, GraphEdge.to_node_id == end.id)
        )
        assert space.orm.execute(names).all() == [(CANARY_A, CANARY_A)]
        assert space.orm.scalar(select(func.count()).select_from(GraphNode)) == 1
        inner = select(GraphNode.id).where(GraphNode.canonical_name == CANARY_B)
        assert space.orm.scalars(select(GraphNode.id).where(GraphNode.id.in_(inner))).all() == []


class TestWrites:
    def test_bulk_changes_touch_own_rows_alone(self, bare_world: World, space: SpaceSession) -> None:
        space.orm.execute(delete(GraphEdge))
        space.orm.execute(update(GraphNode).values(canonical_name="changed"))
        run = space.orm.connection().execute
        spaces = text("SELECT knowledge_space_id FROM graph_edge")
        assert run(spaces).scalars().all() == [bare_world.b.space_id]
        names = text("SELECT canonical_name FROM graph_node ORDER BY 1")
        assert run(names).scalars().all() == [CANARY_B, "changed"]

    def test_a_loaded_row_cannot_change_its_space(self, bare_world: World) -> None:
        world = bare_world
        with (
            pytest.raises(TypeError, match="another space"),
            world.database.open_space(world.a.tenant_id, world.a.space_id) as session,
        ):
            node = session.orm.scalars(select(GraphNode)).one()
            node.knowledge_space_id = world.b.space_id
            session.orm.flush()

    def test_a_row_out_of_another_session_cannot_be_merged_in(self, bare_world: World) -> None:
        world = bare_world
        with world.database.open_space(world.b.tenant_id, world.b.space_id) as other:
            foreign = other.orm.scalars(select(GraphNode)).one()
        with (
            pytest.raises(TypeError, match="another space"),
            world.database.open_space(world.a.tenant_id, world.a.space_id) as session,
        ):
            session.orm.add(foreign)
            foreign.canonical_name = "changed"
            session.orm.flush()


def test_every_statement_of_the_orm_names_the_space(world: World) -> None:
    """Plan item 7: seen at the cursor, so that the planner gets the column too."""
    seen: list[str] = []

    def listen(_connection: object, _cursor: object, statement: str, *_: Any) -> None:
        seen.append(statement)

    event.listen(world.database.engine, "before_cursor_execute", listen)
    try:
        with world.database.open_space(world.a.tenant_id, world.a.space_id) as session:
            for owned in OWNED:
                session.orm.scalars(select(owned)).all()
            session.orm.add(GraphNode(id=create_id(), canonical_name="n", node_type="Concept"))
            session.orm.flush()
            session.orm.execute(update(GraphNode).values(in_degree=1))
            session.orm.execute(delete(GraphNode).where(GraphNode.canonical_name == "n"))
    finally:
        event.remove(world.database.engine, "before_cursor_execute", listen)
    assert len(seen) >= len(OWNED) + 3
    assert [
        statement
        for statement in seen
        if "knowledge_space_id = " not in statement and "INSERT" not in statement
    ] == []


def test_sessions_without_a_space_refuse_content(world: World) -> None:
    """Requirement 1.2: only what holds no content may be asked for across spaces."""
    with world.database.open_platform() as platform:
        for owned in OWNED:
            if issubclass(owned, Operational):
                assert len(platform.orm.scalars(select(owned)).all()) == 2
            else:
                with pytest.raises(TypeError, match="use open_space"):
                    platform.orm.scalars(select(owned))
