"""The frames between a process and the child that works for it: a length, then a pickled value.

A request is the worker's own and may name any function. An answer comes from a process that has read a
stranger's bytes, so it may hold plain values and the value classes of these modules, and nothing else.
"""

import io
import pickle
import socket
import struct
import sys
from dataclasses import is_dataclass
from enum import Enum
from typing import Any

VALUE_MODULES = frozenset(
    (
        "app.documents.isolated_reading",
        "app.documents.shapes",
        "app.extraction.grounding",
        "app.extraction.chunk_extraction",
        "app.extraction.shapes",
        "app.graph.validity",
        "app.sandbox.shapes",
    )
)
_PLAIN_VALUES = frozenset(
    (
        ("collections", "Counter"),
        ("datetime", "date"),
        ("datetime", "datetime"),
        ("datetime", "timedelta"),
        ("datetime", "timezone"),
        ("uuid", "UUID"),
        ("uuid", "SafeUUID"),
    )
)
_LENGTH = struct.Struct("!Q")
# Written by the template behind the last frame of a child that has ended: its status as `waitpid` gives it.
_EPITAPH = struct.Struct("!12si")
_MARK = b"child-ended:"


class _ValueUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN_VALUES:
            return super().find_class(module, name)
        # Nothing is imported because a child says so.
        value = getattr(sys.modules.get(module), name, None) if module in VALUE_MODULES else None
        if isinstance(value, type) and (
            is_dataclass(value) or issubclass(value, Enum) or hasattr(value, "_fields")
        ):
            return value
        raise pickle.UnpicklingError(f"An answer may not hold {module}.{name}.")


class _ValuePickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        # Python 3.11.0 to 3.11.3 write a member of an enumeration by `getattr`, which no answer may hold.
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


def encode_frame(value: object) -> bytes:
    """Return the value as a frame."""
    stream = io.BytesIO()
    _ValuePickler(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    body = stream.getvalue()
    return _LENGTH.pack(len(body)) + body


def read_request(connection: socket.socket) -> Any:
    """Return the next request of the process that this child works for; None where it has hung up."""
    head = _receive_bytes(connection, _LENGTH.size)
    body = head and _receive_bytes(connection, _LENGTH.unpack(head)[0])
    return pickle.loads(body) if body else None  # noqa: S301  (the worker that it serves wrote it)


def _receive_bytes(connection: socket.socket, length: int) -> bytes:
    received = bytearray()
    while len(received) < length:
        part = connection.recv(min(length - len(received), 1 << 20))
        if not part:
            return b""
        received += part
    return bytes(received)


def encode_exit_status(status: int) -> bytes:
    """Return what is written on the connection of a child that has ended."""
    return _EPITAPH.pack(_MARK, status)


class Inbox:
    """The frames that have arrived from a child."""

    def __init__(self) -> None:
        self._received = bytearray()

    def feed(self, part: bytes) -> None:
        """Add bytes as they arrive."""
        self._received += part

    def take_value(self) -> tuple[Any] | None:
        """Return the next whole frame's value, in a tuple as it may be None; None where there is none yet.

        Raises UnpicklingError for an answer that is no plain value.
        """
        if len(self._received) < _LENGTH.size or self._received.startswith(_MARK):
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(self._received)[0]
        if len(self._received) < end:
            return None
        body = bytes(self._received[_LENGTH.size : end])
        del self._received[:end]
        return (_ValueUnpickler(io.BytesIO(body)).load(),)

    def get_exit_status(self) -> int | None:
        """Return how the child ended, behind its last frame; None where nobody said."""
        if len(self._received) < _EPITAPH.size:
            return None
        mark, status = _EPITAPH.unpack(self._received[-_EPITAPH.size :])
        return int(status) if mark == _MARK else None
