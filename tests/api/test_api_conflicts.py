"""Contradictions over HTTP (issue 5, point 5), and suggested tags (requirement 11.1)."""

from typing import Any

import pytest

from tests.api.conftest import Account, World

PARIS, LONDON = "Acme Corporation is located in Paris.", "Acme Corporation is located in London."
REASON = {"reason": "The archive says otherwise."}


def send(world: World, account: Account, method: str, path: str, key: str = "full", **given: Any) -> Any:
    answer = world.http.request(method, f"{account.space}{path}", headers=account.bearer(key), **given)
    return answer.status_code, answer.json()


def ask(world: World, account: Account, path: str, **params: object) -> Any:
    status, body = send(world, account, "GET", path, params=params)
    assert status == 200, body
    return body


@pytest.fixture
def contested(world: World, guest: Account) -> Account:
    """A space where things have one place, with two undated claims about each of two things."""
    single = {"settings": {"single_valued_relations": ["located_in"]}}
    assert send(world, guest, "PATCH", "", json=single)[0] == 200
    texts = [
        PARIS,
        LONDON,
        "Globex Corporation is located in Rome.",
        "Globex Corporation is located in Oslo.",
    ]
    for text in texts:
        body = {"text": text, "title": "Note", "source_uri": text}
        assert send(world, guest, "POST", "/documents", json=body)[0] == 202
    world.drain()
    return guest


def edge_that_says(world: World, account: Account, quote: str) -> str:
    sets = ask(world, account, "/graph/conflicts")["items"]
    rows = [row for set_ in sets for value in set_["values"] for row in value["rows"]]
    (found,) = [row["edge"]["id"] for row in rows if row["edge"]["quote"] == quote]
    return str(found)


class TestConflicts:
    def test_a_set_has_each_value_with_its_quotes(self, world: World, contested: Account) -> None:
        sets = ask(world, contested, "/graph/conflicts")["items"]
        assert {set_["from_name"] for set_ in sets} == {"Acme Corporation", "Globex Corporation"}
        acme = next(set_ for set_ in sets if set_["from_name"] == "Acme Corporation")
        assert (acme["relation_type"], acme["status"]) == ("located_in", "contested")
        assert {value["name"]: value["status"] for value in acme["values"]} == {
            "Paris": "current",
            "London": "current",
        }
        quotes = {row["edge"]["evidence"]["quote"] for value in acme["values"] for row in value["rows"]}
        assert quotes == {PARIS, LONDON}

    def test_a_page_goes_on_after_its_cursor(self, world: World, contested: Account) -> None:
        first = ask(world, contested, "/graph/conflicts", limit=1)
        second = ask(world, contested, "/graph/conflicts", limit=1, cursor=first["next_cursor"])
        assert second["next_cursor"] is None
        shown = [item["from_node_id"] for page in (first, second) for item in page["items"]]
        assert len(set(shown)) == 2

    def test_a_relation_that_is_not_declared_has_none(self, world: World, contested: Account) -> None:
        assert ask(world, contested, "/graph/conflicts", relation_type="owns")["items"] == []

    def test_a_person_decides_and_takes_it_back(self, world: World, contested: Account) -> None:
        paris = edge_that_says(world, contested, PARIS)
        revision = ask(world, contested, "")["graph_revision"]
        status, made = send(
            world,
            contested,
            "POST",
            f"/graph/edges/{paris}/invalidate",
            key="write",
            json={**REASON, "at": "2020-02-02T00:00:00Z"},
        )
        assert status == 200, made
        (entry,) = made["items"]
        assert (entry["edge_id"], entry["kind"], entry["reason"]) == (paris, "person", REASON["reason"])
        assert entry["invalidated_at"] == "2020-02-02T00:00:00Z"
        assert entry["decided_by"] != "cli"
        sets = ask(world, contested, "/graph/conflicts")["items"]
        assert {set_["from_name"]: set_["status"] for set_ in sets}["Acme Corporation"] == "decided"
        still = ask(world, contested, "/graph/conflicts", contested=True)["items"]
        assert [claim["from_name"] for claim in still] == ["Globex Corporation"]
        listed = [item["id"] for item in ask(world, contested, "/graph/edges")["items"]]
        assert paris not in listed
        shown = ask(world, contested, f"/graph/edges/{paris}")
        assert (shown["quote"], shown["invalidated_at"]) == (PARIS, "2020-02-02T00:00:00Z")
        assert [decision["decision_id"] for decision in shown["history"]] == [entry["decision_id"]]
        (row,) = ask(world, contested, "/graph/invalidations")["items"]
        assert {name: row[name] for name in entry} == entry
        assert row["to_name"] == "Paris"
        again = send(world, contested, "POST", f"/graph/edges/{paris}/invalidate", json=REASON)
        assert (again[0], again[1]["code"]) == (409, "already_invalidated")

        status, undone = send(world, contested, "POST", f"/graph/edges/{paris}/restore", key="write")
        assert status == 200
        assert [item["undone_kind"] for item in undone["items"]] == ["person"]
        assert len(ask(world, contested, "/graph/conflicts", contested=True)["items"]) == 2
        assert ask(world, contested, "/graph/invalidations")["items"] == []
        assert len(ask(world, contested, "/graph/invalidations", in_force=False)["items"]) == 1
        twice = send(world, contested, "POST", f"/graph/edges/{paris}/restore")
        assert (twice[0], twice[1]["code"]) == (409, "not_invalidated")
        assert ask(world, contested, "")["graph_revision"] == revision + 2
        audit = world.http.get("/v1/audit", headers=contested.bearer()).json()["items"]
        assert [entry["action"] for entry in audit[:2]] == ["edge.restore", "edge.invalidate"]
        assert {entry["target_id"] for entry in audit[:2]} == {paris}

    def test_what_cannot_be_decided_is_refused(self, world: World, contested: Account) -> None:
        paris = edge_that_says(world, contested, PARIS)
        refusals: list[tuple[dict[str, Any], str]] = [
            ({}, "invalid_input"),
            ({"reason": ""}, "blank"),
            ({"reason": " \n "}, "blank"),
            ({"reason": "x" * 1_001}, "too_long"),
            ({**REASON, "at": "2999-01-01T00:00:00Z"}, "time_to_come"),
            ({**REASON, "at": "yesterday"}, "invalid_time"),
            ({**REASON, "scope": "everything"}, "invalid_input"),
            ({**REASON, "edge_ids": []}, "invalid_input"),
        ]
        for body, code in refusals:
            status, problem = send(world, contested, "POST", f"/graph/edges/{paris}/invalidate", json=body)
            assert (status, problem["code"]) == (422, code), body
        assert ask(world, contested, f"/graph/edges/{paris}")["history"] == []


class TestSuggestedTags:
    def test_they_are_shown_and_not_written(self, world: World, contested: Account) -> None:
        (acme,) = ask(world, contested, "/graph/nodes", q="acme")["items"]
        path = f"/graph/nodes/{acme['id']}/tags"
        send(world, contested, "PUT", path, json={"tags": ["maker"]})
        for body in ({}, {"by": "rules"}):
            status, found = send(world, contested, "POST", f"{path}/suggest", key="read", json=body)
            assert status == 200, found
            assert found["by"] == "rules"
            assert 1 <= len(found["tags"]) <= 8
            assert found["current"] == [{"tag": "maker", "origin": "person"}]
        assert ask(world, contested, f"/graph/nodes/{acme['id']}")["tags"] == ["maker"]

    def test_a_model_that_is_not_there_is_said(self, world: World, contested: Account) -> None:
        (acme,) = ask(world, contested, "/graph/nodes", q="acme")["items"]
        path = f"/graph/nodes/{acme['id']}/tags/suggest"
        status, problem = send(world, contested, "POST", path, json={"by": "model"})
        assert (status, problem["code"]) == (409, "no_model")
        status, _ = send(world, contested, "POST", path, json={"by": "person"})
        assert status == 422
