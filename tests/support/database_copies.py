"""What tests share of one server: copies of a migrated database, and turns at its roles."""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from sqlalchemy import URL

from app.db.engine import convert_to_conninfo
from tests.support.citus import make_distributed, nodes_of

# The data of a test run need not outlive the machine. They do outlive processes that are killed, for what is
# written is in the kernel's cache. No commit waits for the disk then, and no database that is dropped.
_NOT_ON_DISK = ("fsync", "full_page_writes")
# Nor may what a test sees depend on the minute in which it runs: statistics are those that it asks for. A
# database that was vacuumed meanwhile is not used again, either (see `recycled_databases`).
_NOT_BY_THE_CLOCK = ("autovacuum",)
_ATTEMPTS = 4
"""Times that a template is copied from which processes of an extension do not stay away."""


def hurried(admin_url: URL) -> URL:
    """The same server of this test run alone, which neither waits for the disk nor vacuums by itself."""
    _turn_off(admin_url, (*_NOT_ON_DISK, *_NOT_BY_THE_CLOCK))
    return admin_url


def unvacuumed(admin_url: URL) -> URL:
    """The same cluster, none of whose servers vacuums by itself."""
    for node in nodes_of(admin_url):
        _turn_off(node, _NOT_BY_THE_CLOCK)
    return admin_url


def _turn_off(server: URL, settings: Sequence[str]) -> None:
    with psycopg.connect(convert_to_conninfo(server), autocommit=True) as admin:
        for setting in settings:
            admin.execute(f"ALTER SYSTEM SET {setting} = off".encode())
        admin.execute("SELECT pg_reload_conf()")


def copy_database(admin_url: URL, name: str, *, template: str) -> None:
    """Make the database `name` as `template` is, also in who may connect and make temporary objects; of a
    cluster on every node.

    A pooler may have kept sessions in the template, which nobody uses: they are ended. Files are copied, or
    cloned where the server can (Postgres 18), instead of every page being logged: 0.06 s instead of 0.25.
    """
    for node in nodes_of(admin_url):
        _copy(node, name, template)


def _copy(admin_url: URL, name: str, template: str) -> None:
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as admin:
        admin.execute(
            "SELECT set_config(name, 'clone', false) FROM pg_settings"
            " WHERE name = 'file_copy_method' AND 'clone' = ANY (enumvals)"
        )
        for attempt in range(_ATTEMPTS):
            admin.execute(
                "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", [template]
            )
            try:
                admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY".encode())
            except psycopg.errors.ObjectInUse:
                # Citus' own process was there again.
                if attempt + 1 == _ATTEMPTS:
                    raise
            else:
                break
        admin.execute(
            "UPDATE pg_database SET datacl = (SELECT datacl FROM pg_database WHERE datname = %s) WHERE"
            " datname = %s",
            [template, name],
        )


SERVER_LOCK = 7_205_519_900
"""Any constant that no other test uses for an advisory lock in the server's first database."""


@contextmanager
def server_locked(admin_url: URL, *, changing: bool) -> Iterator[None]:
    """Keep what changes roles or settings of the server apart from what relies on them.

    Both belong to the whole server, which test processes share, and a cluster's also to other runs.
    """
    with psycopg.connect(convert_to_conninfo(admin_url), autocommit=True) as connection:
        shared = b"" if changing else b"_shared"
        connection.execute(b"SELECT pg_advisory_lock%s(%d)" % (shared, SERVER_LOCK))
        yield


def drop_database(admin_url: URL, name: str) -> None:
    """Remove the database `name`, whoever is connected; of a cluster from every node."""
    for node in nodes_of(admin_url):
        with psycopg.connect(convert_to_conninfo(node), autocommit=True) as admin:
            admin.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@contextmanager
def distributed_template(admin_url: URL) -> Iterator[str]:
    """The name of a database on every node of the cluster, migrated, distributed and empty, to copy."""
    name = f"citegraph_template_{secrets.token_hex(4)}"
    # Roles are changed by it, of which two at once lose one another's update.
    with server_locked(admin_url, changing=True):
        make_distributed(admin_url, name)
    for node in nodes_of(admin_url):
        with psycopg.connect(convert_to_conninfo(node), autocommit=True) as admin:
            # Citus' own process comes back as soon as it has been ended.
            admin.execute("UPDATE pg_database SET datallowconn = false WHERE datname = %s", [name])
    yield name
    drop_database(admin_url, name)
