"""Errors with a stable code, from which the HTTP status follows.

Messages are fixed sentences about the caller's input. They never contain SQL, data of another space or text
of a document.
"""

from collections.abc import Sequence
from typing import NamedTuple

from app.error_codes import get_status_of_code
from app.number_words import pluralise


class CitegraphError(Exception):
    """An expected failure: `code` for programs, `status` for HTTP, and a message for people.

    The code is one of `error_codes.py`, which defines its status.
    """

    code = "bad_request"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code

    @property
    def status(self) -> int:
        """Return the status of the code, or that of the class if the code answers no request.

        Jobs retry only errors with a status of 500 or more.
        """
        return get_status_of_code(self.code) or get_status_of_code(type(self).code) or 500


class InputFault(NamedTuple):
    """One of several faults of a request: where it is, its code, and a sentence."""

    location: str
    code: str
    message: str


class InvalidInput(CitegraphError):
    """A value of the request is not acceptable; `faults` lists several."""

    code = "invalid_input"

    def __init__(self, message: str, *, code: str | None = None, faults: Sequence[InputFault] = ()) -> None:
        super().__init__(message, code=code)
        self.faults = faults


class Unauthenticated(CitegraphError):
    """The request has no valid API key. The body is the same for every reason."""

    code = "unauthenticated"

    def __init__(self) -> None:
        super().__init__("A valid API key is required: Authorization: Bearer cg_…")


class ScopeMissing(CitegraphError):
    """The key is valid, but lacks the scope that the call needs."""

    code = "scope_missing"


class NotFound(CitegraphError):
    """There is no such object within the caller's reach, whether it never existed or belongs to somebody
    else.
    """

    code = "not_found"

    def __init__(self, kind: str) -> None:
        super().__init__(f"No such {kind}.")


class Conflict(CitegraphError):
    """The present state of the object does not allow the change."""

    code = "conflict"


class PayloadTooLarge(CitegraphError):
    """The body or file exceeds a documented limit."""

    code = "payload_too_large"


class UnsupportedFormat(CitegraphError):
    """The content type, file name or bytes belong to no supported format."""

    code = "unsupported_format"


class TooMany(CitegraphError):
    """The tenant has reached its limit of concurrent operations; the same call may succeed shortly."""

    code = "too_many_requests"


class QuotaExceeded(TooMany):
    """The tenant has no room in a quota: it has `used` of `limit`, of what `quota` names.

    `added` is the amount that was asked for; None if only reading the documents would tell it.
    """

    code = "quota_exceeded"
    retry_after: float = 3_600
    """Seconds after which trying again makes sense: somebody has to delete something, or raise the limit."""

    def __init__(self, quota: str, *, used: int, limit: int, added: int | None = None) -> None:
        noun = quota.replace("_", " ").removesuffix("s")
        self.quota, self.used, self.limit, self.added = quota, used, limit, added
        room = f"room for {self.remaining:,} more" if self.remaining else "no room for more"
        asked = "" if added is None else f", and {added:,} {'was' if added == 1 else 'were'} asked for"
        super().__init__(
            f"The tenant may have {pluralise(limit, noun)} and has {used:,}: there is {room}{asked}. "
            "Delete some, or have the quota raised."
        )

    @property
    def remaining(self) -> int:
        """Return the amount for which there is room."""
        return max(self.limit - self.used, 0)


class TooManyJobs(QuotaExceeded):
    """The tenant has reached its limit of waiting jobs, which workers will run."""

    code = "too_many_jobs"
    retry_after = 30


class Unavailable(CitegraphError):
    """A component that the call needs is down or busy; the same call may succeed shortly."""

    code = "unavailable"


class ConfigurationError(CitegraphError):
    """The installation's configuration is unsafe or does not work."""

    code = "configuration"
