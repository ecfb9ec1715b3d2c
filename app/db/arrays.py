"""Encode numeric columns as Postgres arrays and vectors as pgvector reads them, and decode records of bytes.

A numpy column is sent in Postgres' binary format, without a Python object for each element: 200,000 rows by
`unnest` take as long as by COPY, which row security refuses.

Results that are sent as records of bytes are decoded by numpy, without a Python object for each row. An id is
two numbers: its first and its last eight bytes.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.uint64]
Integers = NDArray[np.int64]

ID_FIELD = ("id", ">u8", (2,))
# Any odd number with as many ones as zeros: it spreads the first half of an id over all bits.
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


# The numpy type of an element, and the OID of its Postgres type.
_ELEMENT_TYPES: dict[str, tuple[np.dtype[Any], int]] = {
    "uuid": (np.dtype((">u8", 2)), 2950),
    "i2": (np.dtype(">i2"), 21),
    "i4": (np.dtype(">i4"), 23),
    "f4": (np.dtype(">f4"), 700),
    "f8": (np.dtype(">f8"), 701),
}


@dataclass(frozen=True, slots=True)
class Column:
    """An array without NULLs in Postgres' binary format; the statement casts it to its type."""

    body: bytes

    @classmethod
    def from_uuids(cls, ids: NDArray[np.uint64]) -> "Column":
        """Return a uuid[] of these ids, of shape (n, 2)."""
        return cls(_encode_array(ids, *_ELEMENT_TYPES["uuid"]))

    @classmethod
    def from_numbers(cls, values: NDArray[Any], type_code: str) -> "Column":
        """Return a smallint[], int[], real[] or float8[], by numpy's type code: i2, i4, f4, f8."""
        return cls(_encode_array(values, *_ELEMENT_TYPES[type_code]))


def _encode_array(values: NDArray[Any], element_type: np.dtype[Any], oid: int) -> bytes:
    elements = np.empty(len(values), np.dtype([("length", ">i4"), ("value", element_type)]))
    elements["length"], elements["value"] = element_type.itemsize, values
    # Number of dimensions (0 if empty), no NULLs, element type; length, lower bound 1.
    header_fields = (1, 0, oid, len(values), 1) if len(values) else (0, 0, oid)
    return np.array(header_fields, ">i4").tobytes() + elements.tobytes()


# Numbers written by str() took six times as long: a third of a millisecond for a vector of 256, several times
# a question. Four digits, since half precision keeps three.
_STEPS_PER_UNIT = 10_000
# The texts of all possible rounded components of a unit vector.
_COMPONENT_TEXTS = [str(step / _STEPS_PER_UNIT) for step in range(-_STEPS_PER_UNIT, _STEPS_PER_UNIT + 1)]


RowVector = tuple[UUID, str]
"""The id of a row, and its vector in pgvector's text format."""


def format_vectors(vectors: NDArray[np.floating]) -> list[str]:
    """Return a text for each row of (n, dimensions), whose components lie between -1 and 1.

    Raises ValueError for other components.
    """
    # In double precision, so that a component of exactly 1 stays within the table.
    steps = np.rint(vectors.astype(np.float64) * _STEPS_PER_UNIT)
    if not bool((np.abs(steps) <= _STEPS_PER_UNIT).all()):
        raise ValueError("A component of a vector is not a number between -1 and 1.")
    return [
        f"[{','.join(map(_COMPONENT_TEXTS.__getitem__, row))}]"
        for row in (steps.astype(np.int64) + _STEPS_PER_UNIT).tolist()
    ]


def decode_records(
    record_bytes: bytes | None, *fields: tuple[str, str] | tuple[str, str, tuple[int, ...]]
) -> NDArray[np.void]:
    """Return the (n) consecutive records in these bytes; an empty array for None."""
    return np.frombuffer(record_bytes or b"", np.dtype(list(fields)))


def decode_ids(raw_ids: list[bytes]) -> Ids:
    """Return these ids of 16 bytes each as numbers (n, 2)."""
    return decode_consecutive_ids(b"".join(raw_ids))


def decode_consecutive_ids(id_bytes: bytes) -> Ids:
    """Return the ids in these bytes, 16 for each, as numbers (n, 2)."""
    return np.frombuffer(id_bytes, ">u8").astype(np.uint64).reshape(-1, 2)


def convert_ids_to_uuids(ids: Ids) -> list[UUID]:
    """Return these ids (n, 2) as Python objects; for hundreds, not for a million."""
    id_bytes = ids.astype(">u8").tobytes()
    return [UUID(bytes=id_bytes[start : start + 16]) for start in range(0, len(id_bytes), 16)]


def find_positions(searched_ids: Ids, ids: Ids) -> Integers:
    """Return the index (m) of each id (m, 2) among distinct others (n, 2); -1 for ids that are not among
    them.
    """
    if not len(ids):
        return np.full(len(searched_ids), -1)
    keys = ids[:, 0] * _HASH_MULTIPLIER + ids[:, 1]
    sorted_positions = np.argsort(keys)
    searched_keys = searched_ids[:, 0] * _HASH_MULTIPLIER + searched_ids[:, 1]
    candidates = sorted_positions[
        np.minimum(np.searchsorted(keys[sorted_positions], searched_keys), len(sorted_positions) - 1)
    ]
    # Different ids may, rarely, share a key: compare the ids themselves.
    is_match = (ids[candidates, 0] == searched_ids[:, 0]) & (ids[candidates, 1] == searched_ids[:, 1])
    positions: Integers = np.where(is_match, candidates, -1)
    return positions


class DistinctIds(NamedTuple):
    """Distinct ids (n, 2), and the index (m) among them of each of the original ids."""

    ids: Ids
    indexes: Integers


def deduplicate_ids(id_array: Ids) -> DistinctIds:
    """Return the distinct ids among these (m, 2)."""
    _, first_indices, inverse_indices = np.unique(
        id_array[:, 0] * _HASH_MULTIPLIER + id_array[:, 1], return_index=True, return_inverse=True
    )
    unique_ids = id_array[first_indices]
    if not bool((unique_ids[inverse_indices] == id_array).all()):
        # Two ids share a key.
        unique_ids, inverse_indices = np.unique(id_array, axis=0, return_inverse=True)
    return DistinctIds(unique_ids, inverse_indices.reshape(-1).astype(np.int64))
