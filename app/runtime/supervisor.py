"""The embedded servers of an installation without configured addresses."""

from pathlib import Path
from typing import Self

from app.errors import ConfigurationError
from app.runtime.postgres import EmbeddedPostgres
from app.runtime.server import EmbeddedServer
from app.runtime.valkey import EmbeddedValkey


class EmbeddedServers:
    """Postgres and Valkey in one folder, each only if requested.

    Several processes may use one folder at a time; the last to stop ends the servers. Their data is kept for
    the next start, unless `keeps_data` is off.
    """

    def __init__(
        self, folder: Path, *, postgres: bool = True, valkey: bool = True, keeps_data: bool = True
    ) -> None:
        self._keeps_data = keeps_data
        self._postgres = EmbeddedPostgres(folder / "postgres") if postgres else None
        self._valkey = EmbeddedValkey(folder / "valkey") if valkey else None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def postgres(self) -> EmbeddedPostgres:
        """Return the database server. Raises ConfigurationError if it was not requested."""
        if self._postgres is None:
            raise ConfigurationError("No embedded Postgres was asked for.")
        return self._postgres

    @property
    def valkey(self) -> EmbeddedValkey:
        """Return the broker and cache server. Raises ConfigurationError if it was not requested."""
        if self._valkey is None:
            raise ConfigurationError("No embedded Valkey was asked for.")
        return self._valkey

    def start(self) -> None:
        """Start all requested servers. If one fails, the others are released and ConfigurationError is
        raised.
        """
        try:
            for server in self._list_servers():
                server.start()
        except BaseException:
            self.stop()
            raise

    def list_ended_servers(self) -> list[EmbeddedServer]:
        """Return the requested servers whose process has ended; `start` starts them again with their data."""
        return [server for server in self._list_servers() if server.pid() is None]

    def stop(self) -> None:
        """Release all servers. Raises ConfigurationError if one cannot be stopped."""
        failure: ConfigurationError | None = None
        for server in reversed(self._list_servers()):
            try:
                server.stop(discard=not self._keeps_data)
            except ConfigurationError as error:
                failure = failure or error
        if failure is not None:
            raise failure

    def database_url(self, user: str = "postgres") -> str:
        """Return the SQLAlchemy address of the embedded database. Raises ConfigurationError."""
        return self.postgres.url(user=user)

    def redis_url(self) -> str:
        """Return the address of the embedded Valkey for redis-py. Raises ConfigurationError."""
        return self.valkey.url()

    def celery_url(self) -> str:
        """Return the address of the embedded Valkey for Celery. Raises ConfigurationError."""
        return self.valkey.celery_url()

    def _list_servers(self) -> list[EmbeddedServer]:
        return [server for server in (self._postgres, self._valkey) if server is not None]
