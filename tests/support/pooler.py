"""A real PgBouncer in transaction mode before this run's Postgres, for tests."""

import os
import pwd
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from app.db.roles import APP
from tests.support.needs import demand, program
from tests.support.service import free_port


@contextmanager
def bouncing(server: URL, folder: Path, *, connections: int = 2, login: str = APP) -> Iterator[URL]:
    """The same server's address through a PgBouncer that shares so few connections, for one login.

    Skips the test where there is no such program: it is in no Python package (`apt-get install pgbouncer`).
    """
    demand("pgbouncer")
    bouncer_program = program("pgbouncer")
    assert bouncer_program is not None
    host = str(server.query.get("host") or server.host)
    port = str(server.query.get("port") or server.port or 5432)
    listening = free_port()
    password = f" password={server.password}" if server.password else ""
    folder.mkdir(mode=0o755, exist_ok=True)
    (folder / "users.txt").write_text(f'"{login}" ""\n')
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n* = host={host} port={port} user={login}{password}\n[pgbouncer]\npool_mode ="
        f" transaction\nauth_type = trust\nauth_file = {folder}/users.txt\nlisten_addr ="
        f" 127.0.0.1\nlisten_port = {listening}\nunix_socket_dir =\ndefault_pool_size ="
        f" {connections}\nmax_client_conn = 200\nignore_startup_parameters = extra_float_digits\n"
    )
    command = [bouncer_program, "--quiet", str(folder / "pgbouncer.ini")]
    if os.geteuid() == 0:
        # It refuses to run as root: as whoever owns the server's socket, or as nobody where that is over TCP.
        account = pwd.getpwuid(os.stat(host).st_uid).pw_name if host.startswith("/") else "nobody"
        command[1:1] = ["--user", account]
        readable = folder
        while readable.stat().st_mode & 0o005 != 0o005:
            readable.chmod(readable.stat().st_mode | 0o055)
            readable = readable.parent
    bouncer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = server.set(
        username=login, password=None, host="127.0.0.1", port=listening, query={"sslmode": "disable"}
    )
    try:
        _wait_until_it_answers(address, bouncer)
        yield address
    finally:
        bouncer.terminate()
        bouncer.wait(10)


UNPREPARED = "a pooler in transaction mode knows of no prepared statements: none is kept"
"""Why tests of kept plans are `unpooled`."""
# The run's server and the pooler before it. They stand here and not in the conftest, which pytest loads
# under a name of its own: whoever imported it from there had another copy, and came to the server itself.
_run: list[tuple[URL, URL]] = []


@contextmanager
def application_pooled(server: URL, folder: Path) -> Iterator[None]:
    """Have the application come through a pooler, of eight connections a database: `as_app` leads there."""
    with bouncing(server, folder, connections=8) as address:
        _run.append((server, address))
        yield
        _run.clear()


def as_app(url: URL) -> URL:
    """The address by which the application comes: its own login, and under `--pooled` the pooler where one
    stands before that server.
    """
    for server, address in _run:
        if (url.host, url.port, url.query) == (server.host, server.port, server.query):
            return address.set(database=url.database)
    return url.set(username=APP)


def _wait_until_it_answers(address: URL, bouncer: subprocess.Popen[bytes]) -> None:
    for _ in range(100):
        assert bouncer.poll() is None, "PgBouncer ended at once"
        try:
            psycopg.connect(convert_to_conninfo(address), connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.05)
        else:
            return
    pytest.fail("PgBouncer does not answer")
