"""Encrypt the sense that a person's split gave a part, with the text of the mention as the key. Pure.

When a document is deleted, no word of it may remain, and the person's name for an entity in it may be one.
The ledger of splits therefore keeps a seal of each mention, from which neither name nor sense can be read.
"""

import hashlib
from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from app.graph.names import normalise_name

_LOOKUP_KEY_BYTES = 16


def encrypt_sense_with_name_and_text(split_id: UUID, name: str, text: str, sense: str) -> bytes:
    """Return the sense of this name in this text, encrypted with both."""
    lookup_key, mask = _derive_lookup_key_and_mask(split_id, name, text, len(sense.encode()))
    return lookup_key + bytes(
        sense_byte ^ mask_byte for sense_byte, mask_byte in zip(sense.encode(), mask, strict=True)
    )


def decrypt_sense_or_none(seals: Collection[bytes], split_id: UUID, name: str, text: str) -> str | None:
    """Return the sense that one of these seals holds for the name in the text; None if none matches both."""
    longest_length = max(map(len, seals), default=_LOOKUP_KEY_BYTES) - _LOOKUP_KEY_BYTES
    lookup_key, mask = _derive_lookup_key_and_mask(split_id, name, text, longest_length)
    ciphertext = next((seal[_LOOKUP_KEY_BYTES:] for seal in seals if seal.startswith(lookup_key)), None)
    return (
        None
        if ciphertext is None
        else bytes(
            cipher_byte ^ mask_byte for cipher_byte, mask_byte in zip(ciphertext, mask, strict=False)
        ).decode()
    )


class _KeyAndMask(NamedTuple):
    """The prefix that identifies a seal, and the mask that encrypts its sense."""

    lookup_key: bytes
    mask: bytes


def _derive_lookup_key_and_mask(split_id: UUID, name: str, text: str, length: int) -> _KeyAndMask:
    """Return the prefix that identifies the seal, and the mask that encrypts the sense."""
    # The split's id separates splits of one text, and keeps seals of different spaces from being compared.
    key = b"\0".join((split_id.bytes, normalise_name(name).encode(), text.encode()))
    return _KeyAndMask(
        hashlib.sha256(b"mark" + key).digest()[:_LOOKUP_KEY_BYTES],
        hashlib.shake_256(b"sense" + key).digest(length),
    )
