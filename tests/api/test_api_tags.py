"""Tags over HTTP: set, found by prefix with counts, a filter of nodes (requirement 11.2)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api.conftest import Account, World


def put(world: World, account: Account, node_id: object, tags: list[str]) -> Any:
    url = f"{account.space}/graph/nodes/{node_id}/tags"
    return world.http.put(url, headers=account.bearer("write"), json={"tags": tags})


def get(world: World, account: Account, path: str, **params: Any) -> Any:
    answer = world.http.get(f"{account.space}/graph/{path}", headers=account.bearer(), params=params)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def nodes(world: World) -> Iterator[list[str]]:
    """Three nodes of tenant A, without tags again at the end."""
    found = [item["id"] for item in get(world, world.a, "nodes", limit=3)["items"]]
    for node_tags in found:
        put(world, world.a, node_tags, [])
    yield found
    for node_tags in found:
        put(world, world.a, node_tags, [])


class TestSetTags:
    def test_the_number_of_kept_tags_is_returned(self, world: World, nodes: list[str]) -> None:
        answer = put(world, world.a, nodes[0], [f"Word{number}" for number in range(10)])
        assert answer.json() == {"tags": [f"word{number}" for number in range(8)], "count": 8}
        assert get(world, world.a, f"nodes/{nodes[0]}")["tags"] == answer.json()["tags"]

    def test_the_setting_of_the_space_limits_tags(self, world: World, guest: Account) -> None:
        sent = {"text": "Michael Stonebraker created Ingres."}
        world.http.post(f"{guest.space}/documents", headers=guest.bearer(), json=sent)
        world.drain()
        node = get(world, guest, "nodes", limit=1)["items"][0]["id"]
        settings = {"settings": {"max_tags": 2}}
        assert world.http.patch(guest.space, headers=guest.bearer(), json=settings).status_code == 200
        assert put(world, guest, node, ["one", "two", "three"]).json() == {"tags": ["one", "two"], "count": 2}

    def test_earlier_tags_are_replaced(self, world: World, nodes: list[str]) -> None:
        put(world, world.a, nodes[0], ["old", "both"])
        assert put(world, world.a, nodes[0], ["Both", "new"]).json()["tags"] == ["both", "new"]

    def test_an_existing_tag_is_reused_by_prefix(self, world: World, nodes: list[str]) -> None:
        put(world, world.a, nodes[0], ["relational"])
        assert put(world, world.a, nodes[1], ["Relat"]).json()["tags"] == ["relational"]

    def test_a_tag_of_another_tenant_is_not_reused(self, world: World, nodes: list[str]) -> None:
        put(world, world.b, world.b.node_id, ["clandestine"])
        assert put(world, world.a, nodes[0], ["cland"]).json()["tags"] == ["cland"]
        assert get(world, world.a, "tags", prefix="clandes")["items"] == []

    def test_its_own_tag_of_before_holds_up_no_shorter_one(self, world: World, nodes: list[str]) -> None:
        put(world, world.a, nodes[0], ["databases"])
        assert put(world, world.a, nodes[0], ["data"]).json()["tags"] == ["data"]

    def test_more_than_a_hundred_candidates_are_refused(self, world: World, nodes: list[str]) -> None:
        assert put(world, world.a, nodes[0], ["x"] * 101).status_code == 422


class TestFindTags:
    def test_by_prefix_with_the_number_of_nodes(self, world: World, nodes: list[str]) -> None:
        for node in nodes:
            put(world, world.a, node, ["science"])
        put(world, world.a, nodes[0], ["science", "scifi", "art"])
        found = get(world, world.a, "tags", prefix="Sci")["items"]
        assert found == [{"tag": "science", "nodes": 3}, {"tag": "scifi", "nodes": 1}]
        assert {"tag": "art", "nodes": 1} in get(world, world.a, "tags")["items"]

    def test_wildcards_are_letters_like_any_other(self, world: World, nodes: list[str]) -> None:
        put(world, world.a, nodes[0], ["science"])
        for prefix in ("%", "_", "sc_"):
            assert get(world, world.a, "tags", prefix=prefix)["items"] in (
                [],
                [{"tag": "science", "nodes": 1}],
            )
        assert get(world, world.a, "tags", prefix="%")["items"] == []

    def test_nodes_by_tag(self, world: World, nodes: list[str]) -> None:
        put(world, world.a, nodes[1], ["science"])
        assert [item["id"] for item in get(world, world.a, "nodes", tag="Science")["items"]] == [nodes[1]]
        assert get(world, world.a, "nodes", tag="science", q="no such name")["items"] == []
        assert get(world, world.a, "nodes", tag="sci")["items"] == []
