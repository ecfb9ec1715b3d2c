"""Rows for COPY in binary form, made from columns: a million rows take seconds, not minutes."""

import json
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray

BATCH = 20_000
"""Rows that are made at once."""


def copy_binary(
    connection: psycopg.Connection[Any],
    table: str,
    space_id: UUID,
    columns: Sequence[str],
    parts: Iterable[Sequence[Sequence[bytes]]],
) -> None:
    """Write rows of one space; each part is a batch of rows, given as columns of fields."""
    head = struct.pack(">hi", len(columns) + 1, 16) + space_id.bytes
    names = ", ".join(("knowledge_space_id", *columns))
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT BINARY)".encode()) as copy,
    ):
        copy.write(b"PGCOPY\n\xff\r\n\0" + bytes(8))
        for part in parts:
            copy.write(b"".join(map(b"".join, zip(repeat(head), *part, strict=False))))
        copy.write(b"\xff\xff")


def spans(count: int) -> Iterator[slice]:
    """Slices of BATCH rows that cover `count` of them."""
    for begin in range(0, count, BATCH):
        yield slice(begin, min(begin + BATCH, count))


def fixed(values: NDArray[np.uint8]) -> list[bytes]:
    """One field of a binary COPY for each row (n, width) of bytes."""
    count, width = values.shape
    prefix = np.frombuffer(struct.pack(">i", width), np.uint8)
    whole = np.concatenate([np.broadcast_to(prefix, (count, 4)), values], 1)
    return [bytes(row) for row in np.ascontiguousarray(whole).view(f"V{width + 4}").ravel().tolist()]


def integers(values: NDArray[Any]) -> list[bytes]:
    """One int4 field for each number."""
    return fixed(values.astype(">i4").view(np.uint8).reshape(-1, 4))


def reals(values: NDArray[Any]) -> list[bytes]:
    """One float4 field for each number."""
    return fixed(values.astype(">f4").view(np.uint8).reshape(-1, 4))


def halfvec(vectors: NDArray[np.float32]) -> list[bytes]:
    """One halfvec field for each row: its length, two unused bytes, and the halves."""
    head = np.frombuffer(struct.pack(">hh", vectors.shape[1], 0), np.uint8)
    halves = vectors.astype(">f2").view(np.uint8).reshape(len(vectors), -1)
    return fixed(np.concatenate([np.broadcast_to(head, (len(vectors), 4)), halves], 1))


def text(value: str) -> bytes:
    """One text field."""
    raw = value.encode()
    return struct.pack(">i", len(raw)) + raw


def jsonb(value: dict[str, Any]) -> bytes:
    """One jsonb field."""
    raw = b"\x01" + json.dumps(value).encode()
    return struct.pack(">i", len(raw)) + raw
