"""Erasing a tenant: access ends at once, whoever dies is followed, and a receipt says what went."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import URL, create_engine, text

from app.db.database import Database
from app.db.engine import convert_to_psycopg_url
from app.errors import NotFound, Unauthenticated
from app.ids import SpaceId
from app.jobs.kinds import DeleteSpace
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import job as deletion
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from app.tenancy.spaces.shapes import DeletionState
from app.tenancy.tenants import api_keys, budgets
from app.tenancy.tenants import service as tenants
from tests.conftest import Home, under
from tests.support.communities import take_in
from tests.support.ingest import picture
from workers.runner import Runner
from workers.sweeper import sweep_and_wake_if_jobs_wait

NOTE = "[Ada|Person] knows [Bob|Person]. [Bob|Person] knows [Cy|Person]."


@pytest.fixture
def looks(privileged_url: URL) -> Iterator[Callable[..., Any]]:
    """Looks at the tables past all walls."""
    engine = create_engine(convert_to_psycopg_url(privileged_url.render_as_string(hide_password=False)))

    def look(statement: str, **values: Any) -> list[Any]:
        with engine.begin() as connection:
            return list(connection.execute(text(statement), values))

    yield look
    engine.dispose()


@pytest.fixture
def filled(database: Database, settings: Settings, home: Home, twin: Home) -> Home:
    for owner in (home, twin):
        take_in(database, settings, owner, note=NOTE)
    return home


def traces(looks: Callable[..., Any], home: Home) -> dict[str, int]:
    """Rows of any table that hold the tenant's or its space's id or a word of its text."""
    tables = [row[0] for row in looks("SELECT relname FROM pg_stat_user_tables ORDER BY relname")]
    found = {}
    for table in tables:
        wanted = [f"%{home.tenant_id}%", f"%{home.space_id}%"]
        ((count,),) = looks(
            f'SELECT count(*) FROM "{table}" AS table_row WHERE table_row::text LIKE ANY(:wanted)',
            wanted=wanted,
        )
        if count:
            found[table] = count
    return found


def runner(database: Database, settings: Settings) -> Runner:
    return Runner(under(database, settings), settings, {DeleteSpace.kind: deletion.delete_space_in_steps})


def erasures(database: Database, home: Home) -> list[Any]:
    with database.open_platform() as platform:
        found = audit.list_entries(platform, AuditFilter(object_id=home.tenant_id))
    return [entry for entry in found if entry.action == "tenant.erase"]


class TestASmallTenant:
    def test_goes_at_once_with_a_receipt(
        self, database: Database, filled: Home, twin: Home, looks: Callable[..., Any]
    ) -> None:
        before = picture(database, twin)
        ((nodes,),) = looks(
            "SELECT count(*) FROM graph_node WHERE knowledge_space_id = :id", id=filled.space_id
        )
        receipt = tenant_deletion.delete_tenant(database, filled.tenant_id, actor="operator")
        assert receipt.state is DeletionState.DONE
        assert receipt.rows["tenant"] == receipt.rows["knowledge_space"] == 1
        assert receipt.rows["graph_node"] == nodes > 0
        assert traces(looks, filled) == {"audit_event": 1}
        (kept,) = erasures(database, filled)
        assert (kept.actor, kept.details) == ("operator", receipt.rows)
        assert picture(database, twin) == before

    def test_is_not_found_a_second_time(self, database: Database, filled: Home) -> None:
        tenant_deletion.delete_tenant(database, filled.tenant_id, actor="operator")
        with pytest.raises(NotFound):
            tenant_deletion.delete_tenant(database, filled.tenant_id, actor="operator")


class TestALargeTenant:
    @pytest.fixture(autouse=True)
    def large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Any space counts as large."""
        monkeypatch.setattr(spaces, "MAX_ROWS_OF_SMALL_SPACE", 1)
        monkeypatch.setattr(deletion, "BATCH_ROWS", 5)

    def test_is_found_by_nobody_from_the_first_commit_on(self, database: Database, filled: Home) -> None:
        with database.open_tenant(filled.tenant_id) as tenant:
            name = tenants.get_session_tenant(tenant).name
            _, token = api_keys.create_key(tenant, name="k", scopes=["read"], actor="test")
        receipt = tenant_deletion.delete_tenant(database, filled.tenant_id, actor="operator")
        assert receipt.state is DeletionState.DELETING
        with pytest.raises(NotFound), database.open_space(filled.tenant_id, filled.space_id):
            pass
        with database.open_platform() as platform:
            with pytest.raises(Unauthenticated):
                api_keys.authenticate_key_and_record_use(platform, token.token)
            for wanted in (filled.tenant_id, name):
                with pytest.raises(NotFound):
                    tenants.get_tenant(platform, wanted)
            assert filled.tenant_id not in [tenant.id for tenant in tenants.list_tenants(platform)]
            assert tenants.create_tenant(platform, name=name, actor="test").name == name

    def test_the_jobs_and_the_sweep_do_the_rest(
        self, database: Database, settings: Settings, filled: Home, twin: Home, looks: Callable[..., Any]
    ) -> None:
        before = picture(database, twin)
        ((chunks,),) = looks(
            "SELECT count(*) FROM knowledge_chunk WHERE knowledge_space_id = :id", id=filled.space_id
        )
        tenant_deletion.delete_tenant(database, filled.tenant_id, actor="operator")
        worker = runner(database, settings)
        worker.drain()
        sweep_and_wake_if_jobs_wait(database)
        assert traces(looks, filled) == {"audit_event": 1}
        (kept,) = erasures(database, filled)
        assert kept.actor == "operator"
        assert kept.details["knowledge_chunk"] == chunks
        assert kept.details["knowledge_space"] == kept.details["tenant"] == 1
        assert picture(database, twin) == before

    def test_who_died_after_the_first_commit_is_followed(
        self, database: Database, settings: Settings, filled: Home, looks: Callable[..., Any]
    ) -> None:
        with database.open_platform() as platform:
            tenants.close_tenant_and_delete_keys_and_accounts(platform, filled.tenant_id, actor="operator")
        worker = runner(database, settings)
        sweep_and_wake_if_jobs_wait(database)
        with pytest.raises(NotFound), database.open_space(filled.tenant_id, filled.space_id):
            pass
        sweep_and_wake_if_jobs_wait(database)
        jobs = looks("SELECT count(*) FROM job WHERE kind = :kind", kind=DeleteSpace.kind)
        assert [tuple(job) for job in jobs] == [(1,)]
        worker.drain()
        sweep_and_wake_if_jobs_wait(database)
        assert traces(looks, filled) == {"audit_event": 1}

    def test_what_a_request_made_meanwhile_goes_too(
        self, database: Database, settings: Settings, filled: Home, looks: Callable[..., Any]
    ) -> None:
        """A key is believed for some seconds: what it made in them goes with the tenant."""
        tenant_deletion.delete_tenant(database, filled.tenant_id, actor="operator")
        with database.open_tenant(filled.tenant_id) as tenant:
            _, token = api_keys.create_key(tenant, name="late", scopes=["read"], actor="test")
            spaces.create_space(
                tenant, name="late", actor="t", embedding_model="hashed-ngrams-256", embedding_dimensions=256
            )
        worker = runner(database, settings)
        sweep_and_wake_if_jobs_wait(database)
        with database.open_platform() as platform, pytest.raises(Unauthenticated):
            api_keys.authenticate_key_and_record_use(platform, token.token)
        worker.drain()
        sweep_and_wake_if_jobs_wait(database)
        assert traces(looks, filled) == {"audit_event": 1}


def test_what_a_deleted_space_cost_counts_on(database: Database, filled: Home) -> None:
    """Else whoever deletes a space has its share of the month's budget again."""
    with database.open_platform() as platform:
        budgets.set_budget_and_unpark_jobs(platform, filled.tenant_id, 10, actor="operator")
    with database.open_space(filled.tenant_id, filled.space_id) as space:
        tenants.add_to_daily_usage(space, space_id=space.space_id, cost_usd=4, prompt_tokens=70)
    with database.open_tenant(filled.tenant_id) as tenant:
        second = spaces.create_space(
            tenant, name="second", actor="t", embedding_model="hashed-ngrams-256", embedding_dimensions=256
        )
    spaces.delete_space(database, filled.tenant_id, filled.space_id, actor="test")
    with database.open_space(filled.tenant_id, SpaceId(second.id)) as space:
        left = budgets.read_remaining_month_budget_usd(space)
    assert left is not None
    assert float(left) == 6
