"""A Postgres server that no other test uses, for tests that change what belongs to a whole server: roles."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo, convert_to_psycopg_url
from app.db.migrate import migrate
from app.runtime.supervisor import EmbeddedServers
from tests.support.database_copies import hurried

TEMPLATE = "migrated"


@contextmanager
def migrated_server(folder: Path) -> Iterator[URL]:
    """A superuser's address of an embedded server whose database `TEMPLATE` is migrated, to be copied."""
    with EmbeddedServers(folder, postgres=True, valkey=False, keeps_data=False) as servers:
        admin = hurried(convert_to_psycopg_url(servers.postgres.url(database="postgres")))
        with psycopg.connect(convert_to_conninfo(admin), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {TEMPLATE}".encode())
        migrate(admin.set(database=TEMPLATE).render_as_string(hide_password=False))
        yield admin
