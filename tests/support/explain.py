"""Explain by names, for tests that ask how two things of a space are related."""

from app.db.database import Database
from app.graph import service as graph
from app.graph.shapes import Explanation
from tests.conftest import Home


def explain(database: Database, home: Home, from_: str, to: str) -> Explanation:
    """Return how one thing of the space leads to the other."""
    with database.open_space(home.tenant_id, home.space_id) as space:
        return graph.explain_and_record_recall(space, from_=from_, to=to)
