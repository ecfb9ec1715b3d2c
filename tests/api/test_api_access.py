"""Anonymous, wrong scope, member: for every route of the OpenAPI document (bad inputs 56 and 57)."""

import secrets
from datetime import UTC, datetime, timedelta

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from app.ids import ApiKeyId
from app.main import create_app
from app.tenancy.tenants import api_keys
from app.wiring import Citegraph, assemble_citegraph
from tests.api import routes
from tests.api.conftest import Account, World
from tests.api.routes import Operation
from tests.conftest import under

ALLOWED = {200, 201, 202, 204, 409}


@pytest.fixture(scope="module")
def operations(world: World) -> list[Operation]:
    return routes.operations(world.http.get("/openapi.json").json())


class TestAnonymous:
    def test_every_reason_has_one_body_on_every_route(
        self, world: World, operations: list[Operation], citegraph: Citegraph
    ) -> None:
        """Bad input 56: missing, malformed, unknown, revoked, expired; also with a key of the other kind."""
        home = world.a.home
        with citegraph.database.open_tenant(home.tenant_id) as tenant:
            yesterday = datetime.now(UTC) - timedelta(days=1)
            _, expired = api_keys.create_key(
                tenant, name="old", scopes=["read"], actor="test", expires_at=yesterday
            )
            key, revoked = api_keys.create_key(tenant, name="gone", scopes=["read"], actor="test")
            api_keys.revoke_key(tenant, ApiKeyId(key.id), actor="test")
        good = world.a.keys["full"]
        reasons = {
            "missing": {},
            "empty": {"authorization": ""},
            "no scheme": {"authorization": good},
            "other scheme": {"authorization": f"Basic {good}"},
            "malformed": {"authorization": "Bearer cg_live_x"},
            "wrong secret": {"authorization": f"Bearer {good[:-3]}abc"},
            "unknown id": {"authorization": f"Bearer cg_live_00000000_{secrets.token_urlsafe(32)}"},
            "expired": {"authorization": f"Bearer {expired.token}"},
            "revoked": {"authorization": f"Bearer {revoked.token}"},
            "not ascii": {"authorization": "Bearer cg_\u00e9".encode("latin-1")},
        }
        expected = None
        for operation in operations:
            for reason, headers in reasons.items():
                answer = operation.send(world, world.a, headers)  # type: ignore[arg-type]
                assert answer.status_code == 401, (operation, reason, answer.text)
                assert answer.headers["www-authenticate"] == "Bearer"
                expected = expected or routes.stripped(answer)
                assert routes.stripped(answer) == expected, (operation, reason)

    def test_a_key_in_the_query_string_is_ignored(self, world: World) -> None:
        """Bad input 57."""
        for name in ("api_key", "key", "token", "access_token", "authorization"):
            answer = world.http.get("/v1/spaces", params={name: world.a.keys["full"]})
            assert answer.status_code == 401
            assert world.a.keys["full"] not in answer.text

    def test_a_tenants_key_is_not_the_operators_and_the_other_way_round(
        self, world: World, operations: list[Operation]
    ) -> None:
        for operation in operations:
            wrong = world.a.bearer() if operation.scope == "operator" else routes.operator()
            assert operation.send(world, world.a, wrong).status_code == 401, operation

    def test_a_body_is_not_read_for_nobody(self, world: World) -> None:
        answer = world.http.post(f"{world.a.space}/documents", content=b"{" * 100_000)
        assert answer.status_code == 401


class TestScopes:
    def test_each_route_takes_its_own_scope_and_no_other(
        self, world: World, operations: list[Operation], guest: Account
    ) -> None:
        """403 says which scope; with the right one the caller is let in (here mostly to a 404 of its own)."""
        for operation in operations:
            if operation.scope == "operator":
                continue
            for scope in api_keys.SCOPES:
                answer = (
                    operation.send(world, world.a, world.a.bearer(scope))
                    if operation.method == "GET"
                    else (operation.send(world, guest, guest.bearer(scope)))
                )
                if scope != operation.scope:
                    assert answer.status_code == 403, (operation, scope, answer.text)
                    assert answer.json()["code"] == "scope_missing"
                    assert operation.scope in answer.json()["detail"]
                else:
                    assert answer.status_code not in (401, 403), (operation, scope, answer.text)

    def test_the_scope_is_said_before_anything_about_the_thing(self, world: World) -> None:
        """A caller that may not write learns nothing from how its 403 looks."""
        for document_id in (world.a.document_id, world.b.document_id, "x"):
            url = f"{world.a.space}/documents/{document_id}"
            assert world.http.delete(url, headers=world.a.bearer("read")).status_code == 403


class TestOperator:
    def test_makes_lists_and_erases_tenants(self, world: World) -> None:
        name = f"made-{secrets.token_hex(4)}"
        made = world.http.post("/v1/tenants", headers=routes.operator(), json={"name": name})
        assert made.status_code == 201
        body = made.json()
        bearer = {"authorization": f"Bearer {body['api_key']['token']}"}
        assert world.http.post("/v1/spaces", headers=bearer, json={"name": "s"}).status_code == 201
        again = world.http.post("/v1/tenants", headers=routes.operator(), json={"name": name})
        assert (again.status_code, again.json()["code"]) == (409, "name_taken")
        listed = world.http.get("/v1/tenants", headers=routes.operator(), params={"limit": 200}).json()
        assert name in [item["name"] for item in listed["items"]]
        assert "token" not in str(listed)
        url = f"/v1/tenants/{body['id']}"
        assert world.http.delete(url, headers=routes.operator()).status_code == 200
        assert world.http.delete(url, headers=routes.operator()).status_code == 404
        assert world.http.get("/v1/spaces", headers=bearer).status_code == 401

    def test_without_a_key_in_the_settings_the_routes_are_closed(self, citegraph: Citegraph) -> None:
        settings = citegraph.settings.model_copy(update={"operator_key": None})
        closed = assemble_citegraph(settings, under(citegraph.database, settings), citegraph.broker)
        with TestClient(create_app(closed)) as http:
            for given in ("", "None", "x"):
                headers = {"authorization": f"Bearer {given}"}
                assert http.get("/v1/tenants", headers=headers).status_code == 401


def _mint(world: World, bearer: dict[str, str], **body: object) -> Response:
    return world.http.post("/v1/api-keys", headers=bearer, json={"name": "minted", **body})


class TestKeys:
    def test_a_key_is_shown_once_and_ends_at_once(self, world: World, guest: Account) -> None:
        made = world.http.post(
            "/v1/api-keys",
            headers=guest.bearer(),
            json={"name": "reader", "scopes": ["read", "read"], "expires_at": "2999-01-01T00:00:00Z"},
        ).json()
        bearer = {"authorization": f"Bearer {made['token']}"}
        assert made["scopes"] == ["read"]
        assert world.http.get("/v1/spaces", headers=bearer).status_code == 200
        listed = world.http.get("/v1/api-keys", headers=guest.bearer("admin"))
        assert made["token"] not in listed.text
        assert "secret" not in listed.text
        url = f"/v1/api-keys/{made['id']}"
        assert world.http.delete(url, headers=guest.bearer("admin")).status_code == 204
        assert world.http.get("/v1/spaces", headers=bearer).status_code == 401
        assert world.http.delete(url, headers=guest.bearer("admin")).status_code == 404

    def test_an_admin_key_mints_no_scope_that_it_lacks(self, world: World, guest: Account) -> None:
        for scopes, lacking in (
            (["read"], "read"),
            (["admin", "write"], "write"),
            (["write", "read"], "read"),
        ):
            answer = _mint(world, guest.bearer("admin"), scopes=scopes)
            assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")
            assert lacking in answer.json()["detail"]
        assert _mint(world, guest.bearer("admin"), scopes=["admin"]).status_code == 201

    def test_a_key_of_some_spaces_mints_none(self, world: World, guest: Account) -> None:
        limited = _mint(world, guest.bearer(), scopes=["read", "admin"], space_ids=[str(guest.space_id)])
        bearer = {"authorization": f"Bearer {limited.json()['token']}"}
        for space_ids in (None, [str(guest.space_id)]):
            answer = _mint(world, bearer, scopes=["read"], space_ids=space_ids)
            assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")

    def test_a_key_that_ends_mints_none_that_ends_later(self, world: World, guest: Account) -> None:
        end = "2998-01-01T00:00:00Z"
        ending = _mint(world, guest.bearer(), scopes=["read", "admin"], expires_at=end).json()
        bearer = {"authorization": f"Bearer {ending['token']}"}
        later = _mint(world, bearer, scopes=["read"], expires_at="2998-01-01T00:00:01Z")
        assert (later.status_code, later.json()["code"]) == (422, "expires_too_late")
        for given, ends in ((None, end), (end, end), ("2997-01-01T00:00:00Z", "2997-01-01T00:00:00Z")):
            answer = _mint(world, bearer, scopes=["read"], expires_at=given)
            assert (answer.status_code, answer.json()["expires_at"]) == (201, ends)

    def test_what_was_done_is_on_record_with_its_request(self, world: World, guest: Account) -> None:
        """Rule A16."""
        made = world.http.post("/v1/spaces", headers=guest.bearer("admin"), json={"name": "noted"})
        rows = world.http.get("/v1/audit", headers=guest.bearer("admin")).json()["items"]
        assert rows[0]["action"] == "space.create"
        assert rows[0]["space_id"] == made.json()["id"]
        assert rows[0]["request_id"] == made.headers["x-request-id"]
        assert rows[0]["actor"] == guest.keys["admin"].split("_")[2]
