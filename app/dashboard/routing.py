"""Routes of pages: changes are POST requests with the session's token, errors are shown as pages."""

import re
from inspect import iscoroutinefunction
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg
import structlog
from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.routing import APIRoute
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.dashboard.csrf import ForgedRequest, check_form_token, check_origin
from app.dashboard.deps import NotSignedIn, PageRenderer
from app.dashboard.stale_forms import (
    SEEN_VERSION_FIELD,
    SeenForm,
    list_fields_changed_by_others,
    list_typed_fields,
)
from app.dashboard.typed_forms import fill_refused_form, list_shown_texts
from app.db.errors import describe_error
from app.errors import CitegraphError, Conflict, ScopeMissing
from app.http.authentication import DASHBOARD_PATH, is_path_under
from app.http.bulkheads import run_in_query_slot_of_tenant
from app.http.edit_versions.shapes import ExpectedVersions, Stale
from app.http.security_headers import SECURITY_HEADERS

log = structlog.get_logger(__name__)

SAFE_METHODS = frozenset({"GET", "HEAD"})
_SPACE_PATH_PATTERN = re.compile(r"/dashboard/spaces/[0-9a-f-]{36}(?=/)")
_UNAVAILABLE_TEXT = "The database does not answer at this moment. Try again shortly."
_UNEXPECTED_ERROR_TEXT = "An unexpected error; the log has it."
_UNREADABLE_FORM_TEXT = "What the form sent cannot be accepted."


class PageRoute(APIRoute):
    """A route that answers with a page, also on errors."""

    reads_form = False
    """Whether the route reads the form itself, and calls `csrf.check_token` before it changes anything."""

    def get_route_handler(self) -> Any:
        """Return FastAPI's handler wrapped in the checks of forms, error pages and response headers."""
        handle_request = super().get_route_handler()
        is_blocking = not iscoroutinefunction(self.endpoint)

        async def handle_page(request: Request) -> Response:
            response: Response
            try:
                if request.method not in SAFE_METHODS:
                    check_origin(request)
                    if not self.reads_form:
                        await check_form_token(request)
                        await _keep_form_texts_in_request_state(request)
                if is_blocking:
                    response = await run_in_query_slot_of_tenant(request, lambda: handle_request(request))
                else:
                    response = await handle_request(request)
                if request.method not in SAFE_METHODS and not self.reads_form:
                    response = _fill_form_if_refused(request, response)
            except ClientDisconnect:
                # Nobody is left to read an error page; the request log records the disconnect.
                raise
            except Exception as error:
                response = _build_error_page(request, error)
            # Also on redirects.
            for name, value in SECURITY_HEADERS.items():
                response.headers.setdefault(name, value)
            return response

        return handle_page


class ProblemPages:
    """Middleware that shows errors raised before any route as pages instead of JSON."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer with a page about the error."""
        if scope["type"] != "http" or not is_path_under(scope["path"], DASHBOARD_PATH):
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def note_and_send(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, note_and_send)
        except ClientDisconnect:
            raise
        except Exception as error:
            if has_begun:
                raise
            await _build_error_page(Request(scope, receive), error)(scope, receive, send)


class UploadRoute(PageRoute):
    """A route whose form may be large: it is read after the right to write is checked, in an upload slot."""

    reads_form = True


async def _keep_form_texts_in_request_state(request: Request) -> None:
    """Store the form's texts in the request's state, and its field `seen_version`, which sessions that write
    check (`deps`).
    """
    form = await request.form()
    request.state.typed_texts = [(name, text) for name, text in form.multi_items() if isinstance(text, str)]
    seen_field = form.get(SEEN_VERSION_FIELD)
    if isinstance(seen_field, str) and seen_field:
        version, *field_marks = seen_field.split(" ")
        request.state.seen_version = ExpectedVersions(frozenset({version}))
        request.state.seen_form = SeenForm(
            dict(mark.split("=", 1) for mark in field_marks if "=" in mark),
            request.state.typed_texts,
        )


def _fill_form_if_refused(request: Request, response: Response) -> Response:
    """Return the page that answers a refused form with the texts that were typed into it."""
    if response.status_code < 400 or not isinstance(response, HTMLResponse):
        return response
    page = bytes(response.body).decode()
    filled_page = fill_refused_form(page, request.url.path, request.state.typed_texts)
    filled_response = HTMLResponse(filled_page, response.status_code)
    for name, value in response.headers.items():
        if name not in ("content-length", "content-type"):
            filled_response.headers[name] = value
    return filled_response


def _get_return_page(request: Request) -> str:
    """Return the page to show after sign-in: for changes and fragments, the page that sent the request."""
    url = request.url
    if request.method not in SAFE_METHODS or request.headers.get("hx-request") == "true":
        referer = urlsplit(request.headers.get("referer", ""))
        if referer.netloc == request.headers.get("host", ""):
            return referer.path + (f"?{referer.query}" if referer.query else "")
    return url.path + (f"?{url.query}" if url.query else "")


def _find_back_link_path(request: Request, error: Exception) -> str:
    """Return the address that an error page links back to: the form or the readable space; empty if none."""
    if isinstance(error, ForgedRequest | Conflict | Stale):
        return (
            _get_return_page(request) if urlsplit(_get_return_page(request)).path != request.url.path else ""
        )
    space_path = _SPACE_PATH_PATTERN.match(request.url.path)
    return space_path[0] if isinstance(error, ScopeMissing) and space_path else ""


def _show_changed_form(request: Request, stale_version: Stale) -> Response | None:
    """Return the page on which a visitor resends or discards a form.

    None for a fragment, or if the request sent no form of ours.
    """
    form = getattr(request.state, "seen_form", None)
    renderer = PageRenderer(request)
    if form is None or renderer.is_fragment:
        return None
    return renderer.show(
        "frame/changed.html",
        status=stale_version.status,
        changed=list_fields_changed_by_others(form, stale_version),
        fields=list_typed_fields(form, stale_version),
        now=stale_version.current_fields,
        mark=stale_version.mark,
        back=_find_back_link_path(request, stale_version),
    )


def _build_error_page(request: Request, error: Exception) -> Response:
    if isinstance(error, NotSignedIn):
        sign_in_path = f"/dashboard/sign-in?next={quote(_get_return_page(request))}"
        if request.headers.get("hx-request") == "true":
            return Response(status_code=204, headers={**SECURITY_HEADERS, "hx-redirect": sign_in_path})
        return RedirectResponse(sign_in_path, 303, headers=SECURITY_HEADERS)
    if isinstance(error, Stale) and (changed_form := _show_changed_form(request, error)) is not None:
        return changed_form
    if isinstance(error, CitegraphError):
        status, sentence = error.status, error.message
    elif isinstance(error, RequestValidationError):
        status, sentence = (
            (422, _UNREADABLE_FORM_TEXT) if request.method not in SAFE_METHODS else (404, "No such page.")
        )
    elif isinstance(error, HTTPException) and error.status_code < 500:
        status, sentence = (
            error.status_code,
            "No such page." if error.status_code == 404 else _UNREADABLE_FORM_TEXT,
        )
    elif isinstance(error, SQLAlchemyError | psycopg.Error):
        log.warning("database_error", **describe_error(error))
        status, sentence = 503, _UNAVAILABLE_TEXT
    else:
        log.error("unexpected_error", exc_info=error)
        status, sentence = 500, _UNEXPECTED_ERROR_TEXT
    retry_seconds = getattr(error, "retry_after", 1) if status in (429, 503) else None
    renderer = PageRenderer(request)
    template = "frame/problem_fragment.html" if renderer.is_fragment else "frame/problem.html"
    response = renderer.show(
        template,
        status=status,
        status_code=status,
        sentence=sentence[:1].upper() + sentence[1:],
        request_id=getattr(request.state, "request_id", ""),
        code=getattr(error, "code", ""),
        back=_find_back_link_path(request, error),
        for_operators=request.url.path.startswith("/dashboard/operator"),
        typed=list_shown_texts(getattr(request.state, "typed_texts", ())),
    )
    if retry_seconds is not None:
        response.headers["retry-after"] = str(retry_seconds)
    return response
