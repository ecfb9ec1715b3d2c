"""Replicas behind the doors: every call that reads, a replica that dies, and what is told of them."""

import secrets
import threading
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from app.db.doctor.examination import examine_database
from app.db.replicas.read_route import (
    ReadRoute,
    get_current_route,
    retry_work_on_primary,
    route_reads_to_fresh_replica,
)
from app.http.replica_reads import MAX_KEPT_BYTES, ReplicaReads
from app.main import create_app
from app.tenancy.accounts import service as accounts
from app.tenancy.accounts.roles import Role
from app.wiring import Citegraph, assemble_citegraph
from tests.api import routes
from tests.api.conftest import OPERATOR_KEY, World, open_account
from tests.dashboard.conftest import BASE, Browser
from tests.replicas.conftest import Pair, Process
from tests.support.dashboard_pages import find_pages
from tests.support.replica import wait_until
from workers.broker import Broker

# Where others than the tenant write, and where something is noted: on the primary for these reasons.
ON_THE_PRIMARY = {
    "/v1/api-keys": "asks for the right to change keys",
    "/v1/audit": "asks for the right of an administrator",
    "/v1/audit.csv": "the same",
    "/v1/quotas": "counts as the platform does",
    "/v1/spaces/{space_id}/export": "is noted in the audit log",
    "/v1/spaces/{space_id}/golden/runs": "a run is a job",
    "/v1/spaces/{space_id}/golden/runs/{golden_run_id}": "the same",
    "/v1/spaces/{space_id}/jobs": "workers write jobs",
    "/v1/spaces/{space_id}/jobs/{job_id}": "the same",
    "/v1/spaces/{space_id}/jobs/{job_id}/events": "the same",
    "/v1/spaces/{space_id}/trials": "a trial is a job",
    "/v1/spaces/{space_id}/trials/{trial_id}": "the same",
    "/v1/spaces/{space_id}/graph/duplicates": "keeps the pairs that it worked out",
    "/v1/spaces/{space_id}/graph/nodes/{node_id}/tags/suggest": "suggests for a change",
}


@pytest.fixture
def process(pair: Pair) -> Iterator[Process]:
    """The process that serves."""
    with pair.process(pool_size=4, operator_key=OPERATOR_KEY) as opened:
        yield opened


@pytest.fixture
def citegraph(process: Process) -> Iterator[Citegraph]:
    """The parts of it."""
    parts = assemble_citegraph(process.settings, process.database, Broker("redis://127.0.0.1:1/0"))
    yield parts
    parts.close()


@pytest.fixture
def world(pair: Pair, process: Process, citegraph: Citegraph) -> Iterator[World]:
    """Two tenants with documents that were read, as both servers have them."""
    with TestClient(create_app(citegraph)) as http:
        letter = secrets.token_hex(3).upper()
        account = open_account(citegraph, http, letter)
        pair.replica.catch_up()
        process.look()
        yield World(citegraph, http, account, account)


@pytest.mark.soak
class TestEveryCall:
    def test_that_only_reads_is_answered_by_the_replica(
        self, pair: Pair, process: Process, world: World
    ) -> None:
        """None of them writes, locks or asks for what a replica does not allow: it would be failed there."""
        wrong = {}
        for operation in routes.operations(world.http.get("/openapi.json").json()):
            if operation.scope != "read" or operation.path in ON_THE_PRIMARY:
                continue
            answered = asked(pair, process, world, operation)
            if answered != {("1", "fresh")}:
                wrong[operation.key] = answered
        assert wrong == {}

    def test_that_is_for_the_primary_never_asks_a_replica(
        self, pair: Pair, process: Process, world: World
    ) -> None:
        found = set()
        for operation in routes.operations(world.http.get("/openapi.json").json()):
            if (
                operation.path in ON_THE_PRIMARY
                and operation.method == "GET"
                and not operation.path.endswith("/events")
            ):
                assert asked(pair, process, world, operation) == set(), operation.key
                found.add(operation.path)
        assert len(found) >= 5

    @pytest.mark.soak
    def test_page_of_the_dashboard_is_shown(self, pair: Pair, process: Process, world: World) -> None:
        with world.citegraph.database.open_tenant(world.a.home.tenant_id) as tenant:
            token = accounts.create_invitation_link_token(
                tenant, email=f"a{secrets.token_hex(4)}@example.com", role=Role.ADMIN, actor="test"
            )
        browser = Browser(TestClient(create_app(world.citegraph), base_url=BASE))
        browser.get(f"/dashboard/links/{token}")
        browser.post(f"/dashboard/links/{token}", password="correct horse battery")
        pair.replica.catch_up()
        process.look()
        process.counted()

        def fetch(path: str) -> tuple[int, str, str]:
            answer = browser.http.get(path, follow_redirects=True)
            return answer.status_code, answer.headers.get("content-type", ""), answer.text

        pages = find_pages(fetch)
        assert len(pages) > 10
        counted = process.counted()
        assert counted[("1", "fresh")] > 10
        assert ("primary", "failed") not in counted


def asked(pair: Pair, process: Process, world: World, operation: routes.Operation) -> set[tuple[str, ...]]:
    """The reads that were counted of one call, once none of it was for want of a replica that is near."""
    found: set[tuple[str, ...]] = set()

    def is_told() -> bool:
        pair.replica.catch_up()
        process.look()
        process.counted()
        answer = operation.send(world, world.a)
        assert answer.status_code < 300, (operation.key, answer.text)
        found.clear()
        found.update(process.counted())
        return not found & {("primary", "none_near"), ("primary", "unknown"), ("primary", "behind")}

    wait_until(is_told, f"an answer to {operation.key}", found=lambda: (found, process.replicas.replicas))
    return found


@pytest.mark.soak
class TestAReplicaThatDies:
    @pytest.mark.soak
    def test_under_load_fails_nobody(self, pair: Pair, process: Process, world: World) -> None:
        """Six callers go on asking while it is killed and started again: each gets all its answers."""
        question = {"question": "What did Michael Stonebraker create?"}
        calls = [
            lambda: world.http.get(f"{world.a.space}/graph/nodes", headers=world.a.bearer()),
            lambda: world.http.post(
                f"{world.a.space}/graph/explain", json=question, headers=world.a.bearer()
            ),
        ]
        statuses: list[int] = []
        done = threading.Event()

        def go_on(number: int) -> None:
            while not done.is_set():
                statuses.append(calls[number % 2]().status_code)

        threads = [threading.Thread(target=go_on, args=(number,)) for number in range(6)]
        process.counted()
        for thread in threads:
            thread.start()
        try:
            seen: dict[tuple[str, ...], float] = {}

            def more(labels: tuple[str, ...], least: float) -> bool:
                for count, amount in process.counted().items():
                    seen[count] = seen.get(count, 0.0) + amount
                return seen.get(labels, 0.0) >= least

            wait_until(lambda: more(("1", "fresh"), 20), "reads of the replica", found=lambda: seen)
            pair.replica.kill()
            answered = len(statuses)
            wait_until(
                lambda: len(statuses) > answered + 40, "answers without it", found=lambda: statuses[-1:]
            )
            pair.replica.start()
            seen.clear()
            wait_until(lambda: more(("1", "fresh"), 20), "reads of it again", found=lambda: seen)
        finally:
            done.set()
            for thread in threads:
                thread.join()
        assert set(statuses) == {200}

    def test_is_told_by_readiness_and_metrics(self, pair: Pair, process: Process, world: World) -> None:
        def states() -> object:
            world.http.app.state.readiness._until = 0.0  # type: ignore[attr-defined]
            answer = world.http.get("/readyz")
            assert answer.status_code == 200
            return answer.json()["replicas"]

        in_sync = {"in_sync": 1, "lagging": 0, "unreachable": 0}
        unreachable = {"in_sync": 0, "lagging": 0, "unreachable": 1}
        wait_until(lambda: states() == in_sync, "the replica to be in sync", found=states)
        world.http.get(f"{world.a.space}/graph/nodes", headers=world.a.bearer())
        metrics = world.http.get("/metrics").text
        assert 'citegraph_replica_lag_seconds{replica="1"}' in metrics
        assert "citegraph_replica_reads_total{" in metrics
        pair.replica.kill()
        wait_until(lambda: states() == unreachable, "its end to be seen", found=states)
        pair.replica.start()
        wait_until(lambda: states() == in_sync, "it to be in sync again", found=states)


@pytest.mark.soak
class TestTheDoctor:
    def test_examines_each_replica(self, pair: Pair, process: Process) -> None:
        (replica,) = process.replicas.replicas
        pair.replica.catch_up()
        found = {verdict.subject: verdict for verdict in examine_database(process.database).verdicts}
        assert found[f"replica {replica.address}"].state == "ok"

    def test_says_that_one_is_no_replica(self, pair: Pair) -> None:
        with pair.process(replica_urls=pair.settings.database_url) as process:
            (replica,) = process.replicas.replicas
            found = {verdict.subject: verdict for verdict in examine_database(process.database).verdicts}
        verdict = found[f"replica {replica.address}"]
        assert verdict.state == "problem"
        assert "it takes writes" in verdict.sentences[0]

    def test_says_that_a_login_goes_round_row_security(self, pair: Pair) -> None:
        with pair.process(replica_urls=pair.replica.url(pair.database, user="postgres")) as process:
            (replica,) = process.replicas.replicas
            found = {verdict.subject: verdict for verdict in examine_database(process.database).verdicts}
        verdict = found[f"replica {replica.address}"]
        assert verdict.state == "problem"
        assert "may bypass row security" in verdict.sentences[0]

    def test_warns_of_one_that_does_not_answer(self, pair: Pair) -> None:
        with pair.process(replica_urls="postgresql://citegraph_app@127.0.0.1:1/none") as process:
            (replica,) = process.replicas.replicas
            found = {verdict.subject: verdict for verdict in examine_database(process.database).verdicts}
        assert found[f"replica {replica.address}"].state == "warning"


class Failing:
    """An application whose first answer fails on a replica, and which answers with what it read."""

    def __init__(self, *, raises: bool = False, begins: bool = False) -> None:
        self.raises, self.begins = raises, begins
        self.bodies: list[bytes] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message["body"], message.get("more_body", False)
        self.bodies.append(body)
        route = get_current_route()
        assert route is not None
        route.has_failed = True
        if self.begins:
            await send({"type": "http.response.start", "status": 200, "headers": []})
        if not route.reads_primary and self.raises:
            raise ConnectionError
        if not self.begins:
            status = 200 if route.reads_primary else 503
            await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": b"done"})


class TestOnceMore:
    @pytest.mark.parametrize("raises", [True, False])
    def test_what_a_replica_failed_is_asked_of_the_primary_with_the_same_body(self, raises: bool) -> None:
        app = Failing(raises=raises)
        answer = TestClient(ReplicaReads(app)).post("/v1/spaces", content=b"all of it")
        assert (answer.status_code, app.bodies) == (200, [b"all of it"] * 2)

    def test_an_answer_that_has_begun_is_not_begun_again(self) -> None:
        app = Failing(raises=True, begins=True)
        with pytest.raises(ConnectionError):
            TestClient(ReplicaReads(app)).get("/v1/spaces")
        assert len(app.bodies) == 1

    def test_a_body_too_large_to_keep_has_one_try(self) -> None:
        app = Failing()
        answer = TestClient(ReplicaReads(app)).post("/v1/spaces", content=b"x" * (MAX_KEPT_BYTES + 1))
        assert (answer.status_code, answer.content, len(app.bodies)) == (503, b"done", 1)

    def test_a_tool_is_run_once_more(self) -> None:
        seen: list[ReadRoute | None] = []

        def work() -> str:
            route = get_current_route()
            assert route is not None
            seen.append(route)
            if not route.reads_primary:
                route.has_failed = True
                raise ConnectionError
            return "answered"

        with route_reads_to_fresh_replica():
            assert retry_work_on_primary(work) == "answered"
        assert len(seen) == 2

    def test_a_failure_of_the_primary_stays_one(self) -> None:
        def work() -> None:
            raise ConnectionError

        with route_reads_to_fresh_replica(), pytest.raises(ConnectionError):
            retry_work_on_primary(work)
