"""What may go wrong: a class for each kind of problem that the service tells of, and a few besides."""

import json
from collections.abc import Mapping
from typing import Any


class CitegraphError(Exception):
    """Whatever this package raises."""


class ConnectionFailed(CitegraphError):
    """No answer came, after all tries: the service was not reached, or took too long."""


class StreamBroken(CitegraphError):
    """A stream or a file ended before its end. `reason` says why, where the service told."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class JobFailed(CitegraphError):
    """A job that was waited for failed or was cancelled; `job` is how it ended."""

    def __init__(self, job: Any) -> None:
        super().__init__(f"Job {job.id} is {job.state}: {job.error_message or job.error_code or 'no reason'}")
        self.job = job


class ApiError(CitegraphError):
    """A refusal or failure, as the service's problem document tells it.

    `code` is stable and for programs, `detail` a sentence for people, `errors` names the values that were
    refused, `request_id` is what the service's log calls the request, and `problem` is the whole document.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.problem = dict(problem)
        self.code = str(problem.get("code", "unknown"))
        self.detail = str(problem.get("detail", ""))
        self.request_id = str(problem.get("request_id", ""))
        self.errors: list[dict[str, Any]] = list(problem.get("errors") or [])
        self.retry_after = retry_after
        super().__init__(f"{status} {self.code}: {self.detail}")


class BadRequest(ApiError):
    """400: the request cannot be read."""


class Unauthenticated(ApiError):
    """401: no valid key."""


class Forbidden(ApiError):
    """403: the key lacks a scope."""


class NotFound(ApiError):
    """404: nothing of that id within the key's reach."""


class Conflict(ApiError):
    """409: the state of the thing forbids it."""


class Stale(ApiError):
    """412: the thing has changed since you read it: read it again, then decide."""


class TooLarge(ApiError):
    """413: the body is over its limit."""


class UnsupportedFormat(ApiError):
    """415: nothing that the service can read."""


class InvalidInput(ApiError):
    """422: a value cannot be accepted; `errors` says which."""


class RateLimited(ApiError):
    """429: as much is under way as may be; `retry_after` says in how many seconds to try again."""


class QuotaExceeded(RateLimited):
    """429: the tenant has as much as it may have of `quota`."""

    @property
    def quota(self) -> str:
        """The name of the quota."""
        return str(self.problem.get("quota", ""))

    @property
    def used(self) -> int:
        """How much there is."""
        return int(self.problem.get("used", 0))

    @property
    def limit(self) -> int:
        """How much there may be."""
        return int(self.problem.get("limit", 0))

    @property
    def remaining(self) -> int:
        """How much more there may be."""
        return int(self.problem.get("remaining", 0))

    @property
    def added(self) -> int | None:
        """How much was asked for; None if only reading would tell it."""
        added = self.problem.get("added")
        return None if added is None else int(added)


class ServerError(ApiError):
    """5xx: a fault of the service."""


class Unavailable(ServerError):
    """503: a part of the service is down or busy; `retry_after` says when to try again."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: BadRequest,
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Stale,
    413: TooLarge,
    415: UnsupportedFormat,
    422: InvalidInput,
    429: RateLimited,
    503: Unavailable,
}


def error_of(status: int, body: bytes, retry_after: float | None) -> ApiError:
    """The error that an answer tells of, also where something between us and the service wrote it."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        problem = {"detail": body[:200].decode(errors="replace")}
    if status == 429 and "quota" in problem:
        return QuotaExceeded(status, problem, retry_after)
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else ApiError)
    return kind(status, problem, retry_after)
