"""The route class of the API: what every route does before and after its endpoint."""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import params
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from app.api.protocol import deprecation, etag, preconditions
from app.api.protocol.body_limits import read_json_body
from app.api.protocol.idempotency_header import answer_once
from app.api.protocol.one_thread import is_blocking, run_on_one_thread
from app.errors import InvalidInput
from app.http.bulkheads import run_in_query_slot_of_tenant

# Query parameters that may be repeated; any other repeated parameter is an error.
REPEATABLE_PARAMETERS = frozenset({"relation_type", "node_type", "layer"})


class _ParsedRequest(Request):
    """A request whose body has already been parsed as JSON."""

    document: Any = None

    async def json(self) -> Any:
        """Return the parsed body."""
        return self.document


class ApiRoute(APIRoute):
    """A route of the API, which checks the request, runs its endpoint and completes the response.

    Before: it refuses unknown query parameters and an `If-Match` that it would ignore, answers a repeated
    `Idempotency-Key`, and parses a JSON body strictly. A plain `def` endpoint works on the database, so it
    runs in a query slot of its tenant, after the body was received. After: it sets `ETag` and deprecation
    headers.

    Raises InvalidInput and UnsupportedFormat, see `read_json_body` and `answer_once`.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        if is_blocking(endpoint):
            endpoint = run_on_one_thread(self, endpoint)
        super().__init__(path, endpoint, **options)
        self.takes_if_match = preconditions.takes_if_match(path, self.methods or (), self.dependant)
        if self.takes_if_match:
            self.openapi_extra = preconditions.describe_precondition(self.openapi_extra)

    def get_route_handler(self) -> Any:
        """Return FastAPI's handler wrapped in the checks and headers of this class."""
        handle_request = super().get_route_handler()
        uses_database = is_blocking(self.endpoint)
        takes_json = self.body_field is not None
        parameter_names = sorted(
            flat_param.alias
            for flat_param in get_flat_params(self.dependant)
            if isinstance(flat_param.field_info, params.Query)
        )

        async def perform(request: Request) -> Response:
            if takes_json:
                request = await _parse_body(request)
            response: Response
            if uses_database:
                response = await run_in_query_slot_of_tenant(request, lambda: handle_request(request))
            else:
                response = await handle_request(request)
            return response

        deprecation_headers = deprecation.build_deprecation_headers(self.openapi_extra)

        async def handle_strictly(request: Request) -> Response:
            _check_query(request.query_params, parameter_names)
            if not self.takes_if_match:
                preconditions.reject_if_match_header(request)
            response = etag.apply_etag(request, await answer_once(request, perform))
            response.headers.update(deprecation_headers)
            return response

        return handle_strictly


async def _parse_body(request: Request) -> Request:
    document = await read_json_body(request)
    if document is None:
        return request
    parsed_request = _ParsedRequest(request.scope, request.receive)
    # Starlette keeps the bytes on the object that read them.
    parsed_request._body = await request.body()
    parsed_request.document = document
    return parsed_request


def _check_query(query: QueryParams, accepted_names: Sequence[str]) -> None:
    sent_names = [name for name, _ in query.multi_items() if name not in REPEATABLE_PARAMETERS]
    if len(sent_names) != len(set(sent_names)):
        raise InvalidInput("A query parameter was given twice.", code="duplicate_parameter")
    if not query.keys() <= set(accepted_names):
        # The name of the parameter is not repeated: it may be a secret in the wrong place.
        accepted_text = (
            f"the query parameters {', '.join(accepted_names)}" if accepted_names else "no query parameters"
        )
        raise InvalidInput(f"This call takes {accepted_text}.", code="unknown_parameter")
