"""The receipt of a deletion, as routes answer it."""

from typing import Any
from uuid import UUID

from fastapi import Response
from pydantic import Field

from app.api.shapes import Answer
from app.tenancy.spaces.shapes import Deletion, DeletionState


class DeletionAnswer(Answer):
    """The receipt of a deletion, which the audit keeps.

    While it is `deleting` nobody finds the thing any more and workers remove its rows: the audit has the
    receipt once they are done, as `space.erase` or `tenant.erase`.
    """

    id: UUID
    state: DeletionState
    rows: dict[str, int] = Field(description="Rows that went, by table.")


ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"model": DeletionAnswer, "description": "It is found no more, and its rows are being removed."}
}
"""What a route that deletes answers besides 200."""


def build_deletion_answer(deletion: Deletion, response: Response) -> DeletionAnswer:
    """The receipt, with 202 where rows are left to remove."""
    if deletion.state is DeletionState.DELETING:
        response.status_code = 202
    return DeletionAnswer.model_validate(deletion)
