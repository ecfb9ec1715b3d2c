"""Seals the name that a person's split gave a part, by the text that it was about; pure.

When a document is deleted no word of it may stay, and what a person called a thing in it may be one. The
ledger of splits keeps a seal of each mention instead, from which neither the name nor the sense can be read.
"""

import hashlib
from collections.abc import Collection
from uuid import UUID

from app.graph.names import normalise_name

_MARK = 16


def seal_sense(split_id: UUID, name: str, text: str, sense: str) -> bytes:
    """The sense of that name in that text, as bytes that mean nothing without both."""
    mark, stream = _lookup_key_and_mask(split_id, name, text, len(sense.encode()))
    return mark + bytes(a ^ b for a, b in zip(sense.encode(), stream, strict=True))


def open_sealed_sense(seals: Collection[bytes], split_id: UUID, name: str, text: str) -> str | None:
    """The sense that one of these seals gives the name in the text; None where none is about both."""
    longest = max(map(len, seals), default=_MARK) - _MARK
    mark, stream = _lookup_key_and_mask(split_id, name, text, longest)
    ciphertext = next((candidate[_MARK:] for candidate in seals if candidate.startswith(mark)), None)
    return (
        None
        if ciphertext is None
        else bytes(a ^ b for a, b in zip(ciphertext, stream, strict=False)).decode()
    )


def _lookup_key_and_mask(split_id: UUID, name: str, text: str, length: int) -> tuple[bytes, bytes]:
    """By what the seal is known, and what hides the sense in it."""
    # The id keeps two splits of one text apart, and one space's seals from telling anything of another's.
    key = b"\0".join((split_id.bytes, normalise_name(name).encode(), text.encode()))
    return hashlib.sha256(b"mark" + key).digest()[:_MARK], hashlib.shake_256(b"sense" + key).digest(length)
