"""Tenants: keys, quotas, usage and the audit log."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from pydantic import AliasChoices, AliasPath, Field

from app.views.view import View


class KeyAnswer(View):
    """A key without its secret, which is not stored."""

    id: UUID
    key_id: str = Field(description="The public part of the token, which identifies the key in logs.")
    name: str
    scopes: list[str]
    space_ids: list[UUID] | None
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    created_at: datetime


class NewKeyAnswer(KeyAnswer):
    """A key that was just created. `token` is shown only this once."""

    token: str


class OwnTenantAnswer(View):
    """The tenant that a key acts for."""

    id: UUID
    name: str
    max_running_jobs: int = Field(description="Maximum number of its jobs that run at once.")
    budget_usd: float | None = Field(
        None,
        validation_alias=AliasChoices(AliasPath("settings", "budget_usd"), "budget_usd"),
        description="US dollars a month that model calls may cost; null: no limit.",
    )
    created_at: datetime


class UsageAnswer(View):
    """The usage of one space on one day."""

    day: date
    space_id: UUID = Field(validation_alias="knowledge_space_id")
    documents: int
    chunks: int
    bytes: int
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float
    queries: int


class QuotaAnswer(View):
    """How much of one quota the tenant has used."""

    quota: str = Field(description="documents, bytes, chunks, nodes, spaces, queued_jobs or tokens.")
    used: int = Field(description="For tokens: those that models used in this month (UTC).")
    limit: int | None = Field(description="null: tokens without a limit.")


class AuditAnswer(View):
    """One action in the audit log."""

    id: UUID
    actor: str = Field(description="A key's public id, a member's address, operator, cli or worker.")
    actor_kind: str = Field(description="account, key, operator, job; unknown for old entries.")
    action: str = Field(
        description="Object and verb, such as document.delete; a name never changes its meaning."
    )
    outcome: str = Field(description="done or refused. A failed action changed nothing and has no entry.")
    space_id: UUID | None = Field(validation_alias="knowledge_space_id")
    target_id: UUID | None = Field(description="The object of the action.")
    other_ids: list[UUID] = Field(description="Further objects of the action, at most 1,000 ids.")
    details: dict[str, Any] = Field(description="Numbers, flags and codes; never text of a document.")
    door: str = Field(description="api, mcp, dashboard, cli or worker.")
    address: str | None = Field(description="The network address that it came from.")
    request_id: str | None
    created_at: datetime


class TenantAnswer(View):
    """A tenant."""

    id: UUID
    name: str
    max_running_jobs: int = Field(description="Maximum number of its jobs that run at once.")
    quotas: dict[str, int] = Field(description="Its own limits; for others the platform's apply.")
    budget_usd: float | None = Field(
        None,
        validation_alias=AliasChoices(AliasPath("settings", "budget_usd"), "budget_usd"),
        description="US dollars a month that model calls may cost; null: no limit.",
    )
    created_at: datetime


class NewTenantAnswer(TenantAnswer):
    """A tenant that was just created, with its first key, which is shown only this once."""

    api_key: NewKeyAnswer
