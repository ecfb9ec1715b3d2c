"""Rules of idempotency: a request that is repeated with its key is carried out once.

The row of a request is finished in the transaction of its effect, so a repetition finds both or neither; a
process that was killed before that leaves a claim whose lease expires. An answer is encrypted with the
caller's own token, which is not stored, so a reader of the table learns nothing from it
(docs/decisions/0048). The fingerprint of a request is computed while its body arrives, in
app/api/protocol/idempotency_header.py.
"""

import hashlib
from uuid import UUID, uuid4

from app.db.session import OpenSession, PlatformSession
from app.errors import Conflict
from app.http.idempotency import repository
from app.http.idempotency.repository import release_key
from app.http.idempotency.shapes import EarlierRequest, RequestKey, RequestLease, StoredAnswer
from app.limits import IDEMPOTENT_ANSWER_BYTES

__all__ = ["release_key"]

KEPT_HOURS = 24
"""How long a key returns the same answer."""
LEASE_SECONDS = 30.0
"""How long a running request keeps its key; a slower request that loses it changes nothing."""
_DELETED_AT_ONCE = 5_000


class UnderWay(Conflict):
    """The key belongs to a request that is still running and will end soon."""

    code = "request_under_way"
    retry_after = 2

    def __init__(self) -> None:
        super().__init__("A request with this Idempotency-Key is under way; try again shortly.")


def lease_key_or_find_earlier_request(
    session: OpenSession, request: RequestKey, token: str
) -> RequestLease | EarlierRequest:
    """Return a lease of a free key, otherwise what is known of the request that has it."""
    fence = uuid4()
    if repository.lease_key_if_free(session, request, fence, seconds=LEASE_SECONDS, hours=KEPT_HOURS):
        return RequestLease(request, fence)
    stored_request = repository.find_request(session, request)
    if stored_request is None:
        # The key was released between the two statements.
        return EarlierRequest(None, None, False)
    answer = None
    status, media_type = stored_request.status, stored_request.media_type
    if status is not None and media_type is not None and stored_request.sealed_answer is not None:
        body = _seal_or_unseal(token, stored_request.fence, stored_request.sealed_answer)
        answer = StoredAnswer(status, media_type, body)
    return EarlierRequest(stored_request.fingerprint, answer, stored_request.has_changed)


def record_finished_request(
    session: OpenSession,
    lease: RequestLease,
    fingerprint: bytes,
    answer: StoredAnswer | None,
    *,
    token: str,
    has_changed: bool,
) -> None:
    """Record, in the session's transaction, that the request was carried out, with its answer if it has one.

    Raises UnderWay if the lease expired and another process has the key.
    """
    sealed_body = None
    if answer is not None and len(answer.body) <= IDEMPOTENT_ANSWER_BYTES.maximum:
        sealed_body = _seal_or_unseal(token, lease.fence, answer.body)
    if not repository.store_answer_if_lease_valid(
        session,
        lease,
        fingerprint,
        status=answer.status if answer else None,
        media_type=answer.media_type if answer else None,
        answer=sealed_body,
        has_changed=has_changed,
    ):
        raise UnderWay


def delete_old_requests(platform: PlatformSession) -> None:
    """Remove rows older than a day, a bounded number."""
    repository.delete_old_requests(platform, hours=KEPT_HOURS, limit=_DELETED_AT_ONCE)


def _seal_or_unseal(token: str, fence: UUID, body: bytes) -> bytes:
    """Encrypt the body with a pad derived from the token for this claim only; a second call decrypts it."""
    key_stream = hashlib.shake_256(b"citegraph idempotent answer\0" + fence.bytes + token.encode()).digest(
        len(body)
    )
    return (int.from_bytes(body) ^ int.from_bytes(key_stream)).to_bytes(len(body))
