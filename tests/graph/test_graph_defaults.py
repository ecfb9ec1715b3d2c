"""The numbers of requirements 8 and 9.1 where nobody sets others: hops, facts of a node and of an answer,
anchors.
"""

from inspect import signature

import numpy as np
import psycopg
import pytest
from sqlalchemy import text

from app.api.graph.walks import read_neighborhood
from app.db.database import Database
from app.graph import service
from app.graph.shapes import GraphFilters
from app.ids import NodeId
from app.llm.embedding.hashed import HashedEmbedder
from app.retrieval import seeds
from app.settings import Settings
from app.wiring import open_database
from tests.conftest import Home
from tests.graph.conftest import drawing, opened
from tests.support.summaries import take_in

pytestmark = pytest.mark.shared_database


@pytest.fixture
def chain(database: Database, home: Home) -> NodeId:
    """Heron -> Kestrel -> Falcon -> Eagle; the first of them."""
    with drawing(database, home) as drawn:
        for source, target in (("Heron", "Kestrel"), ("Kestrel", "Falcon"), ("Falcon", "Eagle")):
            drawn.edge(source, "uses", target)
        return NodeId(drawn.nodes["Heron"].id)


def test_8_1_a_neighborhood_has_depth_1_by_default(database: Database, home: Home, chain: NodeId) -> None:
    with opened(database, home) as space:
        found = service.fetch_neighborhood_and_record_recall(space, chain)
        far = service.fetch_neighborhood_and_record_recall(space, chain, depth=3)
    assert [node.node.canonical_name for node in found.nodes] == ["Heron", "Kestrel"]
    assert [node.score for node in far.nodes] == pytest.approx([1, 1 / 2, 1 / 3, 1 / 4])
    assert signature(read_neighborhood).parameters["depth"].default == 1


def test_8_1_a_filter_holds_for_every_hop(database: Database, home: Home, chain: NodeId) -> None:
    """What only a filtered edge leads to is not reached, however good the edges behind it."""
    with drawing(database, home) as drawn:
        drawn.edge("Osprey", "uses", "Merlin", confidence=0.4)
        drawn.edge("Merlin", "uses", "Kite")
        osprey = NodeId(drawn.nodes["Osprey"].id)
    with opened(database, home) as space:
        found = service.fetch_neighborhood_and_record_recall(
            space, osprey, depth=3, filters=GraphFilters(min_confidence=0.5)
        )
    assert [node.node.canonical_name for node in found.nodes] == ["Osprey"]


def test_8_3_paths_have_at_most_2_hops_by_default(database: Database, home: Home, chain: NodeId) -> None:
    with opened(database, home) as space:
        asked = service.explain_and_record_recall(space, question="Heron?")
        near = service.explain_and_record_recall(space, from_="Heron", to="Falcon")
        far = service.explain_and_record_recall(space, from_="Heron", to="Eagle")
    assert {node.canonical_name for node in asked.nodes} == {"Heron", "Kestrel", "Falcon"}
    assert [path.hops for path in near.paths] == [2]
    assert far.paths == ()


def test_9_1_ten_facts_of_a_node_and_thirty_of_an_answer_by_default(database: Database, home: Home) -> None:
    """The strongest: of twelve facts of the hub the two weakest stay away, with all that is behind them."""
    with drawing(database, home) as drawn:
        for place in range(12):
            strength = 0.99 - place / 100
            drawn.edge("Hub", "uses", f"Part {place}", weight=strength, confidence=strength)
            for leaf in range(4):
                drawn.edge(f"Part {place}", "uses", f"Leaf {place} {leaf}", weight=0.5)
    hub = drawn.nodes["Hub"].id
    with opened(database, home) as space:
        found = service.explain_and_record_recall(space, question="Hub?")
    parts = {node.id: node.canonical_name for node in found.nodes}
    followed = [parts[edge.to_node_id] for edge in found.edges if edge.from_node_id == hub]
    assert sorted(followed) == sorted(f"Part {place}" for place in range(10))
    assert len(found.edges) == 30
    assert len(found.truncated) == 2
    own = Settings()
    assert (own.fan_out, own.max_facts) == (10, 30)


def test_9_1_the_three_nearest_names_of_a_cosine_of_055_at_least_are_anchors(
    database: Database, settings: Settings, home: Home
) -> None:
    """Where the question names none. The vectors are set by hand: ten numbers of 256 are enough."""
    cosines = {"Uno": 0.551, "Due": 0.9, "Tre": 0.7, "Quattro": 0.8, "Cinque": 0.549}
    take_in(database, settings, home, "\n".join(f"[{name}|Product] uses [Base|Product]." for name in cosines))
    question = np.zeros(HashedEmbedder().dimensions, np.float32)
    question[0] = 1

    def anchors(kept: dict[str, float]) -> list[str]:
        with opened(database, home) as space:
            for name, cosine in {"Base": 0.0, **kept}.items():
                vector = np.zeros_like(question)
                vector[:2] = cosine, np.sqrt(1 - cosine**2)
                space.connection.execute(
                    "UPDATE node_vector v SET embedding = %s::halfvec FROM graph_node n"
                    " WHERE n.knowledge_space_id = v.knowledge_space_id AND n.id = v.node_id"
                    " AND v.knowledge_space_id = %s AND n.canonical_name = %s",
                    [str(vector.tolist()), home.space_id, name],
                )
            found = seeds.find_anchors_with_fallbacks(space, "what is meant?", question)
        return [anchor.node.canonical_name for anchor in found.anchors]

    assert anchors(cosines) == ["Due", "Quattro", "Tre"]
    nowhere = dict.fromkeys(cosines, 0.1)
    assert anchors(nowhere | {"Uno": 0.56, "Cinque": 0.54}) == ["Uno"]
    assert anchors(nowhere | {"Cinque": 0.54}) == []


def test_8_5_a_statement_ends_at_the_time_out_of_the_settings(settings: Settings) -> None:
    assert settings.database_url is not None
    hasty = settings.model_copy(update={"statement_timeout": 0.2})
    database = open_database(settings.database_url, hasty)
    with (
        pytest.raises(Exception, match="statement timeout") as refused,
        database.open_platform() as platform,
    ):
        platform.orm.execute(text("SELECT pg_sleep(60)"))
    assert isinstance(refused.value.__cause__, psycopg.errors.QueryCanceled)
    database.dispose()
