"""The operator's pages: tenants with budgets and limits, the queue, the database, the walls (issue 12.9)."""

import re
from uuid import UUID, uuid4

import psycopg
import pytest
from markupsafe import escape
from sqlalchemy import URL

from app.db import statistics
from app.db.engine import convert_to_conninfo
from app.ids import JobId, TenantId
from app.jobs import queue
from app.jobs.kinds import DetectCommunities
from app.tenancy.accounts import service as accounts
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.tenants import examinations
from app.tenancy.tenants import service as tenants
from tests.api.conftest import World
from tests.conftest import make_home
from tests.dashboard.conftest import Browser, browser_of
from tests.support.citus import only_on_a_cluster, unreachable
from tests.support.sent_statements import sent_statements

BASE = "/dashboard/operator"
MOST_STATEMENTS = 24


@pytest.fixture(scope="module")
def operator(world: World) -> Browser:
    """An operator, who is a member of tenant A."""
    with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
        token = accounts.create_operator_link_token(tenant, email="op@a.example", actor="test")
    browser = browser_of(world)
    browser.get(f"/dashboard/links/{token}")
    browser.post(f"/dashboard/links/{token}")
    browser.get("/dashboard?all=1")
    return browser


def made(browser: Browser, name: str) -> UUID:
    browser.get(BASE)
    browser.post(f"{BASE}/tenants", status=200, name=name)
    after = ""
    while True:
        page = browser.get(f"{BASE}/tenants{after}")
        found = re.search(rf'title="{name}" href="{BASE}/tenants/([0-9a-f-]+)"', page)
        if found:
            return UUID(found[1])
        further = re.search(r'href="(\?after=[0-9a-f-]+)"', page)
        assert further is not None
        after = further[1]


class TestTenants:
    def test_a_new_one_gets_a_key_that_is_shown_once(self, world: World, operator: Browser) -> None:
        name = f"new-{uuid4().hex[:8]}"
        operator.get(BASE)
        page = operator.post(f"{BASE}/tenants", status=200, name=name)
        token = re.search(r'value="(cg_live_[\w-]+)"', page)
        assert token is not None
        answer = world.http.get("/v1/spaces", headers={"authorization": f"Bearer {token[1]}"})
        assert answer.json()["items"] == []
        assert "exists" in operator.post(f"{BASE}/tenants", status=409, name=name)

    def test_name_budget_and_limits_change(self, world: World, operator: Browser) -> None:
        name = f"change-{uuid4().hex[:8]}"
        id = made(operator, name)
        place = f"{BASE}/tenants/{id}"
        operator.post(f"{place}/name", name=f"{name}-b")
        operator.post(f"{place}/budget", usd="12.50")
        operator.post(f"{place}/quotas", documents="7", nodes="")
        with world.citegraph.database.open_platform() as platform:
            found = tenants.get_tenant(platform, id)
            assert (found.name, found.settings["budget_usd"], found.quotas) == (
                f"{name}-b",
                12.5,
                {"documents": 7},
            )
            entries = audit.list_entries(platform, AuditFilter(action="tenant", object_id=id))
        assert {"tenant.create", "tenant.rename", "tenant.budget", "tenant.quota"} <= {
            entry.action for entry in entries
        }
        assert "$12.50" in operator.get(place)
        operator.post(f"{place}/budget", usd="")
        operator.post(f"{place}/quotas", documents="")
        with world.citegraph.database.open_platform() as platform:
            found = tenants.get_tenant(platform, id)
            assert "budget_usd" not in found.settings
            assert found.quotas == {}

    @pytest.mark.parametrize(
        ("act", "fields", "sentence"),
        [
            ("budget", {"usd": "much"}, "number of US dollars"),
            ("budget", {"usd": "-1"}, "number of US dollars"),
            ("budget", {"usd": "nan"}, "number of US dollars"),
            ("quotas", {"documents": "1.5"}, "whole number"),
            ("quotas", {"documents": "-1"}, "whole number"),
        ],
    )
    def test_bad_numbers_are_refused_in_words(
        self, operator: Browser, world: World, act: str, fields: dict[str, str], sentence: str
    ) -> None:
        operator.get(BASE)
        page = operator.post(f"{BASE}/tenants/{world.b.tenant_id}/{act}", status=422, **fields)
        assert sentence in page

    def test_one_is_erased_by_its_name_and_leaves_a_receipt(self, world: World, operator: Browser) -> None:
        name = f"erase-{uuid4().hex[:8]}"
        home = make_home(world.citegraph.database, name)
        place = f"{BASE}/tenants/{home.tenant_id}"
        with world.citegraph.database.open_platform() as platform:
            called = tenants.get_tenant(platform, home.tenant_id).name
        operator.get(place)
        assert "nothing was erased" in operator.post(f"{place}/delete", status=422, confirm="x")
        page = operator.post(f"{place}/delete", status=200, confirm=called)
        assert f'Erased: <span dir="auto">{called}' in page
        assert str(home.tenant_id) in page
        operator.get(place, status=404)

    def test_the_own_one_stays(self, world: World, operator: Browser) -> None:
        place = f"{BASE}/tenants/{world.a.tenant_id}"
        assert "cannot be deleted here" in operator.get(place)
        assert "your own tenant" in operator.post(f"{place}/delete", status=409, confirm="tenant-a")

    def test_no_page_shows_what_documents_say(self, world: World, operator: Browser) -> None:
        for path in ("", "/tenants", f"/tenants/{world.b.tenant_id}", "/queue", "/database"):
            page = operator.get(f"{BASE}{path}")
            assert world.b.canary not in page
            assert "Hidden" not in page

    def test_statements_do_not_grow_with_tenants(self, operator: Browser) -> None:
        for path in ("", "/tenants", "/queue", "/database"):
            operator.get(f"{BASE}{path}")
            with sent_statements() as sent:
                operator.get(f"{BASE}{path}")
            assert len(sent) <= MOST_STATEMENTS, path


class TestHealth:
    """The first page of the installation says what is away, what waits and what failed (review F2)."""

    def test_what_does_not_work_stands_first(self, world: World, operator: Browser) -> None:
        page = operator.get(BASE)
        states = re.findall(r'class="badge badge-(good|warn|bad)"><svg', page)
        assert states == sorted(states, key=["bad", "warn", "good"].index)
        # Nobody listens at the broker's address of these tests.
        assert "Valkey does not answer" in page
        assert "It answers, at schema" in page

    def test_failures_and_parked_jobs_are_told_by_their_codes(self, world: World, operator: Browser) -> None:
        database, home = world.citegraph.database, world.b.home
        with database.open_space(home.tenant_id, home.space_id) as space:
            failed, parked = (queue.enqueue(space, DetectCommunities()).id for _ in range(2))
            space.connection.execute(
                "UPDATE job SET state = 'failed', finalized_at = now(), error_code = 'odd_fault',"
                " error_message = 'CANARY_B' WHERE id = %s",
                [failed],
            )
            space.connection.execute(
                "UPDATE job SET error_code = 'model_away', run_after = now() + interval '1 hour'"
                " WHERE id = %s",
                [parked],
            )
        page = operator.get(BASE)
        assert "<code>odd_fault</code>" in page
        assert "<code>model_away</code>" in page
        assert world.b.canary not in page
        with database.open_space(home.tenant_id, home.space_id) as space:
            queue.cancel_job(space, JobId(parked))

    def test_a_node_that_does_not_answer_is_named_with_what_it_stops(
        self, world: World, operator: Browser, admin_url: URL, api_url: URL, pytestconfig: pytest.Config
    ) -> None:
        """Each node of a cluster is a part, with what it holds."""
        only_on_a_cluster(pytestconfig)
        address = convert_to_conninfo(admin_url.set(database=api_url.database))
        page = operator.get(BASE)
        assert "The coordinator answers." in page
        assert len(re.findall(r"It holds \d+ shards and [\d.]+ [kM]B\.", page)) == 2
        with psycopg.connect(address, autocommit=True) as coordinator:
            row = coordinator.execute("SELECT max(nodeid) FROM pg_dist_node").fetchone()
            assert row is not None
            with unreachable(coordinator, row[0]):
                page = operator.get(BASE)
        assert ">Node 127.0.0.1:9<" in page
        assert "Its spaces are not available until it is back; others are." in page


class TestQueue:
    def test_who_waits_is_shown_with_its_age(self, world: World, operator: Browser) -> None:
        database = world.citegraph.database
        with database.open_space(world.b.home.tenant_id, world.b.home.space_id) as space:
            job = queue.enqueue(space, DetectCommunities())
        page = operator.get(f"{BASE}/queue")
        assert str(world.b.tenant_id) in page
        with database.open_platform() as platform:
            lease = queue.claim_next_job(
                platform, kinds=[DetectCommunities.kind], worker="host:7", lease_seconds=60
            )
            assert lease is not None
            assert "host:7" in [lease.worker for lease in queue.list_held_leases(platform)]
        assert "host:7" in operator.get(f"{BASE}/queue")
        with database.open_space(world.b.home.tenant_id, world.b.home.space_id) as space:
            queue.cancel_job(space, job.id)  # type: ignore[arg-type]


class TestDatabase:
    def test_sizes_are_told_and_statements_or_how_to_count_them(
        self, world: World, operator: Browser
    ) -> None:
        page = operator.get(f"{BASE}/database")
        assert "knowledge_chunk" in page
        with world.citegraph.database.open_platform() as platform:
            assert statistics.read_database_size(platform).bytes > 1_000_000
            slow = statistics.list_slowest_statements(platform)
            # The transaction goes on after the view was missing.
            assert statistics.list_table_sizes(platform)
        assert ("pg_stat_statements" in page) == (slow is None)


class TestWalls:
    def test_verdicts_are_kept_and_shown_to_admins_too(
        self, world: World, operator: Browser, viewer: Browser
    ) -> None:
        with world.citegraph.database.open_platform() as platform:
            before = examinations.find_last_examination(platform)
        assert ("Not examined" in operator.get(f"{BASE}/walls")) == (before is None)
        operator.post(f"{BASE}/walls/examine")
        with world.citegraph.database.open_platform() as platform:
            last = examinations.find_last_examination(platform)
        assert last is not None
        assert last.examined_by == "op@a.example"
        assert before is None or before.examined_at < last.examined_at
        report = last.report
        # A database that is a copy of a template lacks rights of its own: the doctor says so here.
        word = "Every wall holds." if report.is_healthy else "A wall is down"
        for page in (f"{BASE}/walls", f"/dashboard/tenants/{world.a.tenant_id}/walls"):
            shown = operator.get(page)
            assert word in shown
            assert all(str(escape(verdict.subject)) in shown for verdict in report.verdicts)
        viewer.get(f"/dashboard/tenants/{world.a.tenant_id}/walls", status=403)
        with world.citegraph.database.open_platform() as platform:
            entry = audit.list_entries(platform, AuditFilter(action="installation.examine"))[0]
        assert entry.details["healthy"] is report.is_healthy
        assert entry.details["subjects"] == len(report.verdicts)
        assert TenantId(world.a.home.tenant_id) != entry.tenant_id
