"""Rules of idempotency: a request that is sent again under its key is carried out once.

The row of a request is finished in the transaction of its effect, so a repeat finds both or neither; a
process that was killed before leaves a claim whose lease ends. An answer is sealed with the caller's own
token, which is not kept here: who reads the table learns nothing from it (docs/decisions/0048).
"""

import hashlib
from uuid import UUID, uuid4

from app.db.session import OpenSession, PlatformSession
from app.errors import Conflict
from app.http.idempotency import repository
from app.http.idempotency.repository import release_key
from app.http.idempotency.shapes import Claim, KeptAnswer, Known, RequestKey
from app.limits import IDEMPOTENT_ANSWER_BYTES

__all__ = ["release_key"]

KEPT_HOURS = 24
"""For so long the same key gives the same answer."""
LEASE_SECONDS = 30.0
"""A request under way keeps its key for so long; one that takes longer and loses it changes nothing."""
_PURGED = 5_000


class UnderWay(Conflict):
    """The same key belongs to a request that has not ended; it soon will have."""

    code = "request_under_way"
    retry_after = 2

    def __init__(self) -> None:
        super().__init__("A request with this Idempotency-Key is under way; try again shortly.")


def claim_or_find_request(session: OpenSession, request: RequestKey, token: str) -> Claim | Known:
    """The claim on a key that is free, else what is known of the request that has it."""
    fence = uuid4()
    if repository.claim_key(session, request, fence, seconds=LEASE_SECONDS, hours=KEPT_HOURS):
        return Claim(request, fence)
    row = repository.find_request(session, request)
    if row is None:
        # Given back between the two statements.
        return Known(None, None, False)
    fence, fingerprint, status, media_type, answer, changed = row
    kept_answer = None
    if answer is not None:
        kept_answer = KeptAnswer(status, media_type, _seal_or_unseal(token, fence, answer))
    return Known(fingerprint, kept_answer, changed)


def finish_request(
    session: OpenSession,
    claim: Claim,
    fingerprint: bytes,
    answer: KeptAnswer | None,
    *,
    token: str,
    changed: bool,
) -> None:
    """Note that the request was carried out, as a part of the session's transaction, with its answer if any.

    Raises UnderWay where the lease ended and another process has the key by now.
    """
    sealed = None
    if answer is not None and len(answer.body) <= IDEMPOTENT_ANSWER_BYTES.most:
        sealed = _seal_or_unseal(token, claim.fence, answer.body)
    if not repository.store_answer(
        session,
        claim,
        fingerprint,
        status=answer.status if answer else None,
        media_type=answer.media_type if answer else None,
        answer=sealed,
        changed=changed,
    ):
        raise UnderWay


def delete_old_requests(platform: PlatformSession) -> None:
    """Remove what is older than a day, a bounded number of rows."""
    repository.delete_old_requests(platform, hours=KEPT_HOURS, limit=_PURGED)


def _seal_or_unseal(token: str, fence: UUID, body: bytes) -> bytes:
    """The body under a pad that the token gives, for this claim alone; sealed again it is the body."""
    pad = hashlib.shake_256(b"citegraph idempotent answer\0" + fence.bytes + token.encode()).digest(len(body))
    return (int.from_bytes(body) ^ int.from_bytes(pad)).to_bytes(len(body))
