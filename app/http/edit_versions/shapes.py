"""Resources that people and programs edit, and the versions that an editor expects."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from app.errors import CitegraphError


class Kind(StrEnum):
    """The kinds of resources that have a version."""

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
    """A resource that has a version."""

    kind: Kind
    id: UUID


@dataclass(frozen=True)
class ExpectedVersions:
    """The versions that the editor accepts; None for `*`: the resource only has to exist."""

    versions: frozenset[str] | None

    def is_version_seen(self, version: str) -> bool:
        """Return whether this version is one that the editor has seen."""
        return self.versions is None or version in self.versions


def parse_version_of_entity_tag(tag: str) -> str:
    """Return the version at the beginning of an entity tag's opaque part; a bare version is returned
    unchanged.
    """
    return tag.partition(".")[0]


class Stale(CitegraphError):
    """The resource is no longer as its editor has seen it.

    `current_fields` has its fields as they are now, and `mark` is the mark of a form that shows them.
    """

    code = "stale_version"

    def __init__(self, resource: Resource, current_fields: Mapping[str, str], mark: str) -> None:
        self.current_fields, self.mark = current_fields, mark
        super().__init__(
            f"This {resource.kind} has changed since you read it. Read it again, decide whether your change "
            "is still right, and send it with the version of now."
        )
