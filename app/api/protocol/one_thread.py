"""Routes that only read: one thread opens the session, runs the route, writes the JSON and ends the
transaction.

FastAPI passes each of these steps to a different thread, and with many clients each step waits for the
interpreter (docs/decisions/0070). Sessions that write remain dependencies: an answer that is stored for an
Idempotency-Key is written in their transaction after the route has returned.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import wraps
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from typing import Any

from fastapi.exceptions import ResponseValidationError
from fastapi.routing import APIRoute
from starlette.responses import Response

from app.db.session import OpenSession


@dataclass(frozen=True)
class PendingSession:
    """The value of a dependency on a session that is not open yet: `run_on_one_thread` opens it for the
    endpoint.
    """

    open_session: Callable[[], AbstractContextManager[OpenSession]]


def is_blocking(endpoint: Callable[..., Any]) -> bool:
    """Return whether the endpoint is a plain `def`, which runs on a thread."""
    return not (
        iscoroutinefunction(endpoint) or isasyncgenfunction(endpoint) or isgeneratorfunction(endpoint)
    )


def run_on_one_thread(route: APIRoute, endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Return an endpoint that opens its `PendingSession` sessions and, if there are any, returns a Response.

    The transaction commits after the JSON is written. Raises ResponseValidationError if the value does not
    match the route's response model.
    """

    @wraps(endpoint)
    def run_endpoint(**arguments: Any) -> Any:
        with ExitStack() as stack:
            sessions = {
                name: stack.enter_context(argument.open_session())
                for name, argument in arguments.items()
                if isinstance(argument, PendingSession)
            }
            result = endpoint(**{**arguments, **sessions})
            return _serialize_result(route, result) if sessions else result

    return run_endpoint


def _serialize_result(route: APIRoute, result: Any) -> Any:
    field = route.response_field
    if field is None or isinstance(result, Response):
        return result
    value, errors = field.validate(result, {}, loc=("response",))
    if errors:
        raise ResponseValidationError(errors=errors, body=result)
    content = field.serialize_json(
        value,
        include=route.response_model_include,
        exclude=route.response_model_exclude,
        by_alias=route.response_model_by_alias,
        exclude_unset=route.response_model_exclude_unset,
        exclude_defaults=route.response_model_exclude_defaults,
        exclude_none=route.response_model_exclude_none,
    )
    return Response(content, route.status_code or 200, media_type="application/json")
