"""Estimates, retries and a tenant's limits by their routes, against the real application."""

import json
import secrets

import pytest
from sqlalchemy import update

from app.db.models import Document
from app.documents.hashing import hash_content
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
    texts = [{"text": f"Note {number} names Ada Lovelace."} for number in range(3)]
    made = world.http.post(url, headers=guest.bearer(), json={"documents": texts}).json()
    one, two, three = (document["id"] for document in made["documents"])
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
    assert {document["id"]: document["state"] for document in listed} == dict.fromkeys(
        (one, two, three), "ready"
    )


@pytest.mark.parametrize("document", ["estimate", "retry", "move", "preview-removals"])
def test_words_of_the_address_are_no_ids_of_documents(world: World, guest: Account, document: str) -> None:
    url = f"{guest.space}/documents/{document}"
    for method in ("GET", "DELETE"):
        answer = world.http.request(method, url, headers=guest.bearer())
        assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def hand_in_files(world: World, guest: Account, addresses: list[str]) -> dict[str, str]:
    """Files of one form at these addresses, read; the ids by address."""
    answer = world.http.post(
        f"{guest.space}/documents",
        headers=guest.bearer(),
        files=[("file", ("note.txt", f"Ada created Engine{name}.".encode())) for name in addresses],
        data={"source_uris": json.dumps(addresses), "trust": "0.5"},
    )
    assert answer.status_code == 202, answer.text
    rows = answer.json()["documents"]
    assert {row["job_id"] for row in rows} == {answer.json()["job"]["id"]}
    assert {row["state"] for row in rows} == {"queued"}
    world.drain()
    return {row["source_uri"]: row["id"] for row in rows}


def test_files_of_a_form_have_addresses_of_their_own(world: World, guest: Account) -> None:
    url = f"{guest.space}/documents"
    addresses = ["file:a/x.txt", "file:a_/x.txt", "file:a/b/y.txt"]
    assert list(hand_in_files(world, guest, addresses)) == addresses
    listed = world.http.get(f"{url}?source_uri_prefix=file:a/", headers=guest.bearer()).json()["items"]
    assert {row["source_uri"] for row in listed} == {"file:a/x.txt", "file:a/b/y.txt"}
    assert {row["trust"] for row in listed} == {0.5}
    for row in listed:
        content = f"Ada created Engine{row['source_uri']}.".encode()
        assert row["content_hash"] == hash_content(content, row["format"])
    file = {"file": ("x.txt", b"Eve.")}
    for fields, code in (
        ({"source_uris": '["a", "b"]'}, "one_address_each"),
        ({"source_uris": '["a"]', "source_uri": "b"}, "one_address_each"),
        ({"source_uris": "[]"}, "invalid_input"),
        ({"source_uris": '["a"'}, "malformed_json"),
        ({"trust": "2"}, "invalid_input"),
    ):
        refused = world.http.post(url, headers=guest.bearer(), files=file, data=fields)
        assert (refused.status_code, refused.json()["code"]) == (422, code), refused.text


def test_documents_move_all_at_once_or_not_at_all(world: World, guest: Account) -> None:
    ids = hand_in_files(world, guest, ["one", "two", "three"])
    theirs = str(world.b.document_id)

    def move(**addresses: str) -> tuple[int, str | None]:
        body = {"documents": [{"id": ids.get(old, old), "source_uri": new} for old, new in addresses.items()]}
        answer = world.http.post(f"{guest.space}/documents/move", headers=guest.bearer(), json=body)
        return answer.status_code, answer.json().get("code")

    def there() -> dict[str, str]:
        listed = world.http.get(f"{guest.space}/documents", headers=guest.bearer()).json()["items"]
        return {row["source_uri"]: row["id"] for row in listed}

    assert move(one="two", two="one") == (200, None)
    assert there() == {"one": ids["two"], "two": ids["one"], "three": ids["three"]}
    for refused in (
        move(one="three"),
        move(one="free", **{theirs: "other"}),
        move(one="free", two="free"),
    ):
        assert refused in ((409, "same_address"), (404, "not_found"), (422, "duplicate_source_uri"))
        assert there() == {"one": ids["two"], "two": ids["one"], "three": ids["three"]}
    twice = {"documents": [{"id": ids["one"], "source_uri": name} for name in "ab"]}
    answer = world.http.post(f"{guest.space}/documents/move", headers=guest.bearer(), json=twice)
    assert (answer.status_code, answer.json()["code"]) == (422, "duplicate_document")


def test_a_preview_of_removals_counts_what_goes_with_the_last(world: World, guest: Account) -> None:
    """Two documents name two nodes, which go with the second; no preview of one alone says so."""
    url = f"{guest.space}/documents"
    texts = [
        {"text": f"Ada Lovelace created Analytical Engine. {mark}", "source_uri": mark}
        for mark in ("One.", "Two.")
    ]
    made = world.http.post(url, headers=guest.bearer(), json={"documents": texts}).json()
    ids = [row["id"] for row in made["documents"]]
    world.drain()
    body = {"document_ids": ids, "prune": True}
    answer = world.http.post(f"{url}/preview-removals", headers=guest.bearer(), json=body)
    assert answer.status_code == 200, answer.text
    assert [receipt["pruned_nodes"] for receipt in answer.json()["removals"]] == [0, 2]
    assert len(world.http.get(url, headers=guest.bearer()).json()["items"]) == 2
    theirs = {"document_ids": [*ids, str(world.b.document_id)]}
    assert world.http.post(f"{url}/preview-removals", headers=guest.bearer(), json=theirs).status_code == 404


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
    assert {"tenant.rename", "tenant.budget", "tenant.quota"} <= {entry["action"] for entry in entries}
    for wrong in ({"budget_usd": -1}, {"name": ""}, {"quotas": {"pages": 1}}, {"plan": "x"}):
        assert world.http.patch(url, headers=routes.operator(), json=wrong).status_code == 422, wrong
    taken = world.http.patch(url, headers=routes.operator(), json={"name": "tenant-b"})
    assert (taken.status_code, taken.json()["code"]) == (409, "name_taken")
