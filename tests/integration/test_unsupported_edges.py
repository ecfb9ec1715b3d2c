"""Edges whose document was deleted: they stay (2.4), explain marks them, no answer rests on one (15.3)."""

from typing import Any

import pytest

from app.db.database import Database
from app.derived.communities import report_repository
from app.derived.summaries import repository as summaries
from app.graph import service as graph
from app.graph.shapes import Explanation
from app.llm.embedding.embedders import Embedders
from app.retrieval.service import Retriever
from app.retrieval.shapes import Query
from app.settings import Settings
from tests.conftest import Home
from tests.integration.test_replaced_documents import World

KESTREL = "[Kestrel|Organization] owns [Osprey|Product]."
NAMES = "[Kestrel|Organization] and [Osprey|Product] and [Hull|Location] were seen."


@pytest.fixture
def deleted(database: Database, settings: Settings, home: Home) -> World:
    """What one of two documents claimed; the other names the same things."""
    world = World(database, settings, home)
    world.put("owns", KESTREL)
    world.put("names", NAMES)
    world.delete("owns")
    return world


def explained(world: World) -> Explanation:
    with world.database.open_space(world.home.tenant_id, world.home.space_id) as space:
        return graph.explain_and_record_recall(space, from_="Kestrel", to="Osprey")


def test_explain_shows_it_and_marks_it(deleted: World) -> None:
    found = explained(deleted)
    (edge,) = found.edges
    assert (edge.evidence, edge.quote) == (None, None)
    assert found.citations == ()
    assert "owns: Osprey (unsupported)" in found.narrative


def test_what_another_document_states_is_not_marked(deleted: World) -> None:
    deleted.put("again", f"So {KESTREL}")
    found = explained(deleted)
    assert [edge.evidence is None for edge in found.edges] == [False]
    assert "unsupported" not in found.narrative


@pytest.mark.parametrize("question", ["What does Kestrel own?", "Who owns Osprey?"])
def test_retrieval_never_rests_on_it(
    database: Database, settings: Settings, deleted: World, question: str
) -> None:
    retriever = Retriever(database, Embedders(), settings)
    found = retriever.retrieve_and_record_recalls(
        deleted.home.tenant_id, deleted.home.space_id, Query(question)
    )
    assert found.facts == ()
    assert found.explanation is not None
    assert found.explanation.edges == ()


def test_summaries_and_reports_leave_it_out(deleted: World) -> None:
    with deleted.database.open_space(deleted.home.tenant_id, deleted.home.space_id) as space:
        nodes = graph.list_nodes(space)
        assert summaries.list_strongest_facts_of_nodes(space, [node.id for node in nodes]) == {}
        rows: list[Any] = space.run(
            "derived.communities.list_strongest_claims",
            {
                "communities": [nodes[0].id] * len(nodes),
                "nodes": [node.id for node in nodes],
                "per_node": 10,
                "limit": 10,
                "addresses": [],
            },
        )
        assert rows == []
        assert report_repository.list_ids_of_communities_with_stale_reports(space) == []


def test_it_gets_its_evidence_back_with_the_text(deleted: World) -> None:
    deleted.put("owns", KESTREL)
    (edge,) = explained(deleted).edges
    assert (edge.evidence is None, edge.quote) == (False, KESTREL)


def test_it_contests_nothing(deleted: World) -> None:
    deleted.put("other", "[Merlin|Organization] owns [Osprey|Product].")
    found = explained(deleted)
    assert found.contested == ()
