"""Errors that carry their HTTP status and a stable code; doors print them, nobody maps them twice.

Messages are fixed sentences about the caller's own input. They never hold SQL, another
space's data or text out of a document.
"""

from collections.abc import Sequence

from app.error_codes import status_of


class CitegraphError(Exception):
    """An expected failure: `code` for programs, `status` for HTTP, the message for people.

    The code is one of `error_codes.py`, which says its status.
    """

    code = "bad_request"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code

    @property
    def status(self) -> int:
        """The HTTP status of its code; that of its kind where the code answers no request.

        Only what has a status of 500 or more is tried again in a job.
        """
        return status_of(self.code) or status_of(type(self).code) or 500


class InvalidInput(CitegraphError):
    """The request was understood and one of its values cannot be accepted.

    `faults` lists several of them: where each stands, its code and its sentence.
    """

    code = "invalid_input"

    def __init__(
        self, message: str, *, code: str | None = None, faults: Sequence[tuple[str, str, str]] = ()
    ) -> None:
        super().__init__(message, code=code)
        self.faults = faults


class Unauthenticated(CitegraphError):
    """No valid API key came with the request: one body for every reason."""

    code = "unauthenticated"

    def __init__(self) -> None:
        super().__init__("A valid API key is required: Authorization: Bearer cg_…")


class ScopeMissing(CitegraphError):
    """The key is valid and lacks the scope that this call needs."""

    code = "scope_missing"


class NotFound(CitegraphError):
    """Nothing of that kind and id in the caller's reach, whether it never existed or is another's."""

    code = "not_found"

    def __init__(self, kind: str) -> None:
        super().__init__(f"No such {kind}.")


class Conflict(CitegraphError):
    """The state of the thing forbids the change."""

    code = "conflict"


class PayloadTooLarge(CitegraphError):
    """The body or file is over a documented limit."""

    code = "payload_too_large"


class UnsupportedFormat(CitegraphError):
    """The content type, file name or bytes are of no format that can be read."""

    code = "unsupported_format"


class TooMany(CitegraphError):
    """The tenant has as many of these under way as it may; the same call may work shortly."""

    code = "too_many_requests"


class QuotaExceeded(TooMany):
    """The tenant has as much as it may: `used` of `limit`, of what `quota` names."""

    code = "quota_exceeded"
    retry_after: float = 3_600
    """Seconds after which trying again makes sense: somebody has to delete something, or raise the limit."""

    def __init__(self, quota: str, *, used: int, limit: int) -> None:
        super().__init__(
            f"The tenant may have {limit:,} {quota.replace('_', ' ')} and has {used:,}: delete some, or have the "  # noqa: E501
            "quota raised."
        )
        self.quota, self.used, self.limit = quota, used, limit


class TooManyJobs(QuotaExceeded):
    """The tenant has as many jobs waiting as it may; they are run without anybody's help."""

    code = "too_many_jobs"
    retry_after = 30


class Unavailable(CitegraphError):
    """A part that the call needs is down or busy; the same call may work shortly."""

    code = "unavailable"


class ConfigurationError(CitegraphError):
    """The installation is not set up in a way that is safe or able to run."""

    code = "configuration"
