"""A running service for the client: `citegraph serve` and a worker as processes, and tenants of its own."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from citegraph_client import Citegraph
from sqlalchemy import URL

from app.settings import Settings
from tests.support.containers import valkey_server
from tests.support.database_copies import copy_database, drop_database
from tests.support.pooler import as_app
from tests.support.service import OPERATOR_KEY, await_ready, command, free_port


@dataclass(frozen=True)
class Service:
    """Where it listens."""

    url: str

    def tenant(self, name: str) -> str:
        """The key of a new tenant."""
        with Citegraph(self.url, OPERATOR_KEY) as operator:
            return operator.create_tenant(f"{name} {secrets.token_hex(4)}").api_key.token


@pytest.fixture(scope="session")
def service(admin_url: URL, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("clients")
    url = admin_url.set(database=f"citegraph_clients_{secrets.token_hex(6)}")
    assert url.database is not None
    copy_database(admin_url, url.database, template=template)
    try:
        with valkey_server(folder) as redis_url:
            settings = Settings(
                database_url=as_app(url).render_as_string(hide_password=False),
                redis_url=redis_url,
                home=folder / "home",
                operator_key=OPERATOR_KEY,
                port=free_port(),
                worker_concurrency=1,
                communities=False,
                summaries=False,
            )
            with command(settings, "serve", folder) as api, command(settings, "worker", folder):
                await_ready(settings.port, api, folder)
                yield Service(f"http://127.0.0.1:{settings.port}")
    finally:
        drop_database(admin_url, url.database)
