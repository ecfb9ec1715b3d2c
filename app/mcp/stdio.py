"""The protocol over standard input and output, for clients that start their servers themselves."""

from collections.abc import Awaitable, Callable

from mcp.server.stdio import stdio_server

from app.http.bulkheads import Bulkheads
from app.mcp.server import Context, build_server
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph


async def serve_mcp_over_stdio(
    authenticate: Callable[[], Awaitable[Caller]], citegraph: Citegraph, bulkheads: Bulkheads
) -> None:
    """Answer until the input ends. `authenticate` runs before each tool call, so an expired key is
    refused.
    """

    async def find_caller(_: Context) -> Caller:
        return await authenticate()

    server = build_server(find_caller, citegraph, bulkheads)
    async with stdio_server() as (incoming_messages, outgoing_messages):
        await server.run(incoming_messages, outgoing_messages, server.create_initialization_options())
