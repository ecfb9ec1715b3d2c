"""Values of idempotency: the key of a request, its claim, and the earlier request with its answer."""

from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from app.ids import TenantId


@dataclass(frozen=True)
class RequestKey:
    """The key of a request, valid for one principal; a tenant of None is the operator."""

    principal: str
    tenant_id: TenantId | None
    key: str


@dataclass(frozen=True)
class RequestLease:
    """The right to carry out a request until the lease expires; `fence` proves it."""

    request: RequestKey
    fence: UUID


class StoredRequest(NamedTuple):
    """The row of a request with a key; without a fingerprint it is still running."""

    fence: UUID
    fingerprint: bytes | None
    status: int | None
    media_type: str | None
    sealed_answer: bytes | None
    has_changed: bool


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as it was sent: its status, content type and bytes."""

    status: int
    media_type: str
    body: bytes


@dataclass(frozen=True)
class EarlierRequest:
    """An earlier request with the same key; `fingerprint` identifies it after it was carried out.

    Without a fingerprint it is still running. Without an answer it changed nothing, or its answer was too
    large to keep.
    """

    fingerprint: bytes | None
    answer: StoredAnswer | None
    has_changed: bool
