"""Duties of an installation, now and then: vector indexes of large spaces, an end of old audit entries."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import structlog

from app.cli.context import TERMINAL
from app.db.engine import create_app_engine
from app.db.errors import DATABASE_ERRORS
from app.db.roles import MIGRATOR
from app.db.session import Database
from app.db.vectors import maintenance
from app.db.vectors.plan import Step
from app.errors import ConfigurationError
from app.settings import Settings
from app.tenancy.audit import service as audit
from app.tenancy.audit.origin import recording_as

log = structlog.get_logger(__name__)


def maintain_indexes(
    settings: Settings,
    event: threading.Event,
    *,
    seconds: float,
    tell: Callable[[Step], None] = lambda step: log.info("vector_index", step=str(step)),
) -> None:
    """Do what `citegraph maintain` does, again after so many seconds, until `over` is set.

    What cannot be done is logged and tried again the next time. The settings have both addresses.
    """
    url = settings.migration_database_url or settings.database_url
    assert settings.database_url is not None
    assert url is not None
    database = Database(create_app_engine(settings.database_url, settings), settings)
    try:
        while not event.is_set():
            try:
                maintenance.maintain_vectors(
                    database, url, threshold=settings.vector_index_chunks, pooler=settings.pooler, tell=tell
                )
            except (ConfigurationError, *DATABASE_ERRORS) as error:
                if not event.is_set():
                    log.warning("vector_indexes_not_kept_up", reason=str(error).splitlines()[0])
            try:
                with open_as_owner(settings, url) as owner:
                    audit.purge_old_entries(owner, days=settings.audit_days)
            except (ConfigurationError, *DATABASE_ERRORS) as error:
                if not event.is_set():
                    log.warning("audit_not_purged", reason=str(error).splitlines()[0])
            event.wait(seconds)
    finally:
        database.dispose()


@contextmanager
def open_as_owner(settings: Settings, url: str) -> Iterator[Database]:
    """The database as the login that migrates opens it, for what the application may not do."""
    # On a host that forbids roles the login owns the tables itself.
    role = MIGRATOR if settings.database_role else ""
    owner_settings = settings.model_copy(update={"database_role": role, "allow_privileged_login": True})
    database = Database(create_app_engine(url, owner_settings), owner_settings)
    try:
        with recording_as(TERMINAL):
            yield database
    finally:
        database.dispose()


@contextmanager
def maintain_in_background(settings: Settings) -> Iterator[None]:
    """Vector indexes are kept up meanwhile, in a thread.

    An index that is being made is not waited for: it is left unusable, and made anew the next time.
    """
    event = threading.Event()
    keeper = threading.Thread(
        target=maintain_indexes,
        args=(settings, event),
        kwargs={"seconds": settings.maintain_seconds},
        daemon=True,
        name="keep_up",
    )
    keeper.start()
    try:
        yield
    finally:
        event.set()
        keeper.join(timeout=1.0)
