"""The one way to a model: the openai package against any compatible server, never trusted, never endless.

The package's own retries are off: `exchange` is the one place that tries again (rule J7).
"""

import os
import random
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any, Self

import httpx2
import structlog
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, OpenAI
from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt

from app.errors import ConfigurationError
from app.ids import TenantId
from app.llm.answers import CallRecord
from app.llm.batch import CallPool
from app.llm.breaker import Breaker, Breakers
from app.llm.deadline import DeadlineTransport, deadline
from app.llm.errors import MalformedReply, ModelRefused, ModelUnavailable, Parked
from app.llm.prices import PriceTable, cost_usd
from app.llm.structured import (
    Features,
    Question,
    Reply,
    estimate_tokens,
    is_about_content,
    read_chat,
    request_body,
)
from app.settings import Settings

log = structlog.get_logger(__name__)

ATTEMPTS = 4
# Seconds: the ceiling of the first wait, which doubles; no wait is longer than the last.
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
CONNECT_TIMEOUT = 5.0
LONGEST_PARK, QUOTA_PARK = 3_600.0, 600.0
PARAMETERS: Mapping[str, Any] = {"temperature": 0}
_RETRIED = frozenset({408, 409, 425, 429})


class _TryAgain(Exception):
    """An attempt failed in a way that the next may not. `retry_after` is the server's wish, in seconds."""

    def __init__(self, outcome: str, reason: str, retry_after: float = 0.0) -> None:
        super().__init__(reason)
        self.outcome = outcome
        self.reason = reason
        self.retry_after = retry_after


class ModelClient:
    """One server and one chat model, for all jobs and tenants of this process. Made after a fork.

    `timeout` is the wall time of one attempt in seconds, slow drips included. `sleep` waits between
    attempts. Every request becomes a record in the caller's list, also where an error is raised.
    """

    def __init__(
        self,
        *,
        api_key: str,
        base_url: str,
        model: str,
        timeout: float = 60.0,
        parallel: int = 8,
        prices: PriceTable | None = None,
        attempts: int = ATTEMPTS,
        breakers: Breakers | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self.base_url = base_url
        self.parameters = PARAMETERS
        self.features = Features()
        self.pool = CallPool(parallel)
        self._timeout = timeout
        self._prices = prices or {}
        self._attempts = attempts
        self._breakers = breakers or Breakers(time.monotonic)
        self._sleep = sleep
        self._pid = os.getpid()
        self._openai = OpenAI(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            http_client=httpx2.Client(
                transport=DeadlineTransport(max_connections=2 * parallel),
                timeout=httpx2.Timeout(timeout, connect=min(CONNECT_TIMEOUT, timeout)),
            ),
        )

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """The client of an installation. Raises ConfigurationError where neither key nor address is set."""
        if settings.openai_api_key is None and settings.openai_base_url is None:
            raise ConfigurationError("Set OPENAI_API_KEY, OPENAI_BASE_URL or both to extract with a model.")
        key = settings.openai_api_key
        return cls(
            # Local servers want some key and look at none.
            api_key=key.get_secret_value() if key else "unused",
            base_url=settings.openai_base_url or "https://api.openai.com/v1",
            model=settings.llm_model,
            timeout=settings.llm_timeout,
            parallel=settings.llm_parallel,
            prices=settings.llm_prices,
        )

    def cost(self, prompt_tokens: int, completion_tokens: int) -> Decimal:
        """US dollars of a call of that size, by the table of prices."""
        return cost_usd(
            self._prices, self.model, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens
        )

    def close(self) -> None:
        """End threads and connections."""
        self.pool.close()
        self._openai.close()

    def ask(self, tenant_id: TenantId, question: Question, calls: list[CallRecord]) -> dict[str, Any]:
        """The JSON object that the model answered; what stands in it is still to be validated.

        Raises MalformedReply, ModelRefused, ModelUnavailable or Parked.
        """
        sent = estimate_tokens("".join(message["content"] for message in question.messages))
        reply = self.settled(
            lambda features: self.exchange(
                tenant_id,
                question.purpose,
                self.model,
                "/chat/completions",
                request_body(question, self.model, features, self.parameters),
                read_chat,
                sent,
                calls,
            )
        )
        assert isinstance(reply.value, dict)
        return reply.value

    def settled(self, call: Callable[[Features], Reply]) -> Reply:
        """The reply to a call made with the features that this server understands; found out once."""
        while True:
            features = self.features
            try:
                reply = call(features)
            except ModelRefused as refusal:
                less = features.less(refusal)
                if less is None:
                    raise
                # Another thread may have found the same out: then its finding is tried first.
                self.features = less if self.features == features else self.features
                continue
            if not features.proven and self.features == features:
                self.features = Features(
                    features.response_format, features.temperature, features.dimensions, proven=True
                )
            return reply

    def exchange(
        self,
        tenant_id: TenantId,
        purpose: str,
        model: str,
        path: str,
        body: Mapping[str, Any],
        read: Callable[[bytes], Reply],
        estimated_tokens: int,
        calls: list[CallRecord],
    ) -> Reply:
        """A reply without fault, after at most `attempts` requests. Raises as `ask` does."""
        if os.getpid() != self._pid:
            raise RuntimeError("A model client does not survive a fork: make one per process (rule J10).")
        breaker = self._breakers.of((tenant_id, self.base_url))

        def attempt() -> Reply:
            breaker.admit()
            started = time.monotonic()
            reply, outcome = Reply(), "interrupted"
            try:
                raw = self._post(path, body, breaker)
                reply = read(raw)
                outcome = "ok" if reply.fault is None else "malformed"
                if reply.ours:
                    breaker.succeeded()
                else:
                    breaker.failed("it answers with something else")
            except _TryAgain as error:
                outcome = error.outcome
                raise
            except (ModelRefused, MalformedReply):
                outcome = "refused"
                raise
            finally:
                if outcome == "interrupted":
                    breaker.undecided()
                paid = outcome == "ok" or (outcome == "malformed" and reply.ours)
                sent = (reply.prompt_tokens or estimated_tokens) if paid else 0
                cost = cost_usd(
                    self._prices, model, prompt_tokens=sent, completion_tokens=reply.completion_tokens
                )
                spent = round((time.monotonic() - started) * 1000)
                calls.append(CallRecord(purpose, model, sent, reply.completion_tokens, cost, spent, outcome))
            if reply.fault is not None:
                raise MalformedReply(reply.fault)
            return reply

        retrying = Retrying(
            stop=stop_after_attempt(self._attempts),
            retry=retry_if_exception_type(_TryAgain),
            wait=_wait,
            sleep=self._sleep,
            reraise=True,
        )
        try:
            return retrying(attempt)
        except _TryAgain as error:
            log.warning("model_gave_up", purpose=purpose, outcome=error.outcome, attempts=self._attempts)
            if error.outcome == "rate_limited":
                wait = max(error.retry_after, breaker.cooldown)
                raise Parked(error.reason, retry_after=wait) from error
            if breaker.is_open:
                breaker.admit()
                breaker.undecided()
            raise ModelUnavailable(error.reason) from error

    def _post(self, path: str, body: Mapping[str, Any], breaker: Breaker) -> bytes:
        try:
            with deadline(self._timeout):
                return self._openai.post(path, cast_to=httpx2.Response, body=dict(body)).content
        except (APITimeoutError, httpx2.TimeoutException) as error:
            breaker.failed("it does not answer in time")
            raise _TryAgain("timeout", "it did not answer in time") from error
        except (APIConnectionError, httpx2.HTTPError) as error:
            breaker.failed("no connection")
            raise _TryAgain("connection", "no connection") from error
        except APIStatusError as error:
            raise _refusal(error, breaker) from error
        except APIError as error:
            breaker.failed("it answers with something else")
            raise _TryAgain("server_error", "it answered with something else") from error


def _refusal(error: APIStatusError, breaker: Breaker) -> Exception:
    """What an HTTP error means for the call; tells the breaker."""
    status = error.status_code
    hint = _hint(error)
    if status in _RETRIED or status >= 500:
        wish = _retry_after(error.response.headers)
        if "insufficient_quota" in hint:
            breaker.open_for(QUOTA_PARK, "the provider's quota is used up")
            return Parked("the provider's quota is used up", retry_after=QUOTA_PARK)
        if wish > LONGEST_WAIT:
            breaker.open_for(wish, "the provider asked to wait")
            return Parked("the provider asked to wait", retry_after=wish)
        if status == 429:
            breaker.undecided()
            return _TryAgain("rate_limited", "too many requests", wish)
        breaker.failed("server errors")
        return _TryAgain("server_error", "server errors", wish)
    if status in (401, 402, 403):
        # Every other job of the tenant would be refused as well: they wait for a better key.
        breaker.open_for(breaker.cooldown, "the provider refuses the key")
        return ModelRefused(
            "The model server refuses the key.", http_status=status, hint=hint, code="model_key_refused"
        )
    breaker.succeeded()
    if status in (400, 413) and is_about_content(hint):
        return MalformedReply("The passages were too long or were withheld by a filter.")
    if status == 404:
        return ModelRefused(
            "The model server does not know the model or the path.",
            http_status=status,
            hint=hint,
            code="model_unknown",
        )
    return ModelRefused(f"The model server refuses the call ({status}).", http_status=status, hint=hint)


def _hint(error: APIStatusError) -> str:
    return f"{error.code or ''} {error.param or ''} {error.message}"[:2_000].lower()


def _retry_after(headers: Mapping[str, str]) -> float:
    """The seconds the server asks to wait, 0 to 3600; 0 where it says nothing that can be read."""
    given = headers.get("retry-after", "").strip()
    try:
        seconds = float(given)
    except ValueError:
        try:
            at = parsedate_to_datetime(given)
        except ValueError:
            return 0.0
        seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - datetime.now(UTC)).total_seconds()
    # Comparing with NaN is False: a wish that is no number is none.
    return min(seconds, LONGEST_PARK) if seconds > 0 else 0.0


def _wait(state: RetryCallState) -> float:
    """Full jitter, on top of what the server asked for: many clients must not come back in step."""
    error = state.outcome.exception() if state.outcome else None
    wish = error.retry_after if isinstance(error, _TryAgain) else 0.0
    return wish + random.uniform(0, min(LONGEST_WAIT, FIRST_WAIT * 2 ** (state.attempt_number - 1)))
