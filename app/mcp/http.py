"""The protocol over HTTP: streamable, without sessions, so that any process can answer any request.

`Authentication` has identified the caller before the body is read. Hosts and origins are not checked:
there is no cookie that a page could send, only the key in the Authorization header.
"""

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from app.errors import Unauthenticated
from app.http.bulkheads import Bulkheads
from app.mcp.server import Context, build_server
from app.tenancy.tenants.api_keys import Caller
from app.wiring import Citegraph


class McpEndpoint:
    """An ASGI application that answers one JSON-RPC message per request."""

    def __init__(self, citegraph: Citegraph, bulkheads: Bulkheads, *, max_bytes: int) -> None:
        self._server = build_server(_get_caller, citegraph, bulkheads)
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a POST."""
        # A manager belongs to one task group: each request has its own, so there is nothing to shut down.
        manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=self._max_bytes,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


async def _get_caller(context: Context) -> Caller:
    request = context.request
    caller = getattr(request.state, "caller", None) if isinstance(request, Request) else None
    if not isinstance(caller, Caller):
        raise Unauthenticated
    return caller
