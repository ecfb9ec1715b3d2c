"""Every route with every id of another tenant, generated from the OpenAPI document (reliability 6.1, 6.2)."""

import re
from typing import Any
from uuid import UUID, uuid4

import pytest
from httpx2 import Response

from tests.api import routes
from tests.api.conftest import Account, World
from tests.api.routes import Operation

UUIDS = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def operations(world: World) -> list[Operation]:
    found = routes.operations(world.http.get("/openapi.json").json())
    assert len(found) > 25
    return found


@pytest.fixture(scope="module")
def schemas(world: World) -> dict[str, Any]:
    found: dict[str, Any] = world.http.get("/openapi.json").json()["components"]["schemas"]
    return found


def blanked(answer: Response, asked: UUID) -> str:
    """The text of an answer without the id that was asked for and its request's own."""
    return answer.text.replace(str(asked), "ID").replace(answer.headers["x-request-id"], "REQUEST")


def uuid_fields(schema: Any, schemas: dict[str, Any], name: str = "") -> set[str]:
    """The names of all uuid fields beneath a schema."""
    if isinstance(schema, list):
        return set().union(*(uuid_fields(subschema, schemas, name) for subschema in schema))
    if not isinstance(schema, dict):
        return set()
    if schema.get("format") == "uuid":
        return {name}
    found: set[str] = set()
    if "$ref" in schema:
        found |= uuid_fields(schemas[schema["$ref"].rpartition("/")[2]], schemas, name)
    for key, value in schema.get("properties", {}).items():
        found |= uuid_fields(value, schemas, key)
    for key in ("items", "anyOf", "oneOf", "allOf"):
        found |= uuid_fields(schema.get(key), schemas, name)
    return found


class TestTheMatrixIsComplete:
    def test_every_id_of_a_path_has_a_live_one_to_try(self, operations: list[Operation]) -> None:
        assert {name for operation in operations for name in operation.path_ids} == set(routes.PATH_IDS)

    def test_every_id_of_a_query_or_body_is_declared(
        self, operations: list[Operation], schemas: dict[str, Any]
    ) -> None:
        queries, bodies = {}, {}
        for operation in operations:
            asked = operation.described.get("parameters", [])
            in_query = {
                p["name"] for p in asked if p["in"] == "query" and uuid_fields(p["schema"], schemas, "x")
            }
            content = operation.described.get("requestBody", {}).get("content", {})
            in_body = uuid_fields([media["schema"] for media in content.values()], schemas)
            if in_query:
                queries[operation.key] = in_query
            if in_body:
                bodies[operation.key] = in_body
        assert queries == routes.QUERY_IDS
        assert bodies == routes.BODY_IDS

    def test_every_operation_with_a_json_body_has_one_to_send(self, operations: list[Operation]) -> None:
        with_body = {operation.key for operation in operations if "requestBody" in operation.described}
        assert with_body == {*routes.BODIES, *routes.BODIES_OF_ACCOUNTS}


class TestForeignIds:
    def test_the_audit_knows_nothing_of_anothers_ids(self, world: World) -> None:
        for name, foreign in (("space_id", world.b.space_id), ("object_id", world.b.document_id)):
            answer = world.http.get("/v1/audit", params={name: str(foreign)}, headers=world.a.bearer())
            assert answer.json()["items"] == []
            table = world.http.get("/v1/audit.csv", params={name: str(foreign)}, headers=world.a.bearer())
            assert len(table.text.splitlines()) == 1

    def test_an_id_of_another_tenant_answers_like_one_that_never_existed(
        self, world: World, operations: list[Operation]
    ) -> None:
        """Requirement 1.3, for every id of every path: status, body and headers, modulo the request id."""
        tried = 0
        for operation in operations:
            if operation.scope == "operator":
                continue
            for name in operation.path_ids:
                foreign = operation.send(world, world.a, **{name: getattr(world.b, routes.PATH_IDS[name])})
                unknown = operation.send(world, world.a, None, **{name: uuid4()})
                malformed = operation.send(world, world.a, None, **{name: "not-a-uuid"})
                assert foreign.status_code == 404, (operation, name, foreign.text)
                assert routes.stripped(foreign) == routes.stripped(unknown), (operation, name)
                assert routes.stripped(foreign)[:2] == routes.stripped(malformed)[:2], (operation, name)
                tried += 1
        assert tried > 20

    def test_the_other_tenants_things_still_stand(self, world: World, operations: list[Operation]) -> None:
        """What the matrix sent included every DELETE, PATCH and POST."""
        for operation in operations:
            if operation.method == "GET" and operation.scope != "operator":
                status = 404 if operation.path in routes.OF_DELETED else 200
                assert operation.send(world, world.b).status_code == status, operation

    def test_an_id_in_a_query_or_body_answers_like_one_that_never_existed(
        self, world: World, operations: list[Operation]
    ) -> None:
        """Every such field of the document, with an id of the other tenant: refused, or nothing found."""
        tried = 0
        for operation in operations:
            for name in routes.QUERY_IDS.get(operation.key, set()) | routes.BODY_IDS.get(
                operation.key, set()
            ):
                other, unknown = getattr(world.b, routes.NAMED_IDS[name]), uuid4()
                foreign = operation.send_with(world, world.a, name, other)
                like = operation.send_with(world, world.a, name, unknown)
                refused = {200} if operation.key in routes.LENIENT else {404, 422}
                assert foreign.status_code in refused, (operation, name, foreign.text)
                assert foreign.status_code == like.status_code
                assert blanked(foreign, other) == blanked(like, unknown), (operation, name)
                tried += 1
        assert tried == sum(map(len, [*routes.QUERY_IDS.values(), *routes.BODY_IDS.values()]))

    def test_a_path_between_nodes_of_two_tenants_is_none(self, world: World) -> None:
        """Where an id may stand in a field of text."""

        def between(node_id: UUID) -> tuple[int, str]:
            body = {"from": str(world.a.node_id), "to": str(node_id)}
            answer = world.http.post(f"{world.a.space}/graph/explain", headers=world.a.bearer(), json=body)
            return answer.status_code, blanked(answer, node_id)

        assert between(world.b.node_id) == between(uuid4())

    def test_a_cursor_of_another_tenant_or_list_is_refused(self, world: World) -> None:
        """Rule A8, bad input 42."""
        own = f"{world.a.space}/graph/nodes"
        theirs = world.http.get(
            f"{world.b.space}/graph/nodes", headers=world.b.bearer(), params={"limit": 1}
        ).json()["next_cursor"]
        mine = world.http.get(own, headers=world.a.bearer(), params={"limit": 1}).json()["next_cursor"]
        for url, filters, cursor in [
            (own, {}, theirs),
            (f"{world.a.space}/graph/edges", {}, mine),
            (own, {"node_type": "Person"}, mine),
            (own, {}, mine[:-2]),
            (own, {}, "A" + mine[1:] if mine[0] != "A" else "B" + mine[1:]),
            (own, {}, ""),
            (own, {}, "é"),
        ]:
            params = {**filters, "cursor": cursor}
            answer = world.http.get(url, headers=world.a.bearer(), params=params)
            assert (answer.status_code, answer.json()["code"]) == (422, "invalid_cursor"), cursor


class TestNothingOfTheOtherIsSeen:
    def test_no_answer_holds_a_canary_or_an_id_of_the_other(
        self, world: World, operations: list[Operation]
    ) -> None:
        """Reliability 6.1: all that either tenant can read, searched for all ids that the other can read."""
        read = {account.letter: self._read_all(world, account, operations) for account in (world.a, world.b)}
        ids = {letter: set(UUIDS.findall(text)) for letter, text in read.items()}
        assert len(ids["A"]) > 30
        assert ids["A"] & ids["B"] == set()
        assert world.a.canary in read["A"]
        for mine, other in (("A", world.b), ("B", world.a)):
            assert other.canary not in read[mine]
            assert f"Secret{other.letter}Corp" not in read[mine]

    @staticmethod
    def _read_all(world: World, account: Account, operations: list[Operation]) -> str:
        texts = []
        for operation in operations:
            if operation.scope == "read" or (operation.scope == "admin" and operation.method == "GET"):
                answer = operation.send(world, account)
                status = 404 if operation.path in routes.OF_DELETED else 200
                assert answer.status_code == status, (operation, answer.text)
                texts.append(answer.text)
        chunks = world.http.get(f"{account.space}/documents", headers=account.bearer()).json()["items"]
        for document in chunks:
            url = f"{account.space}/documents/{document['id']}/chunks"
            texts.append(world.http.get(url, headers=account.bearer()).text)
        return "\n".join(texts)


class TestSpaceAllowList:
    def test_a_key_for_one_space_reaches_no_other_of_its_tenant(self, world: World, guest: Account) -> None:
        made = world.http.post("/v1/spaces", headers=guest.bearer(), json={"name": "second"}).json()
        key = world.http.post(
            "/v1/api-keys",
            headers=guest.bearer(),
            json={"name": "one", "scopes": ["read", "write", "admin"], "space_ids": [made["id"]]},
        ).json()
        headers = {"authorization": f"Bearer {key['token']}"}
        assert world.http.get(f"/v1/spaces/{made['id']}", headers=headers).status_code == 200
        listed = world.http.get("/v1/spaces", headers=headers).json()["items"]
        assert [document["id"] for document in listed] == [made["id"]]
        for method, url in [
            ("GET", guest.space),
            ("PATCH", guest.space),
            ("DELETE", guest.space),
            ("GET", f"{guest.space}/documents"),
        ]:
            sent = {"description": "x"} if method == "PATCH" else None
            own = world.http.request(method, url, headers=headers, json=sent)
            unknown = world.http.request(
                method, url.replace(str(guest.space_id), str(uuid4())), headers=headers, json=sent
            )
            assert own.status_code == 404
            assert routes.stripped(own) == routes.stripped(unknown)
        wider = world.http.post("/v1/api-keys", headers=headers, json={"name": "x", "scopes": ["read"]})
        assert (wider.status_code, wider.json()["code"]) == (403, "scope_missing")
