"""Classify the failures of model calls and retry them (rule J7 of docs/reliability.md)."""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

import structlog
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from app.lazy import import_object
from app.llm.breaker import Breaker
from app.llm.errors import (
    NOT_RECORDED_CODE,
    AskedToWait,
    MalformedReply,
    ModelRefused,
    ModelUnavailable,
    Parked,
)
from app.llm.structured_output import does_error_concern_content

if TYPE_CHECKING:
    from openai import APIStatusError

log = structlog.get_logger(__name__)

ATTEMPTS = 4
# Seconds: the upper bound of the first wait, which doubles, and of every wait.
FIRST_WAIT, MAX_WAIT = 0.5, 20.0
MAX_PARK_SECONDS, QUOTA_PARK_SECONDS = 3_600.0, 600.0
_RETRIED_STATUSES = frozenset({408, 409, 425, 429})

Result = TypeVar("Result")


class TryAgain(Exception):
    """An attempt failed, and another may succeed. `retry_after`: seconds that the server asks to wait."""

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
    max_requested_wait: float = MAX_WAIT,
) -> Result:
    """Return the result of the first attempt that does not raise TryAgain, among at most `attempts`.

    If the server asks for a wait longer than `max_requested_wait` seconds, there is no further attempt.
    Raises Parked or ModelUnavailable, and whatever else an attempt raises.
    """

    def is_worth_it(error: BaseException) -> bool:
        return isinstance(error, TryAgain) and error.retry_after <= max_requested_wait

    retrying = Retrying(
        stop=stop_after_attempt(attempts),
        retry=retry_if_exception(is_worth_it),
        wait=_compute_jittered_wait_seconds,
        sleep=sleep,
        reraise=True,
    )
    try:
        return retrying(attempt)
    except TryAgain as error:
        log.warning("model_gave_up", purpose=purpose, outcome=error.outcome, attempts=attempts)
        if error.outcome == "rate_limited":
            wait_seconds = max(error.retry_after, breaker.cooldown)
            raise AskedToWait(error.reason, retry_after=wait_seconds) from error
        if breaker.is_open:
            breaker.admit_call()
            breaker.allow_another_probe()
        raise ModelUnavailable(error.reason) from error


@contextmanager
def translate_and_report_failures(breaker: Breaker) -> Iterator[None]:
    """Turn the package's errors into TryAgain or a final error, and report them to the breaker."""
    openai, httpx = import_object("openai"), import_object("httpx2")
    try:
        yield
    except (openai.APITimeoutError, httpx.TimeoutException) as error:
        breaker.record_failure("it does not answer in time")
        raise TryAgain("timeout", "it did not answer in time") from error
    except (openai.APIConnectionError, httpx.HTTPError) as error:
        breaker.record_failure("no connection")
        raise TryAgain("connection", "no connection") from error
    except openai.APIStatusError as error:
        raise _build_error_and_report_to_breaker(error, breaker) from error
    except openai.APIError as error:
        breaker.record_failure("it answers with something else")
        raise TryAgain("server_error", "it answered with something else") from error


def _build_error_and_report_to_breaker(error: "APIStatusError", breaker: Breaker) -> Exception:
    """Return the exception for an HTTP error, and report it to the breaker."""
    status = error.status_code
    if status in _RETRIED_STATUSES or status >= 500:
        requested_wait = _parse_seconds_of_retry_after(error.response.headers)
        # Only the code is evaluated: the message may repeat text that was sent.
        if error.code == "insufficient_quota":
            breaker.open_circuit_for(QUOTA_PARK_SECONDS, "the provider's quota is used up")
            return Parked("the provider's quota is used up", retry_after=QUOTA_PARK_SECONDS)
        if requested_wait > MAX_WAIT:
            breaker.open_circuit_for(requested_wait, "the provider asked to wait", is_binding=True)
            return AskedToWait("the provider asked to wait", retry_after=requested_wait)
        if status == 429:
            breaker.allow_another_probe()
            return TryAgain("rate_limited", "too many requests", requested_wait)
        breaker.record_failure("server errors")
        return TryAgain("server_error", "server errors", requested_wait)
    if status in (401, 402, 403):
        # All jobs of the tenant would be refused: they wait for a valid key.
        breaker.open_circuit_for(breaker.cooldown, "the provider refuses the key")
        return ModelRefused("The model server refuses the key.", http_status=status, code="model_key_refused")
    breaker.record_answer_and_close()
    if error.code == NOT_RECORDED_CODE:
        return ModelRefused(
            "The recording has no answer to this request, and no server is called.",
            http_status=status,
            code=NOT_RECORDED_CODE,
        )
    if status in (400, 413) and does_error_concern_content(_get_error_words(error)):
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


def _parse_seconds_of_retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that the server asks to wait, 0 to 3600; 0 if it gives no valid value."""
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
    # NaN fails the comparison and counts as no value.
    return min(seconds, MAX_PARK_SECONDS) if seconds > 0 else 0.0


def _compute_jittered_wait_seconds(state: RetryCallState) -> float:
    """Return full jitter added to the wait the server asked for, so that clients do not retry in step."""
    error = state.outcome.exception() if state.outcome else None
    requested_wait = error.retry_after if isinstance(error, TryAgain) else 0.0
    return requested_wait + random.uniform(0, min(MAX_WAIT, FIRST_WAIT * 2 ** (state.attempt_number - 1)))
