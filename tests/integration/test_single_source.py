"""Of a relation that holds for one source at a time a later document ends the earlier claim, by default."""

from dataclasses import replace

import pytest

from app.db.database import Database
from app.documents.shapes import Submission
from app.graph import service as graph
from app.ingest import service as ingest
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.conftest import Home
from tests.support.contradictions import declare, look, says
from tests.support.ingest import ingest_now

pytestmark = pytest.mark.shared_database
FIRST = "Hugo Senn is the CEO of Rook Chemie Inc."
SECOND = "Mara Ilic is the CEO of Rook Chemie Inc."
OTHER_OFFICE = "Mara Ilic is the CTO of Rook Chemie Inc."


def heads(database: Database, home: Home) -> set[str]:
    """The quotes of heads that hold."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT metadata ->> 'quote' FROM graph_edge WHERE knowledge_space_id = %s"
            " AND relation_type = 'head_of' AND edge_holds(deleted_at, invalidated_at)",
            [space.space_id],
        ).fetchall(),
    )
    return {quote for (quote,) in rows}


def note(text: str, day: str, trust: float = 1.0) -> Submission:
    return replace(says(text, day), source_uri=f"note {day}", trust=trust)


def test_a_later_head_ends_the_earlier_and_gives_way_when_it_goes(
    database: Database, settings: Settings, home: Home
) -> None:
    # In whatever order they come.
    ingest_now(database, settings, home, [note(SECOND, "2022-01-01")])
    ingest_now(database, settings, home, [note(FIRST, "2013-01-01")])
    assert heads(database, home) == {SECOND}
    (newer,) = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT id FROM document WHERE knowledge_space_id = %s AND source_uri = 'note 2022-01-01'",
            [space.space_id],
        ).fetchall(),
    )
    look(database, home, lambda space: ingest.delete_document_with_all_its_words(space, newer[0], prune=True))
    assert heads(database, home) == {FIRST}


def test_another_office_and_a_space_that_wants_none_keep_both(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    ingest_now(database, settings, home, [note(FIRST, "2013-01-01"), note(OTHER_OFFICE, "2022-01-01")])
    assert heads(database, home) == {FIRST, OTHER_OFFICE}
    declare(database, twin, SpaceSettings(single_source_relations=[]))
    ingest_now(database, settings, twin, [note(FIRST, "2013-01-01"), note(SECOND, "2022-01-01")])
    assert heads(database, twin) == {FIRST, SECOND}


def test_one_that_is_trusted_less_stands_beside_as_contested(
    database: Database, settings: Settings, home: Home
) -> None:
    ingest_now(database, settings, home, [note(FIRST, "2013-01-01"), note(SECOND, "2022-01-01", trust=0.2)])
    assert heads(database, home) == {FIRST, SECOND}
    told = look(
        database,
        home,
        lambda space: graph.explain_and_record_recall(space, question="Who is the CEO of Rook Chemie Inc.?"),
    )
    (conflict,) = told.contested
    quotes = {
        edge.quote for edge in told.edges if edge.id in conflict.edge_ids and edge.relation_type == "head_of"
    }
    assert (conflict.reason, quotes) == ("single_valued", {FIRST, SECOND})
