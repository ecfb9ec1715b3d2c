"""`ETag` on what is read, and 304 for a client that already has it.

The tag is a hash of the answer's bytes. The graph's revision or `updated_at` would save the query, but not
everything that an answer shows raises them, for example a summary, a tag or a setting of the platform. A
stale 304 is worse than a read (docs/decisions/0049).
"""

import hashlib

from starlette.requests import Request
from starlette.responses import Response

_TAG_BYTES = 16


def apply_etag(request: Request, response: Response) -> Response:
    """Return the response with its tag, or 304 if the request names that tag."""
    body = getattr(response, "body", None)
    if request.method != "GET" or response.status_code != 200 or not isinstance(body, bytes):
        return response
    if getattr(request.state, "caller", None) is None and getattr(request.state, "operator", None) is None:
        return response
    # The tag of an editable resource begins with its version, for clients that change what they have read
    # (`preconditions`).
    version = getattr(request.state, "version", None)
    body_hash = hashlib.blake2b(body, digest_size=_TAG_BYTES).hexdigest()
    tag = f'W/"{body_hash}"' if version is None else f'W/"{version}.{body_hash}"'
    # A cached answer must be revalidated each time, and by the same caller.
    headers = {"etag": tag, "cache-control": "private, no-cache", "vary": "authorization"}
    if _matches_etag(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return response


def _matches_etag(if_none_match: str, tag: str) -> bool:
    opaque_tag = tag.removeprefix("W/")
    return any(
        candidate_tag.strip().removeprefix("W/") in (opaque_tag, "*")
        for candidate_tag in if_none_match.split(",")
    )
