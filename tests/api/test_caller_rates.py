"""How often a key and its tenant may ask: buckets in Valkey, smaller ones of the process without it."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.http import shared_buckets
from app.http.shared_buckets import (
    FIRST_PAUSE_SECONDS,
    OWN_SHARE,
    PAUSE_SECONDS,
    Bucket,
    SharedBuckets,
    TokenGrant,
)
from app.main import create_app
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from app.wiring import assemble_citegraph
from tests.api.conftest import Account, World
from tests.conftest import under


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    with EmbeddedValkey(tmp_path / "valkey") as server:
        yield server


def bucket(name: str = "a", *, rate: float = 0.001, burst: int = 8, policy: str = "key") -> Bucket:
    return Bucket(policy, name, rate, burst)


def take(shared: SharedBuckets, *buckets: Bucket, times: int = 1) -> list[TokenGrant]:
    async def run() -> list[TokenGrant]:
        return [await shared.take_tokens(buckets) for _ in range(times)]

    return asyncio.run(run())


class TestSharedBuckets:
    def test_two_processes_take_from_one_bucket(self, valkey: EmbeddedValkey) -> None:
        one, other = SharedBuckets(valkey.url()), SharedBuckets(valkey.url())
        assert [decision.is_allowed for decision in take(one, bucket(), times=5)] == [True] * 5
        assert [decision.is_allowed for decision in take(other, bucket(), times=5)] == [True] * 3 + [
            False
        ] * 2
        assert take(one, bucket("b"))[0].is_allowed, "another key has its own"

    def test_a_refusal_costs_no_other_bucket_a_token(self, valkey: EmbeddedValkey) -> None:
        shared = SharedBuckets(valkey.url())
        tenant = bucket("t", policy="tenant")
        take(shared, bucket(burst=1), tenant, times=4)
        assert round(take(shared, bucket("b"), tenant)[0].remaining_tokens[1]) == 6

    def test_tokens_are_refilled_with_time(self, valkey: EmbeddedValkey) -> None:
        shared = SharedBuckets(valkey.url())
        quick = bucket(rate=20.0, burst=1)
        assert [decision.is_allowed for decision in take(shared, quick, times=2)] == [True, False]
        time.sleep(0.1)
        assert take(shared, quick)[0].is_allowed

    def test_without_valkey_each_process_has_a_smaller_one(self) -> None:
        shared = SharedBuckets("redis://127.0.0.1:1/0")
        taken = take(shared, bucket(), times=4)
        assert [decision.is_allowed for decision in taken] == [True] * int(8 * OWN_SHARE) + [False] * 2
        assert taken[0].buckets[0].burst == 2

    def test_a_hung_valkey_is_waited_for_once_and_briefly(
        self, valkey: EmbeddedValkey, tmp_path: Path
    ) -> None:
        shared = SharedBuckets(valkey.url())
        assert take(shared, bucket())[0].buckets[0].burst == 8
        pid = int(next((tmp_path / "valkey").rglob("valkey.pid")).read_text())
        os.kill(pid, signal.SIGSTOP)
        try:
            started = time.monotonic()
            taken = take(shared, bucket(), times=50)
            seconds = time.monotonic() - started
        finally:
            os.kill(pid, signal.SIGCONT)
        assert sum(decision.is_allowed for decision in taken) == 2
        assert seconds < 0.1 + 0.1, "all fifty together, of which one waits"

    @pytest.mark.soak
    def test_a_valkey_that_was_late_is_asked_again_soon_and_a_hung_one_ever_later(
        self, valkey: EmbeddedValkey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A machine that was busy for a moment takes no customer's requests away for seconds."""
        # So that this machine may be busy too.
        monkeypatch.setattr(shared_buckets, "WAIT_SECONDS", 0.4)
        now = [100.0]
        shared = SharedBuckets(valkey.url(), clock=lambda: now[0])

        def is_shared(*, after: float) -> bool:
            now[0] += after
            return take(shared, bucket(burst=100))[0].buckets[0].burst == 100

        assert is_shared(after=0)
        pid = int(next((tmp_path / "valkey").rglob("valkey.pid")).read_text())
        os.kill(pid, signal.SIGSTOP)
        try:
            assert not is_shared(after=0)
            os.kill(pid, signal.SIGCONT)
            assert not is_shared(after=FIRST_PAUSE_SECONDS / 2)
            assert is_shared(after=FIRST_PAUSE_SECONDS)
            os.kill(pid, signal.SIGSTOP)
            assert [is_shared(after=PAUSE_SECONDS) for _ in range(6)] == [False] * 6
        finally:
            os.kill(pid, signal.SIGCONT)
        assert not is_shared(after=PAUSE_SECONDS - 1)
        assert is_shared(after=2)


class TestRequests:
    @pytest.fixture
    def http(self, world: World, valkey: EmbeddedValkey) -> Iterator[TestClient]:
        given = world.citegraph.settings
        settings = Settings(
            **{
                **given.model_dump(exclude_unset=True),
                "redis_url": valkey.url(),
                "key_rate": 0.01,
                "key_burst": 3,
                "tenant_rate": 0.01,
                "tenant_burst": 5,
            }
        )
        database = under(world.citegraph.database, settings)
        parts = assemble_citegraph(settings, database, world.citegraph.broker)
        with TestClient(create_app(parts)) as http:
            yield http

    def test_past_the_limit_of_a_key_and_of_its_tenant(self, http: TestClient, guest: Account) -> None:
        answers = [http.get("/v1/spaces", headers=guest.bearer()) for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        first, last = answers[0], answers[-1]
        assert first.headers["ratelimit-policy"] == '"key";q=3;w=300, "tenant";q=5;w=500'
        assert first.headers["ratelimit"] == '"key";r=2;t=100, "tenant";r=4;t=100'
        assert last.json()["code"] == "rate_limited"
        assert 90 <= int(last.headers["retry-after"]) <= 100
        assert last.headers["ratelimit"].startswith('"key";r=0;')
        assert last.headers["x-request-id"] == last.json()["request_id"]
        others = [http.get("/v1/spaces", headers=guest.bearer("read")) for _ in range(3)]
        assert [response.status_code for response in others] == [200, 200, 429], (
            "the tenant's five are used up"
        )

    def test_other_tenants_are_not_limited(self, http: TestClient, world: World, guest: Account) -> None:
        for _ in range(6):
            http.get("/v1/spaces", headers=guest.bearer())
        assert http.get("/v1/spaces", headers=world.b.bearer()).status_code == 200

    def test_who_has_no_key_takes_no_token(self, http: TestClient, guest: Account) -> None:
        for _ in range(9):
            answer = http.get("/v1/spaces", headers={"authorization": guest.bearer()["authorization"] + "x"})
            assert answer.status_code == 401
            assert "ratelimit" not in answer.headers
        assert http.get("/v1/spaces", headers=guest.bearer()).status_code == 200


def test_a_refusal_names_the_bucket_that_is_empty_also_where_its_rest_is_rounded_up() -> None:
    key, tenant = Bucket("key", "k", 1.0, 1), Bucket("tenant", "t", 1.0, 1)
    assert TokenGrant(False, [key, tenant], [3.0, 0.5]).refused_by is tenant
    assert TokenGrant(False, [key, tenant], [1.0, 1.0]).refused_by is key
