"""Passwords as Argon2id hashes. Verifying one takes 64 MiB and a tenth of a second, so few run at once."""

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

MIN_PASSWORD_LENGTH = 12
MAX_PARALLEL_HASHES = max(1, (os.cpu_count() or 2) // 2)
"""Half of the CPUs: a flood of sign-ins leaves the other half to other work."""
_WAIT_SECONDS = 1.0

# The memory and passes of RFC 9106's second recommended option, with one lane: four would use all CPUs for
# each password. A hash with other parameters is verified with its own, and renewed when its owner signs in.
_hasher = PasswordHasher(time_cost=3, memory_cost=65_536, parallelism=1)
_slots = threading.BoundedSemaphore(MAX_PARALLEL_HASHES)


# Verified if there is no such account, so that both cases do the same work.
@cache
def _create_dummy_hash() -> str:
    return _hasher.hash(secrets.token_urlsafe(32))


def validate_and_hash_password(password: str) -> str:
    """Return the hash to store. Raises InvalidInput if the length of the password is not allowed."""
    if not MIN_PASSWORD_LENGTH <= len(password) <= PASSWORD.maximum:
        raise InvalidInput(
            f"A password has {MIN_PASSWORD_LENGTH} to {PASSWORD.maximum} characters.", code="password_length"
        )
    with occupy_password_check_slot():
        return _hasher.hash(password)


def does_password_match_hash(password: str, password_hash: str | None) -> bool:
    """Return whether the password matches the hash; if there is no hash, it does the same work and returns
    False.
    """
    with occupy_password_check_slot():
        try:
            is_match = _hasher.verify(password_hash or _create_dummy_hash(), password[: PASSWORD.maximum])
        except (VerificationError, InvalidHashError):
            return False
    return is_match and password_hash is not None and len(password) <= PASSWORD.maximum


def is_hash_outdated(password_hash: str) -> bool:
    """Return whether the hash has other parameters than new ones."""
    return _hasher.check_needs_rehash(password_hash)


@contextmanager
def occupy_password_check_slot() -> Iterator[None]:
    """Hold one of the few slots for work on passwords. Raises Unavailable after a wait."""
    if not _slots.acquire(timeout=_WAIT_SECONDS):
        raise Unavailable("Too many people sign in at this moment; try again shortly.", code="busy")
    try:
        yield
    finally:
        _slots.release()
