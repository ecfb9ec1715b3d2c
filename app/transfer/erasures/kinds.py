"""The registry of erasures: for each kind the actions of the audit log that record it, and its repetition.

A kind that is erased with another one comes after it: the spaces of a tenant after the tenant.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.answers.golden import service as golden
from app.db.database import Database
from app.db.models import AuditEvent
from app.db.session import SpaceSession, TenantSession
from app.documents import service as documents
from app.errors import Conflict, NotFound
from app.ids import ApiKeyId, ChunkId, DocumentId, GoldenQuestionId, JobId, SpaceId, SpaceKey, TenantId
from app.ingest import service as ingest
from app.ingest.trials import service as trials
from app.jobs.webhooks import service as webhooks
from app.tenancy.accounts import questions
from app.tenancy.accounts import service as accounts
from app.tenancy.audit import service as audit
from app.tenancy.audit.shapes import AuditFilter
from app.tenancy.spaces import service as spaces
from app.tenancy.spaces import tenant_deletion
from app.tenancy.spaces.shapes import Deletion, DeletionState
from app.tenancy.tenants import api_keys
from app.tenancy.tenants import service as tenants
from app.transfer.erasures.shapes import Erasure, Outcome


@dataclass(frozen=True)
class Repetition:
    """The database in which erasures are repeated, and who asks for it. A dry run changes nothing."""

    database: Database
    actor: str
    is_dry_run: bool


@dataclass(frozen=True)
class ErasureKind:
    """A kind of object that can be erased.

    `repeat` erases the objects of an erasure again. It raises NotFound if none of them is there, and Conflict
    if this database refuses. `list_ids` returns the ids of the erased objects from the audit entry.
    """

    name: str
    actions: tuple[str, ...]
    repeat: Callable[[Repetition, Erasure], Outcome]
    list_ids: Callable[[AuditEvent], Sequence[UUID | None]] = lambda entry: [entry.target_id]


class _DryRunEnd(Exception):
    """Rolls the transaction of a dry run back."""


def _repeat_in_tenant_transaction(
    erase: Callable[[TenantSession, Erasure, str], None],
) -> Callable[[Repetition, Erasure], Outcome]:
    """Return the repetition of an erasure that is one transaction on the tenant's own rows."""

    def repeat(repetition: Repetition, erasure: Erasure) -> Outcome:
        with suppress(_DryRunEnd), repetition.database.open_tenant(TenantId(erasure.tenant_id)) as tenant:
            erase(tenant, erasure, repetition.actor)
            if repetition.is_dry_run:
                raise _DryRunEnd
        return Outcome.ERASED

    return repeat


def _repeat_in_space_transaction(
    erase: Callable[[SpaceSession, Erasure], None],
) -> Callable[[Repetition, Erasure], Outcome]:
    """Return the repetition of an erasure that is one transaction on the space."""

    def repeat(repetition: Repetition, erasure: Erasure) -> Outcome:
        with suppress(_DryRunEnd), repetition.database.open_space(*_get_space_key(erasure)) as space:
            erase(space, erasure)
            if repetition.is_dry_run:
                raise _DryRunEnd
        return Outcome.ERASED

    return repeat


def _get_space_key(erasure: Erasure) -> SpaceKey:
    if erasure.space_id is None:
        raise NotFound("space")
    return TenantId(erasure.tenant_id), SpaceId(erasure.space_id)


def _convert_deletion_to_outcome(deletion: Deletion) -> Outcome:
    return Outcome.BEING_REMOVED if deletion.state is DeletionState.DELETING else Outcome.ERASED


def _repeat_tenant_erasure(repetition: Repetition, erasure: Erasure) -> Outcome:
    tenant_id = TenantId(erasure.tenant_id)
    with repetition.database.open_platform() as platform:
        is_closed = tenants.is_tenant_closed(platform, tenant_id)
        if not is_closed:
            tenants.get_tenant(platform, tenant_id)
    if is_closed:
        if repetition.is_dry_run:
            return Outcome.BEING_REMOVED
        return _convert_deletion_to_outcome(
            tenant_deletion.continue_deletion_of_tenant(repetition.database, tenant_id)
        )
    if repetition.is_dry_run:
        return Outcome.ERASED
    return _convert_deletion_to_outcome(
        tenant_deletion.delete_tenant(repetition.database, tenant_id, actor=repetition.actor)
    )


def _repeat_space_erasure(repetition: Repetition, erasure: Erasure) -> Outcome:
    database, (tenant_id, space_id) = repetition.database, _get_space_key(erasure)
    with database.open_space(tenant_id, space_id, may_be_closed=True):
        pass  # NotFound unless rows of the space are left.
    try:
        with database.open_space(tenant_id, space_id):
            pass  # NotFound if it was closed before.
    except NotFound:
        if not repetition.is_dry_run:
            spaces.delete_closed_space_or_enqueue(database, tenant_id, space_id)
        return Outcome.BEING_REMOVED
    if repetition.is_dry_run:
        return Outcome.ERASED
    return _convert_deletion_to_outcome(
        spaces.delete_space(database, tenant_id, space_id, actor=repetition.actor)
    )


def _repeat_document_erasure(repetition: Repetition, erasure: Erasure) -> Outcome:
    tenant_id, space_id = _get_space_key(erasure)
    document_id = DocumentId(erasure.ids[0])
    with repetition.database.open_tenant(tenant_id) as tenant:
        is_newer = _was_submitted_or_imported_since(tenant, space_id, document_id, erasure.erased_at)
    with suppress(_DryRunEnd), repetition.database.open_space(tenant_id, space_id) as space:
        if is_newer and documents.get_document(space, document_id).state == "ready":
            return Outcome.SUBMITTED_AGAIN
        if is_newer:
            raise Conflict(
                "It was submitted again but is not read yet: until then its erased text is there.",
                code="document_not_read",
            )
        ingest.delete_document_with_all_its_words(space, document_id, prune=erasure.prune)
        if repetition.is_dry_run:
            raise _DryRunEnd
    return Outcome.ERASED


def _was_submitted_or_imported_since(
    tenant: TenantSession, space_id: SpaceId, document_id: DocumentId, erased_at: datetime
) -> bool:
    """Return whether somebody submitted the document after it was erased: its text is then another one.

    A space is imported with the ids of its documents, and only into an empty space.
    """
    submissions = AuditFilter(
        action="document.accept", space_id=space_id, object_id=document_id, since=erased_at
    )
    imports = AuditFilter(action="space.import", space_id=space_id, since=erased_at)
    return any(audit.list_entries(tenant, entries, limit=1) for entries in (submissions, imports))


def _evict_chunks(space: SpaceSession, erasure: Erasure) -> None:
    ingest.evict_chunks_again_after_restore(space, [ChunkId(chunk_id) for chunk_id in erasure.ids])


def _delete_trial(space: SpaceSession, erasure: Erasure) -> None:
    trials.delete_trial(space, JobId(erasure.ids[0]))


def _remove_golden_question(space: SpaceSession, erasure: Erasure) -> None:
    golden.remove_question(space, GoldenQuestionId(erasure.ids[0]))


def _delete_questions(tenant: TenantSession, erasure: Erasure, _actor: str) -> None:
    _, space_id = _get_space_key(erasure)
    questions.delete_questions_by_id(tenant, space_id, erasure.ids)


def _delete_webhook(tenant: TenantSession, erasure: Erasure, actor: str) -> None:
    webhooks.delete_webhook(tenant, erasure.ids[0], actor=actor)


def _revoke_key(tenant: TenantSession, erasure: Erasure, actor: str) -> None:
    api_keys.revoke_key(tenant, ApiKeyId(erasure.ids[0]), actor=actor)


def _remove_member(tenant: TenantSession, erasure: Erasure, actor: str) -> None:
    accounts.change_role_or_remove_member(tenant, erasure.ids[0], None, actor=actor)


def _withdraw_invitation(tenant: TenantSession, erasure: Erasure, actor: str) -> None:
    accounts.withdraw_invitation(tenant, erasure.ids[0], actor=actor)


def _list_other_ids(entry: AuditEvent) -> Sequence[UUID | None]:
    return entry.other_ids


def _list_tenant_id(entry: AuditEvent) -> Sequence[UUID | None]:
    # The entry at the end belongs to no tenant; that of the request goes with the tenant.
    return [entry.target_id or entry.tenant_id]


ERASURE_KINDS = {
    kind.name: kind
    for kind in (
        ErasureKind("tenant", ("tenant.close", "tenant.erase"), _repeat_tenant_erasure, _list_tenant_id),
        ErasureKind("space", ("space.delete",), _repeat_space_erasure),
        ErasureKind("document", ("document.delete",), _repeat_document_erasure),
        ErasureKind("chunk", ("chunk.evict",), _repeat_in_space_transaction(_evict_chunks), _list_other_ids),
        ErasureKind("trial", ("trial.drop",), _repeat_in_space_transaction(_delete_trial)),
        ErasureKind(
            "golden_question", ("golden.remove",), _repeat_in_space_transaction(_remove_golden_question)
        ),
        ErasureKind(
            "question",
            ("question.delete",),
            _repeat_in_tenant_transaction(_delete_questions),
            _list_other_ids,
        ),
        ErasureKind("webhook", ("webhook.remove",), _repeat_in_tenant_transaction(_delete_webhook)),
        ErasureKind("key", ("key.revoke",), _repeat_in_tenant_transaction(_revoke_key)),
        ErasureKind("member", ("member.remove",), _repeat_in_tenant_transaction(_remove_member)),
        ErasureKind("invitation", ("member.uninvite",), _repeat_in_tenant_transaction(_withdraw_invitation)),
    )
}
"""Each kind by its name, in the order in which a list is repeated."""
