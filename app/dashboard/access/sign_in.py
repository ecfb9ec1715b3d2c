"""Signing in by address and password, by API key or by a single-use link; and signing out."""

import math
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from app.dashboard.deps import CitegraphDep, Renderer, Visitor, get_signed_in
from app.dashboard.redirects import restrict_address_to_own_pages
from app.dashboard.routing import PageRoute
from app.errors import Conflict, InvalidInput, Unavailable
from app.http.authentication import DASHBOARD_PATH, SESSION_COOKIE
from app.http.security_headers import SECURITY_HEADERS
from app.tenancy.accounts import sign_in as sign_in_service
from app.tenancy.accounts.shapes import SESSION_LIFE, SignInRefused
from app.tenancy.accounts.sign_in_delays import TooManyFailures

router = APIRouter(prefix=DASHBOARD_PATH, route_class=PageRoute, include_in_schema=False)

ShortFormText = Annotated[str, Form(max_length=300)]


@router.get("/sign-in")
def show_sign_in_page(
    request: Request,
    page: Renderer,
    next: Annotated[str, Query(max_length=2_000)] = DASHBOARD_PATH,
    password_changed: bool = False,
) -> Response:
    """Show the form, or redirect a signed-in visitor. `password_changed` adds the reason to sign in again."""
    if get_signed_in(request) is not None:
        return RedirectResponse(restrict_address_to_own_pages(next), 303)
    return page.show(
        "access/sign_in.html",
        next=restrict_address_to_own_pages(next),
        refused=None,
        email="",
        password_changed=password_changed,
    )


@router.post("/sign-in")
def sign_in(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    next: Annotated[str, Form(max_length=2_000)] = DASHBOARD_PATH,
    email: ShortFormText = "",
    password: ShortFormText = "",
    api_key: ShortFormText = "",
) -> Response:
    """Begin a session, or show the form again with the error."""
    try:
        if api_key:
            with citegraph.database.open_platform() as platform:
                token = sign_in_service.sign_in_with_key(platform, api_key.strip())
        else:
            sign_in_delays, address = (
                request.app.state.sign_in_delays,
                request.client.host if request.client else "",
            )
            token = sign_in_service.sign_in(
                citegraph.database, sign_in_delays, email, password, client_address=address
            )
    except (SignInRefused, TooManyFailures, Unavailable) as error:
        response = page.show(
            "access/sign_in.html",
            status=error.status,
            next=restrict_address_to_own_pages(next),
            refused=error.message,
            email=email,
            password_changed=False,
        )
        if not isinstance(error, SignInRefused):
            response.headers["retry-after"] = str(math.ceil(getattr(error, "retry_after", 1)))
        return response
    return _build_signed_in_response(request, token, restrict_address_to_own_pages(next))


@router.get("/alive")
async def confirm_alive(request: Request) -> Response:
    """Tell an open page that the server is alive, or that its session has ended."""
    session_state = "open" if get_signed_in(request) else "ended"
    return Response(status_code=204, headers={**SECURITY_HEADERS, "x-session": session_state})


@router.get("/links/{token}")
def show_link_page(page: Renderer, citegraph: CitegraphDep, token: str) -> Response:
    """Show the link's purpose without using it up, since programs that preview links open it too."""
    try:
        with citegraph.database.open_platform() as platform:
            link = sign_in_service.get_open_link_and_lock_account(platform, token)
    except SignInRefused:
        return page.show("access/link_gone.html", status=404)
    return page.show("access/link.html", token=token, link=link, refused=None)


@router.post("/links/{token}")
def sign_in_with_link(
    request: Request, page: Renderer, citegraph: CitegraphDep, token: str, password: ShortFormText = ""
) -> Response:
    """Use the link up and begin a session."""
    try:
        session_token = sign_in_service.sign_in_or_join_with_link(citegraph.database, token, password or None)
    except (SignInRefused, InvalidInput, Conflict) as error:
        try:
            with citegraph.database.open_platform() as platform:
                link = sign_in_service.get_open_link_and_lock_account(platform, token)
        except SignInRefused:
            return page.show("access/link_gone.html", status=404)
        status = 409 if isinstance(error, Conflict) else 422
        return page.show("access/link.html", status=status, token=token, link=link, refused=error.message)
    return _build_signed_in_response(request, session_token, DASHBOARD_PATH)


@router.post("/sign-out")
def sign_out(request: Request, citegraph: CitegraphDep, visitor: Visitor) -> Response:
    """End the session at once."""
    with citegraph.database.open_platform() as platform:
        sign_in_service.delete_session_and_expired_ones(platform, visitor.session_id)
    request.app.state.sessions.expire_cached_identities()
    response = RedirectResponse(f"{DASHBOARD_PATH}/sign-in", 303, headers=SECURITY_HEADERS)
    response.delete_cookie(SESSION_COOKIE, path=DASHBOARD_PATH)
    return response


def _build_signed_in_response(request: Request, token: str, path: str) -> Response:
    response = RedirectResponse(path, 303, headers=SECURITY_HEADERS)
    response.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=int(SESSION_LIFE.total_seconds()),
        path=DASHBOARD_PATH,
        httponly=True,
        samesite="strict",
        # On the loopback interface there is no TLS; a proxy forwards the browser's scheme.
        secure=request.headers.get("x-forwarded-proto", request.url.scheme) == "https",
    )
    return response
