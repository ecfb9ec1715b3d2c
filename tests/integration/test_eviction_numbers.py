"""The numbers of requirement 12: defaults of the platform, overridden by the platform's or the space's
own.
"""

from datetime import timedelta
from math import log
from typing import Any

import pytest

from app.db.database import Database
from app.derived.eviction import policies
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.evictions import make_older, set_recalls, take_in

DAY = timedelta(days=1)
EXPIRED: dict[str, Any] = {"eviction": "ttl", "eviction_ttl_days": 0.001}
LITTLE: dict[str, Any] = {"eviction": "recall_based", "eviction_min_value": 0.1}
WHOSE = pytest.mark.parametrize("whose", ["platform", "space"])


@pytest.fixture
def notes(database: Database, settings: Settings, home: Home, twin: Home) -> tuple[Home, Home]:
    """Two like spaces of three chunks without claims, from 10 days old to 8."""
    for where in (home, twin):
        take_in(
            database,
            settings,
            where,
            **{f"note{n}": f"[Thing{n}|Product] and [Ada|Person]." for n in range(3)},
        )
        for number in range(3):
            make_older(database, where, f"note{number}", (10 - number) * DAY)
        set_recalls(database, where, "note0", 3, 1.5, 14 * DAY)
    return home, twin


def planned(
    database: Database, where: Home, policy: dict[str, Any], whose: str, **numbers: Any
) -> dict[str, float]:
    """The title of each chunk that would go, with its value, by the platform's numbers or the space's own."""
    own = numbers if whose == "space" else {}
    with database.open_tenant(where.tenant_id) as tenant:
        spaces.update_space_row(tenant, where.space_id, actor="test", settings=SpaceSettings(**policy, **own))
    platform = Settings(**numbers) if whose == "platform" else Settings()
    with under(database, platform).open_space(where.tenant_id, where.space_id) as space:
        return {
            passage.document_title: passage.value for passage in policies.list_evictable_chunks(space).listed
        }


@WHOSE
def test_12_1_a_value_goes_by_weights_and_half_life(
    database: Database, notes: tuple[Home, Home], whose: str
) -> None:
    """note0 was recalled three times, at 0.5 each, and last a fortnight ago."""

    def value(**numbers: Any) -> float:
        return planned(database, notes[0], EXPIRED, whose, **numbers)["note0"]

    default = pytest.approx(0.3 * log(4) + 0.5 * 0.5 + 0.2 * 0.5 ** (14 / 30), rel=1e-4)
    assert value() == default
    assert value(recall_weights=[2.0, 0.0, 0.0]) == pytest.approx(2 * log(4))
    assert value(recall_weights=[0.0, 10.0, 0.0]) == pytest.approx(5)
    assert value(recall_weights=[0.0, 0.0, 8.0], recall_half_life_days=7.0) == pytest.approx(2, rel=1e-4)
    assert planned(database, notes[1], EXPIRED, "space")["note0"] == default


@WHOSE
def test_12_2_recall_based_leaves_alone_what_is_younger_than_the_grace(
    database: Database, notes: tuple[Home, Home], whose: str
) -> None:
    for grace, gone in ((8.5, {"note1"}), (7.0, {"note1", "note2"}), (9.5, set())):
        found = planned(database, notes[0], LITTLE, whose, eviction_grace_days=grace)
        assert set(found) == gone
    assert set(planned(database, notes[1], LITTLE, "space")) == {"note1", "note2"}


def test_the_space_goes_before_the_platform(database: Database, notes: tuple[Home, Home]) -> None:
    planned(database, notes[0], LITTLE, "space", eviction_grace_days=9.5)
    platform = under(database, Settings(eviction_grace_days=0))
    with platform.open_space(notes[0].tenant_id, notes[0].space_id) as space:
        assert policies.list_evictable_chunks(space).evictable == 0
