"""Identifies the caller by the headers alone, before any byte of the body is received.

For every path under /v1, and for /mcp, the caller is in `scope["state"]` afterwards: `caller` for a tenant's
key, `operator` for the operator's. A verified key is cached for KEY_SECONDS. So a key that was revoked
through another process may work that much longer; one revoked through this process ends at once.
"""

import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from http.cookies import CookieError, SimpleCookie
from typing import Generic, Protocol, TypeVar

from pydantic import SecretStr
from starlette.types import ASGIApp, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from app.db.database import Database
from app.db.session import PlatformSession
from app.errors import Unauthenticated
from app.http.threads import BoundedThreads
from app.tenancy.accounts import sign_in
from app.tenancy.accounts.shapes import SignedIn
from app.tenancy.audit.origin import record_with_origin
from app.tenancy.audit.shapes import ActorKind, Door, Origin
from app.tenancy.tenants import api_keys
from app.tenancy.tenants.api_key_token import parse_token
from app.tenancy.tenants.api_keys import Caller

OPERATOR = "operator"
DASHBOARD_PATH = "/dashboard"
MCP_PATH = "/mcp"
SESSION_COOKIE = "citegraph_session"
KEY_SECONDS = 5.0
"""How long the result of looking up a key is cached."""
MAX_CACHED_TOKENS = 10_000
"""Maximum number of cached keys, valid and refused ones apart: a flood of made-up keys evicts no valid one.
"""
_KNOWN_TOKEN_THREADS = 4
_UNKNOWN_TOKEN_THREADS = 2
_WAIT_SECONDS = 3.0
_BUSY_MESSAGE = "Too many keys are being looked up; try again shortly."


class Expiring(Protocol):
    """A verified identity: a key's caller, or a person who is signed in. `expires_at` is when it ends."""

    @property
    def expires_at(self) -> datetime | None:
        """When it ends; None if it does not expire."""
        ...


Identity = TypeVar("Identity", bound=Expiring)


@dataclass(frozen=True)
class _VerifiedIdentity(Generic[Identity]):
    """The result of looking up a token, valid until that time; an identity of None is a refusal."""

    expires_at: float
    identity: Identity | None


class Verifier(Generic[Identity]):
    """Verifies tokens against the database and caches the outcome under the SHA-256 of the token.

    Tokens that were valid before have their own threads, so made-up ones wait only for each other. The cache
    is changed only in the event loop.
    """

    def __init__(
        self,
        database: Database,
        *,
        is_token: Callable[[str], bool],
        authenticate: Callable[[PlatformSession, str], Identity],
        seconds: float = KEY_SECONDS,
    ) -> None:
        self._database = database
        self._is_token = is_token
        self._authenticate = authenticate
        self._seconds = seconds
        self._valid_identities: OrderedDict[bytes, _VerifiedIdentity[Identity]] = OrderedDict()
        self._refused_identities: OrderedDict[bytes, _VerifiedIdentity[Identity]] = OrderedDict()
        self._generation = 0
        self._known_threads = BoundedThreads(
            _KNOWN_TOKEN_THREADS, wait_seconds=_WAIT_SECONDS, refusal=_BUSY_MESSAGE
        )
        self._unknown_threads = BoundedThreads(
            _UNKNOWN_TOKEN_THREADS, wait_seconds=_WAIT_SECONDS, refusal=_BUSY_MESSAGE
        )

    async def verify(self, token: str) -> Identity:
        """Return the identity of the token. Raises Unauthenticated, and Unavailable if no thread is free."""
        if not self._is_token(token):
            raise Unauthenticated
        digest = hashlib.sha256(token.encode()).digest()
        verified_identity = self._find_unexpired_result(digest)
        if verified_identity is None:
            generation = self._generation
            threads = self._known_threads if digest in self._valid_identities else self._unknown_threads
            # The cache is checked again on the thread: simultaneous requests with one token cost one query.
            verified_identity = await threads.run(
                lambda: self._find_unexpired_result(digest) or self._authenticate_by_database(token)
            )
            # A result that was read before a token was revoked is used for this request only.
            if generation == self._generation:
                self._cache_result(digest, verified_identity)
        if verified_identity.identity is None:
            raise Unauthenticated
        return verified_identity.identity

    def was_valid_at_last_lookup(self, token: str) -> bool:
        """Return whether the token was valid when it was last looked up, however long ago. Makes no query."""
        return self._is_token(token) and hashlib.sha256(token.encode()).digest() in self._valid_identities

    def expire_cached_identities(self) -> None:
        """Expire all cached results, because a token was revoked."""
        self._generation += 1
        # The entries are kept to remember which tokens were once valid.
        self._valid_identities = OrderedDict(
            (digest, _VerifiedIdentity(0.0, verified_identity.identity))
            for digest, verified_identity in self._valid_identities.items()
        )

    def _find_unexpired_result(self, digest: bytes) -> _VerifiedIdentity[Identity] | None:
        for cache in (self._valid_identities, self._refused_identities):
            verified_identity = cache.get(digest)
            if verified_identity is not None and time.monotonic() < verified_identity.expires_at:
                return verified_identity
        return None

    def _authenticate_by_database(self, token: str) -> _VerifiedIdentity[Identity]:
        started_at = time.monotonic()
        seconds = self._seconds
        try:
            with self._database.open_platform() as platform:
                identity = self._authenticate(platform, token)
        except Unauthenticated:
            return _VerifiedIdentity(started_at + seconds, None)
        if identity.expires_at is not None:
            seconds = min(seconds, (identity.expires_at - datetime.now(UTC)).total_seconds())
        return _VerifiedIdentity(started_at + seconds, identity)

    def _cache_result(self, digest: bytes, verified_identity: _VerifiedIdentity[Identity]) -> None:
        cache, other_cache = self._valid_identities, self._refused_identities
        if verified_identity.identity is None:
            cache, other_cache = other_cache, cache
        other_cache.pop(digest, None)
        cache[digest] = verified_identity
        cache.move_to_end(digest)
        if len(cache) > MAX_CACHED_TOKENS:
            cache.popitem(last=False)


class Keyring(Verifier[Caller]):
    """Verifies API keys."""

    def __init__(self, database: Database, *, seconds: float = KEY_SECONDS) -> None:
        super().__init__(
            database,
            is_token=lambda token: parse_token(token) is not None,
            authenticate=api_keys.authenticate_key_and_record_use,
            seconds=seconds,
        )


class Sessions(Verifier[SignedIn]):
    """Verifies the cookies of browsers that are signed in to the dashboard."""

    def __init__(self, database: Database) -> None:
        super().__init__(
            database,
            is_token=sign_in.looks_like_token,
            authenticate=sign_in.authenticate_session_and_record_use,
        )


class Authentication:
    """Refuses callers without a valid key with 401, before the body, and sets the caller in the scope's
    state.
    """

    def __init__(
        self, app: ASGIApp, keyring: Keyring, sessions: Sessions, operator_key: SecretStr | None
    ) -> None:
        self._app = app
        self._keyring = keyring
        self._sessions = sessions
        self._operator_key = operator_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with its caller."""
        path = scope["path"] if scope["type"] == "http" else ""
        if is_path_under(path, DASHBOARD_PATH):
            with record_with_origin(await self._build_origin_and_store_visitor(scope)):
                await self._app(scope, receive, send)
            return
        if not requires_key(path):
            await self._app(scope, receive, send)
            return
        token = get_bearer_token(scope)
        state = scope.setdefault("state", {})
        if is_path_under(path, "/v1/tenants"):
            if not is_operator_key(token, self._operator_key):
                raise Unauthenticated
            state["operator"] = OPERATOR
            origin = Origin(OPERATOR, ActorKind.OPERATOR, Door.API, _get_client_address(scope))
        else:
            caller = await self._keyring.verify(token)
            state["caller"] = caller
            bind_contextvars(tenant=str(caller.tenant_id))
            door = Door.MCP if is_path_under(path, MCP_PATH) else Door.API
            origin = Origin(caller.actor, ActorKind.KEY, door, _get_client_address(scope))
        try:
            with record_with_origin(origin):
                await self._app(scope, receive, send)
        finally:
            if scope["method"] == "DELETE" and (
                is_path_under(path, "/v1/api-keys") or is_path_under(path, "/v1/tenants")
            ):
                self._keyring.expire_cached_identities()

    async def _build_origin_and_store_visitor(self, scope: Scope) -> Origin:
        """Return the origin of a dashboard request, with who is signed in, if anybody; pages check access
        themselves.
        """
        anonymous_origin = Origin(door=Door.DASHBOARD, address=_get_client_address(scope))
        token = get_session_token(scope)
        if not token:
            return anonymous_origin
        try:
            visitor = await self._sessions.verify(token)
        except Unauthenticated:
            return anonymous_origin
        state = scope.setdefault("state", {})
        state["signed_in"] = visitor
        # Open requests are counted for a tenant; of several tenants, for the first.
        if visitor.callers:
            state["caller"] = next(iter(visitor.callers.values()))
            if len(visitor.callers) == 1:
                bind_contextvars(tenant=str(state["caller"].tenant_id))
        kind = ActorKind.KEY if visitor.account_id is None else ActorKind.ACCOUNT
        return replace(anonymous_origin, actor=visitor.actor, kind=kind, account_id=visitor.account_id)


def _get_client_address(scope: Scope) -> str | None:
    client = scope.get("client")
    return str(client[0]) if client else None


def get_session_token(scope: Scope) -> str:
    """Return the token in the dashboard's cookie; empty if there is none."""
    cookies = SimpleCookie()
    for name, value in scope["headers"]:
        if name == b"cookie":
            with suppress(CookieError):
                cookies.load(value.decode("latin-1"))
    cookie = cookies.get(SESSION_COOKIE)
    return cookie.value if cookie is not None else ""


def is_operator_key(token: str, operator_key: SecretStr | None) -> bool:
    """Return whether the token is the operator's key; False if none is set. Always compares, in constant
    time.
    """
    expected_key = (operator_key.get_secret_value() if operator_key else "").encode()
    return hmac.compare_digest(token.encode(), expected_key) and bool(expected_key)


def get_bearer_token(scope: Scope) -> str:
    """Return the token of the Authorization header; empty if there is none, or the scheme is another one."""
    value = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    scheme, _, token = value.decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def requires_key(path: str) -> bool:
    """Return whether the path requires a key."""
    return is_path_under(path, "/v1") or is_path_under(path, MCP_PATH)


def is_path_under(path: str, folder: str) -> bool:
    """Return whether the path is the folder or is below it."""
    return path == folder or path.startswith(folder + "/")
