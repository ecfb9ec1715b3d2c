"""Routes the reads of each request, and runs it again on the primary if a replica failed."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.db.replicas.read_route import ReadRoute, route_reads_to_fresh_replica
from app.http.authentication import DASHBOARD_PATH, is_path_under

READ_METHODS = frozenset({"GET", "HEAD"})
MAX_KEPT_BYTES = 2_000_000
"""Limit on the body bytes that are stored for a second try; a request with a larger body has none."""


class ReplicaReads:
    """Lets pages and calls that only read use replicas, as the sessions that they open allow."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; run it again if a replica failed before its answer began."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # A form changes something, so what it looks up must be what it changes. For API calls the session
        # decides: questions use POST too.
        is_change = is_path_under(scope["path"], DASHBOARD_PATH) and scope["method"] not in READ_METHODS
        original_scope = dict(scope)
        body = _Body(receive)
        with route_reads_to_fresh_replica(reads_primary=is_change) as route:
            answer = _Answer(send, route)
            try:
                await self._app(scope, body.receive, answer.pass_on_or_hold_back)
            except Exception:
                if not answer.may_repeat or not body.can_be_replayed:
                    raise
                answer.is_refused = True
            if answer.is_refused and body.can_be_replayed:
                route.use_primary()
                scope.clear()
                scope.update(original_scope)
                await self._app(scope, body.replay_receive(), send)
            elif answer.refusal:
                for message in answer.refusal:
                    await send(message)


class _Body:
    """A request's body, stored as it arrives to be read again."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._messages: list[Message] = []
        self._byte_count = 0

    @property
    def can_be_replayed(self) -> bool:
        return self._byte_count <= MAX_KEPT_BYTES

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self._byte_count += len(message.get("body", b""))
            self._messages.append(message)
            if not self.can_be_replayed:
                self._messages.clear()
        return message

    def replay_receive(self) -> Receive:
        """Return a `receive` that yields the stored messages, and then new ones."""
        messages = iter(self._messages)

        async def receive() -> Message:
            return next(messages, None) or await self._receive()

        return receive


class _Answer:
    """A response that is held back if a replica's failure caused it."""

    def __init__(self, send: Send, route: ReadRoute) -> None:
        self._send = send
        self._route = route
        self._has_begun = False
        self.is_refused = False
        self.refusal: list[Message] = []

    @property
    def may_repeat(self) -> bool:
        return self._route.has_failed and not self._has_begun

    async def pass_on_or_hold_back(self, message: Message) -> None:
        if message["type"] == "http.response.start" and self.may_repeat and message["status"] >= 500:
            self.is_refused = True
        if self.is_refused:
            self.refusal.append(message)
            return
        self._has_begun = True
        await self._send(message)
