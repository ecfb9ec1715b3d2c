"""Shapes of the audit: who acted, through which door, how it ended, and what a reader filters by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from app.ids import SpaceId

Details = Mapping[str, int | float | bool | str | Sequence[str] | None]
"""Numbers, flags and codes about an act; never words of a document."""


class ActorKind(StrEnum):
    """The kinds of who acts."""

    ACCOUNT = "account"
    KEY = "key"
    OPERATOR = "operator"
    JOB = "job"
    UNKNOWN = "unknown"


class Door(StrEnum):
    """The way by which an act came in."""

    API = "api"
    MCP = "mcp"
    DASHBOARD = "dashboard"
    CLI = "cli"
    WORKER = "worker"
    PROGRAM = "program"


class Outcome(StrEnum):
    """The end of an act. One that failed changed nothing, and leaves no row."""

    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True)
class Origin:
    """Who acts at the moment, through which door and from where; as the door knows it."""

    actor: str = "unknown"
    kind: ActorKind = ActorKind.UNKNOWN
    door: Door = Door.PROGRAM
    address: str | None = None


@dataclass(frozen=True)
class AuditFilter:
    """The entries that a reader wants; None is any.

    `action` is a whole name, or the first part of several: `node` finds `node.merge`. `concerned` is the id
    of whatever was acted upon, first or among others.
    """

    actor: str | None = None
    action: str | None = None
    space_id: SpaceId | None = None
    concerned: UUID | None = None
    outcome: Outcome | None = None
    since: datetime | None = None
    until: datetime | None = None
