"""Hashes that identify content submitted before (requirement 2.3)."""

import hashlib


def hash_content(file_bytes: bytes, *extras: str) -> str:
    """Return the SHA-256 of a document's bytes and of `extras`, as 64 hexadecimal digits.

    `extras` are values that change the document's meaning, such as the format. Each part is hashed with its
    length, so that two different splits of the same characters have different hashes.
    """
    digest = hashlib.sha256()
    for content_part in (file_bytes, *(extra_text.encode("utf-8", "surrogatepass") for extra_text in extras)):
        digest.update(len(content_part).to_bytes(8, "big"))
        digest.update(content_part)
    return digest.hexdigest()


def hash_chunk_text(text: str) -> str:
    """Return the SHA-256 of a chunk's exact text, as 64 hexadecimal digits.

    White space is not normalised: quotes are stored as character ranges, so a chunk whose line breaks moved
    has changed.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
