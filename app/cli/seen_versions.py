"""`--if-match`: a command changes a thing only while it is what its caller has read, as If-Match does."""

from typing import Annotated
from uuid import UUID

import typer

from app.db.session import OpenSession
from app.http.versions import service as versions
from app.http.versions.shapes import Expected, Kind, Resource, version_in_entity_tag

KEY = "if_match"
"""The key of `--json` that holds the version, read before what is shown: it is never newer than that."""

IfMatch = Annotated[
    str | None,
    typer.Option(
        "--if-match",
        metavar="VERSION",
        help="Only while nobody has changed it since: its if_match of `--json`, or the API's ETag.",
    ),
]


def parse_expected_version(if_match: str | None) -> Expected | None:
    """The version that the caller has seen; None where nothing was said. Of an ETag the one in it."""
    if if_match is None:
        return None
    return Expected(frozenset({version_in_entity_tag(if_match.strip().removeprefix("W/").strip('"'))}))


def require_seen(session: OpenSession, kind: Kind, id: UUID, if_match: str | None) -> None:
    """Lock the thing and check that it is what the caller has seen; nothing without that.

    Raises NotFound, Stale.
    """
    versions.lock_and_check_version(session, Resource(kind, id), parse_expected_version(if_match))


def dump_version(session: OpenSession, kind: Kind, id: UUID) -> dict[str, str]:
    """The version under its key, for `--json`. Raises NotFound."""
    return {KEY: versions.current_version(session, Resource(kind, id))}


def dump_versions(session: OpenSession, kind: Kind) -> dict[UUID, dict[str, str]]:
    """The same of all things of the kind that the session holds, by their ids."""
    return {id: {KEY: version} for id, version in versions.current_versions_of_kind(session, kind).items()}
