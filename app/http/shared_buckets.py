"""Token buckets that all processes share in Valkey; while it does not respond, smaller ones in each
process.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import anyio
import structlog
from anyio.to_thread import run_sync
from redis import Redis
from redis.exceptions import RedisError

from app.http.keyless_rates import TokenBuckets

log = structlog.get_logger(__name__)

WAIT_SECONDS = 0.04
"""Maximum time that a request waits for Valkey, and as long again for a connection."""
_VALKEY_THREADS = 8
FIRST_PAUSE_SECONDS = 0.2
PAUSE_SECONDS = 5.0
"""Maximum pause after Valkey did not respond. The first pause is short, because a busy machine may only have
been late; each further pause is twice as long.
"""
OWN_SHARE = 0.25
"""Share of a bucket that each process has while Valkey does not respond: never zero and never unlimited."""
# KEYS are buckets; ARGV has rate and burst of each. A token is taken from all of them or from none.
_TAKE_SCRIPT = """
local now = redis.call('TIME')
now = tonumber(now[1]) + tonumber(now[2]) / 1000000
local left, allowed = {}, 1
for i, key in ipairs(KEYS) do
  local rate, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local kept = redis.call('HMGET', key, 'tokens', 'since')
  local tokens = burst
  if kept[1] then
    tokens = math.min(burst, tonumber(kept[1]) + math.max(now - tonumber(kept[2]), 0) * rate)
  end
  left[i] = tokens
  if tokens < 1 then allowed = 0 end
end
local answer = {allowed}
for i, key in ipairs(KEYS) do
  local rate, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  left[i] = left[i] - allowed
  redis.call('HSET', key, 'tokens', tostring(left[i]), 'since', string.format('%.6f', now))
  redis.call('PEXPIRE', key, math.ceil(1000 * burst / rate) + 1000)
  answer[i + 1] = tostring(left[i])
end
return answer
"""


@dataclass(frozen=True)
class Bucket:
    """One bucket: its policy (`key` or `tenant`), its name, tokens per second and maximum tokens."""

    policy: str
    name: str
    rate: float
    burst: int


@dataclass(frozen=True)
class TokenGrant:
    """The outcome: whether a token was taken from each bucket, and the remaining tokens."""

    is_allowed: bool
    buckets: Sequence[Bucket]
    remaining_tokens: Sequence[float]

    @property
    def refused_by(self) -> Bucket:
        """Return the first bucket without a token; if rounding shows one in each, the first bucket."""
        for bucket, tokens in zip(self.buckets, self.remaining_tokens, strict=True):
            if tokens < 1:
                return bucket
        return self.buckets[0]

    @property
    def retry_after(self) -> int:
        """Return the seconds until each bucket has a token."""
        wait_seconds = [
            (1 - tokens) / bucket.rate
            for bucket, tokens in zip(self.buckets, self.remaining_tokens, strict=True)
            if tokens < 1
        ]
        return max(1, math.ceil(max(wait_seconds, default=0.0)))


class SharedBuckets:
    """The shared buckets of one installation, as one process uses them."""

    def __init__(self, url: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        client = Redis.from_url(
            url, socket_timeout=WAIT_SECONDS, socket_connect_timeout=WAIT_SECONDS, retry=None
        )
        self._script = client.register_script(_TAKE_SCRIPT)
        self._client = client
        self._clock = clock
        # Its own threads: if Valkey hangs, only these wait.
        self._threads = anyio.CapacityLimiter(_VALKEY_THREADS)
        self._silent_until = 0.0
        self._pause_seconds = FIRST_PAUSE_SECONDS
        self._local_buckets: dict[tuple[float, int], TokenBuckets] = {}

    async def take_tokens(self, buckets: Sequence[Bucket]) -> TokenGrant:
        """Take a token from each bucket, or from none if one is empty."""
        grant = None
        if self._clock() >= self._silent_until:
            grant = await run_sync(self._take_tokens_from_valkey, buckets, limiter=self._threads)
        return grant or self._take_locally(buckets)

    def _take_tokens_from_valkey(self, buckets: Sequence[Bucket]) -> TokenGrant | None:
        if self._clock() < self._silent_until:
            # Valkey failed while this call waited for a thread.
            return None
        keys = [f"citegraph:rate:{bucket.policy}:{bucket.name}" for bucket in buckets]
        script_arguments = [value for bucket in buckets for value in (bucket.rate, bucket.burst)]
        try:
            is_allowed, *remaining_tokens = self._script(keys=keys, args=script_arguments)
        except (RedisError, OSError) as error:
            self._pause_valkey(error)
            return None
        self._pause_seconds = FIRST_PAUSE_SECONDS
        return TokenGrant(bool(is_allowed), buckets, [float(token_count) for token_count in remaining_tokens])

    def _pause_valkey(self, error: Exception) -> None:
        now = self._clock()
        if now < self._silent_until:
            # Several calls waited at once, and the first of them has already started the pause.
            return
        self._silent_until = now + self._pause_seconds
        self._pause_seconds = min(2 * self._pause_seconds, PAUSE_SECONDS)
        log.warning("rate_limits_local", error=type(error).__name__)

    def _take_locally(self, buckets: Sequence[Bucket]) -> TokenGrant:
        local_buckets = [self._get_local_buckets(shared_bucket) for shared_bucket in buckets]
        bucket_pairs = list(zip(local_buckets, buckets, strict=True))
        smaller_buckets = [
            Bucket(bucket.policy, bucket.name, own_bucket.rate, own_bucket.burst)
            for own_bucket, bucket in bucket_pairs
        ]
        # Read once: a bucket that is empty now may have a token a moment later.
        remaining_tokens = [own_bucket.count_tokens(bucket.name) for own_bucket, bucket in bucket_pairs]
        is_allowed = all(tokens >= 1 for tokens in remaining_tokens)
        if is_allowed:
            for local_bucket, bucket in bucket_pairs:
                local_bucket.take_token(bucket.name)
            remaining_tokens = [tokens - 1 for tokens in remaining_tokens]
        return TokenGrant(is_allowed, smaller_buckets, remaining_tokens)

    def _get_local_buckets(self, bucket: Bucket) -> TokenBuckets:
        rate, burst = bucket.rate * OWN_SHARE, max(1, round(bucket.burst * OWN_SHARE))
        rate_and_burst = (rate, burst)
        if rate_and_burst not in self._local_buckets:
            self._local_buckets[rate_and_burst] = TokenBuckets(rate, burst)
        return self._local_buckets[rate_and_burst]

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
