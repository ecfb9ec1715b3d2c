"""Failures of model calls, by how the job must react (rule J7 of docs/reliability.md).

Messages never include what the server wrote: its error bodies quote prompts, and prompts quote documents.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from app.errors import CitegraphError, QuotaExceeded, Unavailable
from app.tenant_quotas import TOKENS

NOT_RECORDED_CODE = "request_not_recorded"
"""The error code for a request that a replayed recording does not contain."""


class ModelUnavailable(Unavailable):
    """The call failed in all attempts while the provider answers other calls: retry the job."""

    code = "model_unavailable"

    def __init__(self, reason: str) -> None:
        super().__init__(f"The model could not be reached: {reason}.")
        self.reason = reason


class Parked(Unavailable):
    """The provider is down or refuses calls: park the job for `retry_after` seconds, counting no attempt."""

    code = "model_parked"

    def __init__(self, reason: str, *, retry_after: float) -> None:
        super().__init__(f"The model is not called for now: {reason}. The job continues later.")
        self.reason = reason
        self.retry_after = retry_after


class AskedToWait(Parked):
    """The provider limits the rate and says or implies until when; no call is made before that."""

    code = "model_rate_limited"


class ModelRefused(CitegraphError):
    """The server refuses this call as such (400, 401, 403, 404): the job fails, retrying is useless."""

    code = "model_refused"

    def __init__(self, message: str, *, http_status: int = 0, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.http_status = http_status

    @property
    def concerns_every_call(self) -> bool:
        """Return whether any question would be refused: the key, account, model or price is wrong."""
        is_about_request = 400 <= self.http_status < 500 and self.http_status not in (401, 402, 403, 404)
        return not is_about_request and self.code != NOT_RECORDED_CODE


class PriceUnknown(ModelRefused):
    """A budget is set and the model's price is unknown: it is not called, since it would count as free."""

    code = "price_unknown"

    def __init__(self, model: str) -> None:
        super().__init__(
            f"A budget is set and CITEGRAPH_LLM_PRICES has no price for {model}; use [0, 0] for a local"
            " model."
        )


class MalformedReply(CitegraphError):
    """A reply is not what was asked for: ask again once, then quarantine the chunk (requirement 5.3).

    `fault` is a sentence of ours that may be sent to the model.
    """

    code = "malformed_reply"

    def __init__(self, fault: str) -> None:
        super().__init__(f"The model's answer could not be used: {fault}")
        self.fault = fault


class BudgetExhausted(Parked):
    """The monthly budget is used up: park the job; raising the budget lets it continue."""

    code = "budget_exhausted"

    def __init__(self, *, retry_after: float = 60.0) -> None:
        super().__init__("the budget of this month is used up", retry_after=retry_after)


class TokensExhausted(Parked, QuotaExceeded):
    """The monthly token quota is used up: park the job or refuse the question until the quota is raised."""

    code = QuotaExceeded.code

    def __init__(
        self, *, used_tokens: int, requested_tokens: int | None, limit: int, retry_after: float
    ) -> None:
        next_call = "" if requested_tokens is None else f", and the next call may use {requested_tokens:,}"
        message = (
            f"Models may use {limit:,} tokens for the tenant in a month; {used_tokens:,} are used or in"
            f" flight{next_call}: wait for the next month, or have the quota raised."
        )
        CitegraphError.__init__(self, message)
        self.reason, self.retry_after = "the tokens of this month are used up", retry_after
        self.quota, self.used, self.limit, self.added = TOKENS, used_tokens, limit, requested_tokens


class TokensRefused(QuotaExceeded):
    """The same for a question: there is no job that could be parked."""

    def __init__(self, error: TokensExhausted) -> None:
        CitegraphError.__init__(self, error.message)
        self.quota, self.used, self.limit, self.added = error.quota, error.used, error.limit, error.added
        self.retry_after = error.retry_after


@contextmanager
def name_model_in_errors(model: str, base_url: str) -> Iterator[None]:
    """Add the model and its server, without credentials and query, to the messages of errors that pass."""
    try:
        yield
    except (ModelRefused, ModelUnavailable, Parked) as error:
        split_url = urlsplit(base_url)
        port = "" if split_url.port is None else f":{split_url.port}"
        location = f"({model} at {split_url.scheme}://{split_url.hostname}{port}{split_url.path})"
        if location not in error.message:
            error.message = f"{error.message} {location}"
            error.args = (error.message,)
        raise
