"""The form for changing one's password, for visitors who are signed in with an account."""

import math
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from app.dashboard.deps import CitegraphDep, PageRenderer, Renderer, Visitor
from app.dashboard.routing import PageRoute
from app.errors import InvalidInput, NotFound, Unavailable
from app.http.authentication import DASHBOARD_PATH, SESSION_COOKIE
from app.http.security_headers import SECURITY_HEADERS
from app.tenancy.accounts import sign_in
from app.tenancy.accounts.shapes import SignedIn, SignInRefused
from app.tenancy.accounts.sign_in_delays import TooManyFailures
from app.wiring import Citegraph

router = APIRouter(prefix=DASHBOARD_PATH + "/password", route_class=PageRoute, include_in_schema=False)

Password = Annotated[str, Form(max_length=300)]


@router.get("")
def show_password_form(page: Renderer, citegraph: CitegraphDep, visitor: Visitor) -> Response:
    """Show the form. Raises NotFound for a visitor signed in with an API key, which has no password."""
    return _show_password_form(page, citegraph, visitor)


@router.post("")
def change_password(
    request: Request,
    page: Renderer,
    citegraph: CitegraphDep,
    visitor: Visitor,
    current_password: Password = "",
    new_password: Password = "",
    repeated_password: Password = "",
) -> Response:
    """Store the new password and end every session of the account, or show the form with the error."""
    if new_password != repeated_password:
        return _show_password_form(
            page, citegraph, visitor, status=422, refusal="The new password was typed in two ways."
        )
    sign_in_delays, address = request.app.state.sign_in_delays, request.client.host if request.client else ""
    try:
        sign_in.change_password(
            citegraph.database,
            sign_in_delays,
            visitor,
            current_password or None,
            new_password,
            client_address=address,
        )
    except SignInRefused:
        return _show_password_form(
            page, citegraph, visitor, status=422, refusal="The current password is not right."
        )
    except InvalidInput as error:
        return _show_password_form(page, citegraph, visitor, status=422, refusal=error.message)
    except (TooManyFailures, Unavailable) as error:
        answer = _show_password_form(page, citegraph, visitor, status=error.status, refusal=error.message)
        answer.headers["retry-after"] = str(math.ceil(getattr(error, "retry_after", 1)))
        return answer
    request.app.state.sessions.expire_cached_identities()
    response = RedirectResponse(
        f"{DASHBOARD_PATH}/sign-in?password_changed=true", 303, headers=SECURITY_HEADERS
    )
    response.delete_cookie(SESSION_COOKIE, path=DASHBOARD_PATH)
    return response


def _show_password_form(
    page: PageRenderer,
    citegraph: Citegraph,
    visitor: SignedIn,
    *,
    status: int = 200,
    refusal: str | None = None,
) -> Response:
    """Show the form, with the error if there is one. Raises NotFound for a visitor without an account."""
    if visitor.account_id is None:
        raise NotFound("account")
    with citegraph.database.open_tenant(next(iter(visitor.callers)), may_use_replica=True) as tenant:
        has_password = sign_in.has_password(tenant, visitor.account_id)
    return page.show("access/password.html", status=status, refused=refusal, has_password=has_password)
