"""Values of the audit log: the actor, the door, the outcome, and the filter of a reader."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from app.ids import SpaceId

Details = Mapping[str, int | float | bool | str | Sequence[str] | None]
"""Numbers, flags and codes about an action; never text of a document."""


class ActorKind(StrEnum):
    """The kinds of actors."""

    ACCOUNT = "account"
    KEY = "key"
    OPERATOR = "operator"
    JOB = "job"
    UNKNOWN = "unknown"


class Door(StrEnum):
    """The way by which an action came in."""

    API = "api"
    MCP = "mcp"
    DASHBOARD = "dashboard"
    CLI = "cli"
    WORKER = "worker"
    PROGRAM = "program"


class Outcome(StrEnum):
    """The outcome of an action. An action that failed changed nothing, and has no row."""

    DONE = "done"
    REFUSED = "refused"


@dataclass(frozen=True)
class Origin:
    """The actor of the current call, its door and its address, as the entry point knows them."""

    actor: str = "unknown"
    kind: ActorKind = ActorKind.UNKNOWN
    door: Door = Door.PROGRAM
    address: str | None = None
    account_id: UUID | None = None

    @property
    def uploader(self) -> str | None:
        """The id that is stored with this actor's documents; None for an unknown actor and for jobs.

        It is opaque: once the account or key is deleted, it names nobody.
        """
        if self.kind is ActorKind.ACCOUNT and self.account_id is not None:
            return f"account:{self.account_id}"
        return f"{self.kind}:{self.actor}" if self.kind in (ActorKind.KEY, ActorKind.OPERATOR) else None


@dataclass(frozen=True)
class AuditFilter:
    """The entries that a reader wants; None matches any.

    `action` is a whole name, or the first part of several: `node` matches `node.merge`. `object_id` is the id
    of any object of the action, its target or another one.
    """

    actor: str | None = None
    action: str | None = None
    space_id: SpaceId | None = None
    object_id: UUID | None = None
    outcome: Outcome | None = None
    since: datetime | None = None
    until: datetime | None = None
