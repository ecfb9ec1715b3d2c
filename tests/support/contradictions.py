"""Helpers for tests of contradictions: sentences with dates, and what became of the claims that they make."""

from collections.abc import Callable
from typing import Any

from app.db.database import Database
from app.db.session import SpaceSession
from app.documents.shapes import Submission
from app.graph.invalidation import service as invalidation
from app.graph.shapes import Edge
from app.ids import EdgeId
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.ingest import ingest_now

SINGLE = SpaceSettings(single_valued_relations=["located_in"])
REASON = "The archive says otherwise."


def declare(database: Database, home: Home, own: SpaceSettings = SINGLE) -> None:
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=own)


def says(sentence: str, date: str | None = None, *, address: str | None = None) -> Submission:
    """A document of one sentence, at that address or one of its own."""
    return Submission(
        sentence.encode(),
        "text",
        "Note",
        source_uri=address or sentence,
        metadata={} if date is None else {"date": date},
    )


PARIS = "Acme Corporation is located in Paris."
LONDON = "Acme Corporation is located in London."
PARIS_2019, LONDON_2021 = says(PARIS, "2019-03-01"), says(LONDON, "2021-04-01")


TakeIn = Callable[..., None]


def taker(database: Database, settings: Settings, home: Home) -> TakeIn:
    """Ingests documents one job after another, into a space where things have one place."""
    declare(database, home)

    def take_in(*submissions: Submission) -> None:
        for submission in submissions:
            ingest_now(database, settings, home, [submission])

    return take_in


def look(database: Database, home: Home, work: Callable[[SpaceSession], Any]) -> Any:
    with database.open_space(home.tenant_id, home.space_id) as space:
        return work(space)


def places(database: Database, home: Home) -> dict[str, list[str | None]]:
    """Place → the day on which each row that states it ended, in the order of the rows."""
    rows = look(
        database,
        home,
        lambda space: space.connection.execute(
            "SELECT t.canonical_name, e.invalidated_at FROM graph_edge e JOIN graph_node t"
            " ON t.knowledge_space_id = e.knowledge_space_id AND t.id = e.to_node_id"
            " WHERE e.relation_type = 'located_in' ORDER BY e.id"
        ).fetchall(),
    )
    found: dict[str, list[str | None]] = {}
    for name, ended in rows:
        found.setdefault(name, []).append(ended and f"{ended:%Y-%m-%d}")
    return found


def edge_of(database: Database, home: Home, quote: str) -> Edge:
    def find(space: SpaceSession) -> Edge:
        (row,) = space.connection.execute(
            "SELECT id FROM graph_edge WHERE metadata ->> 'quote' = %s", [quote]
        ).fetchall()
        return invalidation.get_edge_with_ledger(space, EdgeId(row[0]))[0]

    found: Edge = look(database, home, find)
    return found


def ledger(database: Database, home: Home) -> list[tuple[str, str, bool]]:
    """(place that ended, by whom, whether it still holds) for each row of the ledger, oldest first."""
    found = look(database, home, lambda space: invalidation.list_endings(space, only_in_force=False))
    return [(ending.to_name, ending.kind.value, ending.undone_at is None) for ending in reversed(found)]
