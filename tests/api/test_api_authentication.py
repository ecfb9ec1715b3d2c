"""Callers are known from the headers: before the body, from a few queries, and no longer than a key lives."""

import secrets
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import anyio
import pytest
from sqlalchemy import event

from app.db.database import Database
from app.errors import Unauthenticated, Unavailable
from app.http import authentication
from app.http.authentication import Keyring
from app.ids import ApiKeyId
from app.tenancy.tenants import api_keys
from app.tenancy.tenants.api_key_token import create_token
from tests.api.conftest import Account, World


@contextmanager
def transactions(database: Database) -> Iterator[list[None]]:
    """The transactions that were begun meanwhile."""
    begun: list[None] = []

    def count(_connection: object) -> None:
        begun.append(None)

    event.listen(database.engine, "begin", count)
    try:
        yield begun
    finally:
        event.remove(database.engine, "begin", count)


def verify(keyring: Keyring, token: str) -> api_keys.Caller:
    return anyio.run(keyring.verify, token)


class TestKeyring:
    def test_a_key_is_looked_up_once_for_many_requests(self, world: World) -> None:
        keyring = Keyring(world.citegraph.database)
        with transactions(world.citegraph.database) as begun:
            callers = {verify(keyring, world.a.keys["read"]) for _ in range(100)}
        assert len(begun) == 1
        assert [caller.tenant_id for caller in callers] == [world.a.tenant_id]

    def test_requests_with_one_key_that_arrive_together_cost_one_query_for_each_thread(
        self, world: World
    ) -> None:
        keyring = Keyring(world.citegraph.database)

        async def together() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(50):
                    group.start_soon(keyring.verify, world.a.keys["read"])

        with transactions(world.citegraph.database) as begun:
            anyio.run(together)
        assert len(begun) <= 2

    def test_a_made_up_key_is_looked_up_once_and_a_malformed_one_never(self, world: World) -> None:
        keyring = Keyring(world.citegraph.database)
        made_up = create_token().token
        with transactions(world.citegraph.database) as begun:
            for token in [made_up] * 50 + ["", "cg_live_x", made_up + "!", "a" * 10_000] * 5:
                with pytest.raises(Unauthenticated):
                    verify(keyring, token)
        assert len(begun) == 1

    def test_another_secret_of_a_remembered_key_is_not_let_in(self, world: World) -> None:
        keyring = Keyring(world.citegraph.database)
        good = world.a.keys["read"]
        verify(keyring, good)
        with pytest.raises(Unauthenticated):
            verify(keyring, good[:-43] + secrets.token_urlsafe(32))
        verify(keyring, good)

    def test_a_key_revoked_elsewhere_ends_within_the_seconds_that_it_is_remembered(
        self, world: World, guest: Account
    ) -> None:
        keyring = Keyring(world.citegraph.database, seconds=0.4)
        with world.citegraph.database.open_tenant(guest.home.tenant_id) as tenant:
            key, token = api_keys.create_key(tenant, name="short", scopes=["read"], actor="test")
        verify(keyring, token.token)
        with world.citegraph.database.open_tenant(guest.home.tenant_id) as tenant:
            api_keys.revoke_key(tenant, ApiKeyId(key.id), actor="test")
        time.sleep(0.5)
        with pytest.raises(Unauthenticated):
            verify(keyring, token.token)

    def test_a_key_is_not_remembered_beyond_its_own_end(self, world: World, guest: Account) -> None:
        keyring = Keyring(world.citegraph.database, seconds=60.0)
        with world.citegraph.database.open_tenant(guest.home.tenant_id) as tenant:
            end = datetime.now(UTC) + timedelta(seconds=0.5)
            _, token = api_keys.create_key(tenant, name="x", scopes=["read"], actor="test", expires_at=end)
        verify(keyring, token.token)
        time.sleep(0.6)
        with pytest.raises(Unauthenticated):
            verify(keyring, token.token)

    def test_a_flood_of_made_up_keys_is_remembered_in_bounds_and_forgets_no_valid_one(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(authentication, "MAX_CACHED_TOKENS", 10)
        keyring = Keyring(world.citegraph.database)
        verify(keyring, world.a.keys["read"])
        for _ in range(30):
            with pytest.raises(Unauthenticated):
                verify(keyring, create_token().token)
        with transactions(world.citegraph.database) as begun:
            verify(keyring, world.a.keys["read"])
        assert begun == []
        assert len(keyring._refused_identities) == 10

    def test_a_known_key_does_not_wait_for_made_up_ones(
        self, world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Those that were never valid wait for threads of their own, and are refused in time."""
        monkeypatch.setattr(authentication, "_WAIT_SECONDS", 0.3)
        keyring = Keyring(world.citegraph.database, seconds=0.01)
        verify(keyring, world.a.keys["read"])

        async def beside() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(2):
                    group.start_soon(keyring._unknown_threads.run, lambda: time.sleep(1.0))
                await anyio.sleep(0.1)
                with pytest.raises(Unavailable):
                    await keyring.verify(create_token().token)
                started = time.monotonic()
                await keyring.verify(world.a.keys["read"])
                assert time.monotonic() - started < 0.3

        anyio.run(beside)


class TestBeforeTheBody:
    def test_without_a_key_the_answer_comes_before_the_body(
        self, world: World, address: tuple[str, int]
    ) -> None:
        """A client that declares a body and sends none of it: whoever reads first would wait for ever."""
        for path in (f"{world.a.space}/documents", "/v1/spaces", "/v1/tenants", "/v1/no-such-thing"):
            for key in ("", f"authorization: Bearer {create_token().token}\r\n"):
                with socket.create_connection(address, timeout=5) as connection:
                    head = f"POST {path} HTTP/1.1\r\nhost: x\r\n{key}content-type: application/json\r\n"
                    connection.sendall(f"{head}content-length: 1000\r\n\r\n".encode())
                    assert connection.recv(65_536).startswith(b"HTTP/1.1 401")

    def test_what_is_not_under_v1_needs_no_key(self, world: World) -> None:
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json"):
            assert world.http.get(path).status_code == 200

    @pytest.mark.parametrize("path", ["//v1/spaces", "/V1/spaces", "/v1%2fspaces", "/x/../v1/spaces"])
    def test_no_spelling_of_an_address_gets_around_the_key(self, world: World, path: str) -> None:
        assert world.http.get(path).status_code in (401, 404)

    def test_a_revoked_key_ends_at_once_where_it_was_revoked(self, world: World, guest: Account) -> None:
        made = world.http.post(
            "/v1/api-keys", headers=guest.bearer(), json={"name": "r", "scopes": ["read"]}
        ).json()
        bearer = {"authorization": f"Bearer {made['token']}"}
        with ThreadPoolExecutor(4) as pool:
            let_in = pool.map(lambda _: world.http.get("/v1/spaces", headers=bearer).status_code, range(20))
        assert set(let_in) == {200}
        revoked = world.http.delete(f"/v1/api-keys/{made['id']}", headers=guest.bearer("admin"))
        assert revoked.status_code == 204
        assert world.http.get("/v1/spaces", headers=bearer).status_code == 401
