"""A real streaming replica of an embedded Postgres, whose replay a test can stop and let go on."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import psycopg
import pytest
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.roles import APP
from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.process import is_process_alive, run_as_account
from app.runtime.server_directory import Layout

PATIENCE = 120.0
"""Seconds after which a test gives up waiting for a state, and says what it found."""


class _Standby(EmbeddedPostgres):
    """Starts as a copy of another server, and follows it."""

    def __init__(self, folder: Path, primary: URL) -> None:
        super().__init__(folder)
        self._primary = primary

    def _prepare(self, layout: Layout) -> None:
        data = layout.home / "data"
        if (data / "PG_VERSION").is_file():
            return
        command = [str(self._fitting(layout, "pg_basebackup")), "--pgdata", str(data), "--wal-method=stream"]
        command += ["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "--username=postgres"]
        host, port = self._primary.query["host"], self._primary.query["port"]
        done = run_as_account(
            layout.account, [*command, "--host", unquote(str(host)), "--port", str(port)], cwd=layout.home
        )
        if done.returncode != 0:
            raise ConfigurationError(f"pg_basebackup failed: {done.stdout.strip()[-500:]}")

    def _fitting(self, layout: Layout, name: str) -> Path:
        """The program beside the server's own, which its user can read."""
        return Path(self._build_command(layout)[0]).with_name(name)


@dataclass(frozen=True)
class StreamingReplica:
    """The replica, and the server that it follows."""

    server: _Standby
    primary: URL

    def url(self, database: str, *, user: str = APP) -> str:
        """The address of one of its databases, for the application."""
        return self.server.url(database, user)

    def pause(self) -> None:
        """Replay nothing from here on; what comes in is kept."""
        self._run("SELECT pg_wal_replay_pause()")
        wait_until(lambda: self._run("SELECT pg_get_wal_replay_pause_state()") == "paused", "replay to pause")

    def resume(self) -> None:
        """Replay again."""
        self._run("SELECT pg_wal_replay_resume()")

    def catch_up(self) -> None:
        """Wait until it has replayed all that the primary has written by now."""
        with psycopg.connect(convert_to_conninfo(self.primary), autocommit=True) as connection:
            found = connection.execute("SELECT pg_current_wal_flush_lsn()::text").fetchone()
        assert found is not None
        there = f"SELECT pg_last_wal_replay_lsn() >= '{found[0]}'"
        wait_until(lambda: self._run(there) is True, "the replica to catch up")

    def promote(self) -> None:
        """Let it take writes, as a failover does."""
        assert self._run("SELECT pg_promote(true, 600)") is True

    def kill(self) -> None:
        """End it as a machine that fails does, and wait until it is gone."""
        pid = self.server.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not is_process_alive(pid), "the replica to die")

    def start(self) -> None:
        """Start it again."""
        self.server.start()

    def _run(self, statement: str) -> object:
        with psycopg.connect(
            convert_to_conninfo(convert_to_psycopg_url(self.server.url("postgres"))), autocommit=True
        ) as connection:
            found = connection.execute(statement.encode()).fetchone()
        return None if found is None else found[0]


@contextmanager
def streaming_replica(folder: Path, primary: URL) -> Iterator[StreamingReplica]:
    """A replica of that server, made by pg_basebackup, and deleted afterwards."""
    server = _Standby(folder, primary)
    server.start()
    try:
        yield StreamingReplica(server, primary)
    finally:
        server.stop(discard=True)


def wait_until(reached: Callable[[], bool], what: str, *, found: Callable[[], object] = lambda: "") -> None:
    """Return once that is so; fail after long, with what was found then."""
    deadline = time.monotonic() + PATIENCE
    while not reached():
        if time.monotonic() > deadline:
            pytest.fail(f"gave up waiting for {what}; found {found()}")
        time.sleep(0.02)
