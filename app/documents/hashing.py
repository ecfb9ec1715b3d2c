"""Fingerprints: what tells that the same content was sent twice (requirement 2.3)."""

import hashlib


def hash_content(raw: bytes, *extras: str) -> str:
    """The SHA-256 of a document's bytes and of what else changes its meaning, as 64 hex digits.

    `extras` are values such as the format or the parser's version. Every part is hashed with
    its length, so that two different splits of the same characters never give one hash.
    """
    digest = hashlib.sha256()
    for part in (raw, *(extra.encode("utf-8", "surrogatepass") for extra in extras)):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def chunk_hash(text: str) -> str:
    """The SHA-256 of a chunk's exact text, as 64 hex digits.

    Exact, not whitespace-normalised: quotes are stored as character ranges, so a chunk whose
    line breaks moved is a changed chunk.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
