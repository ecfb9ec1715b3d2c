"""The protocol at /mcp: streamable HTTP without sessions, so that any process can answer any request.

`Admission` has found out who is calling before the body is read. Hosts and origins are not looked at: there
is no cookie that a page could send along, only the key in the Authorization header.
"""

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from app.edge.bulkheads import Bulkheads
from app.errors import Unauthenticated
from app.mcp.server import Context, build_server
from app.tenants.service import Caller
from app.wiring import Citegraph


class McpRoute(Route):
    """The endpoint's place in the application, with its name for logs and metrics."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Tell whether the request comes here, and what the endpoint finds in its scope."""
        match, found = super().matches(scope)
        return match, {**found, "route": self}


class McpEndpoint:
    """An ASGI application that answers one JSON-RPC message a request."""

    def __init__(self, parts: Citegraph, limits: Bulkheads, *, max_bytes: int) -> None:
        self._server = build_server(_caller_of, parts, limits)
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; 405 for what is no POST: without sessions there is nothing to listen to, or to end."""
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"allow": "POST"})(scope, receive, send)
            return
        # A manager lives within one task group: each request has its own, and nothing is left to shut down.
        manager = StreamableHTTPSessionManager(
            self._server,
            json_response=True,
            stateless=True,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=self._max_bytes,
        )
        async with manager.run():
            await manager.handle_request(scope, receive, send)


async def _caller_of(context: Context) -> Caller:
    request = context.request
    caller = getattr(request.state, "caller", None) if isinstance(request, Request) else None
    if not isinstance(caller, Caller):
        raise Unauthenticated
    return caller
