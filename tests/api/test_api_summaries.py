"""Summaries of nodes over HTTP: on the node itself, and what their gate decided (requirement 6)."""

from functools import partial
from typing import Any

import pytest

from app.derived.summaries.job import evaluate_changed_nodes_and_save_summaries
from app.derived.summaries.scheduling import enqueue_or_hasten_gate_evaluation_of_all_nodes
from app.jobs.kinds import RefreshSummaries
from tests.api.conftest import Account, World
from workers.runner import Runner

FACTS = "Ada Lovelace created Analytical Engine Notes. Ada Lovelace works for Difference Engine Works."


def get(world: World, account: Account, path: str, **params: int) -> Any:
    answer = world.http.get(f"{account.space}/graph{path}", headers=account.bearer(), params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refresh(world: World, account: Account) -> None:
    """Have the gate look at every node of the space, in this process."""
    with world.citegraph.database.open_space(account.home.tenant_id, account.home.space_id) as space:
        enqueue_or_hasten_gate_evaluation_of_all_nodes(space)
    run_refreshes(world)


def run_refreshes(world: World) -> None:
    """Run the refreshes that are queued, in this process."""
    handlers = {
        RefreshSummaries.kind: partial(
            evaluate_changed_nodes_and_save_summaries, client=world.citegraph.client
        )
    }
    Runner(world.citegraph.database, world.citegraph.settings, handlers).drain()


@pytest.fixture
def told(world: World, guest: Account) -> Account:
    """A tenant of its own with two facts about one node."""
    sent = {"text": FACTS, "source_uri": "notes"}
    world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json=sent)
    world.drain()
    return guest


def test_a_node_has_its_summary_once_it_is_written(world: World, told: Account) -> None:
    ada = next(
        item for item in get(world, told, "/nodes")["items"] if item["canonical_name"] == "Ada Lovelace"
    )
    assert get(world, told, f"/nodes/{ada['id']}")["summary"] is None
    refresh(world, told)
    summary = get(world, told, f"/nodes/{ada['id']}")["summary"]
    assert summary["text"].startswith("Ada Lovelace ")
    assert summary["written_by"] == "rules"
    edges = {item["id"] for item in get(world, told, "/edges")["items"]}
    for citation in summary["citations"]:
        assert summary["text"][citation["char_start"] : citation["char_end"]].endswith(".")
        assert citation["edge_ids"]
        assert set(citation["edge_ids"]) <= edges


def test_summaries_are_listed_with_what_their_gate_did(world: World, told: Account) -> None:
    assert get(world, told, "/summaries") == {"items": [], "next_cursor": None}
    refresh(world, told)
    (listed,) = get(world, told, "/summaries")["items"]
    node = get(world, told, f"/nodes/{listed['node_id']}")
    assert listed["canonical_name"] == node["canonical_name"] == "Ada Lovelace"
    assert {name: listed[name] for name in node["summary"]} == node["summary"]
    assert (listed["last_reason"], listed["refreshed"], listed["skipped"]) == ("first", 1, 0)


def test_the_gate_counts_by_reason_and_shows_skips(world: World, told: Account) -> None:
    assert get(world, told, "/summaries/gate") == {"counts": [], "skipped_share": 0.0, "skips": []}
    refresh(world, told)
    refresh(world, told)
    found = get(world, told, "/summaries/gate")
    assert [(count["reason"], count["refreshed"], count["decisions"]) for count in found["counts"]] == [
        ("first", True, 1),
        ("unchanged", False, 1),
    ]
    assert found["skipped_share"] == 0.5
    (skip,) = found["skips"]
    assert (skip["canonical_name"], skip["new_facts"]) == ("Ada Lovelace", [])
    assert get(world, told, "/summaries/gate", skips=0)["skips"] == []


def test_a_refresh_on_demand_is_one_job_however_often_it_is_asked_for(world: World, told: Account) -> None:
    url = f"{told.space}/graph/summaries/refresh"
    jobs = [world.http.post(url, headers=told.bearer("write")) for _ in range(2)]
    assert [job.status_code for job in jobs] == [202, 202]
    assert jobs[0].json()["id"] == jobs[1].json()["id"]
    assert jobs[0].json()["kind"] == "summaries.refresh"
    assert world.http.post(url, headers=told.bearer("read")).status_code == 403
    assert world.http.get(url, headers=told.bearer()).status_code == 405
    run_refreshes(world)
    done = world.http.get(f"{told.space}/jobs/{jobs[0].json()['id']}", headers=told.bearer()).json()
    assert (done["state"], done["counts"]["refreshed"]) == ("done", 1)
    world.http.post(url, headers=told.bearer())
    run_refreshes(world)
    assert [count["reason"] for count in get(world, told, "/summaries/gate")["counts"]] == [
        "first",
        "unchanged",
    ]


def test_another_tenants_gate_shows_nothing_of_it(world: World, told: Account) -> None:
    refresh(world, told)
    for account in (world.a, world.b):
        shown = world.http.get(f"{told.space}/graph/summaries/gate", headers=account.bearer())
        assert shown.status_code == 404
