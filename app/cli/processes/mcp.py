"""The command `serve_mcp_tools`; it imports nothing that only other commands need."""

from typing import Annotated

import typer

from app.cli.context import ACTOR, start_servers_and_connect_operator
from app.cli.options import Tenant
from app.http.authentication import Keyring
from app.main import serve_mcp
from app.tenancy.tenants.api_keys import Caller


def serve_mcp_tools(
    key: Annotated[
        str | None,
        typer.Option(envvar="CITEGRAPH_API_KEY", help="API key to act as; by default the whole tenant."),
    ] = None,
    tenant: Tenant = None,
) -> None:
    """Serve the tools of the Model Context Protocol over standard input and output, for a desktop client.

    A remote server offers the same tools at /mcp.
    """
    with start_servers_and_connect_operator(tenant) as operator:
        if key is None:
            local_caller = Caller(operator.find_tenant_id(), ACTOR, frozenset({"read"}))

            async def get_caller() -> Caller:
                return local_caller

        else:
            keyring = Keyring(operator.citegraph.database)

            async def get_caller() -> Caller:
                return await keyring.verify(key)

        serve_mcp(operator.citegraph, get_caller)
