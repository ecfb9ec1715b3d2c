"""Shapes of idempotency: whose request it is, what became of the one before it, and its answer."""

from dataclasses import dataclass
from uuid import UUID

from app.ids import TenantId


@dataclass(frozen=True)
class RequestKey:
    """The key of a request, which holds for one principal alone; a tenant of None is the operator."""

    principal: str
    tenant_id: TenantId | None
    key: str


@dataclass(frozen=True)
class Claim:
    """The right to carry a request out, until the lease ends; `fence` proves it."""

    request: RequestKey
    fence: UUID


@dataclass(frozen=True)
class KeptAnswer:
    """An answer as it left: its status, its content type and its bytes."""

    status: int
    media_type: str
    body: bytes


@dataclass(frozen=True)
class Known:
    """A request that came before under the same key: `fingerprint` says which, once it is carried out.

    Without a fingerprint it is still under way. Without an answer it changed nothing, or its answer was
    too large to keep.
    """

    fingerprint: bytes | None
    answer: KeptAnswer | None
    changed: bool
