"""Loaded by schemathesis: each of its requests is a new one, and a check of its own."""

from typing import Any
from uuid import uuid4

import schemathesis

REFUSALS = {400, 404, 405, 408, 413, 415, 422, 429, 503}
"""None says anything of a thing that is there: 409 would, and 403 too."""
NAME = "Idempotency-Key"


@schemathesis.hook
def before_call(_context: Any, case: Any, **_sent: Any) -> None:
    """Make the key of a POST its own; one that cannot be a key stays so.

    Under one key for all, every body but the first would be refused unread, by 409.
    """
    key = case.headers.get(NAME)
    if key is not None:
        case.headers[NAME] = f"{key}{uuid4().hex}"


@schemathesis.check
def nothing_of_another(_context: Any, response: Any, case: Any) -> None:
    """Fails where an id of somebody else is answered otherwise than by a refusal."""
    assert response.status_code in REFUSALS, f"{case.operation.label} answered {response.status_code}"
