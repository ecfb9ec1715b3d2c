"""A sentence that a seat moved ends the earlier seats, which it does not name; a mention ends nothing."""

from itertools import permutations

import pytest

from app.db.database import Database
from app.settings import Settings
from app.space_settings import SpaceSettings
from tests.conftest import Home
from tests.support.contradictions import declare, look, says
from tests.support.ingest import ingest_now

IN_OSLO = says("Kestrel Freight Ltd. is headquartered in Oslo.", "2019-03-01")
ALSO_IN_TURIN = says("Kestrel Freight Ltd. is headquartered in Turin.", "2020-05-01")
MOVED = says("Kestrel Freight Ltd. moved its headquarters to Bergen.", "2021-04-01")


def seats(database: Database, home: Home) -> set[str]:
    """The places in which the seat is now."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT t.canonical_name FROM graph_edge e JOIN graph_node t"
            " ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id"
            " WHERE e.knowledge_space_id = %s AND e.relation_type = 'headquartered_in'"
            " AND e.polarity = 'asserted' AND e.invalidated_at IS NULL",
            [home.space_id],
        ).fetchall(),
    )
    return {name for (name,) in rows}


@pytest.mark.parametrize("order", list(permutations(range(3)))[::2])
def test_a_seat_that_moved_ends_the_earlier_ones_whatever_came_first(
    order: tuple[int, ...], database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings())
    for place in order:
        ingest_now(database, settings, home, [(IN_OSLO, ALSO_IN_TURIN, MOVED)[place]])
    assert seats(database, home) == {"Bergen"}


def test_a_later_mention_and_a_change_by_a_less_trusted_document_end_nothing(
    database: Database, settings: Settings, home: Home
) -> None:
    declare(database, home, SpaceSettings(source_trust={"file": 1.0}))
    ingest_now(database, settings, home, [IN_OSLO, ALSO_IN_TURIN])
    assert seats(database, home) == {"Oslo", "Turin"}
    declare(database, home, SpaceSettings(source_trust={"file": 0.5}))
    ingest_now(database, settings, home, [MOVED])
    assert seats(database, home) == {"Oslo", "Turin", "Bergen"}
