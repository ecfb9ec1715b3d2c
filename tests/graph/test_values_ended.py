"""A mistaken value of a node: a person ends it, upholds another, takes that back; the audit tells it."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from app.db.database import Database
from app.db.session import SpaceSession
from app.errors import Conflict, InvalidInput, NotFound
from app.graph import service as graph
from app.graph.shapes import GraphFilters
from app.graph.write.curation import values
from app.graph.write.repository import set_attributes_in_metadata_by_votes
from app.ids import NodeId, create_id
from app.tenancy.audit import service as audit
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.graph.conftest import drawing, opened
from tests.graph.test_graph_attributes import ASKED, QUESTION, say


@pytest.fixture
def oslo(database: Database, home: Home) -> NodeId:
    """Kestrel lies in Oslo, whose population was 700,000 in 2020 and 7, by mistake, in 2024."""
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=ASKED)
    with drawing(database, home) as drawn:
        drawn.edge("Kestrel", "located_in", "Oslo")
        say(drawn, "Oslo", "population", 700_000, datetime(2020, 1, 1, tzinfo=UTC))
        say(drawn, "Oslo", "population", 7, datetime(2024, 1, 1, tzinfo=UTC))
        node = drawn.node("Oslo")
    with opened(database, home) as space:
        set_attributes_in_metadata_by_votes(space, [node])
    return node


@pytest.fixture
def space(database: Database, home: Home, oslo: NodeId) -> Iterator[SpaceSession]:
    """The space that says so."""
    with opened(database, home) as session:
        yield session


def standing(space: SpaceSession, oslo: NodeId) -> list[object]:
    """The populations that hold: in what chunks say, in the node's metadata, and explained."""
    said = [attribute.value for attribute in graph.list_attributes(space, oslo) if attribute.holds]
    kept = graph.get_node(space, oslo).metadata.get("attributes", {}).get("population")
    return [said, kept, explained(space)]


def explained(space: SpaceSession, as_of: datetime | None = None) -> list[object]:
    """The values that an explanation shows as holding."""
    found = graph.explain_and_record_recall(space, question=QUESTION, filters=GraphFilters(as_of=as_of))
    return [attribute.value for attribute in found.attributes if attribute.holds]


def test_an_ended_value_holds_no_more_and_the_one_before_it_does(space: SpaceSession, oslo: NodeId) -> None:
    assert standing(space, oslo) == [[7], 7, [7]]
    made = values.end_attribute_value_and_list_rows(
        space, oslo, "population", 7, reason=" A slip. ", actor="ada"
    )
    assert standing(space, oslo) == [[700_000], 700_000, [700_000]]
    ended = next(attribute for attribute in made if attribute.value == 7)
    assert (ended.holds, ended.ended_by, ended.ended_reason) == (False, "ada", "A slip.")


def test_an_ended_value_is_restored(space: SpaceSession, oslo: NodeId) -> None:
    values.end_attribute_value_and_list_rows(space, oslo, "population", 7, reason="A slip.", actor="ada")
    values.restore_attribute_value_and_list_rows(space, oslo, "population", 7, actor="bob")
    assert standing(space, oslo) == [[7], 7, [7]]
    with pytest.raises(Conflict):
        values.restore_attribute_value_and_list_rows(space, oslo, "population", 7, actor="bob")


def test_of_several_values_one_is_upheld(space: SpaceSession, oslo: NodeId) -> None:
    values.uphold_attribute_value_and_end_others(
        space, oslo, "population", 700_000, reason="The register.", actor="ada"
    )
    assert standing(space, oslo) == [[700_000], 700_000, [700_000]]
    with pytest.raises(Conflict):
        values.uphold_attribute_value_and_end_others(
            space, oslo, "population", 700_000, reason="Again.", actor="ada"
        )


def test_a_new_source_that_states_it_holds_again(database: Database, home: Home) -> None:
    with drawing(database, home) as drawn:
        say(drawn, "Oslo", "population", 7)
        node = drawn.node("Oslo")
        values.end_attribute_value_and_list_rows(
            drawn.space, node, "population", 7, reason="A slip.", actor="ada"
        )
        assert [attribute.holds for attribute in graph.list_attributes(drawn.space, node)] == [False]
        say(drawn, "Oslo", "population", 7)
        set_attributes_in_metadata_by_votes(drawn.space, [node])
        assert [attribute.holds for attribute in graph.list_attributes(drawn.space, node)] == [True, False]


def test_the_value_holds_before_its_end(space: SpaceSession, oslo: NodeId) -> None:
    at = datetime(2025, 6, 1, tzinfo=UTC)
    values.end_attribute_value_and_list_rows(
        space, oslo, "population", 7, reason="Moved.", actor="ada", ended_at=at
    )
    assert explained(space, datetime(2025, 1, 1, tzinfo=UTC)) == [7]
    assert explained(space, datetime(2025, 7, 1, tzinfo=UTC)) == [700_000]


def test_every_act_is_in_the_audit(database: Database, home: Home, oslo: NodeId) -> None:
    with opened(database, home) as space:
        values.end_attribute_value_and_list_rows(space, oslo, "population", 7, reason="A slip.", actor="ada")
        values.restore_attribute_value_and_list_rows(space, oslo, "population", 7, actor="ada")
        values.uphold_attribute_value_and_end_others(
            space, oslo, "population", 700_000, reason="So.", actor="ada"
        )
    with database.open_tenant(home.tenant_id) as tenant:
        told = [entry.action for entry in audit.list_entries(tenant) if entry.action.startswith("value.")]
    assert told == ["value.uphold", "value.restore", "value.end"]


def test_what_cannot_be_decided_is_refused(space: SpaceSession, oslo: NodeId) -> None:
    with pytest.raises(NotFound):
        values.end_attribute_value_and_list_rows(space, oslo, "population", 8, reason="So.", actor="ada")
    with pytest.raises(NotFound):
        values.end_attribute_value_and_list_rows(
            space, NodeId(create_id()), "population", 7, reason="So.", actor="ada"
        )
    with pytest.raises(InvalidInput):
        values.end_attribute_value_and_list_rows(space, oslo, "population", 7, reason="  ", actor="ada")
    with pytest.raises(InvalidInput):
        late = datetime(2999, 1, 1, tzinfo=UTC)
        values.end_attribute_value_and_list_rows(
            space, oslo, "population", 7, reason="So.", actor="ada", ended_at=late
        )
