"""The endpoint at /mcp. It imports the protocol with the first message, because most processes never get
one.
"""

from anyio import to_thread
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.http.bulkheads import Bulkheads
from app.lazy import import_object
from app.wiring import Citegraph

RouteMatch = tuple[Match, Scope]
"""Whether a route matches, and what it adds to the request's scope."""


class McpRoute(Route):
    """The route of the endpoint, with its name for logs and metrics."""

    def matches(self, scope: Scope) -> RouteMatch:
        """Match the request, and add the route to its scope, where logs and metrics find its name."""
        match, child_scope = super().matches(scope)
        return match, {**child_scope, "route": self}


class McpEndpoint:
    """An ASGI application that answers one JSON-RPC message per request."""

    def __init__(self, citegraph: Citegraph, bulkheads: Bulkheads, *, max_bytes: int) -> None:
        self._citegraph, self._bulkheads, self._max_bytes = citegraph, bulkheads, max_bytes
        self._messages_app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; 405 for other methods than POST: without sessions there is nothing to listen to or to
        end.
        """
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"allow": "POST"})(scope, receive, send)
            return
        if self._messages_app is None:
            # On a thread, so that other requests are answered meanwhile.
            self._messages_app = await to_thread.run_sync(self._load_app)
        await self._messages_app(scope, receive, send)

    def _load_app(self) -> ASGIApp:
        endpoint_app: ASGIApp = import_object("app.mcp.http:McpEndpoint")(
            self._citegraph, self._bulkheads, max_bytes=self._max_bytes
        )
        return endpoint_app
