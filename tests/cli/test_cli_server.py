"""Commands that hand files to a server: what it refuses, what is wrong with address or key, and who waits."""

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread, Timer
from typing import Any

import pytest
from sqlalchemy import URL

from app.cli.targets import server as server_target
from app.db.database import Database
from app.settings import Settings
from app.tenancy.tenants import quotas
from tests.api.conftest import assembled, make_keys, serving
from tests.cli.conftest import Call, read_json
from tests.conftest import Home, make_home
from tests.support.ingest import make_runner
from tests.support.service import free_port


@pytest.fixture
def keys(
    app_url: URL, database: Database, home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, str]]:
    """The tenant's keys for a server that variables name, with the one that reads and writes."""
    keys = make_keys(database, home)
    with assembled(app_url, tmp_path / "server") as parts, serving(parts) as (host, port):
        monkeypatch.setenv("CITEGRAPH_URL", f"http://{host}:{port}/")
        monkeypatch.setenv("CITEGRAPH_API_KEY", keys["full"])
        yield keys


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "papers"
    path.mkdir()
    (path / "one.txt").write_text("Ada Lovelace created Analytical Engine.\n")
    with zipfile.ZipFile(path / "old.zip", "w") as archive:
        archive.writestr("two.md", "# Engines\n\nCharles Babbage created Difference Engine.\n")
        archive.writestr("picture.raw", "no text")
    return path


def test_ingest_hands_files_and_archives_to_a_server(
    citegraph: Call, database: Database, settings: Settings, home: Home, keys: dict[str, str], folder: Path
) -> None:
    (folder / "broken.docx").write_bytes(b"no archive")
    handed = citegraph("ingest", folder, "--space", "library", "--trust", "0.5", "--json")
    assert handed.exit_code == 1
    assert "broken.docx" in handed.stderr
    make_runner(database, settings).drain()
    (folder / "broken.docx").unlink()
    again = read_json(citegraph("ingest", folder, "--space", "library", "--wait", "--json"))
    assert {row["source_uri"]: row["outcome"] for row in again["documents"]} == {
        "file:papers/one.txt": "unchanged",
        "file:papers/old.zip/two.md": "unchanged",
    }
    assert [row["code"] for row in again["passed_over"]] == ["unknown_format"]
    listed = read_json(citegraph("documents", "list", "--space", "library", "--json"))
    assert {row["state"] for row in listed} == {"ready"}
    shown = read_json(citegraph("documents", "show", listed[0]["id"], "--space", "library", "--json"))
    assert shown["trust"] == 0.5


def test_an_estimate_comes_from_the_server(citegraph: Call, keys: dict[str, str], folder: Path) -> None:
    shown = read_json(citegraph("ingest", folder, "--space", "library", "--estimate", "--json"))
    here = read_json(
        citegraph(
            *("ingest", folder, "--space", "library", "--estimate", "--json"),
            *("--server", "", "--tenant", "tenant-a"),
        )
    )
    assert [row["code"] for row in shown["passed_over"]] == ["unknown_format"]
    assert shown == here
    assert shown["documents"] == 2
    assert shown["skipped"] == []
    named = citegraph("ingest", folder, "--space", "library", "--estimate").stdout
    assert "Passed over: 1 file or folder." in named


def test_extractions_go_to_a_server(
    citegraph: Call, database: Database, settings: Settings, home: Home, keys: dict[str, str], tmp_path: Path
) -> None:
    lines = tmp_path / "facts.jsonl"
    lines.write_text(
        '{"title": "Facts", "chunks": [{"text": "Ada created Notes.", "entities": [], "triples": []}]}\n'
    )
    handed = read_json(citegraph("ingest", lines, "--space", "library", "--extractions", "--json"))
    assert [row["outcome"] for row in handed["documents"]] == ["created"]
    make_runner(database, settings).drain()
    listed = read_json(citegraph("documents", "list", "--space", "library", "--json"))
    assert [(row["format"], row["state"]) for row in listed] == [("extraction", "ready")]


def test_a_batch_that_is_too_large_goes_in_halves(
    citegraph: Call, keys: dict[str, str], folder: Path
) -> None:
    """The server of these tests takes 400,000 bytes at once; the largest file is over that."""
    for number in range(8):
        (folder / f"long-{number}.txt").write_text(f"Ada knows Eve{number}. " + "x" * 90_000)
    (folder / "longest.txt").write_text("y" * 700_000)
    handed = citegraph("ingest", folder, "--space", "library", "--json")
    assert f"Skipped {folder}/longest.txt" in handed.stderr, handed.stderr
    listed = read_json(citegraph("documents", "list", "--space", "library", "--json"))
    assert len(listed) == 10


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"CITEGRAPH_API_KEY": "cg_live_nobody"}, "does not know this API key"),
        ({"CITEGRAPH_API_KEY": "READ"}, "needs a key with the scope write"),
        ({"CITEGRAPH_API_KEY": ""}, "to a key of"),
        ({"CITEGRAPH_URL": "http://127.0.0.1:{closed}"}, "cannot be reached"),
        ({"CITEGRAPH_URL": "127.0.0.1:8080"}, "cannot be reached"),
    ],
)
def test_what_is_wrong_with_address_or_key_is_one_sentence(
    citegraph: Call,
    keys: dict[str, str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, str],
    sentence: str,
) -> None:
    monkeypatch.setattr(server_target, "_FIRST_REQUEST_SECONDS", 0.0)
    monkeypatch.setattr(server_target, "_SECONDS_BEFORE_NOTE", 60.0)
    for name, value in change.items():
        value = keys["read"] if value == "READ" else value.format(closed=free_port())
        monkeypatch.setenv(name, value)
    for command in ("sync", "ingest"):
        refused = citegraph(command, folder, "--space", "library")
        assert refused.exit_code == 1
        # A key that reads shows what there is to do.
        assert (refused.stdout == "") is (value != keys["read"] or command == "ingest")
        assert sentence in refused.stderr
        said = [line for line in refused.stderr.splitlines() if "[warning" not in line]
        assert [line for line in said if not line.startswith("The space library")] == said[-1:]


def test_a_server_that_starts_is_waited_for(
    citegraph: Call,
    database: Database,
    home: Home,
    app_url: URL,
    folder: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The command says so after a moment, and goes on when the server answers."""
    port = free_port()
    monkeypatch.setenv("CITEGRAPH_URL", f"http://127.0.0.1:{port}")
    monkeypatch.setenv("CITEGRAPH_API_KEY", make_keys(database, home)["full"])
    with assembled(app_url, tmp_path / "server") as parts, ExitStack() as running_server:
        start = Timer(4.0, running_server.enter_context, [serving(parts, port)])
        start.start()
        submitted = citegraph("ingest", folder, "--space", "library")
        start.join()
    assert submitted.exit_code == 0, submitted.stderr
    (note,) = [line for line in submitted.stderr.splitlines() if line.startswith("Waiting")]
    assert f"Waiting up to 30 seconds for http://127.0.0.1:{port} (ConnectError" in note


def test_an_unknown_space_and_another_tenant_are_refused(
    citegraph: Call, database: Database, keys: dict[str, str], folder: Path
) -> None:
    theirs = make_home(database, "tenant-b", "theirs")
    for space in ("nowhere", "theirs", str(theirs.space_id)):
        refused = citegraph("sync", folder, "--space", space)
        assert refused.exit_code == 1
        assert f"No such space within reach of this key: {space}" in refused.stderr
    assert citegraph("sync", folder, "--space", "library", "--tenant", "tenant-b").exit_code == 2


def test_a_quota_says_how_much_there_may_be(
    citegraph: Call, database: Database, home: Home, keys: dict[str, str], folder: Path
) -> None:
    with database.open_platform() as platform:
        quotas.change_quotas_and_unpark_jobs(platform, home.tenant_id, {"documents": 1}, actor="test")
    refused = citegraph("sync", folder, "--space", "library")
    assert refused.exit_code == 1
    assert "The tenant may have 1 document and" in refused.stderr


def test_something_else_at_the_address_is_no_server(
    citegraph: Call, keys: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<html>Welcome</html>")

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        monkeypatch.setenv("CITEGRAPH_URL", f"http://127.0.0.1:{other.server_port}")
        refused = citegraph("sync", folder, "--space", "library")
        other.shutdown()
    assert "is not a Citegraph server" in refused.stderr


def test_nothing_of_a_database_is_needed(
    citegraph: Call, keys: dict[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CITEGRAPH_DATABASE_URL")
    monkeypatch.delenv("CITEGRAPH_REDIS_URL")
    monkeypatch.setenv("CITEGRAPH_HOME", str(folder.parent / "empty"))
    assert citegraph("ingest", folder, "--space", "library").exit_code == 0
    assert not (folder.parent / "empty").exists()
