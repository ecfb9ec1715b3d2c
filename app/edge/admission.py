"""Who is calling, found out from the headers alone, before a byte of the body is received.

For every path under /v1 the caller stands in `scope["state"]` afterwards: `caller` for a tenant's key,
`operator` for the operator's. What is verified is remembered for KEY_SECONDS, so a key that was revoked
through another process works that much longer at most; revoked through this one it ends at once.
"""

import hashlib
import hmac
import time
from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import SecretStr
from starlette.types import ASGIApp, Receive, Scope, Send

from app.db.session import Database
from app.edge.threads import BoundedThreads
from app.errors import Unauthenticated
from app.tenants import service as tenants
from app.tenants.keys import parse_token
from app.tenants.service import Caller

OPERATOR = "operator"
KEY_SECONDS = 5.0
"""How long the database's answer about a key is believed."""
MAX_REMEMBERED = 10_000
"""Keys remembered at most, valid ones and refused ones apart: a flood of made-up keys forgets no valid
one.
"""
_KNOWN_THREADS = 4
_UNKNOWN_THREADS = 2
_WAIT_SECONDS = 3.0
_BUSY = "Too many keys are being looked up; try again shortly."


@dataclass(frozen=True)
class _Verified:
    """The database's word about a key, believed until that moment; a caller of None is a refusal."""

    until: float
    caller: Caller | None


class Keyring:
    """Verifies keys against the database and remembers the outcome under the SHA-256 of the key.

    Keys that were valid before have threads of their own, so made-up keys wait for each other only. The
    memory is changed in the event loop alone.
    """

    def __init__(self, database: Database, *, seconds: float = KEY_SECONDS) -> None:
        self._database = database
        self._seconds = seconds
        self._valid: OrderedDict[bytes, _Verified] = OrderedDict()
        self._refused: OrderedDict[bytes, _Verified] = OrderedDict()
        self._generation = 0
        self._known = BoundedThreads(_KNOWN_THREADS, wait_seconds=_WAIT_SECONDS, refusal=_BUSY)
        self._unknown = BoundedThreads(_UNKNOWN_THREADS, wait_seconds=_WAIT_SECONDS, refusal=_BUSY)

    async def verify(self, token: str) -> Caller:
        """The caller that the token stands for. Raises Unauthenticated; Unavailable where no thread is
        free.
        """
        if parse_token(token) is None:
            raise Unauthenticated
        digest = hashlib.sha256(token.encode()).digest()
        verified = self._recall(digest)
        if verified is None:
            generation = self._generation
            threads = self._known if digest in self._valid else self._unknown
            # Asked again once it is its turn: requests with one key that arrive together cost one query.
            verified = await threads.run(lambda: self._recall(digest) or self._look_up(token))
            # What was read before a key was revoked is good for this request alone.
            if generation == self._generation:
                self._remember(digest, verified)
        if verified.caller is None:
            raise Unauthenticated
        return verified.caller

    def has_verified(self, token: str) -> bool:
        """Return whether the key was valid when it was last looked up, however long ago; no query."""
        return parse_token(token) is not None and hashlib.sha256(token.encode()).digest() in self._valid

    def forget(self) -> None:
        """Believe nothing that was verified before: a key was revoked."""
        self._generation += 1
        # What is kept tells that the key was valid once.
        self._valid = OrderedDict(
            (digest, _Verified(0.0, each.caller)) for digest, each in self._valid.items()
        )

    def _recall(self, digest: bytes) -> _Verified | None:
        for kept in (self._valid, self._refused):
            found = kept.get(digest)
            if found is not None and time.monotonic() < found.until:
                return found
        return None

    def _look_up(self, token: str) -> _Verified:
        started = time.monotonic()
        seconds = self._seconds
        try:
            with self._database.open_platform() as platform:
                caller = tenants.authenticate(platform, token)
        except Unauthenticated:
            return _Verified(started + seconds, None)
        if caller.expires_at is not None:
            seconds = min(seconds, (caller.expires_at - datetime.now(UTC)).total_seconds())
        return _Verified(started + seconds, caller)

    def _remember(self, digest: bytes, verified: _Verified) -> None:
        kept, other = self._valid, self._refused
        if verified.caller is None:
            kept, other = other, kept
        other.pop(digest, None)
        kept[digest] = verified
        kept.move_to_end(digest)
        if len(kept) > MAX_REMEMBERED:
            kept.popitem(last=False)


class Admission:
    """Refuses whoever has no valid key with 401, before the body, and says who calls in the scope's state."""

    def __init__(self, app: ASGIApp, keyring: Keyring, operator_key: SecretStr | None) -> None:
        self._app = app
        self._keyring = keyring
        self._operator_key = operator_key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with its caller."""
        path = scope["path"] if scope["type"] == "http" else ""
        if not is_under(path, "/v1"):
            await self._app(scope, receive, send)
            return
        token = bearer_token(scope)
        state = scope.setdefault("state", {})
        if is_under(path, "/v1/tenants"):
            if not is_operator_key(token, self._operator_key):
                raise Unauthenticated
            state["operator"] = OPERATOR
        else:
            state["caller"] = await self._keyring.verify(token)
        try:
            await self._app(scope, receive, send)
        finally:
            if scope["method"] == "DELETE" and (
                is_under(path, "/v1/api-keys") or is_under(path, "/v1/tenants")
            ):
                self._keyring.forget()


def is_operator_key(token: str, operator_key: SecretStr | None) -> bool:
    """Return whether the token is the operator's; compared also where none is set: that refuses all."""
    expected = (operator_key.get_secret_value() if operator_key else "").encode()
    return hmac.compare_digest(token.encode(), expected) and bool(expected)


def bearer_token(scope: Scope) -> str:
    """The token of the Authorization header; empty where there is none, or it is of another scheme."""
    value = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    scheme, _, token = value.decode("latin-1").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def is_under(path: str, folder: str) -> bool:
    """Tell whether the path is the folder or stands in it."""
    return path == folder or path.startswith(folder + "/")
