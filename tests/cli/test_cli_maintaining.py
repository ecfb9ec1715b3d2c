"""Vector indexes come by themselves where the installation may make them, and are missed in a log line where
not.
"""

import threading
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL
from structlog.testing import capture_logs

from app.cli.database_maintenance import maintain_database_in_background, maintain_database_periodically
from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.roles import APP
from app.db.vectors.indexes import build_index_name, read_vector_indexes
from app.settings import Settings
from tests.conftest import Home
from tests.integration.test_vector_indexes import fill
from tests.support.citus import NO_PARTITIONS
from tests.workers.conftest import wait_until

pytestmark = pytest.mark.one_machine(NO_PARTITIONS)


@pytest.fixture
def admin(privileged_url: URL, home: Home) -> Iterator[psycopg.Connection[Any]]:
    """A superuser beside a space that has just become large, for an installation that calls 100 chunks
    many.
    """
    with psycopg.connect(convert_to_conninfo(privileged_url), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        fill(connection, home, 120, seed=1)
        yield connection


@pytest.fixture
def up(settings: Settings, privileged_url: URL) -> Settings:
    """The settings of `citegraph up`, which knows the login that migrates."""
    url = privileged_url.render_as_string(hide_password=False)
    return settings.model_copy(
        update={"migration_database_url": url, "vector_index_chunks": 100, "maintain_seconds": 0.1}
    )


def names(database: Database) -> list[str]:
    return [
        vector_index.name for vector_index in read_vector_indexes(database.engine) if vector_index.is_usable
    ]


def test_a_space_that_grows_gets_its_index_and_one_that_goes_loses_it(
    database: Database, home: Home, admin: psycopg.Connection[Any], up: Settings
) -> None:
    own = build_index_name("chunk_vector", home.space_id, 0, is_dedicated=True)
    with maintain_database_in_background(up):
        wait_until(lambda: names(database) == [own], what="the index")
        # It is made before the space uses it: until then rows are copied.
        moved = "SELECT dedicated_vectors FROM knowledge_space WHERE id = %s"
        asked = [home.space_id]
        wait_until(lambda: admin.execute(moved, asked).fetchone() == (True,), what="the change")
        admin.execute("DELETE FROM dedicated_chunk_vector")
        wait_until(lambda: names(database) == [], what="its end")
    # Granted once the thread has let go of it.
    admin.execute("SELECT pg_advisory_lock(7205519002)")
    assert names(database) == []


@pytest.mark.usefixtures("admin")
def test_what_may_not_be_made_is_logged_and_tried_again(
    database: Database, privileged_url: URL, up: Settings
) -> None:
    """As the application's own login, which owns nothing; at the server itself, since a pooler is refused."""
    own = privileged_url.set(username=APP).render_as_string(hide_password=False)
    over = threading.Event()
    tries: list[str] = []

    def tell(step: object) -> None:
        tries.append(str(step))
        if len(tries) == 2:
            over.set()

    walled = up.model_copy(update={"migration_database_url": own})
    with capture_logs() as logs:
        maintain_database_periodically(walled, over, seconds=0.01, report_step=tell)
    assert len(tries) == 2
    # Each duty by itself: what one may not do keeps the other from nothing.
    assert [log["event"] for log in logs[:2]] == ["vector_indexes_not_kept_up", "audit_not_purged"]
    assert "Could not move to own partitions the vectors of space" in logs[0]["reason"]
    assert names(database) == []
