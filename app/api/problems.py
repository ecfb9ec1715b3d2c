"""Every failure in one format: an RFC 9457 problem document with fixed sentences and a request id.

It repeats nothing of the request and no message of the database (rules A3 and I7 of docs/reliability.md).
"""

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from http import HTTPStatus
from typing import Any, NamedTuple

import psycopg
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from pydantic import BaseModel, Field
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from app.closed_fields import EXTRA_FORBIDDEN, MAX_LISTED_CHARS
from app.db.errors import describe_error
from app.error_codes import list_error_codes_of_api
from app.errors import CitegraphError, InvalidInput, NotFound, QuotaExceeded
from app.http import database_errors, input_text

log = structlog.get_logger(__name__)

PROBLEM_MEDIA_TYPE = "application/problem+json"
RETRY_AFTER_SECONDS = 2
TEMPORARY_STATUSES = frozenset({429, 503})
"""Statuses that have a Retry-After header."""
CUT_OFF_STATUS_KEY = "cut_off"
"""Key of a request's state for the status with which the server itself refused the request."""
REFUSAL_CODE_KEY = "refused_for"
"""Key of a request's state for the code of a temporary refusal, with 429 or 503."""
_MAX_FAULTS = 5
_MAX_FAULT_BYTES = 600
_MAX_MESSAGE_CHARS, _MAX_CHARS_OF_FIELD_LIST = 150, MAX_LISTED_CHARS + 60
_KIND_BY_ID_PARAMETER = {
    "tenant_id": "tenant",
    "key_id": "API key",
    "space_id": "space",
    "document_id": "document",
    "chunk_id": "chunk",
    "job_id": "job",
    "node_id": "node",
    "edge_id": "edge",
    "community_id": "community",
    "run_id": "run",
    "split_id": "split",
    "trial_id": "trial",
    "question_id": "golden question",
    "golden_run_id": "golden run",
    "webhook_id": "webhook",
    "delivery_id": "delivery",
    "merge_id": "merge",
}
CODE_AND_DETAIL_BY_STATUS = {
    400: ("malformed_body", "The body cannot be read: it is not UTF-8, or not the form that it says."),
    404: ("not_found", "No such address."),
    405: ("method_not_allowed", "This address does not take that method."),
    413: ("payload_too_large", "The body is over the limit."),
    431: ("headers_too_large", "The headers are too many or too long."),
}
# Types of validation errors whose messages repeat the input.
_ECHOING_ERROR_TYPES = frozenset({"union_tag_invalid", "value_error", "assertion_error", "json_invalid"})


class Fault(BaseModel):
    """One value that cannot be accepted."""

    loc: str = Field(description="Its location, such as body.documents.0.title.")
    type: str = Field(description="Stable code.")
    msg: str = Field(description="One sentence; it never contains the value.")


class ProblemDocument(BaseModel):
    """An RFC 9457 problem document (application/problem+json)."""

    type: str = "about:blank"
    title: str = Field(description="The status in words.")
    status: int
    code: str = Field(
        description="Stable code for programs; docs/errors.md says what to do. New codes may be added.",
        json_schema_extra={"enum": [*list_error_codes_of_api()]},
    )
    detail: str = Field(description="One sentence for people.")
    request_id: str = Field(description="The id of the request in the logs.")
    errors: list[Fault] | None = Field(None, description="With 422: the values that cannot be accepted.")
    quota: str | None = Field(
        None, description="With quota_exceeded and too_many_jobs: the quota that is exceeded."
    )
    used: int | None = Field(None, description="With these: the amount that the tenant has.")
    limit: int | None = Field(None, description="With these: the amount that it may have.")
    remaining: int | None = Field(None, description="With these: the amount for which there is room.")
    added: int | None = Field(
        None, description="With these: the amount that was asked for, if it is known before reading."
    )


class Problem(Response):
    """The response for a failure; `refused_for` is its code if a retry may succeed shortly, otherwise
    None.
    """

    refused_for: str | None = None


def build_problem(error: Exception, request_id: str) -> Problem:
    """Return the problem document for an exception; an unexpected one is logged and answered with 500."""
    headers: dict[str, str] = {}
    faults: list[dict[str, str]] | None = None
    if isinstance(error, SQLAlchemyError | psycopg.Error):
        log.warning("database_error", **describe_error(error))
        error = database_errors.translate_database_error(error) or error
    if isinstance(error, RequestValidationError):
        kind = _find_kind_of_malformed_id(error.errors())
        if kind is not None:
            error = NotFound(kind)
    if isinstance(error, CitegraphError):
        status, code, detail = error.status, error.code, error.message
        if isinstance(error, InvalidInput) and error.faults:
            faults = [{"loc": loc, "type": kind, "msg": msg} for loc, kind, msg in error.faults]
    elif isinstance(error, RequestValidationError):
        faults = _list_faults(error.errors())
        code = _choose_code(faults)
        status, detail = 422, "The request holds values that cannot be accepted; errors lists them."
    elif isinstance(error, HTTPException) and error.status_code < 500:
        status = error.status_code
        code, detail = CODE_AND_DETAIL_BY_STATUS.get(
            status, ("bad_request", "The request cannot be accepted.")
        )
        headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    else:
        log.error("unexpected_error", exc_info=error)
        status, code, detail = 500, "internal_error", "An unexpected error; the log has it."
    if status == 401:
        headers = {"www-authenticate": "Bearer"}
    headers = headers | _build_retry_header(error, status)
    body = build_problem_document(status, code, detail, request_id)
    if faults is not None:
        body["errors"] = faults
    body |= _describe_quota(error)
    # ASCII, so that a lone surrogate cannot make the error response itself fail (docs/reliability.md, bad
    # input 7).
    problem = Problem(json.dumps(body).encode("ascii"), status, headers, PROBLEM_MEDIA_TYPE)
    problem.refused_for = code if status in TEMPORARY_STATUSES else None
    return problem


def _build_retry_header(error: Exception, status: int) -> dict[str, str]:
    seconds = getattr(error, "retry_after", None)
    if seconds is None and status not in TEMPORARY_STATUSES:
        return {}
    return {"retry-after": str(math.ceil(seconds or RETRY_AFTER_SECONDS))}


def _describe_quota(error: Exception) -> dict[str, Any]:
    if not isinstance(error, QuotaExceeded):
        return {}
    return {
        "quota": error.quota,
        "used": error.used,
        "limit": error.limit,
        "remaining": error.remaining,
        "added": error.added,
    }


def build_problem_document(status: int, code: str, detail: str, request_id: str) -> dict[str, Any]:
    """Return the content of a problem document."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": request_id,
    }


def install_error_handlers(app: FastAPI) -> None:
    """Answer every exception of the application with a problem document."""

    async def handle(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException) and error.status_code == 405:
            error = HTTPException(405, headers={"allow": ", ".join(_list_allowed_methods(request))})
        problem = build_problem(error, get_request_id(request))
        request.scope.setdefault("state", {})[REFUSAL_CODE_KEY] = problem.refused_for
        return problem

    for kind in (CitegraphError, HTTPException, RequestValidationError, SQLAlchemyError, psycopg.Error):
        app.add_exception_handler(kind, handle)


def _list_allowed_methods(request: Request) -> list[str]:
    """Return the methods of the path; the framework names only those of its first route."""
    routes = iter_route_contexts(request.app.routes)
    matching_routes = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    same_path_routes = [route for route in matching_routes if route.path == matching_routes[0].path]
    # Without routes that only answer 405, for words that would be parsed as ids.
    listed_routes = [route for route in same_path_routes if route.include_in_schema] or same_path_routes
    return sorted({method for route in listed_routes for method in route.methods or ()})


class CodeAndSentence(NamedTuple):
    """The stable code of an error, and the sentence that explains it."""

    code: str
    sentence: str


def get_code_and_sentence_of_error(error: CitegraphError | RequestValidationError) -> CodeAndSentence:
    """Return the code and the sentence of a failure that concerns one document of several."""
    if isinstance(error, CitegraphError):
        return CodeAndSentence(error.code, error.message)
    faults = _list_faults(error.errors())
    return CodeAndSentence(_choose_code(faults), f"{faults[0]['loc']}: {faults[0]['msg']}")


def get_request_id(request: Request) -> str:
    """Return the id that `request_log` gave the request."""
    return str(request.scope.get("state", {}).get("request_id", ""))


def _find_kind_of_malformed_id(errors: Iterable[Any]) -> str | None:
    """Return the kind of resource that a malformed id in the path stands for; no resource has such an id."""
    for error in errors:
        if error["loc"][0] == "path":
            return _KIND_BY_ID_PARAMETER.get(str(error["loc"][1]), "resource")
    return None


def _list_faults(errors: Iterable[Any]) -> list[dict[str, str]]:
    """Return the first faults, without input or context, in few bytes (rule A3 of docs/reliability.md)."""
    faults: list[dict[str, str]] = []
    total_bytes = 0
    for error in errors:
        fault = {
            "loc": _format_location(error["loc"][:8]),
            "type": str(error["type"]),
            "msg": (
                "The value cannot be accepted."
                if error["type"] in _ECHOING_ERROR_TYPES
                else str(error["msg"])
                .encode("ascii", "replace")
                .decode()[
                    : _MAX_CHARS_OF_FIELD_LIST if error["type"] == EXTRA_FORBIDDEN else _MAX_MESSAGE_CHARS
                ]
            ),
        }
        total_bytes += sum(map(len, fault.values())) + 32
        if faults and (total_bytes > _MAX_FAULT_BYTES or len(faults) == _MAX_FAULTS):
            break
        faults.append(fault)
    return faults


def _choose_code(faults: list[dict[str, str]]) -> str:
    """Return the code of a problem document with these faults."""
    first_code = faults[0]["type"] if faults else ""
    return first_code if first_code in input_text.INPUT_ERROR_CODES else "invalid_input"


def _format_location(loc: Sequence[object]) -> str:
    """Return the location of a value. Field names of the API are shown; a name made up by the caller may be a
    secret.
    """
    own_names = _list_field_names() if loc[0] == "body" else frozenset(str(path_part) for path_part in loc)
    return ".".join(
        str(path_part) if isinstance(path_part, int) or path_part in own_names or index == 0 else "?"
        for index, path_part in enumerate(loc)
    )


@cache
def _list_field_names() -> frozenset[str]:
    """Return the fields of all bodies. Only names of path and query parameters are always names of the
    API.
    """
    names: set[str] = set()
    models = list(BaseModel.__subclasses__())
    while models:
        model = models.pop()
        models.extend(model.__subclasses__())
        if model.__module__.startswith("app."):
            names.update(field.alias or name for name, field in model.model_fields.items())
    return frozenset(names)
