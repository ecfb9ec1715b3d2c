"""Two spaces under any sequence of work: each shows exactly what was done in it (plan item 11)."""

from collections.abc import Iterator
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import URL, delete, select, text

from app.db.database import Database
from app.db.doctor.canary_twins import Twin, erase_twins, insert_twin_and_list_failures
from app.db.models import Document, GraphEdge, GraphNode, KnowledgeChunk
from app.ids import SpaceId, create_id
from app.tenancy.spaces import service as spaces
from tests.isolation.conftest import World, build_world

WALLS = {"tenant": "tenant", "knowledge_space": "tenant"}
SIDE, NUMBER = st.sampled_from([0, 1]), st.integers(0, 30)


class Expected:
    """What one space should show."""

    def __init__(self) -> None:
        self.nodes: set[UUID] = set()
        self.chunks: dict[UUID, UUID] = {}
        self.edges: dict[UUID, tuple[UUID, UUID, UUID | None]] = {}
        self.documents: set[UUID] = set()

    def clear(self) -> None:
        """Nothing, as in a new space."""
        for bundle in (self.nodes, self.chunks, self.edges, self.documents):
            bundle.clear()


class Spaces(RuleBasedStateMachine):
    """Adds, cites, deletes and drops in two spaces of two tenants through the door."""

    database: Database

    def __init__(self) -> None:
        super().__init__()
        self.twins = (Twin(), Twin())
        for twin in self.twins:
            assert insert_twin_and_list_failures(self.database, twin, "same name", WALLS) == {}
        self.expected = (Expected(), Expected())

    def teardown(self) -> None:
        erase_twins(self.database, self.twins)

    @rule(side=SIDE)
    def add_node(self, side: int) -> None:
        node_id, twin = create_id(), self.twins[side]
        with self.database.open_space(twin.tenant_id, twin.space_id) as space:
            name = f"node {len(self.expected[side].nodes)} {node_id}"
            space.orm.add(GraphNode(id=node_id, canonical_name=name, node_type="Concept"))
        self.expected[side].nodes.add(node_id)

    @rule(side=SIDE, number=NUMBER)
    def add_document(self, side: int, number: int) -> None:
        document_id, chunk_id, twin = create_id(), create_id(), self.twins[side]
        with self.database.open_space(twin.tenant_id, twin.space_id) as space:
            space.orm.add(
                Document(
                    id=document_id,
                    title="The same title",
                    source_kind="file",
                    format="text",
                    content_hash=str(document_id),
                    byte_size=number,
                )
            )
            space.orm.flush()
            space.orm.add(
                KnowledgeChunk(
                    id=chunk_id,
                    document_id=document_id,
                    ordinal=0,
                    text="A sentence.",
                    char_start=0,
                    char_end=11,
                    heading_path=[],
                    token_count=3,
                    content_hash="same",
                )
            )
        self.expected[side].documents.add(document_id)
        self.expected[side].chunks[chunk_id] = document_id

    @rule(side=SIDE, number=NUMBER, cited=st.booleans())
    def add_edge(self, side: int, number: int, cited: bool) -> None:
        state, twin, edge_id = self.expected[side], self.twins[side], create_id()
        nodes, chunks = sorted(state.nodes), sorted(state.chunks)
        if not nodes:
            return
        evidence = chunks[number % len(chunks)] if cited and chunks else None
        ends = nodes[number % len(nodes)], nodes[-1]
        with self.database.open_space(twin.tenant_id, twin.space_id) as space:
            space.orm.add(
                GraphEdge(
                    id=edge_id,
                    from_node_id=ends[0],
                    to_node_id=ends[1],
                    relation_type="knows",
                    weight=0.5,
                    evidence_chunk_id=evidence,
                    meta={"confidence": 0.5},
                    extraction_key=edge_id,
                )
            )
        state.edges[edge_id] = (*ends, evidence)

    @rule(side=SIDE, number=NUMBER)
    def delete_document(self, side: int, number: int) -> None:
        """Requirement 2.4: the edges stay, without their evidence. Tried from the other space first."""
        state, twin = self.expected[side], self.twins[side]
        if not state.documents:
            return
        document_id = sorted(state.documents)[number % len(state.documents)]
        other = self.twins[1 - side]
        removal = delete(Document).where(Document.id == document_id).returning(Document.id)
        with self.database.open_space(other.tenant_id, other.space_id) as space:
            assert space.orm.execute(removal).all() == []
        with self.database.open_space(twin.tenant_id, twin.space_id) as space:
            assert len(space.orm.execute(removal).all()) == 1
        state.documents.remove(document_id)
        lost = {chunk for chunk, document in state.chunks.items() if document == document_id}
        state.chunks = {chunk: document for chunk, document in state.chunks.items() if chunk not in lost}
        state.edges = {
            edge: (start, end, None if evidence in lost else evidence)
            for edge, (start, end, evidence) in state.edges.items()
        }

    @rule(side=SIDE, number=NUMBER)
    def delete_node(self, side: int, number: int) -> None:
        state, twin = self.expected[side], self.twins[side]
        if not state.nodes:
            return
        node_id = sorted(state.nodes)[number % len(state.nodes)]
        with self.database.open_space(twin.tenant_id, twin.space_id) as space:
            space.orm.execute(delete(GraphNode).where(GraphNode.id == node_id))
        state.nodes.remove(node_id)
        state.edges = {edge: ends for edge, ends in state.edges.items() if node_id not in ends[:2]}

    @rule(side=SIDE)
    def drop_the_space(self, side: int) -> None:
        """A new space of the same name takes its place, empty."""
        twin = self.twins[side]
        spaces.delete_space(self.database, twin.tenant_id, twin.space_id, actor="test")
        with self.database.open_tenant(twin.tenant_id) as tenant:
            made = spaces.create_space(
                tenant, name="same name", embedding_model="m", embedding_dimensions=2, actor="test"
            )
        twin.space_id = SpaceId(made.id)
        self.expected[side].clear()

    @invariant()
    def each_space_shows_what_was_done_in_it(self) -> None:
        for twin, state in zip(self.twins, self.expected, strict=True):
            with self.database.open_space(twin.tenant_id, twin.space_id) as space:
                run = space.orm.connection().execute
                # Plain SQL without a filter: row security alone must tell the spaces apart.
                assert set(run(text("SELECT id FROM graph_node")).scalars()) == state.nodes
                assert set(run(text("SELECT id FROM document")).scalars()) == state.documents
                edges = run(text("SELECT id, from_node_id, to_node_id, evidence_chunk_id FROM graph_edge"))
                assert {row[0]: tuple(row[1:]) for row in edges} == state.edges
                assert set(space.orm.scalars(select(KnowledgeChunk.id))) == set(state.chunks)


@pytest.fixture
def stateful_world(privileged_url: URL) -> Iterator[World]:
    built = build_world(privileged_url)
    yield built
    built.database.dispose()


@pytest.mark.parametrize("sequences", [10, pytest.param(100, marks=pytest.mark.soak)])
def test_no_sequence_of_work_mixes_two_spaces(stateful_world: World, sequences: int) -> None:
    class Bound(Spaces):
        """The machine on this test's database."""

        database = stateful_world.database

    run_state_machine_as_test(
        Bound,
        settings=settings(
            max_examples=sequences,
            stateful_step_count=15,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
    with stateful_world.privileged.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM tenant")).scalar_one() == 2
