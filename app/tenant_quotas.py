"""How much one tenant may have: the platform's defaults, which an operator may override for a tenant."""

from pydantic import BaseModel, Field

from app.space_settings import SpaceDefaults

STORED_QUOTAS = ("documents", "bytes", "chunks", "nodes", "spaces", "queued_jobs")
"""Quotas on what a tenant stores or has queued."""
TOKENS = "tokens"
"""The quota on tokens of model calls in a month; unlike the others it may be unlimited."""
QUOTAS = (*STORED_QUOTAS, TOKENS)
"""All quotas, by the names that errors, routes and commands use."""


class TenantQuotas(BaseModel):
    """Each limit, for a tenant that has none of its own."""

    tenant_documents: int = Field(
        100_000, ge=0, description="Documents of one tenant; beyond it a submission is 429 `quota_exceeded`."
    )
    tenant_bytes: int = Field(
        10_000_000_000, ge=0, description="The same for the bytes of its documents, as submitted."
    )
    tenant_chunks: int = Field(
        1_000_000,
        ge=0,
        description="The same for its chunks; a document beyond it fails in its job as `quota_exceeded`.",
    )
    tenant_nodes: int = Field(2_000_000, ge=0, description="The same for its nodes.")
    tenant_spaces: int = Field(
        1_000, ge=0, description="The same for its spaces; beyond it no space can be created."
    )
    tenant_queued_jobs: int = Field(
        1_000, ge=0, description="Waiting ingest jobs of one tenant; beyond it 429 `too_many_jobs`."
    )
    tenant_tokens: int | None = Field(
        None,
        ge=0,
        description=(
            "Tokens that models may read and write for one tenant in a month (UTC); beyond it jobs wait"
            " and questions get 429 `quota_exceeded`."
        ),
    )

    def get_platform_limit(self, quota: str) -> int:
        """Return the platform's limit of one of `STORED_QUOTAS`."""
        limit: int = getattr(self, f"tenant_{quota}")
        return limit


class PlatformDefaults(SpaceDefaults, TenantQuotas):
    """The values that hold where neither a space nor a tenant has a value of its own."""
