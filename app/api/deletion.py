"""The receipt of a deletion as an API answer."""

from typing import Any
from uuid import UUID

from fastapi import Response
from pydantic import Field

from app.tenancy.spaces.shapes import Deletion, DeletionState
from app.views.view import View


class DeletionAnswer(View):
    """The receipt of a deletion, which the audit log keeps.

    While the state is `deleting`, the object can no longer be found and workers remove its rows. When they
    have finished, the audit log has the receipt as `space.erase` or `tenant.erase`.
    """

    id: UUID
    state: DeletionState
    rows: dict[str, int] = Field(description="Deleted rows by table.")


ACCEPTED_RESPONSES: dict[int | str, dict[str, Any]] = {
    202: {
        "model": DeletionAnswer,
        "description": "It can no longer be found; its rows are being removed.",
    }
}
"""Responses other than 200 of a route that deletes."""


def build_deletion_answer_and_set_status(deletion: Deletion, response: Response) -> DeletionAnswer:
    """Return the receipt, and set the status 202 if rows are left to remove."""
    if deletion.state is DeletionState.DELETING:
        response.status_code = 202
    return DeletionAnswer.model_validate(deletion)
