"""Estimates, retries and a tenant's limits by their routes, against the real application."""

import secrets

import pytest
from sqlalchemy import update

from app.db.models import Document
from tests.api import routes
from tests.api.conftest import Account, World


def test_an_estimate_is_what_a_dry_run_says_and_stores_nothing(world: World, guest: Account) -> None:
    body = {
        "documents": [{"text": "Ada Lovelace wrote the Notes."}, {"text": "Ada Lovelace wrote the Notes."}]
    }
    url = f"{guest.space}/documents"
    asked = world.http.post(f"{url}/estimate", headers=guest.bearer(), json=body)
    dry = world.http.post(f"{url}?dry_run=true", headers=guest.bearer(), json=body)
    assert asked.status_code == 200
    assert asked.json() == dry.json()
    assert asked.json()["documents"] == 2
    assert world.http.get(url, headers=guest.bearer()).json()["items"] == []
    assert world.http.get(f"{url}/estimate", headers=guest.bearer()).status_code == 405
    assert world.http.post(f"{url}/estimate", headers=guest.bearer("read"), json=body).status_code == 403


def test_what_failed_is_tried_again_and_nothing_else(world: World, guest: Account) -> None:
    url = f"{guest.space}/documents"
    texts = [{"text": f"Note {each} names Ada Lovelace."} for each in range(3)]
    made = world.http.post(url, headers=guest.bearer(), json={"documents": texts}).json()
    one, two, three = (each["id"] for each in made["documents"])
    world.drain()
    retried = world.http.post(f"{url}/{one}/retry", headers=guest.bearer())
    assert (retried.status_code, retried.json()["code"]) == (409, "document_not_failed")
    assert world.http.post(f"{url}/retry", headers=guest.bearer()).json()["code"] == "document_not_failed"
    with world.citegraph.database.open_space(guest.home.tenant_id, guest.home.space_id) as space:
        space.orm.execute(
            update(Document)
            .where(Document.knowledge_space_id == guest.space_id, Document.id.in_([one, two]))
            .values(state="failed", failure_code="test", failure_reason="test")
        )
    again = world.http.post(f"{url}/{one}/retry", headers=guest.bearer())
    assert again.status_code == 202, again.text
    assert world.http.get(f"{url}/{one}", headers=guest.bearer()).json()["job_id"] == again.json()["id"]
    rest = world.http.post(f"{url}/retry", headers=guest.bearer())
    assert (rest.status_code, rest.json()["documents"]) == (202, 1)
    world.drain()
    listed = world.http.get(url, headers=guest.bearer()).json()["items"]
    assert {each["id"]: each["state"] for each in listed} == dict.fromkeys((one, two, three), "ready")


@pytest.mark.parametrize("document", ["estimate", "retry"])
def test_words_of_the_address_are_no_ids_of_documents(world: World, guest: Account, document: str) -> None:
    url = f"{guest.space}/documents/{document}"
    for method in ("GET", "DELETE"):
        answer = world.http.request(method, url, headers=guest.bearer())
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_a_wrong_method_is_told_every_right_one(world: World, guest: Account) -> None:
    for url, methods in {
        "/v1/spaces": "GET, POST",
        guest.space: "DELETE, GET, PATCH",
        f"{guest.space}/documents/estimate": "POST",
        "/healthz": "GET",
        "/docs": "GET",
    }.items():
        answer = world.http.put(url, headers=guest.bearer())
        assert (answer.status_code, answer.headers["allow"]) == (405, methods), url


def test_the_operator_changes_name_budget_and_quotas(world: World, guest: Account) -> None:
    url = f"/v1/tenants/{guest.tenant_id}"

    def change(**body: object) -> dict[str, object]:
        answer = world.http.patch(url, headers=routes.operator(), json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, object] = answer.json()
        return found

    name = f"renamed-{secrets.token_hex(4)}"
    assert change(name=name)["name"] == name
    assert change(budget_usd=12.5)["budget_usd"] == 12.5
    changed = change(quotas={"documents": 7})
    assert (changed["budget_usd"], changed["quotas"], changed["name"]) == (12.5, {"documents": 7}, name)
    assert change()["budget_usd"] == 12.5
    assert change(budget_usd=None)["budget_usd"] is None
    assert change(quotas={"documents": None})["quotas"] == {}
    entries = world.http.get("/v1/audit?action=tenant", headers=guest.bearer()).json()["items"]
    assert {"tenant.rename", "tenant.budget", "tenant.quota"} <= {each["action"] for each in entries}
    for wrong in ({"budget_usd": -1}, {"name": ""}, {"quotas": {"pages": 1}}, {"plan": "x"}):
        assert world.http.patch(url, headers=routes.operator(), json=wrong).status_code == 422, wrong
    taken = world.http.patch(url, headers=routes.operator(), json={"name": "tenant-b"})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
