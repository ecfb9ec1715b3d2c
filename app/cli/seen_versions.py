"""`--if-match`: change a thing only if it still has the version that the caller has read (If-Match)."""

from typing import Annotated
from uuid import UUID

import typer

from app.db.session import OpenSession
from app.http.edit_versions import service as versions
from app.http.edit_versions.shapes import ExpectedVersions, Kind, Resource, parse_version_of_entity_tag

VERSION_KEY = "if_match"
"""The key of the version in `--json`. It is read before the content, so it is never newer than that."""

IfMatch = Annotated[
    str | None,
    typer.Option(
        "--if-match",
        metavar="VERSION",
        help="Only if nobody has changed it since: its if_match of `--json`, or the API's ETag.",
    ),
]


def parse_expected_version(if_match: str | None) -> ExpectedVersions | None:
    """Parse the version that the caller has seen, also from an ETag; None for None."""
    if if_match is None:
        return None
    return ExpectedVersions(
        frozenset({parse_version_of_entity_tag(if_match.strip().removeprefix("W/").strip('"'))})
    )


def lock_and_check_seen_version(
    session: OpenSession, kind: Kind, resource_id: UUID, if_match: str | None
) -> None:
    """Lock the resource and check its version; do nothing without `if_match`.

    Raises NotFound, Stale.
    """
    versions.lock_and_check_version(session, Resource(kind, resource_id), parse_expected_version(if_match))


def build_version_field(session: OpenSession, kind: Kind, resource_id: UUID) -> dict[str, str]:
    """Return the current version under its key, for `--json`. Raises NotFound."""
    return {VERSION_KEY: versions.compute_current_version(session, Resource(kind, resource_id))}


def build_version_fields_by_id(session: OpenSession, kind: Kind) -> dict[UUID, dict[str, str]]:
    """Return the versions of all resources of the kind in the session's scope, by id."""
    return {
        resource_id: {VERSION_KEY: version}
        for resource_id, version in versions.compute_current_versions_of_kind(session, kind).items()
    }
