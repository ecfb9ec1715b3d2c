"""Plays a scenario by HTTP as a client would: hands documents in and takes them out, waits for jobs, asks."""

import time
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from tests.support.http_client import Call, Reply, Target, get, post, send
from tests.support.service import FINAL, hand_in
from tests.truth.scenario import Scenario

JOB_SECONDS = 60.0
# They wait for a graph that rests, or for the next day: no part of the history.
LATER_KINDS = frozenset({"evict_chunks"})


def fresh_space(target: Target, scenario: Scenario) -> Target:
    """A space of the scenario's own, with its settings."""
    body = {"name": scenario.name, "settings": scenario.settings}
    made = post(target, "/v1/spaces", body)
    assert made.status == 201, made.raw
    return replace(target, space_id=made.body["id"])


def play_history(target: Target, scenario: Scenario) -> None:
    """Do each step and wait until its jobs have ended."""
    for step in scenario.history:
        if "delete" in step:
            _delete(target, step)
        else:
            _put(target, step)
        _await_jobs(target)


def _put(target: Target, step: dict[str, Any]) -> None:
    more: dict[str, Any] = {name: step[name] for name in ("title", "format", "metadata") if name in step}
    if "date" in step:
        more["metadata"] = {**more.get("metadata", {}), "date": step["date"]}
    body: dict[str, Any] = {"source_uri": step["put"], **more}
    if "content" in step:
        taken = post(
            target, f"{target.space}/documents", {"documents": [{**body, "content": step["content"]}]}
        )
    else:
        taken = hand_in(target, step["text"], **body)
    assert taken.status in (200, 202), taken.raw


def _delete(target: Target, step: dict[str, Any]) -> None:
    found = [
        each for each in _all(target, f"{target.space}/documents") if each["source_uri"] == step["delete"]
    ]
    assert len(found) == 1, f"{step['delete']} is the address of {len(found)} documents"
    query = f"?prune={'true' if step['prune'] else 'false'}" if "prune" in step else ""
    gone = send(target, Call("DELETE", f"{target.space}/documents/{found[0]['id']}{query}"))
    assert gone.status in (200, 202, 204), gone.raw


def _all(target: Target, path: str) -> list[dict[str, Any]]:
    answer = get(target, f"{path}?limit=100")
    assert answer.status == 200, answer.raw
    rows: list[dict[str, Any]] = answer.body["items"]
    return rows


def _await_jobs(target: Target) -> None:
    deadline = time.monotonic() + JOB_SECONDS
    while True:
        jobs = [each for each in _all(target, f"{target.space}/jobs") if each["kind"] not in LATER_KINDS]
        if all(each["state"] in FINAL for each in jobs):
            break
        assert time.monotonic() < deadline, [(each["kind"], each["state"], each["stage"]) for each in jobs]
        time.sleep(0.05)
    failed = [(each["error_code"], each["error_message"]) for each in jobs if each["state"] != "done"]
    assert not failed, failed


def answer_of(target: Target, question: dict[str, Any]) -> dict[str, Any]:
    """The body of the answer to the scenario's question."""
    as_of = _moment(question.get("as_of"))
    if "ask" in question:
        body = {"question": question["ask"], **({"as_of": as_of} if as_of else {})}
        return _answered(post(target, f"{target.space}/ask", body))
    if "retrieve" in question:
        body = {"query": question["retrieve"], **({"as_of": as_of} if as_of else {})}
        return _answered(post(target, f"{target.space}/retrieve", body))
    if "explain" in question:
        asked = question["explain"]
        ends = {"question": asked} if isinstance(asked, str) else {"from": asked[0], "to": asked[1]}
        body = {**ends, "filters": {"as_of": as_of} if as_of else {}}
        found = post(target, f"{target.space}/graph/explain", body)
        # A name that the space has no node for leads nowhere.
        return {"edges": [], "nodes": [], "problem": found.body} if found.status == 404 else _answered(found)
    nodes = nodes_named(target, question["neighborhood"])
    assert nodes, f"no node is named {question['neighborhood']}"
    query = f"?as_of={quote(as_of)}" if as_of else ""
    return _answered(get(target, f"{target.space}/graph/neighborhood/{nodes[0]['id']}{query}"))


def nodes_named(target: Target, name: str) -> list[dict[str, Any]]:
    """The space's nodes of exactly this name or alias, case aside."""
    found = _answered(get(target, f"{target.space}/graph/nodes?limit=100&q={quote(name)}"))["items"]
    wanted = name.casefold()
    return [
        node
        for node in found
        if wanted in {each.casefold() for each in (node["canonical_name"], *node["aliases"])}
    ]


def _moment(day: str | None) -> str | None:
    return f"{day}T00:00:00Z" if day and "T" not in day else day


def _answered(reply: Reply) -> dict[str, Any]:
    assert reply.status == 200, reply.raw
    body: dict[str, Any] = reply.body
    return body
