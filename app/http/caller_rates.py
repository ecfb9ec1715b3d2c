"""Rate limits of a key and its tenant: 429 with Retry-After above them, and the remaining tokens in every
response.
"""

import math

from starlette.types import ASGIApp, Receive, Scope, Send

from app.errors import TooMany
from app.http.authentication import DASHBOARD_PATH, is_path_under
from app.http.shared_buckets import Bucket, SharedBuckets, TokenGrant
from app.settings import Settings
from app.tenancy.tenants.api_keys import Caller

HEADERS_STATE_KEY = "answer_headers"
"""Key of a request's state for headers of its response, whatever that will be."""


class RateLimited(TooMany):
    """The key or its tenant exceeded its rate limit."""

    code = "rate_limited"

    def __init__(self, policy: str, retry_after: int) -> None:
        super().__init__(f"This {policy} asks too often; Retry-After says when to go on.")
        self.retry_after = retry_after


class CallerRates:
    """Takes one token of the key and one of its tenant for each request, before the body is received."""

    def __init__(self, app: ASGIApp, settings: Settings, buckets: SharedBuckets) -> None:
        self._app = app
        self._settings = settings
        self._buckets = buckets

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count it. Raises RateLimited."""
        caller = scope.get("state", {}).get("caller")
        if isinstance(caller, Caller) and not is_path_under(scope["path"], DASHBOARD_PATH):
            buckets = self._list_buckets_of_caller(caller)
            if buckets:
                grant = await self._buckets.take_tokens(buckets)
                scope["state"][HEADERS_STATE_KEY] = build_rate_limit_headers(grant)
                if not grant.is_allowed:
                    raise RateLimited(grant.refused_by.policy, grant.retry_after)
        await self._app(scope, receive, send)

    def _list_buckets_of_caller(self, caller: Caller) -> list[Bucket]:
        settings = self._settings
        buckets = [
            Bucket("key", caller.actor, settings.key_rate, settings.key_burst),
            Bucket("tenant", str(caller.tenant_id), settings.tenant_rate, settings.tenant_burst),
        ]
        return [bucket for bucket in buckets if bucket.rate]


def build_rate_limit_headers(grant: TokenGrant) -> dict[str, str]:
    """Return `RateLimit` and `RateLimit-Policy` as in draft 10 of the IETF."""
    policies, remaining_items = [], []
    for bucket, tokens in zip(grant.buckets, grant.remaining_tokens, strict=True):
        policies.append(
            f'"{bucket.policy}";q={bucket.burst};w={max(1, math.ceil(bucket.burst / bucket.rate))}'
        )
        seconds_until_full = math.ceil((bucket.burst - tokens) / bucket.rate)
        remaining_items.append(f'"{bucket.policy}";r={max(0, math.floor(tokens))};t={seconds_until_full}')
    return {"ratelimit-policy": ", ".join(policies), "ratelimit": ", ".join(remaining_items)}
