"""Explain between names that only claims of the past join: told as past, and only where nothing else is."""

from datetime import UTC, datetime

import pytest

from app.db.database import Database
from app.documents import service as documents
from app.graph import service as graph
from app.graph.invalidation import service as invalidation
from app.graph.shapes import GraphFilters
from app.ids import DocumentId
from app.ingest import service as ingest
from app.settings import Settings
from tests.conftest import Home
from tests.support.contradictions import LONDON, LONDON_2021, PARIS, PARIS_2019, declare, says
from tests.support.explain import explain
from tests.support.ingest import ingest_now

pytestmark = pytest.mark.shared_database

EMPLOYED = says("Bob Stone works for Acme Corporation.", "2018-03-01")


def test_a_place_of_the_past_is_told_with_the_day_on_which_it_ended(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [PARIS_2019, LONDON_2021])
    found = explain(database, home, "Acme Corporation", "Paris")
    assert [edge.quote for edge in found.edges] == [PARIS]
    assert "located in: Paris (until 2021-04-01) [1]" in found.narrative
    assert found.warnings == (
        "Nothing leads from “Acme Corporation” to “Paris” any more: what did has ended.",
    )
    assert found.why_not == ()


def test_a_way_of_two_hops_of_which_one_is_past(database: Database, settings: Settings, home: Home) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [EMPLOYED, PARIS_2019, LONDON_2021])
    (path,) = explain(database, home, "Bob Stone", "Paris").paths
    assert [edge.relation_type for edge in path.edges] == ["works_for", "located_in"]
    now = explain(database, home, "Bob Stone", "London")
    assert "until" not in now.narrative
    assert now.warnings == ()


def test_what_still_holds_hides_the_past(database: Database, settings: Settings, home: Home) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [PARIS_2019, LONDON_2021])
    found = explain(database, home, "Acme Corporation", "London")
    assert [edge.quote for edge in found.edges if edge.invalidated_at is None] == [LONDON]
    assert found.warnings == ()


def test_a_moment_that_is_asked_for_is_kept_to(database: Database, settings: Settings, home: Home) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [PARIS_2019, LONDON_2021])
    with database.open_space(home.tenant_id, home.space_id) as space:
        earlier, later = (
            graph.explain_and_record_recall(
                space, from_="Acme Corporation", to="Paris", filters=GraphFilters(as_of=moment)
            )
            for moment in (datetime(2020, 1, 1, tzinfo=UTC), datetime(2022, 1, 1, tzinfo=UTC))
        )
    assert [edge.quote for edge in earlier.edges] == [PARIS]
    assert later.edges == ()


def test_a_denial_is_told_in_its_place(database: Database, settings: Settings, home: Home) -> None:
    left = says("Bob Stone no longer works for Acme Corporation.", "2022-03-01")
    ingest_now(database, settings, home, [EMPLOYED, left])
    found = explain(database, home, "Bob Stone", "Acme Corporation")
    assert found.edges == ()
    assert "No longer, since 2022-03-01" in found.narrative


def test_a_denial_alone_makes_no_past(database: Database, settings: Settings, home: Home) -> None:
    never = says("Bob Stone no longer works for Acme Corporation.", "2022-03-01")
    ingest_now(database, settings, home, [never, says("Acme Corporation owns Rocket Works.")])
    assert explain(database, home, "Bob Stone", "Rocket Works").edges == ()


def test_what_no_text_states_any_more_is_no_past(database: Database, settings: Settings, home: Home) -> None:
    declare(database, home)
    ingest_now(database, settings, home, [PARIS_2019, LONDON_2021, says("Paris is a city in France.")])
    with database.open_space(home.tenant_id, home.space_id) as space:
        (old,) = [document for document in documents.list_documents(space) if document.source_uri == PARIS]
        ingest.delete_document_with_all_its_words(space, DocumentId(old.id), prune=False)
    assert explain(database, home, "Acme Corporation", "Paris").edges == ()


def test_what_a_person_ended_is_no_past_path_but_said_to_have_ended(
    database: Database, settings: Settings, home: Home
) -> None:
    """Decision 181: it is no fact any more, and who asks is told why; as of an earlier moment it is one."""
    ingest_now(database, settings, home, [EMPLOYED])
    (edge,) = explain(database, home, "Bob Stone", "Acme Corporation").edges
    with database.open_space(home.tenant_id, home.space_id) as space:
        invalidation.end_claim_by_person(space, edge.id, actor="ada", reason="A typing error")
    found = explain(database, home, "Bob Stone", "Acme Corporation")
    assert found.edges == ()
    (denial,) = found.denials
    assert (denial.edge.id, denial.is_ended_by_person) == (edge.id, True)
    assert found.narrative.startswith("No longer, since ")
    assert ", as a person decided: Bob Stone works for Acme Corporation [1]" in found.narrative
    with database.open_space(home.tenant_id, home.space_id) as space:
        earlier = graph.explain_and_record_recall(
            space,
            from_="Bob Stone",
            to="Acme Corporation",
            filters=GraphFilters(as_of=datetime(2019, 1, 1, tzinfo=UTC)),
        )
    assert [edge.id for edge in earlier.edges] == [edge.id]
