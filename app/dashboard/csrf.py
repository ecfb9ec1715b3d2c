"""Protection against cross-site request forgery, by the request's origin and the session's token."""

import hashlib
import hmac
from urllib.parse import urlsplit

from fastapi import Request

from app.errors import CitegraphError
from app.http.authentication import get_session_token


class ForgedRequest(CitegraphError):
    """A change that was not sent by one of our own pages of this session."""

    code = "forged_request"

    def __init__(self) -> None:
        super().__init__("This form is out of date. Load the page again and repeat what you did.")


def compute_csrf_token(request: Request) -> str:
    """Return the token that forms of this session have to send back; empty if nobody is signed in."""
    token = get_session_token(request.scope)
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest() if token else ""


def check_origin(request: Request) -> None:
    """Raise ForgedRequest for a change from another site, according to the browser's headers."""
    origin = request.headers.get("origin", "")
    host = urlsplit(origin).netloc if origin and origin != "null" else ""
    fetch_site = request.headers.get("sec-fetch-site", "same-origin")
    if (origin and host != request.headers.get("host", "")) or fetch_site not in ("same-origin", "none"):
        raise ForgedRequest


async def check_form_token(request: Request) -> None:
    """Raise ForgedRequest unless the header or the form contains the token of the session."""
    token = request.headers.get("x-csrf-token")
    if not token and compute_csrf_token(request):
        token = str((await request.form()).get("csrf", ""))
    check_token(request, token or "")


def check_token(request: Request, token: str) -> None:
    """Raise ForgedRequest unless this is the token of the session.

    Before sign-in there is no token: then only the origin that the browser sends is checked.
    """
    expected_token = compute_csrf_token(request)
    if expected_token and not hmac.compare_digest(token.encode(), expected_token.encode()):
        raise ForgedRequest
