"""The numbers of requirement 7.1: defaults of the platform, overridden by the platform's or the space's
own.
"""

import pytest

from app.db.database import Database
from app.derived.communities.scheduling import get_detection_options_of_space
from app.derived.communities.shapes import DetectionOptions
from app.settings import Settings
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from tests.conftest import Home, under
from tests.support.communities import detect_now, members, take_in


def test_7_1_community_min_weight_is_a_half_by_default(
    database: Database, settings: Settings, home: Home
) -> None:
    """Summed over both directions: Ada and Bea have 0.3 + 0.2, Cid and Dov a single 0.49."""
    take_in(
        database, settings, home,
        note="[Ada|Person] knows [Bea|Person].\n[Bea|Person] uses [Ada|Person].\n[Cid|Person] knows [Dov|Person].",  # noqa: E501
    )  # fmt: skip
    with database.open_space(home.tenant_id, home.space_id) as space:
        space.connection.execute(
            "UPDATE graph_edge e SET weight = CASE WHEN n.canonical_name = 'Ada' THEN 0.3 WHEN"
            " n.canonical_name = 'Bea' THEN 0.2 ELSE 0.49 END FROM graph_node n WHERE n.knowledge_space_id ="
            " e.knowledge_space_id AND n.id = e.from_node_id AND e.knowledge_space_id = %s",
            [home.space_id],
        )
    detect_now(database, settings, home)
    assert list(members(database, home).values()) == [{"Ada", "Bea"}]


@pytest.mark.parametrize("whose", ["platform", "space"])
def test_7_1_weight_levels_and_seed_are_settings_of_the_platform_and_of_a_space(
    database: Database, settings: Settings, home: Home, whose: str
) -> None:
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert get_detection_options_of_space(space) == DetectionOptions(min_weight=0.5, levels=3, seed=1)
    if whose == "space":
        own = SpaceSettings(community_min_weight=0.0, community_levels=2, community_seed=0)
        with database.open_tenant(home.tenant_id) as tenant:
            spaces.update_space_row(tenant, home.space_id, actor="test", settings=own)
    else:
        own_platform = {"community_min_weight": 0.0, "community_levels": 2, "community_seed": 0}
        database = under(database, settings.model_copy(update=own_platform))
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert get_detection_options_of_space(space) == DetectionOptions(min_weight=0.0, levels=2, seed=0)
