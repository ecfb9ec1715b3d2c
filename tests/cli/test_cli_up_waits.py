"""`citegraph up` waits for an API that takes long to start, says for what, and not for a child that ended."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.cli import servers
from app.cli.processes.children import ChildProcess
from app.errors import ConfigurationError
from app.settings import Settings


@pytest.fixture
def slow_settings(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with a free port; a note after each tenth of a second."""
    monkeypatch.setattr(servers, "_NOTE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    return settings.model_copy(
        update={"host": "127.0.0.1", "port": port, "redis_url": "redis://127.0.0.1:1/0"}
    )


@pytest.fixture
def api(slow_settings: Settings) -> Iterator[list[tuple[int, dict[str, Any]]]]:
    """An API that says these things in turn, and the last one for ever."""
    answers: list[tuple[int, dict[str, Any]]] = []

    class Api(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers[0] if len(answers) == 1 else answers.pop(0)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", slow_settings.port), Api)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield answers
    server.shutdown()
    thread.join()
    server.server_close()


def test_waits_for_an_api_that_is_not_ready_and_says_why(
    slow_settings: Settings, api: list[tuple[int, dict[str, Any]]], capsys: pytest.CaptureFixture[str]
) -> None:
    api[:] = [(503, {"detail": "The database has an older schema."})] * 4 + [(200, {})]
    servers._wait_until_api_is_ready(slow_settings, [])
    notes = " ".join(capsys.readouterr().err.split())
    assert "Still starting after 0 seconds: The database has an older schema." in notes


def test_gives_up_with_the_reason(slow_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "_READY_SECONDS", 0.3)
    with pytest.raises(ConfigurationError, match="does not answer yet, as on a busy machine"):
        servers._wait_until_api_is_ready(slow_settings, [])


def test_does_not_wait_for_a_child_that_ended(slow_settings: Settings, tmp_path: Path) -> None:
    child = ChildProcess(slow_settings, "no-such-command", log_path=tmp_path / "log")
    try:
        with pytest.raises(ConfigurationError, match="`citegraph no-such-command` ended by itself"):
            servers._wait_until_api_is_ready(slow_settings, [child])
    finally:
        child.stop()
