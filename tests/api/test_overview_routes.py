"""Routes for what only pages and commands had (issue 13.1), and the receipt of an erased tenant (13.5)."""

import secrets
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from app.derived.communities import service as communities
from app.ids import TenantId
from app.jobs.kinds import DeleteSpace
from app.tenancy.spaces import job as space_deletion
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from app.tenancy.tenants import service as tenants
from tests.api import routes
from tests.api.conftest import Account, World, detect_communities
from workers.runner import Runner


def get(world: World, account: Account, path: str, **params: str | int) -> Any:
    answer = world.http.get(f"{account.space}{path}", headers=account.bearer("read"), params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def post(world: World, account: Account, path: str, body: Any = None, **params: str | int) -> Any:
    answer = world.http.post(f"{account.space}{path}", headers=account.bearer(), json=body, params=params)
    assert answer.status_code < 300, answer.text
    return answer.json()


def hand_in(world: World, account: Account, text: str, **more: object) -> str:
    """The id of the document, once it was read."""
    made = post(world, account, "/documents", {"text": text, **more})
    world.drain()
    return str(made["documents"][0]["id"])


def delete_rows(world: World, look: Callable[[], object]) -> None:
    """Run the job that removes a deleted space, and look after each of its batches."""

    def look_after_batch(step: str) -> None:
        if step == "deleted":
            look()

    Runner(
        world.citegraph.database,
        world.citegraph.settings,
        {DeleteSpace.kind: space_deletion.delete_space_in_steps},
        checkpoint=look_after_batch,
    ).drain()


class TestDeletionOfALargeSpace:
    """Requirement 1.4: the API says how far a deletion is, as `citegraph space delete --wait` does."""

    @pytest.fixture
    def doomed(self, world: World, guest: Account, monkeypatch: pytest.MonkeyPatch) -> str:
        """The path of a space that counts as large."""
        monkeypatch.setattr(spaces, "MAX_ROWS_OF_SMALL_SPACE", 1)
        monkeypatch.setattr(space_deletion, "BATCH_ROWS", 5)
        name = {"name": f"doomed-{secrets.token_hex(4)}"}
        space_id = world.http.post("/v1/spaces", headers=guest.bearer("admin"), json=name).json()["id"]
        path = f"/v1/spaces/{space_id}"
        sent = world.http.post(
            f"{path}/documents", headers=guest.bearer(), json={"text": "Ada Lovelace knows Charles Babbage."}
        )
        assert sent.status_code == 202
        world.drain()
        return path

    def read(self, world: World, account: Account, path: str) -> tuple[int, Any]:
        answer = world.http.get(f"{path}/deletion", headers=account.bearer("read"))
        return answer.status_code, answer.json()

    def test_the_rows_so_far_are_read_until_the_receipt(
        self, world: World, guest: Account, doomed: str
    ) -> None:
        assert self.read(world, guest, doomed)[0] == 404
        deleted = world.http.delete(doomed, headers=guest.bearer("admin"))
        assert deleted.status_code == 202
        assert self.read(world, guest, doomed) == (200, deleted.json())
        answers: list[tuple[int, Any]] = []
        delete_rows(world, lambda: answers.append(self.read(world, guest, doomed)))
        counts = [sum(answer["rows"].values()) for _, answer in answers]
        assert {(status, answer["state"]) for status, answer in answers} == {(200, "deleting")}
        assert counts == sorted(set(counts))
        assert len(counts) > 3
        status, receipt = self.read(world, guest, doomed)
        assert (status, receipt["state"]) == (200, "done")
        assert receipt["rows"]["document"] == receipt["rows"]["knowledge_space"] == 1
        assert sum(receipt["rows"].values()) > counts[-1]

    def test_no_other_tenant_reads_it(self, world: World, guest: Account, doomed: str) -> None:
        assert world.http.delete(doomed, headers=guest.bearer("admin")).status_code == 202
        for headers, status in (({}, 401), (guest.bearer("read"), 200), (world.a.bearer(), 404)):
            assert world.http.get(f"{doomed}/deletion", headers=headers).status_code == status
        delete_rows(world, lambda: None)


def test_the_overview_of_a_space(world: World, guest: Account) -> None:
    hand_in(world, guest, "Michael Stonebraker created Ingres.")
    post(world, guest, "/documents", {"text": "Ada Lovelace knows Charles Babbage."})
    found = get(world, guest, "/overview", days=3)
    assert found["totals"]["documents"] == 2
    assert found["totals"]["nodes"] >= 2
    # The second ingest, and perhaps what follows the first.
    assert found["queue"]["waiting"] >= 1
    assert found["queue"]["running"] == 0
    assert found["queue"]["oldest_seconds"] >= 0
    assert "workers" not in found["queue"], "names of the operator's machines"
    assert len(found["days"]) == 3
    assert found["days"][-1]["day"] <= datetime.now(UTC).date().isoformat()
    assert sum(day["documents"] for day in found["days"]) == 2
    assert found["month"] == {
        "space_usd": 0.0,
        "space_budget": None,
        "tenant_usd": 0.0,
        "tenant_budget": None,
        "is_nearly_reached": False,
    }
    world.drain()


def test_the_callers_tenant_is_returned(world: World, guest: Account) -> None:
    found = world.http.get("/v1/tenant", headers=guest.bearer("read")).json()
    assert found["id"] == str(guest.tenant_id)
    assert found["name"].startswith("guest-")
    assert found["budget_usd"] is None
    changed = world.http.patch(
        f"/v1/tenants/{guest.tenant_id}", headers=routes.operator(), json={"budget_usd": 3.5}
    )
    assert changed.status_code == 200
    assert world.http.get("/v1/tenant", headers=guest.bearer("read")).json()["budget_usd"] == 3.5


def test_a_preview_of_a_version_stores_nothing(world: World, guest: Account) -> None:
    old = "Michael Stonebraker created Ingres."
    document = hand_in(world, guest, old, source_uri="a.txt")
    before = get(world, guest, f"/documents/{document}")
    found = post(world, guest, f"/documents/{document}/preview", {"text": "Ada Lovelace wrote Notes."})
    assert (found["version"], found["is_current"]) == (1, False)
    assert (found["removed"], found["added"], found["unchanged"]) == (1, 1, 0)
    (ending,) = found["ending_claims"]
    assert (ending["from_name"], ending["to_name"]) == ("Michael Stonebraker", "Ingres")
    assert ending["restated"] is False
    assert "".join(words["text"] for words in found["changes"][0]["old"]).strip() == old
    again = post(world, guest, f"/documents/{document}/preview", {"text": old, "source_uri": "a.txt"})
    assert again["is_current"] is True
    assert get(world, guest, f"/documents/{document}") == before
    two = {"documents": [{"text": "One."}, {"text": "Two."}]}
    refused = world.http.post(f"{guest.space}/documents/{document}/preview", headers=guest.bearer(), json=two)
    assert (refused.status_code, refused.json()["code"]) == (422, "one_document_only")


def test_runs_of_the_detection_and_what_one_changed(world: World, guest: Account) -> None:
    assert get(world, guest, "/graph/communities/runs") == []
    hand_in(world, guest, "Michael Stonebraker created Ingres. Ada Lovelace worked for Charles Babbage.")
    detect_communities(world.citegraph, guest.home)
    (earlier,) = get(world, guest, "/graph/communities/runs")
    assert earlier["communities"] >= 1
    # The first run tells no events: all that it found is new.
    hand_in(world, guest, "DuckDB uses SQL. Postgres uses SQL. Mark Raasveldt created DuckDB.")
    detect_communities(world.citegraph, guest.home)
    run, *others = get(world, guest, "/graph/communities/runs")
    assert [run["id"] for run in others] == [earlier["id"]]
    assert run["new"] >= 1
    url = f"/graph/communities/runs/{run['id']}/events"
    first = get(world, guest, url, limit=1)
    rest = get(world, guest, url, limit=200, cursor=first["next_cursor"])
    events = first["items"] + rest["items"]
    assert len(events) == run["new"] + run["split"] + run["merged"] + run["gone"]
    new = {event["community_id"] for event in events if event["change"] == "new"}
    assert len(new) == run["new"]
    assert new <= {item["id"] for item in get(world, guest, "/graph/communities")["items"]}
    for unknown in (uuid4(), world.a.run_id):
        url = f"{guest.space}/graph/communities/runs/{unknown}/events"
        assert world.http.get(url, headers=guest.bearer()).status_code == 404
    home = guest.home
    with world.citegraph.database.open_space(home.tenant_id, home.space_id) as space:
        latest = communities.find_latest_run(space)
        assert latest is not None
        assert str(latest.id) == run["id"]


def test_a_relation_declared_later_is_settled_by_date_page_by_page(world: World, guest: Account) -> None:
    for number in range(3):
        for year, city in ((2020, "Paris"), (2024, "London")):
            hand_in(
                world,
                guest,
                f"Acme{number} Corporation is located in {city}.",
                source_uri=f"{number}-{city}",
                metadata={"date": f"{year}-01-01"},
            )
    single = {"settings": {"single_valued_relations": ["located_in"]}}
    assert world.http.patch(guest.space, headers=guest.bearer(), json=single).status_code == 200
    assert {item["status"] for item in get(world, guest, "/graph/conflicts")["items"]} == {"contested"}
    ended, cursor, pages = 0, None, 0
    while pages == 0 or cursor is not None:
        page: dict[str, str | int] = {"limit": 2} if cursor is None else {"limit": 2, "after": cursor}
        found = post(world, guest, "/graph/conflicts/end-by-date", **page)
        ended, cursor, pages = ended + found["ended"], found["next_after"], pages + 1
        assert pages < 5
    assert (ended, pages) == (3, 2)
    assert {item["status"] for item in get(world, guest, "/graph/conflicts")["items"]} == {"superseded"}
    off = {"settings": {"supersede_by_date": False}}
    assert world.http.patch(guest.space, headers=guest.bearer(), json=off).status_code == 200
    refused = world.http.post(f"{guest.space}/graph/conflicts/end-by-date", headers=guest.bearer())
    assert (refused.status_code, refused.json()["code"]) == (409, "superseding_off")


def test_an_edge_says_who_read_it(world: World) -> None:
    found = get(world, world.a, f"/graph/edges/{world.a.edge_id}")
    assert found["extraction"]["extractor"].startswith("rules")
    assert found["extraction"]["at"] is not None


def test_the_decisions_about_a_summary(world: World) -> None:
    """Every decision tells a reason and what it weighed; nothing waits in a space at rest."""
    found = get(world, world.a, f"/graph/nodes/{world.a.node_id}/summary/decisions")
    numbers = [decision["number"] for decision in found]
    assert numbers == sorted(numbers, reverse=True)
    assert all(decision["reason"] and decision["threshold"] > 0 for decision in found)
    assert get(world, world.a, "/graph/summaries/waiting") == []


class TestReceiptOfATenant:
    @pytest.fixture
    def made(self, world: World) -> dict[str, Any]:
        name = {"name": f"receipt-{secrets.token_hex(4)}"}
        made: dict[str, Any] = world.http.post("/v1/tenants", headers=routes.operator(), json=name).json()
        bearer = {"authorization": f"Bearer {made['api_key']['token']}"}
        space = world.http.post("/v1/spaces", headers=bearer, json={"name": "s"}).json()["id"]
        sent = world.http.post(
            f"/v1/spaces/{space}/documents", headers=bearer, json={"text": "Ada Lovelace wrote notes."}
        )
        assert sent.status_code == 202
        world.drain()
        return made

    def read(self, world: World, tenant_id: str | UUID) -> tuple[int, Any]:
        answer = world.http.get(f"/v1/tenants/{tenant_id}/deletion", headers=routes.operator())
        return answer.status_code, answer.json()

    def test_is_read_later_as_it_was_given(self, world: World, made: dict[str, Any]) -> None:
        assert self.read(world, made["id"])[0] == 404
        url = f"/v1/tenants/{made['id']}"
        erased = world.http.delete(url, headers=routes.operator())
        assert erased.status_code == 200
        status, found = self.read(world, made["id"])
        assert (status, found) == (200, erased.json())
        assert found["rows"]["document"] == 1
        assert found["rows"]["tenant"] == 1

    def test_says_that_the_rows_are_being_removed(self, world: World, made: dict[str, Any]) -> None:
        tenant_id = TenantId(UUID(made["id"]))
        with world.citegraph.database.open_platform() as platform:
            tenants.close_tenant_and_delete_keys_and_accounts(platform, tenant_id, actor="test")
        assert self.read(world, tenant_id) == (
            200,
            {"id": made["id"], "state": "deleting", "rows": {"api_key": 1}},
        )
        tenant_deletion.continue_deletion_of_tenant(world.citegraph.database, tenant_id)
        assert self.read(world, tenant_id)[1]["state"] == "done"

    def test_has_the_rows_of_its_spaces_so_far(
        self, world: World, made: dict[str, Any], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Requirement 1.4: whoever asks by the API sees how far an erasure is."""
        monkeypatch.setattr(spaces, "MAX_ROWS_OF_SMALL_SPACE", 1)
        monkeypatch.setattr(space_deletion, "BATCH_ROWS", 5)
        erased = world.http.delete(f"/v1/tenants/{made['id']}", headers=routes.operator())
        assert (erased.status_code, erased.json()["state"]) == (202, "deleting")
        counts: list[int] = []
        delete_rows(world, lambda: counts.append(sum(self.read(world, made["id"])[1]["rows"].values())))
        assert counts == sorted(set(counts))
        assert len(counts) > 3
        tenant_deletion.continue_deletion_of_tenant(world.citegraph.database, TenantId(UUID(made["id"])))
        found = self.read(world, made["id"])[1]
        assert found["state"] == "done"
        assert sum(found["rows"].values()) > counts[-1]

    def test_is_the_operators_alone(self, world: World, made: dict[str, Any]) -> None:
        world.http.delete(f"/v1/tenants/{made['id']}", headers=routes.operator())
        for headers in ({}, world.a.bearer()):
            answer = world.http.get(f"/v1/tenants/{made['id']}/deletion", headers=headers)
            assert answer.status_code == 401
        assert self.read(world, uuid4())[0] == 404
        assert self.read(world, world.a.tenant_id)[0] == 404
