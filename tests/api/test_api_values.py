"""A mistaken value by HTTP: ended, it is neither told nor quoted any more; restored, it is again."""

from typing import Any

import pytest

from tests.api.conftest import Account, World, open_account

OLD, NEW = "The population of Oslo is 700,000.", "The population of Oslo is 7."
QUESTION = "What is the population of Oslo?"


@pytest.fixture(scope="module")
def town(world: World) -> Account:
    """A tenant whose documents give Oslo a population in 2020, and another one, by mistake, in 2024."""
    account = open_account(world.citegraph, world.http, "V")
    settings = {"node_attributes": {"Location": {"population": "number"}}}
    changed = world.http.patch(account.space, headers=account.bearer(), json={"settings": settings})
    assert changed.status_code == 200, changed.text
    documents = [
        {"text": f"Oslo is a city in Norway. {said}", "metadata": {"date": date}}
        for said, date in ((OLD, "2020-01-01"), (NEW, "2024-01-01"))
    ]
    taken = world.http.post(
        f"{account.space}/documents", headers=account.bearer(), json={"documents": documents}
    )
    assert taken.status_code == 202, taken.text
    world.drain()
    return account


def holding(items: list[dict[str, Any]]) -> list[float]:
    return [item["value"] for item in items if item["holds"]]


def test_an_ended_value_is_told_and_quoted_no_more(world: World, town: Account) -> None:
    bearer = town.bearer()
    found = world.http.get(f"{town.space}/graph/nodes?q=Oslo", headers=bearer).json()["items"]
    node = f"{town.space}/graph/nodes/{found[0]['id']}"

    def quotes() -> str:
        answer = world.http.post(f"{town.space}/ask", headers=bearer, json={"question": QUESTION})
        assert answer.status_code == 200, answer.text
        return " ".join(citation["quote"] for citation in answer.json()["citations"])

    def act(name: str, **body: Any) -> Any:
        return world.http.post(
            f"{node}/values/{name}", headers=bearer, json={"name": "population", "value": 7, **body}
        )

    assert holding(world.http.get(node, headers=bearer).json()["attributes"]) == [7]
    assert NEW in quotes()
    ended = act("end", reason="A slip.")
    assert ended.status_code == 200, ended.text
    assert holding(ended.json()["items"]) == [700_000]
    assert OLD in quotes()
    assert NEW not in quotes()
    assert act("end", reason="Again.").json()["code"] == "already_ended"
    assert holding(act("restore").json()["items"]) == [7]
    assert act("restore").json()["code"] == "not_ended"
    assert NEW in quotes()
    assert holding(act("uphold", value=700_000, reason="So.").json()["items"]) == [700_000]
