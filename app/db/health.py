"""Readiness of the database: reachable, migrated to the newest schema, with a login subject to the walls."""

from functools import cache

from sqlalchemy import text

from app.db.database import Database
from app.db.roles import check_whether_login_bypasses_row_security
from app.errors import Unavailable
from app.shipped_files import PROJECT

_MIGRATIONS = PROJECT / "alembic" / "versions"


@cache
def find_newest_migration_number() -> str:
    """Return the number of the newest migration of this code, with which its file's name begins.

    Alembic would import all migrations to determine it.
    """
    return max(path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*_*.py"))


def check_ready_and_get_revision(database: Database) -> str:
    """Return the schema's revision. Raises Unavailable with a code for the problem, and the pool's errors.

    A schema newer than this code is refused too: it may lack what this code reads.
    """
    with database.engine.connect() as connection:
        is_migrated = connection.execute(
            text("SELECT to_regclass('alembic_version') IS NOT NULL")
        ).scalar_one()
        revision_query = text("SELECT version_num FROM alembic_version")
        revision = str(connection.execute(revision_query).scalar()) if is_migrated else None
        if revision is None or revision != find_newest_migration_number():
            raise Unavailable("The database is not at this version's schema.", code="not_migrated")
        if check_whether_login_bypasses_row_security(connection).problems:
            raise Unavailable("The database login can bypass row-level security.", code="unsafe_login")
    return revision
