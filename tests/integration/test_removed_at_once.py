"""Two requests that remove the same thing at once: one does, and the other finds nothing (requirements 17.2,
18.3).
"""

import contextlib
import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from sqlalchemy import URL

from app.db.database import Database
from app.db.engine import convert_to_conninfo
from app.db.session import SpaceSession
from app.errors import NotFound
from app.ids import DocumentId, JobId
from app.ingest import service as ingest
from app.ingest.trials import service as trials
from app.settings import Settings
from tests.conftest import Home
from tests.support.citus import nodes_of
from tests.support.ingest import ingest_now, text
from tests.support.trials import begin, trial_runner

TEXT = "Ada Lovelace worked for Charles Babbage."


def remove_twice_at_once(
    database: Database,
    home: Home,
    privileged_url: URL,
    remove: Callable[[SpaceSession], Any],
    action: str,
) -> None:
    """Begin a second removal while the first, done but not committed, holds its locks."""
    second_errors: list[type[Exception]] = []

    def remove_second() -> None:
        try:
            with database.open_space(home.tenant_id, home.space_id) as space:
                remove(space)
        except NotFound as error:
            second_errors.append(type(error))

    second = threading.Thread(target=remove_second)
    with database.open_space(home.tenant_id, home.space_id) as space:
        remove(space)
        second.start()
        wait_for_waiting_process(privileged_url)
    second.join(timeout=20)
    assert second_errors == [NotFound]
    with database.open_tenant(home.tenant_id) as tenant:
        entries = tenant.connection.execute(
            "SELECT count(*) FROM audit_event WHERE tenant_id = %s AND action = %s", [home.tenant_id, action]
        ).fetchone()
    assert entries == (1,)


def wait_for_waiting_process(privileged_url: URL) -> None:
    """Wait until a process of this test's database waits for a lock: of a cluster, on whichever node."""
    query = """SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE NOT granted AND datname = current_database()"""
    deadline = time.monotonic() + 10
    with contextlib.ExitStack() as stack:
        nodes = [
            stack.enter_context(psycopg.connect(convert_to_conninfo(node), autocommit=True))
            for node in nodes_of(privileged_url)
        ]
        while time.monotonic() < deadline:
            if any(node.execute(query).fetchone() != (0,) for node in nodes):
                return
            time.sleep(0.05)
    pytest.fail("the second removal did not wait for the first")


def test_a_document_is_removed_once(
    database: Database, settings: Settings, home: Home, privileged_url: URL
) -> None:
    ingest_now(database, settings, home, [text(TEXT)])
    with database.open_space(home.tenant_id, home.space_id) as space:
        ((document_id,),) = space.connection.execute(
            "SELECT id FROM document WHERE knowledge_space_id = %s", [home.space_id]
        ).fetchall()
    remove_twice_at_once(
        database,
        home,
        privileged_url,
        lambda space: ingest.delete_document_with_all_its_words(space, DocumentId(document_id)),
        "document.delete",
    )


def test_a_trial_is_dropped_once(
    database: Database, settings: Settings, home: Home, privileged_url: URL
) -> None:
    ingest_now(database, settings, home, [text(TEXT)])
    trial_id = begin(database, settings, home, model="rules")
    trial_runner(database, settings).drain()
    remove_twice_at_once(
        database,
        home,
        privileged_url,
        lambda space: trials.delete_trial(space, JobId(trial_id)),
        "trial.drop",
    )
