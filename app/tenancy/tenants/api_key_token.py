"""API keys as text: `cg_live_<public id>_<secret>`. Pure; nothing here is stored or logged.

The secret has 256 random bits, so a single SHA-256 is the right hash: a slower hash would not protect it
better, and would let anybody keep the server busy (rule A1 of docs/reliability.md).
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from typing import NamedTuple

_TOKEN = re.compile(r"cg_[a-z]{2,8}_([0-9a-z]{8})_([A-Za-z0-9_-]{43})")
_ALPHABET = "0123456789abcdefghijkmnpqrstuvwxyz"


@dataclass(frozen=True)
class NewToken:
    """A new key: `token` is shown once, `key_id` and `secret_hash` are stored."""

    token: str
    key_id: str
    secret_hash: str


def create_token() -> NewToken:
    """Return a new random key."""
    key_id = "".join(secrets.choice(_ALPHABET) for _ in range(8))
    secret = secrets.token_urlsafe(32)
    return NewToken(f"cg_live_{key_id}_{secret}", key_id, hash_secret(secret))


class TokenParts(NamedTuple):
    """The public id and the secret of a key."""

    key_id: str
    secret: str


def parse_token(token: str) -> TokenParts | None:
    """Return the parts of a well-formed key, otherwise None."""
    match = _TOKEN.fullmatch(token)
    return TokenParts(match[1], match[2]) if match else None


def hash_secret(secret: str) -> str:
    """Return the SHA-256 of the secret as 64 hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()
