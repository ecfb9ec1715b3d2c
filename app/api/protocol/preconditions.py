"""`If-Match`: make a change only if the resource is still as the client has seen it (RFC 9110, section
13.1.1).

The entity tag of an editable resource begins with its version; the rest is a hash of the answer, which shows
more than people can edit. Only the version is compared. The header is never ignored: a call that does not
change one resource with a version refuses it.
"""

import re
from collections.abc import Collection
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.dependencies.models import Dependant

from app.db.session import OpenSession
from app.errors import InvalidInput
from app.http.edit_versions import service as versions
from app.http.edit_versions.shapes import ExpectedVersions, Kind, parse_version_of_entity_tag

IF_MATCH_HEADER = "if-match"
_MAX_HEADER_LENGTH = 1_000
# An entity tag without a comma, because lists of tags are split at commas.
_TAG_PATTERN = r'(W/)?"([!#-+\--~]*)"'
IF_MATCH_PARAMETER: dict[str, Any] = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag that you read, or *; 412 without any change if the resource has changed since."
    " 429 comes before the comparison: nothing has changed, and the same request may be sent again.",
    "schema": {
        "type": "string",
        "maxLength": _MAX_HEADER_LENGTH,
        "pattern": rf"^(\*|{_TAG_PATTERN}(, {_TAG_PATTERN})*)$",
    },
}
_STALE_RESPONSE = {
    "description": "The resource has changed since it was read.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}},
}
_WRITE_METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_PATH_PARAMETER_PATTERN = re.compile(r"{(\w+)}")
# Of a space only the space itself: its version does not change when something in it does.
_READABLE_KINDS = frozenset({Kind.SPACE, Kind.DOCUMENT, Kind.NODE, Kind.EDGE, Kind.JOB, Kind.WEBHOOK})


def read_expected_versions(request: Request) -> ExpectedVersions | None:
    """Return the versions that the client has seen, or None without the header. Raises InvalidInput."""
    header_values = request.headers.getlist(IF_MATCH_HEADER)
    if not header_values or request.method not in _WRITE_METHODS:
        return None
    joined_value = ", ".join(header_values).strip()
    if joined_value == "*":
        return ExpectedVersions(None)
    tag_matches = [re.fullmatch(_TAG_PATTERN, tag.strip()) for tag in joined_value.split(",")]
    if len(joined_value) > _MAX_HEADER_LENGTH or not all(tag_matches):
        raise InvalidInput(
            'If-Match holds entity tags, as "…" or W/"…", or one *.', code="malformed_if_match"
        )
    return ExpectedVersions(
        frozenset(parse_version_of_entity_tag(tag[2]) for tag in tag_matches if tag is not None)
    )


IfMatch = Annotated[ExpectedVersions | None, Depends(read_expected_versions)]


def identifies_one_resource(path: str) -> bool:
    """Return whether a path is that of one resource that has a version and can be read."""
    *_, last_parameter = ("", *_PATH_PARAMETER_PATTERN.findall(path))
    kind = versions.KIND_BY_PATH_PARAMETER.get(last_parameter)
    return kind in _READABLE_KINDS and (kind is not Kind.SPACE or path.endswith("{space_id}"))


def takes_if_match(path: str, methods: Collection[str], dependant: Dependant) -> bool:
    """Return whether a route compares the version, which it declares by a dependency on `IfMatch`."""
    return (
        not _WRITE_METHODS.isdisjoint(methods)
        and identifies_one_resource(path)
        and _depends_on_version(dependant)
    )


def describe_precondition(extensions: dict[str, Any] | None) -> dict[str, Any]:
    """Return `extensions` with the OpenAPI description of a route that compares the version."""
    extensions = extensions or {}
    return {
        **extensions,
        "parameters": [*extensions.get("parameters", ()), IF_MATCH_PARAMETER],
        "responses": {**extensions.get("responses", {}), "412": _STALE_RESPONSE},
    }


def reject_if_match_header(request: Request) -> None:
    """Raise InvalidInput if the request has an If-Match header that the route would ignore."""
    if request.method in _WRITE_METHODS and IF_MATCH_HEADER in request.headers:
        raise InvalidInput(
            "This call changes no single thing that has a version: send it without If-Match.",
            code="if_match_unsupported",
        )


def check_version_or_set_for_etag(
    request: Request, session: OpenSession, expected_versions: ExpectedVersions | None
) -> None:
    """In a session that writes, compare the version under a lock; in one that reads, set it for the entity
    tag.

    Raises NotFound, Stale.
    """
    resource = versions.find_resource_in_path(request.path_params)
    if resource is None:
        return
    if expected_versions is not None:
        versions.lock_and_check_version(session, resource, expected_versions)
    elif request.method == "GET" and request.url.path.endswith(f"/{resource.id}"):
        request.state.version = versions.compute_current_version(session, resource)


def _depends_on_version(dependant: Dependant) -> bool:
    return dependant.call is read_expected_versions or any(map(_depends_on_version, dependant.dependencies))
