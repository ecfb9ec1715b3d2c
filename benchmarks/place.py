"""Where a benchmark runs: a database server, a new tenant's space in it, and the API's process."""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.db.database import Database
from app.ids import SpaceId, TenantId
from app.llm.embedding.hashed import HashedEmbedder
from app.runtime.supervisor import EmbeddedServers
from app.space_settings import SpaceSettings
from app.tenancy.spaces import service as spaces
from app.tenancy.tenants import service as tenants

OWN = SpaceSettings()


@contextmanager
def server(url: str | None) -> Iterator[str]:
    """A superuser's URL: the one given, else that of an embedded server, which is thrown away at the end."""
    if url is not None:
        yield url
        return
    with (
        tempfile.TemporaryDirectory() as home,
        EmbeddedServers(Path(home), postgres=True, valkey=False, keeps_data=False) as servers,
    ):
        yield servers.postgres.url(database="postgres")


def new_space(database: Database, name: str, own: SpaceSettings = OWN) -> tuple[TenantId, SpaceId]:
    """The only space of a new tenant of that name, with vectors of hashed n-grams."""
    with database.open_platform() as platform:
        tenant_id = TenantId(tenants.create_tenant(platform, name=name, actor="bench").id)
    with database.open_tenant(tenant_id) as tenant:
        space = spaces.create_space(
            tenant,
            name="s",
            embedding_model=HashedEmbedder.model,
            embedding_dimensions=HashedEmbedder.dimensions,
            actor="bench",
            settings=own,
        )
    return tenant_id, SpaceId(space.id)


@dataclass(frozen=True, slots=True)
class Served:
    """A process of `citegraph serve` that answers, and the seconds from its start to its first answer."""

    pid: int
    ready: float


@contextmanager
def serving(environment: dict[str, str], port: int) -> Iterator[Served]:
    """A process of `citegraph serve` for as long as the block lasts."""
    began = time.monotonic()
    command = [str(Path(sys.executable).with_name("citegraph")), "serve"]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, env={**os.environ, **environment}, stdout=log, stderr=log)
        try:
            while True:
                try:
                    urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
                    break
                except OSError:
                    if server.poll() is not None or time.monotonic() - began > 60:
                        log.seek(0)
                        raise RuntimeError(log.read().decode()[-2_000:]) from None
                    time.sleep(0.02)
            yield Served(server.pid, time.monotonic() - began)
        finally:
            server.terminate()
            server.wait()
