"""Rate limits for requests of an address without a valid key, so that a flood affects other clients
little.
"""

import re
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import Scope

from app.http.authentication import (
    DASHBOARD_PATH,
    get_bearer_token,
    get_session_token,
    is_path_under,
    requires_key,
)
from app.settings import Settings

MAX_ADDRESSES = 10_000
"""Maximum number of addresses; the one that asked longest ago is forgotten and starts again with a full
bucket.
"""
PROBE_PATHS = frozenset({"/healthz", "/readyz"})

_REQUEST_LINE = re.compile(rb"[A-Z]+ ([^ ?]+)[^ ]* HTTP/1\.[01]\r\n")
_BEARER = re.compile(rb"\r\nauthorization:[ \t]*bearer[ \t]+([^ \t\r]+)[ \t]*\r\n", re.IGNORECASE)
_HAS_BODY = re.compile(rb"\r\n(?:content-length|transfer-encoding):", re.IGNORECASE)


class TokenBuckets:
    """A bucket for each address: it holds up to `burst` tokens and gains `rate` per second; 0 means no
    limit.
    """

    def __init__(self, rate: float, burst: int, *, now: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.burst = rate, burst
        self._now = now
        # Tokens and the time at which they were counted, ordered by that time.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def has_token(self, address: str) -> bool:
        """Return whether a token is available, without taking it."""
        return self._is_unlimited(address) or self._compute_tokens(address, self._now()) >= 1

    def take_token(self, address: str) -> bool:
        """Take a token; return False if there is none."""
        if self._is_unlimited(address):
            return True
        now = self._now()
        tokens = self._compute_tokens(address, now)
        if tokens < 1:
            return False
        self._store_tokens(address, tokens - 1, now)
        return True

    def count_tokens(self, address: str) -> float:
        """Return the number of available tokens."""
        return self._compute_tokens(address, self._now())

    def return_token(self, address: str) -> None:
        """Return a token that was taken."""
        if not self._is_unlimited(address):
            now = self._now()
            self._store_tokens(address, min(self.burst, self._compute_tokens(address, now) + 1), now)

    def _is_unlimited(self, address: str) -> bool:
        # A Unix socket has no address; the file system controls who may open it.
        return not self.rate or not address

    def _compute_tokens(self, address: str, now: float) -> float:
        tokens, counted_at = self._buckets.get(address, (self.burst, now))
        return min(self.burst, tokens + (now - counted_at) * self.rate)

    def _store_tokens(self, address: str, tokens: float, now: float) -> None:
        self._buckets[address] = tokens, now
        self._buckets.move_to_end(address)
        if len(self._buckets) > MAX_ADDRESSES:
            self._buckets.popitem(last=False)


class KeylessRequests:
    """Limits requests without a verified key: all outside of /v1 and /mcp, and those under them without one.

    Probes have their own buckets, so that a flood through a proxy does not make the proxy's own /healthz
    fail. `is_verified` tells whether a key was valid when it was last looked up, so that a flood from the
    same address does not delay such a key. A key that this process has not seen yet takes a token, and
    returns it if it is valid.
    """

    def __init__(
        self,
        settings: Settings,
        is_verified: Callable[[str], bool],
        is_signed_in: Callable[[str], bool] = lambda _token: False,
    ) -> None:
        self._is_verified = is_verified
        self._is_signed_in = is_signed_in
        self._probe_buckets = TokenBuckets(settings.keyless_rate, settings.keyless_burst)
        self._other_buckets = TokenBuckets(settings.keyless_rate, settings.keyless_burst)

    def is_keyless(self, scope: Scope) -> bool:
        """Return whether the request comes from nobody who is signed in or has a key known to be valid."""
        if is_path_under(scope["path"], DASHBOARD_PATH):
            return not self._is_signed_in(get_session_token(scope))
        return not (requires_key(scope["path"]) and self._is_verified(get_bearer_token(scope)))

    def take_token(self, address: str, path: str) -> bool:
        """Take a token for such a request; return False if the address has none left."""
        return self._buckets(path).take_token(address)

    def return_token(self, address: str, path: str) -> None:
        """Put the token back, because the request's key was valid."""
        self._buckets(path).return_token(address)

    def would_refuse_head(self, address: str, head: bytes) -> bool:
        """Return whether a request without a body would get no token, judged by its bytes: parsing costs ten
        times as much.
        """
        if not head.endswith(b"\r\n\r\n") or (line := _REQUEST_LINE.match(head)) is None:
            return False
        path = line[1].decode("latin-1")
        if self._buckets(path).has_token(address) or _HAS_BODY.search(head):
            return False
        if is_path_under(path, DASHBOARD_PATH):
            # Cookies are read only after the whole head is parsed.
            return False
        bearer_match = _BEARER.search(head) if requires_key(path) else None
        return bearer_match is None or not self._is_verified(bearer_match[1].decode("latin-1"))

    def _buckets(self, path: str) -> TokenBuckets:
        return self._probe_buckets if path in PROBE_PATHS else self._other_buckets
