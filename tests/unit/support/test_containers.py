"""The choice of a Docker engine for tests (review C7): the engine is asked, not the file system."""

import re
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingUnixStreamServer

import pytest

from tests.support import containers
from tests.support.containers import engine_answers, pinned_image


class _Engine(BaseHTTPRequestHandler):
    """Answers /_ping, which every version of the Docker API has."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/_ping" else 404)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"OK")

    def address_string(self) -> str:
        return "unix"

    def log_message(self, format: str, *arguments: object) -> None:
        pass


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[str]:
    """DOCKER_HOST of an engine that answers."""
    path = tmp_path / "docker.sock"
    with ThreadingUnixStreamServer(str(path), _Engine) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"unix://{path}"
        server.shutdown()


def test_an_engine_that_answers_is_used(engine: str) -> None:
    assert engine_answers({"DOCKER_HOST": engine})


def test_a_socket_file_without_an_engine_is_not(tmp_path: Path) -> None:
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    assert path.exists()
    assert not engine_answers({"DOCKER_HOST": f"unix://{path}"})


def test_an_engine_that_accepts_and_says_nothing_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, "_PING_SECONDS", 0.2)
    path = tmp_path / "docker.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        assert not engine_answers({"DOCKER_HOST": f"unix://{path}"})


@pytest.mark.parametrize(
    "host", ["tcp://127.0.0.1:1", "unix:///nowhere/docker.sock", "nonsense://", "tcp://:x"]
)
def test_a_host_that_refuses_is_not(host: str) -> None:
    assert not engine_answers({"DOCKER_HOST": host})


@pytest.mark.parametrize("service", ["postgres", "valkey"])
def test_images_are_named_by_digest(service: str) -> None:
    assert re.fullmatch(r"[a-z]+/[a-z]+@sha256:[0-9a-f]{64}", pinned_image(service))
