"""How much of what it found an answer reads: the platform's number, or the space's own (requirement 10.1)."""

import pytest
from pydantic import ValidationError

from app.answers.shapes import ContextFound
from app.db.database import Database
from app.documents.token_counts import count_tokens
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.ingest import ingest_now, text
from tests.support.questions import events

LONG = " ".join(f"Ada Lovelace created Part {number} of the engine." for number in range(60))


def test_10_1_the_budget_of_a_space_goes_before_the_platforms(
    database: Database, settings: Settings, home: Home, twin: Home
) -> None:
    def read(where: Home) -> int:
        first = next(events(database, where, None))
        assert isinstance(first, ContextFound)
        return sum(count_tokens(source.text) for source in first.context.sources)

    for where in (home, twin):
        ingest_now(database, settings, where, [text(LONG, title="Engine")])
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(
            tenant, home.space_id, actor="test", settings=SpaceSettings(context_tokens=200)
        )
    assert 0 < read(home) <= 200
    assert read(twin) == count_tokens(LONG) > 400


@pytest.mark.parametrize("wrong", [0, 199, 100_001])
@pytest.mark.parametrize("whose", [Settings, SpaceSettings])
def test_a_budget_out_of_bounds_is_refused(whose: type[Settings | SpaceSettings], wrong: int) -> None:
    with pytest.raises(ValidationError, match="context_tokens"):
        whose(context_tokens=wrong)
