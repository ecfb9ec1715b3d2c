"""Values of nodes in explanations: paths that end in one, their evidence, and the one statement for them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from app.db.database import Database
from app.db.models import DocumentBody, KnowledgeChunk, NodeAttribute
from app.graph import repository, service
from app.graph.shapes import Explanation, GraphFilters
from app.ids import create_id
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.graph.conftest import Drawing, drawing, opened

ASKED = SpaceSettings.model_validate(
    {"node_attributes": {"Concept": {"population": "number", "height": "text"}}}
)
QUESTION = "What is the population of the city that Kestrel lies in?"


def say(drawn: Drawing, name: str, attribute: str, value: Any, stated_at: datetime | None = None) -> None:
    """A value of a node, stated at character 4 of a chunk of its own."""
    node = drawn.node(name)
    quote = f"{name} has {attribute} {value}."
    text = f"Lo: {quote}"
    chunk = KnowledgeChunk(
        id=create_id(),
        document_id=drawn.document.id,
        ordinal=drawn.chunks,
        text=text,
        char_start=len(drawn.text),
        char_end=len(drawn.text) + len(text),
        heading_path=[],
        token_count=8,
        content_hash=create_id().hex,
    )
    drawn.chunks += 1
    drawn.text += text + "\n"
    drawn.space.orm.add(chunk)
    drawn.space.orm.flush()
    drawn.space.orm.add(
        NodeAttribute(
            chunk_id=chunk.id,
            node_id=node,
            name=attribute,
            value=value,
            said_of=name.lower(),
            quote=quote,
            char_start=4,
            char_end=4 + len(quote),
            stated_at=stated_at,
        )
    )
    drawn.space.orm.flush()


@pytest.fixture
def city(database: Database, home: Home) -> None:
    """Kestrel lies in Oslo, of which two chunks state a population and one its height."""
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=ASKED)
    with drawing(database, home) as drawn:
        drawn.edge("Kestrel", "located_in", "Oslo")
        drawn.edge("Oslo", "located_in", "Norway")
        say(drawn, "Oslo", "population", 693_494, datetime(2020, 1, 1, tzinfo=UTC))
        say(drawn, "Oslo", "population", 709_037, datetime(2022, 1, 1, tzinfo=UTC))
        say(drawn, "Oslo", "height", "23 metres")
        say(drawn, "Kestrel", "height", "2 metres")


def explained(
    database: Database, home: Home, question: str = QUESTION, as_of: datetime | None = None
) -> Explanation:
    with opened(database, home) as space:
        return service.explain_and_record_recall(space, question=question, filters=GraphFilters(as_of=as_of))


def test_a_path_ends_in_the_value_that_is_asked_for(
    database: Database, home: Home, city: None, statements: list[str]
) -> None:
    found = explained(database, home)
    first = found.paths[0]
    assert [node.canonical_name for node in first.nodes] == ["Kestrel", "Oslo"]
    assert first.attribute is not None
    assert (first.attribute.name, first.attribute.value, first.attribute.holds) == (
        "population",
        709_037,
        True,
    )
    assert [(attribute.name, attribute.value) for attribute in found.attributes[:2]] == [
        ("population", 709_037),
        ("population", 693_494),
    ]
    assert {attribute.name for attribute in found.attributes[2:]} == {"height"}
    assert all(path.attribute is None or path.attribute.name == "population" for path in found.paths)
    assert statements.count("graph.list_stated_values_of_nodes") == 1
    assert len(statements) == 5
    assert "graph.fetch_walks_between" not in statements


def test_every_value_cites_its_words_in_the_document(database: Database, home: Home, city: None) -> None:
    found = explained(database, home)
    with opened(database, home) as space:
        body = space.orm.get_one(DocumentBody, (space.space_id, found.attributes[0].evidence.document_id))
        for attribute in found.attributes:
            place = attribute.evidence
            assert (body.text or "")[place.char_start : place.char_end] == place.quote
    numbers = {citation.evidence.quote: citation.number for citation in found.citations}
    marked = numbers["Oslo has population 709037."]
    assert f"population: 709,037 [{marked}]" in found.narrative
    assert "population: 693,494 (said 2020-01-01)" in found.narrative
    assert [citation.number for citation in found.citations] == list(range(1, len(found.citations) + 1))


def test_a_value_of_the_anchor_itself_is_a_path_of_no_hop(database: Database, home: Home, city: None) -> None:
    found = explained(database, home, "What is the height of Kestrel?")
    assert [node.canonical_name for node in found.paths[0].nodes] == ["Kestrel"]
    assert (found.paths[0].hops, found.paths[0].edges, found.paths[0].score) == (0, (), 1.0)
    assert found.paths[0].attribute is not None
    assert found.paths[0].attribute.value == "2 metres"


def test_values_end_the_same_paths_whichever_node_the_question_names_first(
    database: Database, home: Home, city: None
) -> None:
    """Review B1: a path between two named nodes has no favoured end."""
    endings = [
        {
            (tuple(node.canonical_name for node in path.nodes), path.attribute.value)
            for path in explained(database, home, question).paths
            if path.attribute is not None
        }
        for question in (
            "Which population has Oslo, where Kestrel is?",
            "Kestrel is in Oslo: which population?",
        )
    ]
    assert endings[0] == endings[1] == {(("Oslo",), 709_037), (("Kestrel", "Oslo"), 709_037)}


def test_as_of_a_moment_what_was_said_later_does_not_count(
    database: Database, home: Home, city: None
) -> None:
    found = explained(database, home, as_of=datetime(2021, 1, 1, tzinfo=UTC))
    assert {attribute.value for attribute in found.attributes} == {693_494, "23 metres", "2 metres"}
    assert all(attribute.holds for attribute in found.attributes)


def test_a_space_that_asks_for_none_sends_no_statement(
    database: Database, home: Home, city: None, statements: list[str]
) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(
            tenant,
            home.space_id,
            actor="test",
            settings=SpaceSettings.model_validate({"node_attributes": {}}),
        )
    found = explained(database, home)
    assert found.attributes == ()
    assert found.paths[0].attribute is None
    assert "graph.list_stated_values_of_nodes" not in statements


def test_values_are_bounded_for_a_node_and_for_all(
    database: Database, home: Home, city: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "ATTRIBUTES_PER_NODE", 1)
    assert len(explained(database, home).attributes) == 2
    monkeypatch.setattr(repository, "MAX_ATTRIBUTES", 1)
    assert len(explained(database, home).attributes) == 1


def test_values_of_the_other_space_are_not_seen(
    database: Database, home: Home, twin: Home, city: None
) -> None:
    with database.open_tenant(twin.tenant_id) as tenant:
        spaces.update_space_row(tenant, twin.space_id, actor="test", settings=ASKED)
    with drawing(database, twin) as drawn:
        drawn.edge("Kestrel", "located_in", "Oslo")
        say(drawn, "Oslo", "population", 1)
    assert [attribute.value for attribute in explained(database, twin).attributes] == [1]
    assert 1 not in {attribute.value for attribute in explained(database, home).attributes}
