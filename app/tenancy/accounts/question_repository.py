"""Reads and writes of the questions that people asked on the dashboard."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Row, delete, select

from app.db.models import AskedQuestion, DashboardSession
from app.db.session import TenantSession
from app.ids import SpaceId


def find_account_and_key_ids_of_session(
    tenant: TenantSession, session_id: UUID
) -> Row[UUID | None, UUID | None] | None:
    """Return the account and the API key of a session, or None if it has ended."""
    query = select(DashboardSession.account_id, DashboardSession.api_key_id).where(
        DashboardSession.tenant_id == tenant.tenant_id, DashboardSession.id == session_id
    )
    return tenant.orm.execute(query).first()


def add_question(tenant: TenantSession, row: AskedQuestion) -> None:
    """Store a question."""
    tenant.orm.add(row)
    tenant.orm.flush()


def list_newest_questions(
    tenant: TenantSession,
    space_id: SpaceId,
    account_id: UUID | None,
    api_key_id: UUID | None,
    *,
    since: datetime,
    limit: int,
) -> Sequence[AskedQuestion]:
    """Return the person's questions in this space since `since`, newest first."""
    query = (
        select(AskedQuestion)
        .where(
            *_build_conditions_for_asker(tenant, space_id, account_id, api_key_id),
            AskedQuestion.asked_at >= since,
        )
        .order_by(AskedQuestion.asked_at.desc(), AskedQuestion.id.desc())
        .limit(limit)
    )
    return tenant.orm.scalars(query).all()


def delete_questions(
    tenant: TenantSession,
    space_id: SpaceId,
    account_id: UUID | None,
    api_key_id: UUID | None,
    *,
    only_question: str | None = None,
    keep_newest: int = 0,
) -> Sequence[UUID]:
    """Delete the person's questions in this space: `only_question`, or all but the newest `keep_newest`.

    Returns the ids of those deleted.
    """
    conditions = _build_conditions_for_asker(tenant, space_id, account_id, api_key_id)
    if only_question is not None:
        return _delete_and_return_ids(tenant, *conditions, AskedQuestion.question == only_question)
    older_id_query = (
        select(AskedQuestion.id)
        .where(*conditions)
        .order_by(AskedQuestion.asked_at.desc(), AskedQuestion.id.desc())
        .offset(keep_newest)
    )
    return _delete_and_return_ids(tenant, AskedQuestion.id.in_(older_id_query))


def delete_questions_by_id(
    tenant: TenantSession, space_id: SpaceId, question_ids: Sequence[UUID]
) -> Sequence[UUID]:
    """Delete those of these questions that were asked in the tenant's space; return their ids."""
    return _delete_and_return_ids(
        tenant,
        AskedQuestion.tenant_id == tenant.tenant_id,
        AskedQuestion.knowledge_space_id == space_id,
        AskedQuestion.id.in_(question_ids),
    )


def _delete_and_return_ids(tenant: TenantSession, *conditions: ColumnElement[bool]) -> Sequence[UUID]:
    return tenant.orm.scalars(
        delete(AskedQuestion)
        .where(*conditions)
        .returning(AskedQuestion.id)
        .execution_options(synchronize_session=False)
    ).all()


def delete_old_questions(tenant: TenantSession, asked_before: datetime) -> None:
    """Delete all questions of the tenant that were asked before that time."""
    tenant.orm.execute(
        delete(AskedQuestion)
        .where(AskedQuestion.tenant_id == tenant.tenant_id, AskedQuestion.asked_at < asked_before)
        .execution_options(synchronize_session=False)
    )


def _build_conditions_for_asker(
    tenant: TenantSession, space_id: SpaceId, account_id: UUID | None, api_key_id: UUID | None
) -> tuple[ColumnElement[bool], ...]:
    # The account comes first: a key may be revoked while its owner stays.
    asker_condition = (
        AskedQuestion.account_id == account_id
        if account_id is not None
        else AskedQuestion.api_key_id == api_key_id
    )
    return (
        AskedQuestion.tenant_id == tenant.tenant_id,
        AskedQuestion.knowledge_space_id == space_id,
        asker_condition,
    )
