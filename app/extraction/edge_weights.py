"""The weight of an edge, and the key by which a retry recognises an edge that it has written."""

import hashlib
import math
import uuid
from collections.abc import Sequence

from app.graph.validity import DatePoint, Polarity


def compute_raw_edge_weight(confidence: float, times_seen: int) -> float:
    """Return the confidence times the number of stating sentences (requirement 4.3)."""
    return confidence * times_seen


def divide_weights_by_largest(products: Sequence[float]) -> list[float]:
    """Return each product divided by the largest of the ingest, in [0, 1], in order (requirement 4.3).

    All are zero if the largest is zero. Raises ValueError for a negative or non-finite product: Postgres
    sorts NaN above any number, so that a single one would affect every ranking.
    """
    if any(not math.isfinite(value) or value < 0 for value in products):
        raise ValueError("a product of confidence and times seen is finite and not negative")
    largest_product = max(products, default=0.0)
    if largest_product == 0:
        return [0.0] * len(products)
    return [value / largest_product for value in products]


def compute_key_of_extracted_edge(
    *,
    chunk_hash: bytes | str,
    prompt_version: str,
    model: str,
    from_name: str,
    to_name: str,
    relation_type: str,
    from_type: str = "",
    to_type: str = "",
) -> uuid.UUID:
    """Return the identity of one extracted edge: unique in a space, so that a retry does not double a weight.

    The first 16 bytes of a SHA-256 over all parts, each preceded by its length, so that different lists of
    parts do not collide. Types are included only if the extractor separates homonyms.
    """
    digest = hashlib.sha256()
    for key_part in (
        chunk_hash,
        prompt_version,
        model,
        from_name,
        from_type,
        to_name,
        to_type,
        relation_type,
    ):
        # A lone surrogate must not fail here; it is rejected when stored.
        part_bytes = key_part if isinstance(key_part, bytes) else key_part.encode("utf-8", "surrogatepass")
        digest.update(len(part_bytes).to_bytes(8, "big"))
        digest.update(part_bytes)
    return uuid.UUID(bytes=digest.digest()[:16])


def compute_key_of_qualified_claim(
    key: uuid.UUID, polarity: Polarity, valid_from: DatePoint | None, valid_to: DatePoint | None
) -> uuid.UUID:
    """Return the identity of the claim with this key: a new key if it is denied, reported or limited in
    time, else the key.
    """
    if polarity is not Polarity.ASSERTED:
        key = compute_key_in_context(key, polarity)
    if valid_to is not None:
        key = compute_key_in_context(key, f"{valid_from and valid_from.at}/{valid_to.at}")
    return key


def compute_key_in_context(key: uuid.UUID, context: str) -> uuid.UUID:
    """Return the identity of an edge with the same words in another context: another date or document."""
    return uuid.UUID(bytes=hashlib.sha256(key.bytes + context.encode()).digest()[:16])
