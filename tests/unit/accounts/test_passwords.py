"""What a hash of a password costs."""

from argon2 import PasswordHasher


def test_a_hash_has_the_memory_and_passes_of_rfc_9106(shipped_hasher: PasswordHasher) -> None:
    """Its second recommended option, in one lane."""
    assert (shipped_hasher.time_cost, shipped_hasher.memory_cost) == (3, 65_536)
    assert shipped_hasher.parallelism == 1
