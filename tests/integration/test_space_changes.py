"""Changes of a space's settings that meet: each changes what it names, and none takes the other's back."""

import threading

from app.db.session import Database
from app.spaces import service as spaces
from tests.conftest import Home


def test_two_changes_at_once_of_different_settings_both_count(database: Database, home: Home) -> None:
    begun, done = threading.Event(), threading.Event()

    def second() -> None:
        begun.wait(10)
        with database.open_tenant(home.tenant_id) as tenant:
            spaces.update_space(tenant, home.space_id, actor="second", setting_changes={"fan_out": 20})
        done.set()

    thread = threading.Thread(target=second)
    thread.start()
    with database.open_tenant(home.tenant_id) as tenant:
        spaces.update_space(tenant, home.space_id, actor="first", setting_changes={"budget_usd": 5.0})
        begun.set()
        # It waits for the row: what it changes is what this transaction leaves.
        assert not done.wait(0.5)
    thread.join(10)
    with database.open_space(home.tenant_id, home.space_id) as space:
        assert spaces.describe(space).settings == {"budget_usd": 5.0, "fan_out": 20}
