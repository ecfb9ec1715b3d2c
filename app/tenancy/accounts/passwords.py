"""Passwords as Argon2id hashes. Comparing one costs 64 MiB and a tenth of a second, so few run at once."""

import os
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from app.errors import InvalidInput, Unavailable
from app.limits import PASSWORD

SHORTEST = 12
AT_ONCE = max(1, (os.cpu_count() or 2) // 2)
"""Half of the processors: a flood of sign-ins leaves the other half to everybody else."""
_WAIT_SECONDS = 1.0

# The memory and passes of RFC 9106's second recommended option, in one lane: four would take all processors
# for each password. A hash of other parameters is compared by its own, and made anew when its owner signs in.
_hasher = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)
_slots = threading.BoundedSemaphore(AT_ONCE)


# Compared against where nobody has that address, so that both cases do the same work.
@cache
def _dummy_hash() -> str:
    return _hasher.hash(secrets.token_urlsafe(32))


def hash_password(password: str) -> str:
    """The hash to store. Raises InvalidInput for a password of a length that is not allowed."""
    if not SHORTEST <= len(password) <= PASSWORD.most:
        raise InvalidInput(
            f"A password has {SHORTEST} to {PASSWORD.most} characters.", code="password_length"
        )
    with password_check_slot():
        return _hasher.hash(password)


def password_matches_hash(password: str, password_hash: str | None) -> bool:
    """Return whether the password is the one of the hash; the work is the same where there is none."""
    with password_check_slot():
        try:
            right = _hasher.verify(password_hash or _dummy_hash(), password[: PASSWORD.most])
        except (VerificationError, InvalidHashError):
            return False
    return right and password_hash is not None and len(password) <= PASSWORD.most


def hash_is_outdated(password_hash: str) -> bool:
    """Return whether the hash has other parameters than one that is made today."""
    return _hasher.check_needs_rehash(password_hash)


@contextmanager
def password_check_slot() -> Iterator[None]:
    """Hold one of the few slots in which passwords are compared. Raises Unavailable after a wait."""
    if not _slots.acquire(timeout=_WAIT_SECONDS):
        raise Unavailable("Too many people sign in at this moment; try again shortly.", code="busy")
    try:
        yield
    finally:
        _slots.release()
