"""Runs migrations: one at a time, as a role that row security does not blind, never waiting long for a lock.

A forced policy would make an owner's UPDATE touch no row and an ADD FOREIGN KEY pass over rows that
violate it (reliability.md, fact 11), so migrations run as citegraph_migrator, and `row_security = off`
turns what would still be filtered into an error.
"""

from sqlalchemy import Connection, create_engine, text

from alembic import context
from app.db import models  # noqa: F401  (registers every table with Base.metadata)
from app.db.base import Base, is_created_by_migrations
from app.db.connection_checks import refuse_pooled_connection
from app.db.engine import convert_to_psycopg_url
from app.db.inspection import create_missing_policies_for_psql_logins, revoke_public_write_functions
from app.db.migrate import MIGRATION_LOCK
from app.db.roles import (
    begin_and_get_raw_connection,
    let_word_search_run_as_own_role,
    make_owner_own_tables_and_grant_rights,
    prepare_roles_and_act_as_migrator,
)
from app.db.vectors.partitions import is_partition
from app.settings import Settings


def is_described(thing: object, name: str | None, kind: str, *_: object) -> bool:
    """Alembic's question about everything that it finds: the models describe no partition by itself."""
    return is_created_by_migrations(thing) and not (
        kind == "table" and name is not None and is_partition(name)
    )


def run(connection: Connection) -> None:
    settings = Settings()
    refuse_pooled_connection(begin_and_get_raw_connection(connection), settings.pooler)
    connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": MIGRATION_LOCK})
    try:
        missing = prepare_roles_and_act_as_migrator(connection, settings)
        context.config.attributes.get("missing_protections", []).extend(missing)
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            compare_type=True,
            compare_server_default=True,
            include_object=is_described,
            transaction_per_migration=True,
        )
        connection.execute(text("SET lock_timeout = '4s'"))
        connection.execute(text("SET row_security = off"))
        connection.commit()
        with context.begin_transaction():
            context.run_migrations()
        make_owner_own_tables_and_grant_rights(connection)
        connection.commit()
        for _ in create_missing_policies_for_psql_logins(connection):
            connection.commit()
        connection.execute(text("RESET ROLE"))
        context.config.attributes.get("missing_protections", []).extend(
            let_word_search_run_as_own_role(connection)
        )
        revoke_public_write_functions(connection)
        connection.commit()
    finally:
        connection.rollback()
        connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": MIGRATION_LOCK})
        connection.execute(text("RESET ROLE"))
        connection.commit()


given = context.config.attributes.get("connection")
if given is not None:
    run(given)
else:
    settings = Settings()
    url = settings.migration_database_url or settings.database_url
    if url is None:
        raise SystemExit(
            "Set CITEGRAPH_DATABASE_URL, or use `citegraph migrate`, which knows the embedded server."
        )
    engine = create_engine(convert_to_psycopg_url(url))
    with engine.connect() as connection:
        run(connection)
    engine.dispose()
