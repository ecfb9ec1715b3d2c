"""Brings a database to the newest schema; the one function behind `citegraph migrate`, tests and demo."""

from dataclasses import dataclass
from pathlib import Path

from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from alembic import command
from app.db.engine import as_psycopg

PROJECT = Path(__file__).resolve().parents[2]

# Any constant that no other program uses for an advisory lock in the same database.
MIGRATION_LOCK = 7_205_519_001


@dataclass(frozen=True)
class MigrationReport:
    """`missing_walls` has one sentence for each protection that the host refused; empty is good."""

    missing_walls: tuple[str, ...]


def migrate(url: str, *, revision: str = "head") -> MigrationReport:
    """Upgrade the database at this privileged URL to `revision`; running it again changes nothing.

    Only one migration runs at a time on a database; others wait for it.
    """
    config = Config(PROJECT / "alembic.ini")
    engine = create_engine(as_psycopg(url), poolclass=NullPool)
    missing: list[str] = []
    config.attributes["missing_walls"] = missing
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
    return MigrationReport(tuple(missing))
