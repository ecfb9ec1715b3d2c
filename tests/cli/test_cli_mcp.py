"""Issue 13.8: `citegraph mcp`, started by the protocol's own client as a desktop client does it."""

import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

from app.db.database import Database
from app.ids import ApiKeyId
from app.settings import Settings
from app.tenancy.tenants import api_keys
from tests.cli.conftest import NO_BROKER
from tests.conftest import Home

START = "from app.cli.main import main; main()"


def with_client(settings: Settings, use: Callable[[Client], Awaitable[Any]], **more: str) -> Any:
    """What `use` returns of a client that started the server as the tenant `tenant-a`."""
    assert settings.database_url is not None
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", START, "mcp"],
        env={
            **os.environ,
            "CITEGRAPH_DATABASE_URL": settings.database_url,
            "CITEGRAPH_REDIS_URL": NO_BROKER,
            "CITEGRAPH_HOME": str(settings.home),
            "CITEGRAPH_TENANT": "tenant-a",
            **more,
        },
    )

    async def main() -> Any:
        with anyio.fail_after(60):
            async with Client(server) as client:
                return await use(client)

    return anyio.run(main)


@pytest.mark.soak
def test_gives_a_cited_answer_out_of_the_tenants_own_space(
    settings: Settings, filled: tuple[Home, Home]
) -> None:
    async def use(client: Client) -> Any:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        spaces = (await client.call_tool("list_spaces", {})).structured_content["items"]
        asked = {"space": spaces[0]["name"], "question": "What did Charles Babbage found?"}
        return tools, spaces, (await client.call_tool("ask", asked)).structured_content

    tools, spaces, answer = with_client(settings, use)
    assert {"ask", "explain"} <= tools
    assert [space["id"] for space in spaces] == [str(filled[0].space_id)]
    assert "Difference Engine Works" in answer["answer"]
    assert "Charles Babbage founded" in answer["citations"][0]["quote"]


@pytest.mark.soak
def test_answers_as_the_key_of_the_environment(
    settings: Settings, database: Database, filled: tuple[Home, Home]
) -> None:
    """A key of tenant B opens B's space, whoever the terminal acts for."""
    with database.open_tenant(filled[1].tenant_id) as tenant:
        key, token = api_keys.create_key(tenant, name="agent", scopes=("read",), actor="test")

    async def use(client: Client) -> Any:
        spaces = (await client.call_tool("list_spaces", {})).structured_content["items"]
        refused = await client.call_tool(
            "find_nodes", {"space": str(filled[0].space_id), "query": "Charles Babbage"}
        )
        return spaces, refused

    spaces, refused = with_client(settings, use, CITEGRAPH_API_KEY=token.token)
    assert [space["id"] for space in spaces] == [str(filled[1].space_id)]
    assert refused.is_error
    with database.open_tenant(filled[1].tenant_id) as tenant:
        api_keys.revoke_key(tenant, ApiKeyId(key.id), actor="test")

    async def ask_again(client: Client) -> Any:
        return await client.call_tool("list_spaces", {})

    ended = with_client(settings, ask_again, CITEGRAPH_API_KEY=token.token)
    assert ended.content[0].text.endswith("(unauthenticated)")
