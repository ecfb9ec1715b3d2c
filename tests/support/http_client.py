"""A plain HTTP client of one request a connection: what it measures is the server, not a pool of its own."""

import contextlib
import http.client
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Target:
    """Where the service listens, whose key is used, and from which loopback address the caller comes."""

    port: int
    key: str
    space_id: str = ""
    source: str = "127.0.0.1"
    host: str = "127.0.0.1"

    def bearer(self) -> dict[str, str]:
        """The header that carries the key; none without one."""
        return {"authorization": f"Bearer {self.key}"} if self.key else {}

    @property
    def space(self) -> str:
        """The path of the space."""
        return f"/v1/spaces/{self.space_id}"


@dataclass(frozen=True)
class Reply:
    """An answer and the seconds until its last byte."""

    status: int
    headers: Mapping[str, str]
    raw: bytes
    seconds: float

    @property
    def body(self) -> Any:
        """The answer as JSON; None for an empty one."""
        return json.loads(self.raw) if self.raw else None


@dataclass(frozen=True)
class Call:
    """One request to be made, perhaps many times."""

    method: str
    path: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def json(cls, method: str, path: str, body: object) -> "Call":
        """A request whose body is JSON."""
        return cls(method, path, json.dumps(body).encode(), {"content-type": "application/json"})

    @classmethod
    def form(cls, path: str, *files: tuple[str, str, bytes], **fields: str) -> "Call":
        """A form with files, each as name, media type and content."""
        boundary = "a-boundary-of-the-tests"
        parts = [
            f'--{boundary}\r\ncontent-disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in fields.items()
        ]
        for name, media, content in files:
            head = f'content-disposition: form-data; name="file"; filename="{name}"\r\ncontent-type: {media}'
            parts.append(f"--{boundary}\r\n{head}\r\n\r\n".encode() + content + b"\r\n")
        body = b"".join(parts) + f"--{boundary}--\r\n".encode()
        return cls("POST", path, body, {"content-type": f"multipart/form-data; boundary={boundary}"})


def send(target: Target, call: Call, *, timeout: float = 30.0) -> Reply:
    """The answer over a connection of its own. Raises OSError or HTTPException where there is none in
    time.
    """
    begun = time.monotonic()
    connection = http.client.HTTPConnection(
        target.host, target.port, timeout=timeout, source_address=(target.source, 0)
    )
    try:
        connection.connect()
        # Refused before all was sent: the answer may be there all the same.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request(call.method, call.path, call.body, {**target.bearer(), **call.headers})
        answer = connection.getresponse()
        raw = answer.read()
    finally:
        connection.close()
    fields = {name.lower(): value for name, value in answer.getheaders()}
    return Reply(answer.status, fields, raw, time.monotonic() - begun)


def get(target: Target, path: str, *, timeout: float = 30.0) -> Reply:
    """The answer to a GET."""
    return send(target, Call("GET", path), timeout=timeout)


def post(target: Target, path: str, body: object, *, timeout: float = 30.0) -> Reply:
    """The answer to a POST of JSON."""
    return send(target, Call.json("POST", path, body), timeout=timeout)
