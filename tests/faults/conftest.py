"""Servers, workers and an API that a test may really stop, kill and restart: nobody else uses them."""

import http.client
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.valkey import EmbeddedValkey
from app.settings import Settings
from app.shipped_files import PROJECT
from app.tenancy.tenants import api_keys
from app.wiring import open_database
from tests.conftest import Home, _execute
from tests.support.citus import LEASE_SECONDS, coordinator
from tests.support.database_copies import copy_database, distributed_template, drop_database, hurried
from tests.workers.conftest import Workers, wait_until
from workers.broker import Broker

STEPPING = "tests.faults.stepping_worker"


KILLED_ELSEWHERE = "kills its server: tests/faults/test_faults_nodes.py kills those of a cluster"


@pytest.fixture(scope="session")
def postgres(
    tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Iterator[EmbeddedPostgres]:
    """The server of this test process alone, whatever server the other tests use."""
    if pytestconfig.getoption("--citus"):
        pytest.skip(KILLED_ELSEWHERE)
    server = EmbeddedPostgres(tmp_path_factory.mktemp("faults") / "postgres")
    server.start()
    yield server
    server.stop(discard=True)


@pytest.fixture(scope="session")
def admin_url(request: pytest.FixtureRequest, pytestconfig: pytest.Config) -> URL:
    """A superuser's address of it, in place of the shared server's. What is killed here are processes, and
    what they wrote is in the kernel's cache.
    """
    if pytestconfig.getoption("--citus"):
        return coordinator()
    postgres: EmbeddedPostgres = request.getfixturevalue("postgres")
    return hurried(convert_to_psycopg_url(postgres.url(database="postgres")))


@pytest.fixture(scope="session")
def template(admin_url: URL, pytestconfig: pytest.Config) -> Iterator[str]:
    """The name of a migrated, empty database to copy."""
    if pytestconfig.getoption("--citus"):
        with distributed_template(admin_url) as name:
            yield name
        return
    name = f"citegraph_template_{secrets.token_hex(4)}"
    _execute(admin_url, f"CREATE DATABASE {name}")
    migrate(str(admin_url.set(database=name).render_as_string(hide_password=False)))
    yield name


@pytest.fixture
def privileged_url(
    request: pytest.FixtureRequest, admin_url: URL, template: str, pytestconfig: pytest.Config
) -> Iterator[URL]:
    """A copy of the template as a superuser sees it. A server that a test left dead is brought back."""
    clustered = pytestconfig.getoption("--citus")
    server: EmbeddedPostgres | None = None if clustered else request.getfixturevalue("postgres")
    if server is not None:
        server.start()
    name = f"citegraph_fault_{secrets.token_hex(6)}"
    copy_database(admin_url, name, template=template)
    yield admin_url.set(database=name)
    if server is not None:
        server.start()
    drop_database(admin_url, name)


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    """A broker of this test's own."""
    server = EmbeddedValkey(tmp_path / "valkey")
    server.start()
    yield server
    server.stop(discard=True)


@pytest.fixture
def settings(tmp_path: Path, app_url: URL, valkey: EmbeddedValkey, pytestconfig: pytest.Config) -> Settings:
    """Short leases and sweeps, so that a takeover takes seconds."""
    return Settings(
        # These tests count jobs: a second kind would be counted with them.
        communities=False,
        summaries=False,
        database_url=app_url.render_as_string(hide_password=False),
        redis_url=valkey.url(),
        home=tmp_path / "home",
        pool_size=4,
        job_lease=LEASE_SECONDS if pytestconfig.getoption("--citus") else 2.0,
        job_sweep=0.5,
        worker_concurrency=1,
    )


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    """The door of the submitting side, which wakes workers."""
    assert settings.database_url is not None
    assert settings.redis_url is not None
    broker = Broker(settings.redis_url)
    opened = open_database(settings.database_url, settings, wake=broker.wake)
    yield opened
    opened.dispose()
    broker.close()


@pytest.fixture
def workers(settings: Settings, tmp_path: Path) -> Iterator[Workers]:
    """Start and kill worker processes; all are gone at the end."""
    started = Workers(settings, tmp_path)
    yield started
    started.close()


@dataclass
class Asker:
    """Asks the database as a superuser, each time over a connection of its own: it may have been
    restarted.
    """

    url: URL

    def rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """The rows of the answer; none for a statement that returns none."""
        with psycopg.connect(convert_to_conninfo(self.url), autocommit=True) as connection:
            cursor = connection.execute(query.encode(), parameters or None)
            return cursor.fetchall() if cursor.description else []

    def value(self, query: str, *parameters: object) -> Any:
        """The one value of the answer."""
        return self.rows(query, *parameters)[0][0]

    def traces(self, *ids: object) -> dict[str, int]:
        """Table → rows that hold one of these ids in whatever column, as the catalogue lists them."""
        tables = self.rows(
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p')"
            " AND relnamespace = 'public'::regnamespace ORDER BY 1"
        )
        assert len(tables) > 10
        patterns = [f"%{id_}%" for id_ in ids]
        counts = {
            table: self.value(
                f"SELECT count(*) FROM {table} AS table_row WHERE table_row::text LIKE ANY(%s)", patterns
            )
            for (table,) in tables
        }
        return {table: count for table, count in counts.items() if count}


@pytest.fixture
def ask(privileged_url: URL) -> Asker:
    """Questions to this test's database, past all walls."""
    return Asker(privileged_url)


class Steps:
    """What stepping workers have reached, and the gates that hold them; see stepping_worker."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._shut = 0
        self.environment = {"STEPS_FOLDER": str(folder)}

    def shut(self, step: str) -> None:
        """The next worker at this step waits there."""
        self._shut += 1
        (self._folder / f"shut-{step}-{self._shut}").touch()

    def held(self, step: str) -> list[int]:
        """The processes that wait at the step."""
        return [int(path.name.rpartition("-")[2]) for path in self._folder.glob(f"held-{step}-*")]

    def await_held(self, step: str, count: int = 1) -> list[int]:
        """The same, once there are so many."""
        wait_until(lambda: len(self.held(step)) >= count, what=f"{count} workers at {step}")
        return self.held(step)

    def open(self) -> None:
        """Let everybody go on."""
        for path in (*self._folder.glob("shut-*"), *self._folder.glob("held-*")):
            path.unlink(missing_ok=True)

    def reached(self, step: str) -> list[int]:
        """The process of each time that the step was reached, in order."""
        path = self._folder / "steps"
        lines = path.read_text().splitlines() if path.exists() else []
        return [int(pid) for pid, name in map(str.split, lines) if name == step]


@pytest.fixture
def steps(tmp_path: Path) -> Iterator[Steps]:
    """Gates for this test's stepping workers; open at the end."""
    made = Steps(tmp_path / "steps")
    yield made
    made.open()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True)
class Reply:
    """An answer of the API, and the seconds that it took."""

    status: int
    headers: Mapping[str, str]
    body: Any
    seconds: float


@dataclass
class Api:
    """`uvicorn app.main:create_from_environment` as a process, on a Unix socket."""

    settings: Settings
    socket_path: str
    log: Path
    key: str
    process: subprocess.Popen[bytes] = field(init=False)

    def start(self) -> None:
        """It answers afterwards."""
        environment = {
            **os.environ,
            **{
                f"CITEGRAPH_{name.upper()}": str(value)
                for name, value in self.settings.model_dump(exclude_defaults=True).items()
            },
        }
        factory = ("--factory", "app.main:create_from_environment", "--no-access-log")
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.start", "uvicorn", *factory, "--uds", self.socket_path],
                cwd=PROJECT,
                env=environment,
                stdout=log,
                stderr=log,
            )
        wait_until(self._answers, what="the API")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()[-2000:]
        try:
            return self.call("GET", "/healthz").status == 200
        except OSError:
            return False

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        timeout: float = 30.0,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request over a connection of its own. Raises OSError where nobody answers in time."""
        begun = time.monotonic()
        connection = _UnixConnection(self.socket_path, timeout)
        sent = {
            "authorization": f"Bearer {self.key}",
            "content-type": "application/json",
            **(headers or {}),
        }
        try:
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        seconds = time.monotonic() - begun
        fields = {name.lower(): value for name, value in answer.getheaders()}
        return Reply(answer.status, fields, json.loads(text) if text else None, seconds)

    def post(self, home: Home, text: str, **more: object) -> Reply:
        """Hand in one text document."""
        body = {"documents": [{"text": text, **more}]}
        return self.call("POST", f"/v1/spaces/{home.space_id}/documents", body)

    def get_space(self, home: Home) -> Reply:
        """Read the space: the cheapest request that needs the database."""
        return self.call("GET", f"/v1/spaces/{home.space_id}")

    def close(self) -> None:
        """End the process."""
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(5)


def make_key(database: Database, home: Home) -> str:
    """A key of the home's tenant that may do everything."""
    with database.open_tenant(home.tenant_id) as tenant:
        _, token = api_keys.create_key(tenant, name="key", scopes=api_keys.SCOPES, actor="test")
    return token.token


@pytest.fixture
def start_api(
    settings: Settings, database: Database, home: Home, tmp_path: Path
) -> Iterator[Callable[..., Api]]:
    """Starts the API as a process, with settings changed as given, and the key of `home`'s tenant."""
    started: list[Api] = []
    with tempfile.TemporaryDirectory(prefix="cgf-") as folder:

        def start(**changes: object) -> Api:
            api = Api(
                settings.model_copy(update=changes),
                str(Path(folder) / f"{len(started)}.sock"),
                tmp_path / "api.log",
                make_key(database, home),
            )
            started.append(api)
            api.start()
            return api

        yield start
        for started_api in started:
            started_api.close()


@contextmanager
def frozen(*pids: int) -> Iterator[None]:
    """These processes stand still (SIGSTOP) inside the block."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def kill_immediately(server: EmbeddedPostgres) -> int:
    """Postgres' immediate shutdown, as after a crash: no session is asked; returns the dead process' id."""
    pid = server.pid()
    assert pid is not None
    os.kill(pid, signal.SIGQUIT)
    return pid
