"""One attempt at a call, what its failure means, and whether there is another (rule J7)."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

import structlog
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from app.lazy import imported
from app.llm.breaker import Breaker
from app.llm.errors import NOT_RECORDED, AskedToWait, MalformedReply, ModelRefused, ModelUnavailable, Parked
from app.llm.structured import is_about_content

if TYPE_CHECKING:
    from openai import APIStatusError

log = structlog.get_logger(__name__)

ATTEMPTS = 4
# Seconds: the ceiling of the first wait, which doubles; no wait is longer than the last.
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
LONGEST_PARK, QUOTA_PARK = 3_600.0, 600.0
_RETRIED = frozenset({408, 409, 425, 429})

Result = TypeVar("Result")


class TryAgain(Exception):
    """An attempt failed in a way that the next may not. `retry_after` is the server's wish, in seconds."""

    def __init__(self, outcome: str, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.retry_after = retry_after


def call_with_retries(
    attempt: Callable[[], Result],
    *,
    attempts: int,
    sleep: Callable[[float], None],
    purpose: str,
    breaker: Breaker,
    longest_wish: float = LONGEST_WAIT,
) -> Result:
    """Return the result of the first attempt that does not raise TryAgain, among at most so many.

    A server that asks for a longer wait than `longest_wish` seconds is not waited for. Raises Parked or
    ModelUnavailable, and whatever else an attempt raises.
    """

    def is_worth_it(error: BaseException) -> bool:
        return isinstance(error, TryAgain) and error.retry_after <= longest_wish

    retrying = Retrying(
        stop=stop_after_attempt(attempts),
        retry=retry_if_exception(is_worth_it),
        wait=_compute_wait,
        sleep=sleep,
        reraise=True,
    )
    try:
        return retrying(attempt)
    except TryAgain as error:
        log.warning("model_gave_up", purpose=purpose, outcome=error.outcome, attempts=attempts)
        if error.outcome == "rate_limited":
            wait = max(error.retry_after, breaker.cooldown)
            raise AskedToWait(error.reason, retry_after=wait) from error
        if breaker.is_open:
            breaker.admit()
            breaker.record_undecided()
        raise ModelUnavailable(error.reason) from error


@contextmanager
def translate_failures(breaker: Breaker) -> Iterator[None]:
    """Turns the package's errors into TryAgain or the error that ends the call; tells the breaker."""
    package, http = imported("openai"), imported("httpx2")
    try:
        yield
    except (package.APITimeoutError, http.TimeoutException) as error:
        breaker.record_failure("it does not answer in time")
        raise TryAgain("timeout", "it did not answer in time") from error
    except (package.APIConnectionError, http.HTTPError) as error:
        breaker.record_failure("no connection")
        raise TryAgain("connection", "no connection") from error
    except package.APIStatusError as error:
        raise _build_refusal(error, breaker) from error
    except package.APIError as error:
        breaker.record_failure("it answers with something else")
        raise TryAgain("server_error", "it answered with something else") from error


def _build_refusal(error: "APIStatusError", breaker: Breaker) -> Exception:
    """Return the error that an HTTP error means for the call; inform the breaker."""
    status = error.status_code
    if status in _RETRIED or status >= 500:
        wish = _retry_after(error.response.headers)
        # The code alone: words may repeat a text that was sent.
        if error.code == "insufficient_quota":
            breaker.open_for(QUOTA_PARK, "the provider's quota is used up")
            return Parked("the provider's quota is used up", retry_after=QUOTA_PARK)
        if wish > LONGEST_WAIT:
            breaker.open_for(wish, "the provider asked to wait", binding=True)
            return AskedToWait("the provider asked to wait", retry_after=wish)
        if status == 429:
            breaker.record_undecided()
            return TryAgain("rate_limited", "too many requests", wish)
        breaker.record_failure("server errors")
        return TryAgain("server_error", "server errors", wish)
    if status in (401, 402, 403):
        # Every other job of the tenant would be refused as well: they wait for a better key.
        breaker.open_for(breaker.cooldown, "the provider refuses the key")
        return ModelRefused("The model server refuses the key.", http_status=status, code="model_key_refused")
    breaker.record_success()
    if error.code == NOT_RECORDED:
        return ModelRefused(
            "The recorded conversation has no answer to this request, and no server is asked.",
            http_status=status,
            code=NOT_RECORDED,
        )
    if status in (400, 413) and is_about_content(_get_error_words(error)):
        return MalformedReply("The passages were too long or were withheld by a filter.")
    if status == 404:
        return ModelRefused(
            "The model server does not know the model or the path.",
            http_status=status,
            code="model_unknown",
        )
    return ModelRefused(f"The model server refuses the call ({status}).", http_status=status)


def _get_error_words(error: "APIStatusError") -> str:
    return f"{error.code or ''} {error.message}"[:2_000].lower()


def _retry_after(headers: Mapping[str, str]) -> float:
    """The seconds the server asks to wait, 0 to 3600; 0 where it says nothing that can be read."""
    header = headers.get("retry-after", "").strip()
    try:
        seconds = float(header)
    except ValueError:
        try:
            retry_at = parsedate_to_datetime(header)
        except ValueError:
            return 0.0
        seconds = (
            (retry_at if retry_at.tzinfo else retry_at.replace(tzinfo=UTC)) - datetime.now(UTC)
        ).total_seconds()
    # Comparing with NaN is False: a wish that is no number is none.
    return min(seconds, LONGEST_PARK) if seconds > 0 else 0.0


def _compute_wait(state: RetryCallState) -> float:
    """Full jitter, on top of what the server asked for: many clients must not come back in step."""
    error = state.outcome.exception() if state.outcome else None
    wish = error.retry_after if isinstance(error, TryAgain) else 0.0
    return wish + random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (state.attempt_number - 1)))
