"""What the summary gate leaves behind (requirement 6.2): every part of its state, and a small sample of
skips.
"""

from datetime import timedelta
from typing import Any

import pytest

from app.db.database import Database
from app.derived.summaries import repository
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home
from tests.support.summaries import NOON, Clock, decided, refresh_now, report_of, rows, take_in

FACTS = "[Acme|Organization] owns [Rocket|Product].\n[Acme|Organization] created [Base|Product]."
MORE = "[Acme|Organization] replaces [Zeppelin|Product]."


def state_of(database: Database, home: Home) -> tuple[Any, ...]:
    """Hash, embedding, last summary time, recent episode times, burst flag and last reason of the only
    summary.
    """
    (found,) = rows(
        database, home,
        "SELECT facts_hash, embedding::text, summarised_at, recent, in_burst, last_reason FROM node_summary"
        " WHERE knowledge_space_id = %s",
    )  # fmt: skip
    return tuple(found)


def test_6_2_every_part_of_the_state_is_saved_by_refreshes_and_skips(
    database: Database, settings: Settings, home: Home
) -> None:
    clock = Clock()
    told = []
    for body in (FACTS, MORE, MORE.replace("Zeppelin", "Balloon")):
        take_in(database, settings, home, body)
        refresh_now(database, settings, home, now=clock)
        told.append(state_of(database, home))
        clock.move(minutes=1)
    times = [NOON + timedelta(minutes=number) for number in range(3)]
    assert decided(database, home) == {"first": 1, "drifted": 1, "burst": 1}
    first, refreshed, skipped = told
    assert first[2:] == (times[0], times[:1], False, "first")
    assert refreshed[2:] == (times[1], times[:2], False, "drifted")
    assert refreshed[0] != first[0]
    assert refreshed[1] != first[1]
    # Of a skip hash, embedding and time of the summary stay; what happened is noted.
    assert skipped[:3] == refreshed[:3]
    assert skipped[3:] == (times, True, "burst")


def test_6_2_one_skip_in_fifty_is_kept_for_review_and_the_newest_two_hundred_of_those(
    database: Database, settings: Settings, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tried with every second one and three."""
    assert (repository.SKIP_SAMPLE_INTERVAL, repository.MAX_STORED_SKIPS) == (50, 200)
    monkeypatch.setattr(repository, "SKIP_SAMPLE_INTERVAL", 2)
    monkeypatch.setattr(repository, "MAX_STORED_SKIPS", 3)
    with database.open_tenant(home.tenant_id) as tenant:
        patient = SpaceSettings(summary_drift_threshold=2.0)
        spaces.update_space_row(tenant, home.space_id, actor="test", settings=patient)
    clock = Clock()
    take_in(database, settings, home, FACTS)
    refresh_now(database, settings, home, now=clock)
    for _ in range(9):
        clock.move(hours=1)
        refresh_now(database, settings, home, whole=True, now=clock)
    assert decided(database, home) == {"first": 1, "unchanged": 9}
    kept = report_of(database, home).skips
    # Skips 1, 3, 5, 7 and 9 were drawn, of which the first two had to make room.
    assert [skip.at for skip in kept] == [NOON + timedelta(hours=hour) for hour in (9, 7, 5)]
