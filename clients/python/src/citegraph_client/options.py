"""How a client behaves: where the service is, how long it waits, and when it tries again."""

import os
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time

from citegraph_client.errors import CitegraphError

_AGAIN = frozenset({408, 429, 502, 503, 504})
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 8.0


@dataclass(frozen=True)
class Wait:
    """A pause of some seconds after so many tries of a request, and why the last one failed."""

    tried: int
    seconds: float
    reason: str


@dataclass(frozen=True)
class Options:
    """`timeout` is of one try, in seconds. A Retry-After above `longest_wait` is not waited for.

    A request is tried again `max_retries` times, and for `retry_seconds` if that is longer. `on_wait` is
    called before each pause.
    """

    base_url: str
    api_key: str
    timeout: float = 60.0
    max_retries: int = 3
    longest_wait: float = 60.0
    retry_seconds: float = 0.0
    on_wait: Callable[[Wait], None] | None = None

    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {"authorization": f"Bearer {self.api_key}", "user-agent": "citegraph-client/0.1"}


def options_of(
    base_url: str | None,
    api_key: str | None,
    *,
    timeout: float,
    max_retries: int,
    longest_wait: float,
    retry_seconds: float,
    on_wait: Callable[[Wait], None] | None,
) -> Options:
    """The options, with address and key from CITEGRAPH_URL and CITEGRAPH_API_KEY where they are not given."""
    url = base_url or os.environ.get("CITEGRAPH_URL", "")
    key = api_key or os.environ.get("CITEGRAPH_API_KEY", "")
    if not url or not key:
        raise CitegraphError("Give base_url and api_key, or set CITEGRAPH_URL and CITEGRAPH_API_KEY.")
    return Options(url.rstrip("/"), key, timeout, max_retries, longest_wait, retry_seconds, on_wait)


def wait_before_next(
    options: Options, tried: int, status: int | None, headers: Mapping[str, str], *, elapsed: float
) -> float | None:
    """Seconds until the next try, after `tried` tries in `elapsed` seconds; None where there is to be none.

    `status` None means that no answer came. A conflict is tried again where the service says when: another
    request under the same key has not ended.
    """
    if tried > options.max_retries and elapsed >= options.retry_seconds:
        return None
    told = retry_after(headers)
    if status is not None and status not in _AGAIN and not (status == 409 and told is not None):
        return None
    if told is not None:
        return told if told <= options.longest_wait else None
    ceiling = min(_LONGEST_DELAY, _FIRST_DELAY * 2 ** (tried - 1))
    return random.uniform(ceiling / 2, ceiling)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that Retry-After asks for, whichever way it says it."""
    value = headers.get("retry-after")
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time())
    except (TypeError, ValueError):
        return None
