"""Periodic maintenance of an installation: vector indexes of large spaces, removal of old audit entries."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from app.cli.context import TERMINAL_ORIGIN
from app.db.database import Database
from app.db.engine import create_app_engine
from app.db.errors import DATABASE_ERRORS
from app.db.roles import MIGRATOR
from app.db.vectors import maintenance
from app.db.vectors.plan import Step
from app.errors import ConfigurationError
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.origin import record_with_origin

log = structlog.get_logger(__name__)


def maintain_database_periodically(
    settings: Settings,
    stop_event: threading.Event,
    *,
    seconds: float,
    report_step: Callable[[Step], None] = lambda step: log.info("vector_index", step=str(step)),
) -> None:
    """Do what `citegraph maintain` does, every `seconds`, until `stop_event` is set.

    Failures are logged and retried the next time. `settings.database_url` must be set.
    """
    url = settings.migration_database_url or settings.database_url
    assert settings.database_url is not None
    assert url is not None
    database = Database(create_app_engine(settings.database_url, settings), settings)
    try:
        while not stop_event.is_set():
            try:
                maintenance.maintain_vectors(
                    database,
                    url,
                    threshold=settings.vector_index_chunks,
                    pooler=settings.pooler,
                    report_step=report_step,
                )
            except (ConfigurationError, *DATABASE_ERRORS) as error:
                if not stop_event.is_set():
                    log.warning("vector_indexes_not_kept_up", reason=str(error).splitlines()[0])
            try:
                with open_database_as_owner(settings, url) as owner_session:
                    audit.delete_old_entries_and_record_count(owner_session, days=settings.audit_days)
            except (ConfigurationError, *DATABASE_ERRORS) as error:
                if not stop_event.is_set():
                    log.warning("audit_not_purged", reason=str(error).splitlines()[0])
            stop_event.wait(seconds)
    finally:
        database.dispose()


@contextmanager
def open_database_as_owner(settings: Settings, url: str) -> Iterator[Database]:
    """Open the database with the login that migrates, for what the application's role may not do."""
    # On a host that forbids creating roles, the login owns the tables itself.
    role = MIGRATOR if settings.database_role else ""
    owner_settings = settings.model_copy(update={"database_role": role, "allow_privileged_login": True})
    database = Database(create_app_engine(url, owner_settings), owner_settings)
    try:
        with record_with_origin(TERMINAL_ORIGIN):
            yield database
    finally:
        database.dispose()


@contextmanager
def maintain_database_in_background(settings: Settings) -> Iterator[None]:
    """Maintain the installation in a background thread until the block ends.

    An index build in progress is not waited for: its index stays invalid and is rebuilt the next time.
    """
    stop_event = threading.Event()
    maintenance_thread = threading.Thread(
        target=maintain_database_periodically,
        args=(settings, stop_event),
        kwargs={"seconds": settings.maintain_seconds},
        daemon=True,
        name="maintenance",
    )
    maintenance_thread.start()
    try:
        yield
    finally:
        stop_event.set()
        maintenance_thread.join(timeout=1.0)
