"""`Idempotency-Key` on every POST: a repeated request gets the stored answer and is carried out only once.

The key is leased in its own transaction before the route runs. It is finished in the transaction of the
effect: in the session that the route's signature opens, or in the one that the route passes to
`store_answer_in_session`. If the route has neither, the answer is stored right after it
(docs/decisions/0048).
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

import anyio
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive

from app.db.errors import DATABASE_ERRORS
from app.db.session import OpenSession
from app.errors import CitegraphError, Conflict, InvalidInput
from app.http.authentication import get_bearer_token
from app.http.bulkheads import get_bulkheads
from app.http.idempotency import service as idempotency
from app.http.idempotency.shapes import EarlierRequest, RequestKey, RequestLease, StoredAnswer
from app.tenancy.tenants.api_keys import Caller

KEY_HEADER = "idempotency-key"
REPLAYED_HEADER = "idempotent-replayed"
KEY_HEADER_PARAMETER = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A request that is repeated with the same key within a day is carried out only once.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
_STATE_KEY = "idempotent"
_UNDER_WAY_STATE_KEY = "first_request_is_under_way"
_KEY_PATTERN = re.compile(r"[\x21-\x7e]{1,255}")
_BOUNDARY_PATTERN = re.compile(rb"boundary=\"?([^\";,\s]{1,70})")

Value = TypeVar("Value")


@dataclass
class _HashedBody:
    """Hashes a body while it is read; of a form without its boundary, which is different every time."""

    request: Request
    receive_unhashed: Receive
    boundary: bytes
    digest: Any = field(default_factory=hashlib.sha256)
    pending_bytes: bytes = b""
    is_fully_read: bool = False

    async def receive(self) -> Message:
        """Return the next message, and add it to the hash."""
        message = await self.receive_unhashed()
        if not self.is_fully_read:
            self._hash_piece(message.get("body", b""))
            if not message.get("more_body", False):
                self.is_fully_read = True
                self.digest.update(self.pending_bytes)
        return message

    def _hash_piece(self, piece: bytes) -> None:
        if not self.boundary:
            self.digest.update(piece)
            return
        piece = (self.pending_bytes + piece).replace(self.boundary, b"")
        # The end of a piece may be the start of a boundary.
        safe_length = max(len(piece) - len(self.boundary) + 1, 0)
        self.digest.update(piece[:safe_length])
        self.pending_bytes = piece[safe_length:]

    async def drain(self) -> None:
        """Read and discard the rest of the body."""
        while not self.is_fully_read:
            await self.receive()

    def compute_fingerprint(self) -> bytes:
        """Return the SHA-256 of method, address and body, which must have been read completely."""
        scope = self.request.scope
        request_head = f"{scope['method']}\0{scope['path']}\0".encode() + scope.get("query_string", b"")
        return hashlib.sha256(request_head + b"\0" + self.digest.digest()).digest()


@dataclass
class _KeyedRequest:
    """One request with a key, from the lease of the key to its end.

    `session` is that of the route's signature, which commits after the route has returned. `makes_changes` is
    true if the route asks for a permission to change something; a request that only reads is run again when
    repeated.
    """

    lease: RequestLease
    token: str
    body: _HashedBody
    session: OpenSession | None = None
    makes_changes: bool = False
    is_answer_stored: bool = False

    def store_answer(self, session: OpenSession, response: Response) -> None:
        """Store the answer in the session's transaction."""
        body = getattr(response, "body", None)
        answer = None
        if self.makes_changes and isinstance(body, bytes):
            answer = StoredAnswer(response.status_code, response.headers.get("content-type", ""), body)
        idempotency.record_finished_request(
            session,
            self.lease,
            self.body.compute_fingerprint(),
            answer,
            token=self.token,
            has_changed=self.makes_changes,
        )


def remember_write_session(request: Request, session: OpenSession) -> None:
    """Set the session in which the route changes something; the answer is stored there."""
    if (keyed_request := _get_keyed_request(request)) is not None:
        keyed_request.session = session


def mark_as_change(request: Request) -> None:
    """Mark the request as a change, so that its answer is stored and not only its key.

    Raises UnderWay if the first request with its key has not ended.
    """
    if request.scope.get("state", {}).get(_UNDER_WAY_STATE_KEY):
        raise idempotency.UnderWay
    if (keyed_request := _get_keyed_request(request)) is not None:
        keyed_request.makes_changes = True


def store_answer_in_session(session: OpenSession, request: Request, response: Response) -> None:
    """Store the answer in a transaction that the route opened itself. Call it last in that transaction."""
    keyed_request = _get_keyed_request(request)
    if keyed_request is not None and keyed_request.body.is_fully_read:
        keyed_request.store_answer(session, response)
        keyed_request.is_answer_stored = True


def find_request_key(request: Request) -> str | None:
    """Return what repetitions of the request have in common, its caller and key; None if it has no key."""
    key, caller = request.headers.get(KEY_HEADER), getattr(request.state, "caller", None)
    return f"{caller.actor} {key}" if key is not None and isinstance(caller, Caller) else None


async def answer_once(request: Request, answer_request: Callable[[Request], Awaitable[Response]]) -> Response:
    """Return the answer of `answer_request`, or the stored one of an earlier identical request with this key.

    Raises Conflict if the key was used for another request, UnderWay while the first has not ended and the
    request makes changes, and InvalidInput for a malformed key.
    """
    key = request.headers.get(KEY_HEADER)
    token = get_bearer_token(request.scope)
    if key is None or request.method != "POST" or not token:
        return await answer_request(request)
    if _KEY_PATTERN.fullmatch(key) is None:
        raise InvalidInput(
            "An Idempotency-Key has 1 to 255 visible ASCII characters.", code="invalid_idempotency_key"
        )
    request_key = _scope_key_to_caller(request, bearer_token=token, idempotency_key=key)
    boundary = _BOUNDARY_PATTERN.search(request.headers.get("content-type", "").encode("latin-1"))
    body = _HashedBody(request, request.receive, boundary[1] if boundary else b"")
    hashed_request = Request(request.scope, body.receive)
    lease = await _run_in_transaction(
        request,
        request_key,
        lambda session: idempotency.lease_key_or_find_earlier_request(session, request_key, token),
    )
    if isinstance(lease, EarlierRequest):
        return await _replay_or_repeat(hashed_request, body, lease, answer_request)
    keyed_request = _KeyedRequest(lease, token, body)
    state = request.scope["state"]
    state[_STATE_KEY] = keyed_request
    try:
        response = await answer_request(hashed_request)
        if response.status_code < 400 and not keyed_request.is_answer_stored:
            await _store_answer(request, keyed_request, response)
            keyed_request.is_answer_stored = True
    finally:
        state.pop(_STATE_KEY, None)
        if not keyed_request.is_answer_stored:
            await _release_key(request, keyed_request)
    return response


async def _replay_or_repeat(
    request: Request,
    body: _HashedBody,
    earlier_request: EarlierRequest,
    answer_request: Callable[[Request], Awaitable[Response]],
) -> Response:
    """Return the stored answer or, for a request that changes nothing, a new one.

    While the first request has not ended, or after its process was killed, only a request that changes
    nothing is answered: `mark_as_change` refuses any other.
    """
    if earlier_request.fingerprint is None:
        request.scope["state"][_UNDER_WAY_STATE_KEY] = True
        return await answer_request(request)
    if not body.boundary:
        # Starlette caches the body on the request, for a route that reads it again.
        await request.body()
    await body.drain()
    if body.compute_fingerprint() != earlier_request.fingerprint:
        raise Conflict(
            "This Idempotency-Key was used for another request; take a new key for each.",
            code="idempotency_key_reused",
        )
    if not earlier_request.has_changed:
        return await answer_request(request)
    if earlier_request.answer is None:
        raise Conflict(
            "This request was carried out before; its answer was too large to keep.", code="answer_not_kept"
        )
    headers = {REPLAYED_HEADER: "true", "content-type": earlier_request.answer.media_type}
    return Response(earlier_request.answer.body, earlier_request.answer.status, headers)


def _get_keyed_request(request: Request) -> _KeyedRequest | None:
    keyed_request = request.scope.get("state", {}).get(_STATE_KEY)
    return keyed_request if isinstance(keyed_request, _KeyedRequest) else None


def _scope_key_to_caller(request: Request, *, bearer_token: str, idempotency_key: str) -> RequestKey:
    """Return the key as one of the caller: a key or member of a tenant, or the operator by a token hash."""
    caller = getattr(request.state, "caller", None)
    if isinstance(caller, Caller):
        return RequestKey(caller.actor, caller.tenant_id, idempotency_key)
    # Another operator key is another principal, which could not decrypt the answers of the one before.
    token_hash = hashlib.sha256(bearer_token.encode()).hexdigest()[:16]
    return RequestKey(f"operator {token_hash}", None, idempotency_key)


async def _run_in_transaction(
    request: Request, request_key: RequestKey, work: Callable[[OpenSession], Value]
) -> Value:
    """Return the result of `work`, run in its own transaction in one of the tenant's query slots."""
    bulkheads = get_bulkheads(request)
    database = request.app.state.citegraph.database

    def run() -> Value:
        if request_key.tenant_id is None:
            with database.open_platform() as platform:
                return work(platform)
        with database.open_tenant(request_key.tenant_id) as tenant:
            return work(tenant)

    async with bulkheads.queries.occupy_slot(request_key.tenant_id):
        return await bulkheads.queries.run_in_slot(run)


async def _store_answer(request: Request, keyed_request: _KeyedRequest, response: Response) -> None:
    await keyed_request.body.drain()
    session = keyed_request.session
    if session is None:
        await _run_in_transaction(
            request,
            keyed_request.lease.request,
            lambda own_session: keyed_request.store_answer(own_session, response),
        )
    else:
        await run_sync(keyed_request.store_answer, session, response)


async def _release_key(request: Request, keyed_request: _KeyedRequest) -> None:
    with anyio.CancelScope(shield=True), suppress(CitegraphError, *DATABASE_ERRORS):
        # If this fails too, the lease expires.
        await _run_in_transaction(
            request,
            keyed_request.lease.request,
            lambda session: idempotency.release_key(session, keyed_request.lease),
        )
