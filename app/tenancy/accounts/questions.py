"""The questions that a person asked in a space, visible only to that person. Answers are not stored, so no
text of a document remains here after its deletion.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from app.db.models import AskedQuestion
from app.db.session import TenantSession
from app.errors import NotFound
from app.ids import SpaceId, create_id
from app.tenancy.accounts import question_repository as repository
from app.tenancy.audit import service as audit

MAX_KEPT_QUESTIONS = 50
"""Number of questions that are kept for each person and space."""
QUESTION_LIFETIME = timedelta(days=90)
"""How long a question is kept; the tenant's next question deletes older ones."""


@dataclass(frozen=True)
class PastQuestion:
    """A question as it was asked: its scope and time allow asking it again."""

    question: str
    scope: str
    as_of: datetime | None
    asked_at: datetime


def record_question_and_prune_history(
    tenant: TenantSession,
    session_id: UUID,
    space_id: SpaceId,
    *,
    question: str,
    scope: str,
    as_of: datetime | None,
) -> None:
    """Store the question of the person who is signed in by this session; an earlier identical one is
    deleted.
    """
    bearer = repository.find_account_and_key_ids_of_session(tenant, session_id)
    if bearer is None:
        return
    account_id, api_key_id = bearer
    now = datetime.now(UTC)
    repository.delete_questions(tenant, space_id, account_id, api_key_id, only_question=question)
    repository.add_question(
        tenant,
        AskedQuestion(
            id=create_id(),
            tenant_id=tenant.tenant_id,
            knowledge_space_id=space_id,
            account_id=account_id,
            api_key_id=None if account_id is not None else api_key_id,
            question=question,
            scope=scope,
            as_of=as_of,
            asked_at=now,
        ),
    )
    repository.delete_questions(tenant, space_id, account_id, api_key_id, keep_newest=MAX_KEPT_QUESTIONS)
    repository.delete_old_questions(tenant, now - QUESTION_LIFETIME)


def list_questions(
    tenant: TenantSession, session_id: UUID, space_id: SpaceId, *, limit: int = MAX_KEPT_QUESTIONS
) -> Sequence[PastQuestion]:
    """Return the person's questions in this space, newest first."""
    bearer = repository.find_account_and_key_ids_of_session(tenant, session_id)
    if bearer is None:
        return []
    kept_since = datetime.now(UTC) - QUESTION_LIFETIME
    rows = repository.list_newest_questions(
        tenant, space_id, *bearer, since=kept_since, limit=min(limit, MAX_KEPT_QUESTIONS)
    )
    return [PastQuestion(row.question, row.scope, row.as_of, row.asked_at) for row in rows]


def delete_questions(tenant: TenantSession, session_id: UUID, space_id: SpaceId) -> None:
    """Delete all questions of the person in this space."""
    bearer = repository.find_account_and_key_ids_of_session(tenant, session_id)
    if bearer is None:
        return
    question_ids = repository.delete_questions(tenant, space_id, *bearer)
    if question_ids:
        audit.record(tenant, "question.delete", other_targets=question_ids, space_id=space_id)


def delete_questions_by_id(tenant: TenantSession, space_id: SpaceId, question_ids: Sequence[UUID]) -> None:
    """Delete these questions, whoever asked them. Raises NotFound if none is left."""
    deleted_ids = repository.delete_questions_by_id(tenant, space_id, question_ids)
    if not deleted_ids:
        raise NotFound("question")
    audit.record(tenant, "question.delete", other_targets=deleted_ids, space_id=space_id)
