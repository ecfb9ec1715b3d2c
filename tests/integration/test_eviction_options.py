"""What policies of eviction may take besides what they need (requirement 12.2)."""

from datetime import timedelta

import pytest

from app.db.database import Database
from app.settings import Settings
from tests.conftest import Home
from tests.support.evictions import (
    evict_now,
    make_older,
    planned,
    set_policy,
    set_recalls,
    take_in,
    titles,
)

DAY = timedelta(days=1)


@pytest.fixture
def notes(database: Database, settings: Settings, home: Home) -> Home:
    """Five chunks without claims, note0 the oldest, each a document of its own."""
    take_in(database, settings, home, **{f"note{n}": f"[Thing{n}|Product]." for n in range(5)})
    for number in range(5):
        make_older(database, home, f"note{number}", (10 - number) * DAY)
    return home


def test_12_2_hybrid_goes_by_ttl_alone(database: Database, notes: Home) -> None:
    set_policy(database, notes, eviction="hybrid", eviction_ttl_days=9.5)
    assert planned(database, notes) == [("note0", "expired")]


def test_12_2_recall_based_keeps_a_maximum_where_it_has_one(
    database: Database, settings: Settings, notes: Home
) -> None:
    """note0 to note2 are past the week of grace; of the three left the older one is one too many."""
    set_policy(database, notes, eviction="recall_based", eviction_min_value=0.8, eviction_max_chunks=2)
    set_recalls(database, notes, "note1", 1, 0.9)
    make_older(database, notes, "note3", 7 * DAY - timedelta(hours=1))
    expected = [("note0", "little_recalled"), ("note2", "little_recalled"), ("note3", "over_capacity")]
    assert planned(database, notes) == expected
    assert evict_now(database, settings, notes).counts["evicted"] == 3
    assert set(titles(database, notes)) == {"note1", "note4"}
