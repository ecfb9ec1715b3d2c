"""Plain values of spaces: the receipt of a deletion."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import UUID


class DeletionState(StrEnum):
    """The progress of a deletion."""

    DONE = "done"
    DELETING = "deleting"


@dataclass(frozen=True)
class Deletion:
    """The receipt of a deletion: rows by table. While the state is `deleting`, the object can no longer be
    found.
    """

    id: UUID
    state: DeletionState
    rows: Mapping[str, int] = field(default_factory=dict)
