"""The embedded Valkey takes both kinds of address and survives kills: real servers, real kills."""

import os
import signal
from pathlib import Path

import pytest
import redis
from kombu.connection import Connection

from app.errors import ConfigurationError
from app.runtime.process import is_process_alive
from app.runtime.valkey import EmbeddedValkey
from tests.runtime.helpers import server_user, wait_until

pytestmark = pytest.mark.slow


class TestStartAndStop:
    def test_redis_py_reads_what_celery_sends_and_nothing_is_evicted(self, folder: Path) -> None:
        with EmbeddedValkey(folder) as server:
            with Connection(server.celery_url(1)) as connection, connection.SimpleQueue("letters") as queue:
                queue.put({"text": "hello"})
            with redis.Redis.from_url(server.url(1)) as client:
                assert client.llen("letters") == 1
                assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
            with Connection(server.celery_url(1)) as connection, connection.SimpleQueue("letters") as queue:
                assert queue.get(timeout=5).payload == {"text": "hello"}
        assert not server.is_running()

    def test_listens_on_no_port(self, folder: Path) -> None:
        with EmbeddedValkey(folder) as server, redis.Redis.from_url(server.url()) as client:
            assert client.config_get("port") == {"port": "0"}

    def test_starting_twice_needs_one_stop(self, folder: Path) -> None:
        server = EmbeddedValkey(folder)
        server.start()
        first = server.pid()
        server.start()
        assert server.pid() == first
        server.stop()
        assert server.pid() is None

    def test_a_long_path_with_spaces_and_signs(self, folder: Path) -> None:
        deep = folder / 'it\'s 100% "ours" & é?' / ("long" * 25)
        with EmbeddedValkey(deep) as server, redis.Redis.from_url(server.url()) as client:
            assert client.ping()

    def test_a_short_path_with_spaces_and_signs(self, folder: Path) -> None:
        with EmbeddedValkey(folder / "a b%41?c#d") as server:
            with redis.Redis.from_url(server.url()) as client:
                assert client.ping()
            with Connection(server.celery_url()) as connection:
                connection.ensure_connection(max_retries=0)

    def test_a_folder_that_cannot_be_made(self, folder: Path) -> None:
        folder.write_text("a file, not a folder")
        with pytest.raises(ConfigurationError, match="cannot be made"):
            EmbeddedValkey(folder).start()


class TestKills:
    def test_comes_back_empty_after_kill_9_of_the_server(self, folder: Path) -> None:
        with EmbeddedValkey(folder) as server:
            first = server.pid()
            assert first is not None
            with redis.Redis.from_url(server.url()) as client:
                client.set("kept", "no")
            os.kill(first, signal.SIGKILL)
            wait_until(lambda: not is_process_alive(first), what="the killed server is gone")
            assert not server.is_running()
            server.start()
            with redis.Redis.from_url(server.url()) as client:
                assert client.get("kept") is None

    def test_a_stale_pid_file_that_names_another_program_is_overruled(self, folder: Path) -> None:
        with EmbeddedValkey(folder):
            pass
        (folder / "home" / "valkey.pid").write_text(f"{os.getpid()}\n")
        with EmbeddedValkey(folder) as server:
            assert server.pid() not in (None, os.getpid())

    def test_the_server_of_a_killed_owner_is_adopted_and_stopped(self, folder: Path) -> None:
        with server_user("valkey", folder) as owner:
            owner.kill()
            with EmbeddedValkey(folder) as server:
                assert server.pid() == owner.pid
        assert not is_process_alive(owner.pid)

    def test_the_server_of_a_killed_owner_ends_when_nobody_comes(self, folder: Path) -> None:
        with server_user("valkey", folder, linger=0.1) as owner:
            owner.kill()
            wait_until(
                lambda: not is_process_alive(owner.pid), what="the watchdog stops the abandoned server"
            )
            assert not is_process_alive(owner.pid)

    def test_two_processes_starting_at_once_share_one_server(self, folder: Path) -> None:
        with (
            server_user("valkey", folder, started=False) as one,
            server_user("valkey", folder, started=False) as two,
        ):
            one.await_start()
            two.await_start()
            assert one.pid == two.pid
            assert one.close() == 0
            assert is_process_alive(two.pid)
        assert not is_process_alive(one.pid)
