"""Passwords as Argon2id hashes. Comparing one costs 64 MiB and tens of milliseconds, so few run at once."""

import secrets
import threading
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import InvalidInput, Unavailable

SHORTEST = 12
LONGEST = 200
_AT_ONCE = 2
_WAIT_SECONDS = 5.0

# RFC 9106, second recommended option: 64 MiB, three passes, four lanes.
_hasher = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=4)
_places = threading.BoundedSemaphore(_AT_ONCE)


# Compared against where nobody has that address, so that both cases do the same work.
@cache
def _nobodys_hash() -> str:
    return _hasher.hash(secrets.token_urlsafe(32))


def hash_password(password: str) -> str:
    """The hash to store. Raises InvalidInput for a password of a length that is not allowed."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise InvalidInput(f"A password has {SHORTEST} to {LONGEST} characters.", code="password_length")
    with _Place():
        return _hasher.hash(password)


def matches(password: str, password_hash: str | None) -> bool:
    """Return whether the password is the one of the hash; the work is the same where there is none."""
    with _Place():
        try:
            right = _hasher.verify(password_hash or _nobodys_hash(), password[:LONGEST])
        except (VerificationError, InvalidHashError):
            return False
    return right and password_hash is not None and len(password) <= LONGEST


class _Place:
    """One of the few places in which passwords are compared. Raises Unavailable after a wait."""

    def __enter__(self) -> None:
        if not _places.acquire(timeout=_WAIT_SECONDS):
            raise Unavailable("Too many people sign in at this moment; try again shortly.", code="busy")

    def __exit__(self, *_: object) -> None:
        _places.release()
