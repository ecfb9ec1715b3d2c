"""Requirement 19.2: claims, statements and what is only named together are told apart in every door."""

import csv
import io
import json
from typing import Any

import pytest

from tests.api.conftest import Account, World, open_account
from tests.api.test_api_mcp import call

CLAIM = "Ostland Bank is based in Oslo."
STATEMENT = "Ostland Bank was audited by Helvora Systems."
BODY = f"{CLAIM} {STATEMENT} Near Oslo, Marta Kowalik waited."


def layer_of(relation: str) -> str:
    return "statement" if relation == "was_audited_by" else "claim"


@pytest.fixture(scope="module")
def bank(world: World) -> Account:
    """A tenant one of whose texts has one claim and one statement."""
    account = open_account(world.citegraph, world.http, "L")
    taken = world.http.post(
        f"{account.space}/documents", headers=account.bearer(), json={"documents": [{"text": BODY}]}
    )
    assert taken.status_code == 202, taken.text
    world.drain()
    return account


def change(world: World, account: Account, **settings: object) -> None:
    answer = world.http.patch(account.space, headers=account.bearer(), json={"settings": settings})
    assert answer.status_code == 200, answer.text


def ask(world: World, account: Account, path: str, body: dict[str, Any] | None = None) -> Any:
    url = f"{account.space}/graph/{path}"
    answer = (
        world.http.get(url, headers=account.bearer())
        if body is None
        else world.http.post(url, headers=account.bearer(), json=body)
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def layers(edges: list[dict[str, Any]]) -> set[str]:
    for edge in edges:
        assert edge["layer"] == layer_of(edge["relation_type"])
    return {edge["layer"] for edge in edges}


def explained(world: World, account: Account, *asked: str, start: str = "Ostland Bank", end: str) -> Any:
    body = {"from": start, "to": end, "filters": {"layers": list(asked)}}
    return ask(world, account, "explain", body)


@pytest.mark.parametrize("asked", [(), ("claim",), ("statement",), ("claim", "statement")])
def test_the_edges_of_a_space_and_of_a_node_are_filtered_by_layer(
    world: World, bank: Account, asked: tuple[str, ...]
) -> None:
    wanted = set(asked) or {"claim", "statement"}
    query = "&".join(f"layer={layer}" for layer in asked)
    assert layers(ask(world, bank, f"edges?{query}")["items"]) == wanted
    node = ask(world, bank, "nodes?q=Ostland")["items"][0]["id"]
    assert layers(ask(world, bank, f"edges?node_id={node}&{query}")["items"]) == wanted
    assert layers(ask(world, bank, f"neighborhood/{node}?{query}")["edges"]) == wanted
    around = ask(world, bank, "neighbors", {"node_ids": [node], "filters": {"layers": list(asked)}})
    assert layers(around["edges"]) == wanted


def test_a_node_and_the_relation_types_say_their_layers(world: World, bank: Account) -> None:
    node = ask(world, bank, "nodes?q=Ostland")["items"][0]["id"]
    assert layers(ask(world, bank, f"nodes/{node}")["relations"]) == {"claim", "statement"}
    assert layers(ask(world, bank, "relation-types")["items"]) == {"claim", "statement"}


def test_an_explanation_follows_the_layers_that_are_asked_for(world: World, bank: Account) -> None:
    assert layers(explained(world, bank, end="Helvora Systems")["edges"]) == {"statement"}
    assert layers(explained(world, bank, "statement", end="Helvora Systems")["edges"]) == {"statement"}
    without = explained(world, bank, "claim", end="Helvora Systems")
    assert without["edges"] == without["named_together"] == []
    assert any("The filter layers kept out" in sentence for sentence in without["why_not"])
    assert layers(explained(world, bank, "claim", end="Oslo")["edges"]) == {"claim"}
    # Over the bank, one step is a claim and the other a statement.
    joined = explained(world, bank, start="Oslo", end="Helvora Systems")
    assert layers(joined["edges"]) == {"claim", "statement"}
    assert explained(world, bank, "claim", start="Oslo", end="Helvora Systems")["paths"] == []


def test_passages_that_name_both_come_only_where_their_layer_is_let_through(
    world: World, bank: Account
) -> None:
    for asked, found in (((), 1), (("named_together",), 1), (("claim", "statement"), 0)):
        told = explained(world, bank, *asked, start="Marta Kowalik", end="Oslo")
        assert len(told["named_together"]) == found
        assert told["edges"] == []
    told = explained(world, bank, "named_together", end="Oslo")
    assert told["edges"] == []
    assert [edge["evidence"]["quote"] for edge in told["named_together"]] == [CLAIM]


def test_a_narrative_marks_what_is_told_as_written(world: World, bank: Account) -> None:
    told = explained(world, bank, start="Oslo", end="Helvora Systems")["narrative"]
    marked = [line for line in told.splitlines() if "(as written)" in line]
    assert len(marked) == 1
    assert marked[0].startswith("was audited by: Helvora Systems")


def test_a_statement_counts_less_than_a_claim(world: World, bank: Account) -> None:
    score = explained(world, bank, end="Helvora Systems")["paths"][0]["score"]
    change(world, bank, statement_weight=1.0)
    whole = explained(world, bank, end="Helvora Systems")["paths"][0]["score"]
    change(world, bank, statement_weight=None)
    assert score == pytest.approx(whole * 0.25)
    facts = ask(world, bank, "explain", {"question": "What about Ostland Bank?"})["edges"]
    assert [fact["layer"] for fact in facts][-1] == "statement"


def test_a_declared_relation_type_is_a_claim(world: World, bank: Account) -> None:
    change(world, bank, extra_relation_types=["was_audited_by"])
    found = ask(world, bank, "edges")["items"]
    change(world, bank, extra_relation_types=[])
    assert {edge["layer"] for edge in found} == {"claim"}


def test_an_export_says_the_layer_and_comes_back(world: World, bank: Account) -> None:
    answer = world.http.get(f"{bank.space}/export?format=jsonl", headers=bank.bearer())
    rows = [json.loads(line) for line in answer.text.splitlines()]
    assert layers([row for row in rows if row["kind"] == "edge"]) == {"claim", "statement"}
    table = world.http.get(f"{bank.space}/export?format=csv-edges", headers=bank.bearer())
    assert table.status_code == 200, table.text
    told = [(row["relation"], row["layer"]) for row in csv.DictReader(io.StringIO(table.text))]
    assert all(layer_of(relation) == layer for relation, layer in told)
    for format in ("graphml", "cypher", "turtle"):
        text = world.http.get(f"{bank.space}/export?format={format}", headers=bank.bearer()).text
        assert "statement" in text


def test_an_agent_is_told_the_layer_and_may_choose_it(
    world: World, bank: Account, address: tuple[str, int]
) -> None:
    url = "http://{}:{}/mcp".format(*address)
    key, space = bank.keys["read"], str(bank.home.space_id)
    for asked, wanted in (
        ([], {"claim", "statement"}),
        (["claim"], {"claim"}),
        (["statement"], {"statement"}),
    ):
        seen = call(url, key, "neighborhood", space=space, node="Ostland Bank", layers=asked)
        assert {edge["layer"] for edge in seen["edges"]} == wanted
    told = call(
        url, key, "explain", space=space, to="Oslo", layers=["named_together"], **{"from": "Ostland Bank"}
    )
    assert told["edges"] == []
    assert len(told["named_together"]) == 1


@pytest.mark.parametrize("layer", ["claims", "", "CLAIM"])
def test_a_layer_that_is_none_is_refused(world: World, bank: Account, layer: str) -> None:
    answer = world.http.get(f"{bank.space}/graph/edges?layer={layer}", headers=bank.bearer())
    assert answer.status_code == 422, answer.text
