"""Readiness of the database: reachable, migrated to the newest schema, and a login behind the walls."""

from functools import cache

from sqlalchemy import text

from app.db.roles import check_login
from app.db.session import Database
from app.errors import Unavailable
from app.shipped_files import PROJECT

_MIGRATIONS = PROJECT / "alembic" / "versions"


@cache
def find_newest_revision() -> str:
    """The number of the newest migration that this code knows: its file's name begins with it.

    Alembic would import all migrations to say so.
    """
    return max(path.name.partition("_")[0] for path in _MIGRATIONS.glob("[0-9]*_*.py"))


def check_ready(database: Database) -> str:
    """The schema's revision. Raises Unavailable with a code that says what is wrong, and what the pool
    raises.

    A newer schema than this code knows is refused too: its tables may have lost what this code reads.
    """
    with database.engine.connect() as connection:
        migrated = connection.execute(text("SELECT to_regclass('alembic_version') IS NOT NULL")).scalar_one()
        query = text("SELECT version_num FROM alembic_version")
        revision = str(connection.execute(query).scalar()) if migrated else None
        if revision is None or revision != find_newest_revision():
            raise Unavailable("The database is not at this version's schema.", code="not_migrated")
        if check_login(connection).problems:
            raise Unavailable("The database login can go round row security.", code="unsafe_login")
    return revision
