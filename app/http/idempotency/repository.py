"""Reads and writes of requests that carried an idempotency key."""

from typing import Any
from uuid import UUID

from app.db.session import OpenSession, PlatformSession
from app.http.idempotency.shapes import Claim, RequestKey


def claim_key(session: OpenSession, request: RequestKey, fence: UUID, *, seconds: float, hours: int) -> bool:
    """Take the key under this fence; False where another request has it."""
    values = {"tenant": request.tenant_id, "fence": fence, "seconds": seconds, "hours": hours}
    return bool(session.run("http.idempotency.claim_request", _key_parameters(request) | values))


def find_request(session: OpenSession, request: RequestKey) -> tuple[Any, ...] | None:
    """(fence, fingerprint, status, content type, sealed answer, whether it changed something)."""
    rows = session.run("http.idempotency.find_request", _key_parameters(request))
    return rows[0] if rows else None


def store_answer(
    session: OpenSession,
    claim: Claim,
    fingerprint: bytes,
    *,
    status: int | None,
    media_type: str | None,
    answer: bytes | None,
    changed: bool,
) -> bool:
    """Note the end of the request; False where the claim does not hold any more."""
    values = {
        "fence": claim.fence,
        "fingerprint": fingerprint,
        "status": status,
        "media_type": media_type,
        "answer": answer,
        "changed": changed,
    }
    return bool(session.run("http.idempotency.keep_answer", _key_parameters(claim.request) | values))


def release_key(session: OpenSession, claim: Claim) -> None:
    """Give the key of a request back that failed; nothing where it was carried out after all."""
    session.run("http.idempotency.release_request", _key_parameters(claim.request) | {"fence": claim.fence})


def delete_old_requests(platform: PlatformSession, *, hours: int, limit: int) -> None:
    """Remove rows that are older."""
    platform.run("http.idempotency.purge_requests", {"hours": hours, "limit": limit})


def _key_parameters(request: RequestKey) -> dict[str, Any]:
    return {"principal": request.principal, "key": request.key}
