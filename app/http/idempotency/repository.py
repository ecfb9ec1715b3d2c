"""Reads and writes of requests with an idempotency key."""

from typing import Any
from uuid import UUID

from app.db.session import OpenSession, PlatformSession
from app.http.idempotency.shapes import RequestKey, RequestLease, StoredRequest


def lease_key_if_free(
    session: OpenSession, request: RequestKey, fence: UUID, *, seconds: float, hours: int
) -> bool:
    """Take the lease of the key with this fence; return False if another request has it."""
    parameters = {"tenant": request.tenant_id, "fence": fence, "seconds": seconds, "hours": hours}
    return bool(session.run("http.idempotency.claim_request", _build_key_parameters(request) | parameters))


def find_request(session: OpenSession, request: RequestKey) -> StoredRequest | None:
    """Return the row of the request that has the key."""
    rows = session.run("http.idempotency.find_request", _build_key_parameters(request))
    return StoredRequest(*rows[0]) if rows else None


def store_answer_if_lease_valid(
    session: OpenSession,
    lease: RequestLease,
    fingerprint: bytes,
    *,
    status: int | None,
    media_type: str | None,
    answer: bytes | None,
    has_changed: bool,
) -> bool:
    """Record the end of the request; return False if the lease is no longer valid."""
    parameters = {
        "fence": lease.fence,
        "fingerprint": fingerprint,
        "status": status,
        "media_type": media_type,
        "answer": answer,
        "changed": has_changed,
    }
    return bool(
        session.run("http.idempotency.store_answer", _build_key_parameters(lease.request) | parameters)
    )


def release_key(session: OpenSession, lease: RequestLease) -> None:
    """Release the key of a failed request; does nothing if the request was carried out after all."""
    session.run(
        "http.idempotency.release_request", _build_key_parameters(lease.request) | {"fence": lease.fence}
    )


def delete_old_requests(platform: PlatformSession, *, hours: int, limit: int) -> None:
    """Remove rows older than `hours`, at most `limit` of them."""
    platform.run("http.idempotency.purge_requests", {"hours": hours, "limit": limit})


def _build_key_parameters(request: RequestKey) -> dict[str, Any]:
    return {"principal": request.principal, "key": request.key}
