"""The subgraph of a question: all that its chunks name and state, and nothing that is no longer so."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from app.db import arrays
from app.db.database import Database
from app.db.session import SpaceSession
from app.documents import service as documents
from app.graph import service as graph
from app.ids import ChunkId, DocumentId, NodeId
from app.ingest import service as ingest
from app.retrieval import repository
from app.settings import Settings
from tests.conftest import Home
from tests.support.ingest import ingest_now, text

pytestmark = pytest.mark.shared_database

KESTREL = "Kestrel depends on Postgres. Postgres uses Redis."
ENDED = datetime(2020, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Around:
    """A subgraph by names: what led to chunks, what was looked up, chunks that name each node, and facts."""

    leading: set[str]
    looked_up: set[str]
    mentions: dict[str, int]
    facts: set[tuple[str, str]]
    chunks: int


def around(
    space: SpaceSession, *, anchors: Sequence[str] = (), seeds: Sequence[ChunkId] = (), **bounds: Any
) -> Around:
    """What is fetched around these nodes and chunks."""
    asked: dict[str, Any] = {
        "question_vector": None, "residual_vector": None, "as_of": None, "max_node_chunks": 10,
        "max_nodes": 100, "max_chunks": 100, "seeds_with_nodes": 10, "seeds_with_facts": 10,
        "min_chunks_of_node": 3, "fan_out": 50,
    } | bounds  # fmt: skip
    rows = repository.fetch_subgraph(
        space, anchor_ids=[node_named(space, name) for name in anchors], seed_ids=seeds, **asked
    ).result()
    ids = [NodeId(id_) for id_ in arrays.convert_ids_to_uuids(rows.nodes)]
    known = {node.id: node.canonical_name for node in graph.get_nodes(space, ids)}
    names = [known[id_] for id_ in ids]
    assert rows.names == names[: len(rows.names)]
    return Around(
        set(rows.names[: rows.leading_node_count]),
        set(rows.names),
        dict(zip(names, rows.mention_and_edge_counts[:, 0].tolist(), strict=True)),
        {(names[begin], names[end]) for begin, end in rows.edges.tolist()},
        len(rows.chunks),
    )


def node_named(space: SpaceSession, name: str) -> NodeId:
    """The node of that name."""
    (anchor,) = graph.find_anchors_in_question(space, name).anchors
    return anchor.node.id


def chunks_of(space: SpaceSession) -> list[ChunkId]:
    """All chunks of the space."""
    return [
        ChunkId(chunk.id)
        for document in documents.list_documents(space)
        for chunk in documents.list_chunks(space, DocumentId(document.id))
    ]


def test_a_node_that_led_to_no_chunk_is_passed_with_the_facts_that_the_chunks_state(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(KESTREL), text("Redis depends on Jemalloc.")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = around(space, anchors=["Kestrel"])
    assert found.leading == found.looked_up == {"Kestrel", "Postgres"}
    # Redis is named beside Postgres alone; the second document would take another hop.
    assert found.facts == {("Kestrel", "Postgres"), ("Postgres", "Redis")}
    # Two documents name it; of what was not looked up what is here is counted.
    assert found.mentions == {"Kestrel": 1, "Postgres": 1, "Redis": 1}
    assert found.chunks == 1


@pytest.mark.parametrize("often", [3, 4])
def test_what_several_of_the_chunks_name_is_looked_up(
    database: Database, settings: Settings, home: Home, often: int
) -> None:
    names = ("Kestrel", "Falcon", "Merlin", "Osprey")
    ingest_now(database, settings, home, [text(f"{name} depends on Redis.") for name in names])
    with database.open_space(home.tenant_id, home.space_id) as space:
        found = around(space, seeds=chunks_of(space)[:3], seeds_with_nodes=0, min_chunks_of_node=often)
    assert found.leading == set()
    assert found.looked_up == ({"Redis"} if often == 3 else set())
    # A fourth chunk names it, and whether it is a hub is decided by all of them.
    assert found.mentions["Redis"] == (4 if often == 3 else 3)
    assert found.chunks == 3


def test_a_claim_that_ended_is_no_link_but_at_its_time(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(KESTREL)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE graph_edge SET invalidated_at = %s WHERE relation_type = 'uses'", [ENDED]
        )
        seeds = chunks_of(space)
        now = around(space, anchors=["Kestrel"], seeds=seeds)
        before = around(space, anchors=["Kestrel"], seeds=seeds, as_of=datetime(2019, 1, 1, tzinfo=UTC))
    assert now.facts == {("Kestrel", "Postgres")}
    assert before.facts == {("Kestrel", "Postgres"), ("Postgres", "Redis")}


def test_what_a_replaced_or_deleted_document_said_is_no_link(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [text(KESTREL, source_uri="stack"), text("Kestrel uses Redis.")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert ("Postgres", "Redis") in around(space, anchors=["Kestrel"]).facts
    ingest_now(database, settings, home, [text("Kestrel depends on Postgres.", source_uri="stack")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        replaced = around(space, anchors=["Kestrel"])
        assert replaced.facts == {("Kestrel", "Postgres"), ("Kestrel", "Redis")}
        gone = next(
            document for document in documents.list_documents(space) if document.source_uri == "stack"
        )
        ingest.delete_document_with_all_its_words(space, DocumentId(gone.id))
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert around(space, anchors=["Kestrel"]).facts == {("Kestrel", "Redis")}


def test_seeds_and_anchors_of_another_space_lead_nowhere(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    for owner in (home, twin):
        ingest_now(database, settings, owner, [text(KESTREL)])
    with database.open_space(twin.tenant_id, twin.space_id) as space:
        foreign, seeds = node_named(space, "Kestrel"), chunks_of(space)
    with database.open_space(home.tenant_id, home.space_id) as space:
        rows = repository.fetch_subgraph(
            space, anchor_ids=[foreign], seed_ids=seeds, question_vector=None, residual_vector=None,
            as_of=None, max_node_chunks=10, max_nodes=100, max_chunks=100, seeds_with_nodes=10,
            seeds_with_facts=10,
            min_chunks_of_node=1, fan_out=50,
        ).result()  # fmt: skip
    assert (len(rows.nodes), len(rows.mentions), len(rows.edges)) == (0, 0, 0)
