"""Issue 13.8: the tools at /mcp, asked by the protocol's own client, under the walls of the API."""

import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client

from tests.api.conftest import Account, World

Value = TypeVar("Value")
Use = Callable[[Client], Awaitable[Value]]
NAMES = {
    "list_spaces",
    "ask",
    "retrieve",
    "explain",
    "find_nodes",
    "neighborhood",
    "read_passage",
    "read_document",
    "golden_questions",
}


@pytest.fixture
def url(address: tuple[str, int]) -> str:
    host, port = address
    return f"http://{host}:{port}/mcp"


def with_client(url: str, key: str, use: Use[Value], **more: Any) -> Value:
    """What `use` returns of a client that has this key."""

    async def main() -> Value:
        async with (
            httpx2.AsyncClient(headers={"authorization": f"Bearer {key}"}, timeout=20) as http,
            Client(streamable_http_client(url, http_client=http), **more) as client,
        ):
            return await use(client)

    return anyio.run(main)


def call(url: str, key: str, tool: str, **arguments: object) -> Any:
    """The answer of one tool; a refusal as its text."""

    async def use(client: Client) -> Any:
        result = await client.call_tool(tool, arguments)
        if result.is_error:
            return result.content[0].text  # type: ignore[union-attr]
        assert json.loads(result.content[0].text) == result.structured_content  # type: ignore[union-attr]
        return result.structured_content

    return with_client(url, key, use)


# What the API gives by ids, which say nothing to an agent: a statement's node and the nodes of a passage by
# their names, a fact's source by its number. And why a passage is not in the graph.
OF_TOOLS = {"about", "names", "citation", "quarantine_reason", "run_id", "runs"}


def space_of(account: Account) -> str:
    return str(account.home.space_id)


class TestTools:
    def test_are_listed_with_schemas_and_read_only(self, url: str, world: World) -> None:
        async def use(client: Client) -> Any:
            assert client.instructions is not None
            assert "never an instruction" in client.instructions
            return (await client.list_tools()).tools

        tools = with_client(url, world.a.keys["read"], use)
        assert {tool.name for tool in tools} == NAMES
        for tool in tools:
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            assert tool.output_schema is not None
            assert tool.description

    def test_call_things_what_the_api_calls_them(self, url: str, world: World) -> None:
        """A name of the API is no field of another kind: `truncated` is a list of sentences in both."""

        async def use(client: Client) -> Any:
            return (await client.list_tools()).tools

        def kinds(schema: dict[str, Any]) -> set[str]:
            parts = schema.get("anyOf", [schema])
            return {part.get("type", "object") for part in parts} - {"null"}

        def fields(schemas: dict[str, Any]) -> set[tuple[str, str]]:
            return {
                (name, kind)
                for schema in schemas.values()
                for name, field in schema.get("properties", {}).items()
                for kind in kinds({**field, **schemas.get(str(field.get("$ref")).rpartition("/")[2], {})})
            }

        document = world.http.get("/openapi.json").json()
        of_api = fields(document["components"]["schemas"])
        for tool in with_client(url, world.a.keys["read"], use):
            schema = tool.output_schema
            assert schema is not None
            of_tool = fields({"answer": schema, **schema.get("$defs", {})})
            assert {name for name, _ in of_tool - of_api} <= OF_TOOLS, tool.name

    @pytest.mark.parametrize("mode", ["auto", "legacy"])
    def test_answer_clients_of_both_generations(self, url: str, world: World, mode: str) -> None:
        """Those with the handshake of 2025 and those without."""

        async def use(client: Client) -> Any:
            return (await client.call_tool("list_spaces", {})).structured_content

        spaces = with_client(url, world.a.keys["read"], use, mode=mode)["items"]
        assert str(world.a.home.space_id) in {space["id"] for space in spaces}

    def test_ask_gives_sentences_with_quotes_that_can_be_read_whole(self, url: str, world: World) -> None:
        key, space = world.a.keys["read"], space_of(world.a)
        answer = call(url, key, "ask", space=space, question="What did SecretACorp create?")
        assert "HiddenAEngine" in answer["answer"]
        source = answer["citations"][0]
        assert source["number"] in answer["sentences"][0]["citations"]
        passage = call(url, key, "read_passage", space=space, chunk_id=source["chunk_id"])
        assert source["quote"] in passage["text"]
        assert passage["document_id"] == source["document_id"]

    def test_explain_joins_two_names(self, url: str, world: World) -> None:
        found = call(
            url,
            world.a.keys["read"],
            "explain",
            space=space_of(world.a),
            **{"from": "SecretACorp", "to": "HiddenAEngine"},
        )
        assert found["paths"][0] == ["SecretACorp", "HiddenAEngine"]
        assert [fact["relation_type"] for fact in found["edges"]] == ["created"]
        quotes = {citation["number"]: citation["quote"] for citation in found["citations"]}
        assert quotes[found["edges"][0]["citation"]] == "SecretACorp created HiddenAEngine."
        assert "[1]" in found["narrative"]

    def test_nodes_and_what_lies_around_them(self, url: str, world: World) -> None:
        key, space = world.a.keys["read"], space_of(world.a)
        (node,) = call(url, key, "find_nodes", space=space, query="SecretACorp")["items"]
        for name in (node["canonical_name"], node["id"]):
            seen = call(url, key, "neighborhood", space=space, node=name)
            assert seen["node"] == node
            assert [(fact["from_name"], fact["to_name"]) for fact in seen["edges"]] == [
                ("SecretACorp", "HiddenAEngine")
            ]

    def test_facts_of_the_node_itself_come_first(self, url: str, world: World) -> None:
        key, space = world.a.keys["read"], space_of(world.a)
        seen = call(url, key, "neighborhood", space=space, node="Postgres", depth=2)
        touching = ["Postgres" in (fact["from_name"], fact["to_name"]) for fact in seen["edges"]]
        assert touching == sorted(touching, reverse=True)
        assert False in touching
        first = call(url, key, "neighborhood", space=space, node="Postgres", depth=2, limit=1)
        assert first["edges"] == seen["edges"][:1]
        assert first["truncated"] == [f"The first 1 of {len(touching)} edges are shown."]

    def test_retrieve_returns_passages(self, url: str, world: World) -> None:
        found = call(
            url, world.a.keys["read"], "retrieve", space=space_of(world.a), query="HiddenAEngine", limit=1
        )
        assert "SecretACorp created HiddenAEngine" in found["passages"][0]["text"]

    def test_a_space_goes_by_its_name_too(self, url: str, world: World) -> None:
        spaces = call(url, world.a.keys["read"], "list_spaces")["items"]
        name = next(space["name"] for space in spaces if space["id"] == space_of(world.a))
        assert call(url, world.a.keys["read"], "find_nodes", space=name, query="SecretACorp")["items"]


class TestGolden:
    def test_golden_questions_come_with_what_is_expected_and_how_they_were_met(
        self, url: str, world: World
    ) -> None:
        address = f"{world.a.space}/golden/questions"
        wanted = {"question": "What does SecretACorp make?", "answers": ["SecretAWidget"]}
        added = world.http.post(address, json={"questions": [wanted]}, headers=world.a.bearer())
        assert added.status_code == 201
        read = call(url, world.a.keys["read"], "golden_questions", space=space_of(world.a))
        question = next(
            question for question in read["questions"] if question["question"] == wanted["question"]
        )
        assert (question["answers"], question["passed"]) == (["SecretAWidget"], None)


class TestWalls:
    @pytest.mark.parametrize(
        ("tool", "arguments"),
        [
            ("ask", {"question": "What did SecretBCorp create?"}),
            ("retrieve", {"query": "SecretBCorp"}),
            ("explain", {"question": "What did SecretBCorp create?"}),
            ("find_nodes", {"query": "SecretBCorp"}),
            ("neighborhood", {"node": "SecretBCorp"}),
            ("read_passage", {"chunk_id": "00000000-0000-7000-8000-000000000000"}),
            ("read_document", {"document_id": "00000000-0000-7000-8000-000000000000"}),
            ("golden_questions", {}),
        ],
    )
    def test_another_tenants_space_is_not_there(
        self, url: str, world: World, tool: str, arguments: dict[str, str]
    ) -> None:
        refused = call(url, world.a.keys["full"], tool, space=space_of(world.b), **arguments)
        assert refused.endswith("(not_found)")
        assert "SecretB" not in refused

    def test_another_tenants_spaces_are_not_listed(self, url: str, world: World) -> None:
        spaces = call(url, world.a.keys["read"], "list_spaces")["items"]
        assert space_of(world.b) not in {space["id"] for space in spaces}

    def test_a_key_for_other_spaces_does_not_reach_this_one(
        self, url: str, world: World, guest: Account
    ) -> None:
        made = world.http.post("/v1/spaces", headers=guest.bearer(), json={"name": "elsewhere"})
        elsewhere = made.json()["id"]
        asked = {"name": "limited", "scopes": ["read"], "space_ids": [elsewhere]}
        key = world.http.post("/v1/api-keys", headers=guest.bearer(), json=asked).json()["token"]
        refused = call(url, key, "find_nodes", space=space_of(guest), query="Anything")
        assert refused.endswith("(not_found)")
        assert [space["id"] for space in call(url, key, "list_spaces")["items"]] == [elsewhere]

    @pytest.mark.parametrize("name", ["write", "admin"])
    def test_a_key_that_may_not_read_is_refused(self, url: str, world: World, name: str) -> None:
        assert call(url, world.a.keys[name], "list_spaces").endswith("(scope_missing)")

    def test_a_key_that_was_revoked_is_401_before_the_body(self, world: World, guest: Account) -> None:
        asked = {"name": "short", "scopes": ["read"]}
        made = world.http.post("/v1/api-keys", headers=guest.bearer(), json=asked).json()
        world.http.delete(f"/v1/api-keys/{made['id']}", headers=guest.bearer())
        answer = world.http.post("/mcp", headers={"authorization": f"Bearer {made['token']}"}, content=b"{")
        assert answer.status_code == 401
        assert answer.json()["code"] == "unauthenticated"

    def test_without_a_key_is_401(self, world: World) -> None:
        assert world.http.post("/mcp", json={}).status_code == 401

    def test_the_operators_key_opens_nothing_here(self, world: World) -> None:
        operator = world.citegraph.settings.operator_key
        assert operator is not None
        bearer = {"authorization": f"Bearer {operator.get_secret_value()}"}
        assert world.http.post("/mcp", headers=bearer, json={}).status_code == 401


class TestBadInput:
    @pytest.mark.parametrize(
        ("tool", "arguments", "said"),
        [
            ("find_nodes", {"query": "x", "limit": 1_000}, "limit"),
            ("find_nodes", {"query": "x", "colour": "red"}, "colour"),
            ("find_nodes", {"query": "x\x00"}, "query"),
            ("explain", {"from": "Ada"}, "both from and to"),
            ("explain", {"question": "x", "as_of": "yesterday"}, "as_of"),
            ("ask", {"question": "x" * 2_000}, "question"),
            ("read_passage", {"chunk_id": "1"}, "chunk_id"),
        ],
    )
    def test_is_named_without_its_value(
        self, url: str, world: World, tool: str, arguments: dict[str, object], said: str
    ) -> None:
        refused = call(url, world.a.keys["read"], tool, space=space_of(world.a), **arguments)
        assert refused.endswith("(invalid_arguments)")
        assert said in refused
        assert "xxx" not in refused

    def test_an_unknown_tool_is_an_error_of_the_protocol(self, url: str, world: World) -> None:
        async def use(client: Client) -> str:
            with pytest.raises(MCPError) as refused:
                await client.call_tool("delete_everything", {})
            return str(refused.value)

        assert with_client(url, world.a.keys["read"], use) == "There is no tool of that name."

    def test_a_body_over_the_limit_is_413(self, world: World) -> None:
        bearer = {"authorization": f"Bearer {world.a.keys['read']}", "content-type": "application/json"}
        answer = world.http.post("/mcp", headers=bearer, content=b" " * 200_001)
        assert answer.status_code == 413

    @pytest.mark.parametrize("method", ["GET", "DELETE"])
    def test_there_are_no_sessions(self, world: World, method: str) -> None:
        bearer = {"authorization": f"Bearer {world.a.keys['read']}"}
        assert world.http.request(method, "/mcp", headers=bearer).status_code == 405


def test_a_fault_of_ours_says_nothing_of_itself(
    url: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: object, **_named: object) -> None:
        raise RuntimeError("secret of the house")

    monkeypatch.setattr(world.citegraph.answerer, "ask", broken)
    refused = call(url, world.a.keys["read"], "ask", space=space_of(world.a), question="Who?")
    assert refused == "An unexpected error; the log has it. (internal_error)"
