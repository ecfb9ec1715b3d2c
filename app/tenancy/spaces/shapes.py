"""Plain values of spaces: the receipt of a deletion."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID


class DeletionState(StrEnum):
    """How far a deletion has come."""

    DONE = "done"
    DELETING = "deleting"


@dataclass(frozen=True)
class Deletion:
    """The receipt of a deletion: rows by table. While it is `deleting` nobody finds the thing any more."""

    id: UUID
    state: DeletionState
    rows: Mapping[str, int] = field(default_factory=dict)
