"""Columns as Postgres sends them, records of bytes, read by numpy: no Python object is made for a row.

An id is two numbers here, its first and last eight bytes.
"""

from uuid import UUID

import numpy as np
import numpy.typing as npt

Ids = npt.NDArray[np.uint64]
Integers = npt.NDArray[np.int64]

ID = ("id", ">u8", (2,))
# Any odd number with as many ones as zeros: it spreads the first half of an id over all bits.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


def records(
    sent: bytes | None, *fields: tuple[str, str] | tuple[str, str, tuple[int, ...]]
) -> npt.NDArray[np.void]:
    """The records (n) that these bytes hold one after the other; none where nothing was sent."""
    return np.frombuffer(sent or b"", np.dtype(list(fields)))


def ids(given: list[bytes]) -> Ids:
    """These ids of 16 bytes each: (n, 2)."""
    return np.frombuffer(b"".join(given), ">u8").astype(np.uint64).reshape(-1, 2)


def as_uuids(given: Ids) -> list[UUID]:
    """The same ids (n, 2) as everybody else knows them."""
    sent = given.astype(">u8").tobytes()
    return [UUID(bytes=sent[start : start + 16]) for start in range(0, len(sent), 16)]


def places(wanted: Ids, among: Ids) -> Integers:
    """Where each of the wanted ids (m, 2) stands among others (n, 2), of which none is repeated: (m), -1 for
    nowhere.
    """
    if not len(among):
        return np.full(len(wanted), -1)
    keys = among[:, 0] * _SPREAD + among[:, 1]
    order = np.argsort(keys)
    asked = wanted[:, 0] * _SPREAD + wanted[:, 1]
    found = order[np.minimum(np.searchsorted(keys[order], asked), len(order) - 1)]
    # Two ids may share a key, if hardly ever: only the same id counts.
    same = (among[found, 0] == wanted[:, 0]) & (among[found, 1] == wanted[:, 1])
    result: Integers = np.where(same, found, -1)
    return result
