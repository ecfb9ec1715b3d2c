"""Things that people and programs edit, and what an editor says that a thing is like."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from app.errors import CitegraphError


class Kind(StrEnum):
    """The kinds of things that have a version."""

    SPACE = "space"
    DOCUMENT = "document"
    NODE = "node"
    EDGE = "edge"
    JOB = "job"
    WEBHOOK = "webhook"
    ACCOUNT = "account"
    TENANT = "tenant"


@dataclass(frozen=True)
class Resource:
    """A thing that has a version."""

    kind: Kind
    id: UUID


@dataclass(frozen=True)
class Expected:
    """The versions, one of which the editor has seen; None for `*`: the thing only has to be there."""

    versions: frozenset[str] | None

    def is_version_seen(self, version: str) -> bool:
        """Return whether the editor has seen this version."""
        return self.versions is None or version in self.versions


def version_in_entity_tag(tag: str) -> str:
    """The version with which the opaque part of an entity tag begins; a version alone is itself."""
    return tag.partition(".")[0]


class Stale(CitegraphError):
    """The thing is no longer what its editor has seen.

    `now` says what it is, field by field, and `mark` what a form carries that shows it.
    """

    code = "stale_version"

    def __init__(self, resource: Resource, now: Mapping[str, str], mark: str) -> None:
        self.now, self.mark = now, mark
        super().__init__(
            f"This {resource.kind} has changed since you read it. Read it again, decide whether your change "
            "is still right, and send it with the version of now."
        )
