"""The frames between a process and its child: a length, then a pickled value.

A request is written by the worker and may name any function. An answer comes from a process that has read
untrusted bytes, so it may contain only plain values and the value classes of these modules.
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
        "app.documents.isolated_parsing",
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
_LENGTH_STRUCT = struct.Struct("!Q")
# The fork server writes this after the last frame of an ended child: its status as `waitpid` returns it.
_EXIT_STATUS_STRUCT = struct.Struct("!12si")
_EXIT_STATUS_MARK = b"child-ended:"


class _ValueUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _PLAIN_VALUES:
            return super().find_class(module, name)
        # Nothing is imported at the request of a child.
        value = getattr(sys.modules.get(module), name, None) if module in VALUE_MODULES else None
        if isinstance(value, type) and (
            is_dataclass(value) or issubclass(value, Enum) or hasattr(value, "_fields")
        ):
            return value
        raise pickle.UnpicklingError(f"An answer may not hold {module}.{name}.")


class _ValuePickler(pickle.Pickler):
    def reducer_override(self, value: object) -> Any:
        # Python 3.11.0 to 3.11.3 pickle a member of an enumeration by `getattr`, which no answer may contain.
        return (type(value), (value.value,)) if isinstance(value, Enum) else NotImplemented


def encode_frame(value: object) -> bytes:
    """Return the value as a frame."""
    stream = io.BytesIO()
    _ValuePickler(stream, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
    body = stream.getvalue()
    return _LENGTH_STRUCT.pack(len(body)) + body


def read_request(connection: socket.socket) -> Any:
    """Return the next request of the process that this child works for, or None if it has hung up."""
    length_bytes = _receive_bytes(connection, _LENGTH_STRUCT.size)
    body = length_bytes and _receive_bytes(connection, _LENGTH_STRUCT.unpack(length_bytes)[0])
    return pickle.loads(body) if body else None  # noqa: S301  (the worker that it serves wrote it)


def _receive_bytes(connection: socket.socket, length: int) -> bytes:
    received_bytes = bytearray()
    while len(received_bytes) < length:
        received_part = connection.recv(min(length - len(received_bytes), 1 << 20))
        if not received_part:
            return b""
        received_bytes += received_part
    return bytes(received_bytes)


def encode_exit_status(status: int) -> bytes:
    """Return the bytes that are written to the connection of an ended child."""
    return _EXIT_STATUS_STRUCT.pack(_EXIT_STATUS_MARK, status)


class Inbox:
    """The frames that have arrived from a child."""

    def __init__(self) -> None:
        self._received = bytearray()

    def add_bytes(self, received_part: bytes) -> None:
        """Add bytes as they arrive."""
        self._received += received_part

    def take_value(self) -> tuple[Any] | None:
        """Return the value of the next complete frame, in a tuple because it may be None; None if there is no
        such frame.

        Raises UnpicklingError if the answer is not a plain value.
        """
        if len(self._received) < _LENGTH_STRUCT.size or self._received.startswith(_EXIT_STATUS_MARK):
            return None
        frame_end = _LENGTH_STRUCT.size + _LENGTH_STRUCT.unpack_from(self._received)[0]
        if len(self._received) < frame_end:
            return None
        body = bytes(self._received[_LENGTH_STRUCT.size : frame_end])
        del self._received[:frame_end]
        return (_ValueUnpickler(io.BytesIO(body)).load(),)

    def get_exit_status(self) -> int | None:
        """Return the exit status that follows the child's last frame, or None if there is none."""
        if len(self._received) < _EXIT_STATUS_STRUCT.size:
            return None
        end_mark, status = _EXIT_STATUS_STRUCT.unpack(self._received[-_EXIT_STATUS_STRUCT.size :])
        return int(status) if end_mark == _EXIT_STATUS_MARK else None
