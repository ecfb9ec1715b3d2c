"""Migrate a database to the newest schema; used by `citegraph migrate`, tests and demo."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from alembic.config import Config
from sqlalchemy import create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from alembic import command
from app.db.engine import convert_to_psycopg_url
from app.db.errors import get_sqlstate, is_busy
from app.shipped_files import PROJECT

log = structlog.get_logger(__name__)

# Any constant that no other program uses for an advisory lock in the same database.
MIGRATION_LOCK = 7_205_519_001


@dataclass(frozen=True)
class MigrationReport:
    """`missing_protections` has a sentence for each protection that the host refused; best is none."""

    missing_protections: tuple[str, ...]


def migrate(url: str) -> MigrationReport:
    """Upgrade the database at this privileged URL to the newest revision; running it again changes nothing.

    Only one migration runs at a time on a database; others wait for it.
    """
    config = Config()
    config.set_main_option("script_location", str(PROJECT / "alembic").replace("%", "%%"))
    missing_protections: list[str] = []
    config.attributes["missing_protections"] = missing_protections
    run_migration_step_with_retries(url, config, lambda: command.upgrade(config, "head"))
    return MigrationReport(tuple(missing_protections))


def run_migration_step_with_retries(
    url: str, config: Config, step: Callable[[], None], *, attempts: int = 8
) -> None:
    """Run an Alembic command on a connection of its own; retry it if it lost against running traffic.

    A migration waits only briefly for a lock, and one that holds a lock on one table and waits for
    another may meet a worker that does it the other way round. Each migration is one transaction,
    so the next attempt goes on where the last one stood.

    Raises the database's error after the last attempt, or at once if a retry would not help.
    """
    engine = create_engine(convert_to_psycopg_url(url), poolclass=NullPool)
    for attempt in range(1, attempts + 1):
        try:
            with engine.connect() as connection:
                config.attributes["connection"] = connection
                step()
            return
        except DBAPIError as error:
            if attempt == attempts or not is_busy(error):
                raise
            log.warning("migration_lost_a_lock", attempt=attempt, sqlstate=get_sqlstate(error))
        # Jittered and growing, outside the transaction: traffic passes meanwhile.
        time.sleep(random.uniform(0.1, 0.5) * attempt)
