"""Changes of a space's settings that meet: each changes what it names, and none takes the other's back."""

import threading

import pytest

from app.db.database import Database
from app.errors import InvalidInput
from app.tenancy.spaces import service as spaces
from tests.conftest import Home


def test_two_changes_at_once_of_different_settings_both_count(database: Database, home: Home) -> None:
    begun, done = threading.Event(), threading.Event()

    def second() -> None:
        begun.wait(10)
        with database.open_tenant(home.tenant_id) as tenant:
            spaces.update_space_row(tenant, home.space_id, actor="second", setting_changes={"fan_out": 20})
        done.set()

    thread = threading.Thread(target=second)
    thread.start()
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space_row(tenant, home.space_id, actor="first", setting_changes={"budget_usd": 5.0})
        begun.set()
        # It waits for the row: what it changes is what this transaction leaves.
        assert not done.wait(0.5)
    thread.join(10)
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert spaces.get_open_space_row(space).settings == {"budget_usd": 5.0, "fan_out": 20}


@pytest.mark.parametrize("name", ["Bad Type!", "", "Works_for", "9lives", "a b", "é", "a" * 65, "works-for"])
def test_a_relation_type_that_no_edge_could_store_is_refused_where_it_is_set(
    database: Database, home: Home, name: str
) -> None:
    """Review B11: by the rule that every door goes through."""
    with pytest.raises(InvalidInput, match="snake_case"), database.open_tenant(home.tenant_id) as tenant:
        changes = {"extra_relation_types": ["works_for", name]}
        spaces.update_space_row(tenant, home.space_id, actor="test", setting_changes=changes)
    with database.open_tenant(home.tenant_id) as tenant:
        changed = spaces.update_space_row(
            tenant, home.space_id, actor="test", setting_changes={"extra_relation_types": ["orbits_2"]}
        )
        assert changed.settings["extra_relation_types"] == ["orbits_2"]
