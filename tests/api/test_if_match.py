"""A change is carried out only on what its sender has seen: `If-Match` and 412 (review B7, B10)."""

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

import httpx2
import pytest

from app.http.bulkheads import Bulkheads
from app.http.edit_versions import service as versions
from app.http.edit_versions.shapes import ExpectedVersions, Kind, Resource, Stale
from app.ids import NodeId
from tests.api.conftest import Account, World
from tests.api.routes import Operation, operations, operator

WRITES = ("POST", "PUT", "PATCH", "DELETE")
BOGUS = '"bogus"'


def declares(operation: Operation) -> bool:
    return any(parameter["name"] == "If-Match" for parameter in operation.described.get("parameters", ()))


def tag_of(world: World, account: Account, path: str) -> str:
    answer = world.http.get(path, headers=account.bearer())
    assert answer.status_code == 200, answer.text
    return str(answer.headers["etag"])


def paths_of(account: Account) -> dict[str, str]:
    graph = f"{account.space}/graph"
    return {
        "space": account.space,
        "document": f"{account.space}/documents/{account.document_id}",
        "node": f"{graph}/nodes/{account.node_id}",
        "edge": f"{graph}/edges/{account.edge_id}",
        "job": f"{account.space}/jobs/{account.job_id}",
        "webhook": f"/v1/webhooks/{account.webhook_id}",
    }


def bulkheads_of_app(world: World) -> Bulkheads:
    bulkheads = world.http.app.state.bulkheads  # type: ignore[attr-defined]
    assert isinstance(bulkheads, Bulkheads)
    return bulkheads


@pytest.fixture
def editor(world: World, guest: Account) -> Account:
    """A tenant of this test alone, with one of each thing that is edited."""
    answer = world.http.post(
        f"{guest.space}/documents",
        headers=guest.bearer(),
        json={"text": "Michael Stonebraker created Ingres. Ada Lovelace knows Charles Babbage."},
    ).json()
    world.drain()
    found = {
        name: world.http.get(f"{guest.space}/graph/{name}", headers=guest.bearer()).json()["items"][0]["id"]
        for name in ("nodes", "edges")
    }
    webhook = world.http.post(
        "/v1/webhooks",
        headers=guest.bearer(),
        json={"url": "https://example.com/hook", "events": ["job.done"]},
    ).json()
    return replace(
        guest,
        document_id=UUID(answer["documents"][0]["id"]),
        job_id=UUID(answer["job"]["id"]),
        node_id=UUID(found["nodes"]),
        edge_id=UUID(found["edges"]),
        webhook_id=UUID(webhook["id"]),
    )


class TestEveryWrite:
    def test_compares_the_version_or_refuses_the_header(self, world: World) -> None:
        """No write passes it over, and none changes anything."""
        compared, refused = set(), set()
        for operation in operations(world.http.get("/openapi.json").json()):
            if operation.method not in WRITES or not operation.path.startswith("/v1"):
                continue
            headers = {"if-match": BOGUS, **_bearer(world.a, operation)}
            answer = operation.send(world, world.a, headers)
            if declares(operation):
                assert (answer.status_code, answer.json()["code"]) == (412, "stale_version"), operation.key
                compared.add(operation.key)
            else:
                assert answer.status_code in (415, 422), (operation.key, answer.text)
                if answer.status_code == 422:
                    assert answer.json()["code"] == "if_match_unsupported", operation.key
                refused.add(operation.key)
        assert len(compared) >= 18
        assert ("POST", "/v1/spaces/{space_id}/documents") in refused

    def test_declares_412_and_its_shape(self, world: World) -> None:
        for operation in operations(world.http.get("/openapi.json").json()):
            if declares(operation):
                assert "412" in operation.described["responses"], operation.key


def _bearer(account: Account, operation: Operation) -> dict[str, str]:
    return operator() if operation.scope == "operator" else account.bearer()


class TestTags:
    @pytest.mark.parametrize("kind", ["space", "document", "node", "edge", "job", "webhook"])
    def test_the_tag_that_was_read_is_of_the_version_that_stands(self, world: World, kind: str) -> None:
        path = paths_of(world.a)[kind]
        opaque = tag_of(world, world.a, path).removeprefix("W/").strip('"')
        assert opaque.count(".") == 1
        id = path.rsplit("/", 1)[1]
        home = world.a.home
        with (
            world.citegraph.database.open_tenant(home.tenant_id) as tenant,
            world.citegraph.database.open_space(home.tenant_id, home.space_id) as space,
        ):
            thing = Resource(Kind(kind), UUID(id))
            session = tenant if kind == "webhook" else space
            assert opaque.split(".")[0] == versions.compute_current_version(session, thing)

    @pytest.mark.parametrize(
        "given", ["bogus", '"a', 'W/a"', "", '"a" "b"', 'w/"a"', "*, *", '"ä"'.encode("latin-1"), '"a",, "b"']
    )
    def test_what_is_no_tag_is_refused(self, world: World, guest: Account, given: Any) -> None:
        answer = patch(world, guest, {"description": "x"}, given)
        assert (answer.status_code, answer.json()["code"]) == (422, "malformed_if_match")

    def test_a_star_needs_only_that_the_thing_is_there(self, world: World, guest: Account) -> None:
        assert patch(world, guest, {"description": "star"}, "*").status_code == 200
        missing = f"/v1/webhooks/{guest.space_id}"
        answer = world.http.patch(
            missing, headers={**guest.bearer(), "if-match": "*"}, json={"enabled": True}
        )
        assert answer.status_code == 404

    def test_one_of_several_is_enough_weak_or_strong(self, world: World, guest: Account) -> None:
        for shape in ("{}", "{weak}", '"old", {}', '"old",{weak} , W/"older"'):
            tag = tag_of(world, guest, guest.space)
            given = shape.format(tag.removeprefix("W/"), weak=tag)
            assert patch(world, guest, {"description": shape}, given).status_code == 200, shape

    def test_without_it_all_is_as_before(self, world: World, guest: Account) -> None:
        assert patch(world, guest, {"description": "free"}, None).status_code == 200


def patch(world: World, account: Account, body: dict[str, Any], tag: Any) -> httpx2.Response:
    headers: dict[str, Any] = account.bearer()
    if tag is not None:
        headers["if-match"] = tag
    return world.http.patch(account.space, headers=headers, json=body)


class TestChanges:
    def test_a_second_editor_of_settings_is_told(self, world: World, guest: Account) -> None:
        tag = tag_of(world, guest, guest.space)
        assert patch(world, guest, {"settings": {"max_tags": 5}}, tag).status_code == 200
        late = patch(world, guest, {"settings": {"max_tags": 6}}, tag)
        assert late.status_code == 412
        problem = late.json()
        assert problem["code"] == "stale_version"
        assert "Read it again" in problem["detail"]
        now = world.http.get(guest.space, headers=guest.bearer())
        assert now.json()["settings"]["max_tags"] == 5
        again = patch(world, guest, {"settings": {"max_tags": 6}}, now.headers["etag"])
        assert again.status_code == 200

    def test_what_is_counted_changes_no_version(self, world: World, guest: Account) -> None:
        """A tag that was read before an ingest is good for a rename of the space after it."""
        tag = tag_of(world, guest, guest.space)
        world.http.post(
            f"{guest.space}/documents", headers=guest.bearer(), json={"text": "Ada knows Grace Hopper."}
        )
        world.drain()
        assert tag_of(world, guest, guest.space) != tag, "its graph has another revision"
        assert patch(world, guest, {"description": "after"}, tag).status_code == 200

    @pytest.mark.parametrize("edit", ["name", "tags"])
    def test_a_second_editor_of_a_node_is_told(self, world: World, editor: Account, edit: str) -> None:
        node = paths_of(editor)["node"]
        tag = tag_of(world, editor, node)
        headers = {**editor.bearer(), "if-match": tag}
        first, second = (
            ({"name": "Dr Stonebraker"}, {"name": "Professor Stonebraker"})
            if edit == "name"
            else ({"tags": ["pioneer"]}, {"tags": ["professor"]})
        )
        assert world.http.put(f"{node}/{edit}", headers=headers, json=first).status_code == 200
        assert world.http.put(f"{node}/{edit}", headers=headers, json=second).status_code == 412
        other = "tags" if edit == "name" else "name"
        body = {"tags": ["x-tag"]} if other == "tags" else {"name": "Mike"}
        assert world.http.put(f"{node}/{other}", headers=headers, json=body).status_code == 412
        fresh = {**editor.bearer(), "if-match": tag_of(world, editor, node)}
        assert world.http.put(f"{node}/{edit}", headers=fresh, json=second).status_code == 200

    def test_an_ended_claim_is_another_version(self, world: World, editor: Account) -> None:
        edge = paths_of(editor)["edge"]
        headers = {**editor.bearer(), "if-match": tag_of(world, editor, edge)}
        ended = world.http.post(f"{edge}/invalidate", headers=headers, json={"reason": "no"})
        assert ended.status_code == 200, ended.text
        late = world.http.post(f"{edge}/restore", headers=headers)
        assert late.status_code == 412

    def test_a_stale_delete_leaves_everything(self, world: World, editor: Account) -> None:
        document, space = paths_of(editor)["document"], editor.space
        for path in (document, space):
            headers = {**editor.bearer(), "if-match": BOGUS}
            assert world.http.delete(path, headers=headers).status_code == 412
            assert world.http.get(path, headers=editor.bearer()).status_code == 200
        for path in (document, space):
            headers = {**editor.bearer(), "if-match": tag_of(world, editor, path)}
            assert world.http.delete(path, headers=headers).status_code == 200
            assert world.http.get(path, headers=editor.bearer()).status_code == 404

    def test_another_tenants_thing_is_not_there(self, world: World, editor: Account) -> None:
        tag = tag_of(world, editor, editor.space)
        answer = world.http.patch(
            editor.space, headers={**world.b.bearer(), "if-match": tag}, json={"description": "mine"}
        )
        assert answer.status_code == 404


WRITERS = 8


class TestAtOnce:
    @pytest.mark.parametrize("what", ["settings", "node name", "tags", "webhook"])
    def test_of_many_writers_with_one_tag_one_wins(self, world: World, editor: Account, what: str) -> None:
        paths = paths_of(editor)
        bodies: dict[str, tuple[str, Callable[[int], Any]]] = {
            "settings": (paths["space"], lambda n: {"settings": {"chunk_tokens": 200 + n}}),
            "node name": (f"{paths['node']}/name", lambda n: {"name": f"Stonebraker the {n}th"}),
            "tags": (f"{paths['node']}/tags", lambda n: {"tags": [f"tag-{n}"]}),
            "webhook": (paths["webhook"], lambda _: {"enabled": False}),
        }
        path, body = bodies[what]
        read = path.removesuffix("/name").removesuffix("/tags")
        headers = {**editor.bearer(), "if-match": tag_of(world, editor, read)}
        method = "PUT" if read != path else "PATCH"

        def write(number: int) -> int:
            while True:
                answer = world.http.request(method, path, headers=headers, json=body(number))
                # On a slow machine a writer may wait too long for a slot: it is told to try again.
                if answer.status_code != 429:
                    return answer.status_code
                assert answer.json()["code"] == "too_many_requests"
                time.sleep(int(answer.headers["retry-after"]))

        with ThreadPoolExecutor(WRITERS) as threads:
            statuses = list(threads.map(write, range(WRITERS)))
        assert sorted(statuses) == [200] + [412] * (WRITERS - 1)

    def test_who_finds_no_slot_has_changed_nothing_and_may_send_the_same_again(
        self, world: World, guest: Account
    ) -> None:
        """429 comes before the comparison: the tag is as good as before, or as stale."""
        tag = tag_of(world, guest, guest.space)
        queries = bulkheads_of_app(world).queries

        async def write_without_a_slot() -> httpx2.Response:
            async with AsyncExitStack() as slots:
                for _ in range(world.citegraph.settings.tenant_queries):
                    await slots.enter_async_context(queries.occupy_slot(guest.tenant_id))
                return await asyncio.to_thread(patch, world, guest, {"description": "first"}, tag)

        refusal = asyncio.run(write_without_a_slot())
        assert (refusal.status_code, refusal.json()["code"]) == (429, "too_many_requests")
        assert int(refusal.headers["retry-after"]) > 0
        assert tag_of(world, guest, guest.space) == tag
        assert patch(world, guest, {"description": "first"}, tag).status_code == 200
        refusal = asyncio.run(write_without_a_slot())
        assert refusal.status_code == 429, "also with a stale tag"
        assert patch(world, guest, {"description": "second"}, tag).status_code == 412

    def test_the_check_and_the_change_are_one_transaction(self, world: World, editor: Account) -> None:
        """Who checked first holds the thing: the other's check waits, and then fails."""
        home, thing = editor.home, Resource(Kind.NODE, editor.node_id)

        @contextmanager
        def opened() -> Iterator[Any]:
            with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
                yield space

        with opened() as space:
            seen = ExpectedVersions(frozenset({versions.compute_current_version(space, thing)}))
        with ThreadPoolExecutor(1) as threads, opened() as first:
            versions.lock_and_check_version(first, thing, seen)

            def second() -> None:
                with opened() as space:
                    versions.lock_and_check_version(space, thing, seen)

            waiting = threads.submit(second)
            first.connection.execute(
                "UPDATE graph_node SET canonical_name = 'Somebody' WHERE knowledge_space_id = %s AND id = %s",
                [home.space_id, NodeId(editor.node_id)],
            )
            assert not waiting.done()
            first.orm.commit()
            with pytest.raises(Stale):
                waiting.result(timeout=30)


def test_a_retry_under_one_key_is_not_stale(world: World, editor: Account) -> None:
    """The answer of the first try comes again, though the version has moved on by it."""
    webhook = paths_of(editor)["webhook"]
    headers = {
        **editor.bearer(),
        "if-match": tag_of(world, editor, webhook),
        "idempotency-key": f"rotate {editor.space_id}",
    }
    headers["idempotency-key"] = headers["idempotency-key"].replace(" ", "-")
    first = world.http.post(f"{webhook}/rotate", headers=headers)
    again = world.http.post(f"{webhook}/rotate", headers=headers)
    assert (first.status_code, again.status_code) == (200, 200)
    assert json.loads(first.content) == json.loads(again.content)


def test_a_node_that_an_earlier_version_hid_has_a_version_too(world: World, editor: Account) -> None:
    """Every door shows it again (record 83), so it can be renamed as it was seen."""
    path = paths_of(editor)["node"]
    with world.citegraph.database.open_space(editor.home.tenant_id, editor.home.space_id) as space:
        space.connection.execute("UPDATE graph_node SET deleted_at = now() WHERE id = %s", [editor.node_id])
    headers = {**editor.bearer(), "if-match": tag_of(world, editor, path)}
    assert world.http.put(f"{path}/name", headers=headers, json={"name": "Somebody"}).status_code == 200
