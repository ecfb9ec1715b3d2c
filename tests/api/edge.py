"""`citegraph serve` as a process of its own, and raw sockets to it."""

import os
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.api.conftest import OPERATOR_KEY, World
from tests.support.service import free_port

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Served:
    """A running server."""

    port: int
    pid: int
    log_file: Path

    def log(self) -> str:
        return self.log_file.read_text()

    def connect(self, source: str = "127.0.0.1", *, timeout: float = 20.0) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout, (source, 0))

    def hold(self, count: int, source: str = "127.0.0.1", *, first: bytes = b"") -> ExitStack:
        """So many connections that say no more than `first`, open until the stack closes."""
        held = ExitStack()
        for _ in range(count):
            connection = held.enter_context(self.connect(source))
            if first:
                connection.sendall(first)
        return held

    def get(self, path: str, key: str = "", *, source: str = "127.0.0.1") -> int:
        """The status of a request on a connection of its own."""
        authorization = f"authorization: Bearer {key}\r\n" if key else ""
        request = f"GET {path} HTTP/1.1\r\nhost: x\r\n{authorization}connection: close\r\n\r\n"
        return int(self.exchange(request.encode(), source=source).split()[1])

    def exchange(self, request: bytes, *, source: str = "127.0.0.1", timeout: float = 20.0) -> bytes:
        """All that the server says to these bytes until it hangs up."""
        with self.connect(source, timeout=timeout) as connection:
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(request)
            return read_all(connection)

    def metric(self, line: str) -> float:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=10) as answer:
            for response_line in answer.read().decode().splitlines():
                if response_line.startswith(line + " "):
                    return float(response_line.rsplit(" ", 1)[1])
        return 0.0


def read_all(connection: socket.socket) -> bytes:
    received = b""
    with suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            received += part
    return received


@contextmanager
def serve(world: World, folder: Path, **settings: object) -> Iterator[Served]:
    """The command as a user starts it, over the world's database."""
    port = free_port()
    given = world.citegraph.settings
    chosen = {
        "database_url": given.database_url,
        "redis_url": given.redis_url,
        "home": folder,
        "operator_key": OPERATOR_KEY,
        "port": port,
        **settings,
    }
    environment = {
        **os.environ,
        **{f"CITEGRAPH_{name.upper()}": str(value) for name, value in chosen.items()},
    }
    log_file = folder / "serve.log"
    with log_file.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", "serve"],
            cwd=PROJECT,
            env={**environment, "PYTHONUNBUFFERED": "1"},
            stdout=log,
            stderr=log,
        )
    served = Served(port, process.pid, log_file)
    try:
        deadline = time.monotonic() + 60
        while True:
            with suppress(OSError):
                if served.get("/readyz") == 200:
                    break
            assert time.monotonic() < deadline, served.log()
            assert process.poll() is None, served.log()
            time.sleep(0.1)
        yield served
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise


@contextmanager
def descriptors(count: int) -> Iterator[None]:
    """Room for so many in this process."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, count), hard), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
