"""Values that a sandbox returns."""

from dataclasses import dataclass
from enum import StrEnum


class FaultKind(StrEnum):
    """The way in which work on one item ended without a result."""

    TIME = "time"
    MEMORY = "memory"
    CRASH = "crash"
    RAISED = "raised"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why one item has no result.

    `REFUSED` is an expected error, with its own `code`, `message` and `status`. `RAISED` has the traceback
    for the log.
    """

    kind: FaultKind
    code: str = ""
    message: str = ""
    status: int = 0
    trace: str = ""
